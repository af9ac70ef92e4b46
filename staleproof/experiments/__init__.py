"""The papers' experiments, rerun: a file each, and what runs and keeps them."""
