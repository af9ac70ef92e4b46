"""Command line, pytest plugin and version of staleproof."""

__all__ = ["__version__"]

__version__ = "0.1.0"
