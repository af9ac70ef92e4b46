"""Closed forms in p: affine decision lists, guessed here, proved in `theory`."""
