"""Schedules on measured layers: partitions, what a schedule costs on them, plans."""
