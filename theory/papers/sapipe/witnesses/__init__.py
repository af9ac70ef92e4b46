"""Instances, replays and exact runs that refutations show."""
