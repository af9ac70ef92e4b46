"""``staleproof plan``: its answers, as plain data and as text."""
