"""Exact runs of SAPipe, and what is measured on them."""
