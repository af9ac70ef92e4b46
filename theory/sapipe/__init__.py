"""SAPipe: what its theorems, its program and its algorithms say, and what holds."""
