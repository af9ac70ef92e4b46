"""Documents of a ledger: the same blocks written as LaTeX, Markdown, HTML and terminal text."""
