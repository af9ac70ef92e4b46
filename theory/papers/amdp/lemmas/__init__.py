"""Lemmas of our own, and what their proofs share."""
