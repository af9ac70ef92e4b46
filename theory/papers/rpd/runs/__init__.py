"""Exact runs of RPD and NAG-RPD, and what is measured on them."""
