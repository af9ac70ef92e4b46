"""What the papers claim: one folder a paper, one file a numbered statement."""
