"""Synthesis: the best order itself, for one placement and one partition, with a lower bound."""
