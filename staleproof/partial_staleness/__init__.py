"""What `staleproof partial-staleness` answers, and how it is shown."""
