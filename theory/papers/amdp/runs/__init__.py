"""Exact runs of pipelines, and what is read off them."""
