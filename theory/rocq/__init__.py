"""Proofs of the kernel as files of Rocq, so that another program checks them."""
