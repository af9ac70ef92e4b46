"""A second solver's answers to the questions that z3 was asked."""
