"""Readers and writers of schedule files."""
