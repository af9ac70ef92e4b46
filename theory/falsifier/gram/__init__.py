"""Worst cases of a statement as semidefinite programs, and exact witnesses made of them."""
