"""Laws of schedules for all sizes: start times, counts, delays, orders, families."""
