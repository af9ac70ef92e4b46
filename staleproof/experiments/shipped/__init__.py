"""Experiments of the papers, a file each; `staleproof.experiments.registry` finds them."""
