"""From claims to verdicts: who is asked, in which process, and what must not pass."""
