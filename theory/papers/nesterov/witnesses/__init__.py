"""Instances that show where statements fail, and what certifies them."""
