"""The invariants of a schedule, one module each; `schedules.validate` runs them all."""
