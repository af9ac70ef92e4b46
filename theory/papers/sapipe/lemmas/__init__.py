"""Our own lemmas and helper theorems, beside the numbered statements one folder up."""
