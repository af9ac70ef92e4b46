"""Exact runs of LocalSGD, and what is measured on them."""
