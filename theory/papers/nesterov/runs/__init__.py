"""Exact runs of Nesterov's method with a fixed delay, and what is measured on them."""
