"""Benchmarks: small scripts that print what they measured; see `README.md`."""
