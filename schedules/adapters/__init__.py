"""Schedules of other software, as live objects; files are read by `schedules.formats`."""
