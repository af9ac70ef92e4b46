"""Command line, pytest plugin and version of staleproof."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from staleproof.checking.api import CheckFailed, check

__all__ = ["CheckFailed", "__version__", "check"]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import `check` and what it raises when they are first asked for."""
    if name in ("CheckFailed", "check"):
        from staleproof.checking import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
