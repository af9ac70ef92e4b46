"""``staleproof check``: a gate on schedules, for continuous integration.

=========== ===================================================================================
module      holds
=========== ===================================================================================
`options`   `Options`: what is required, in which model, and how it is written
`loading`   from a file or family to the document that is checked
`run`       from a document to its report, and from there to an outcome
`outcome`   `Outcome`: what checking one target came to, as plain data
`text`      an outcome for people
`junit`     outcomes as JUnit XML
`github`    outcomes as annotations of GitHub Actions
`sarif`     outcomes as SARIF 2.1.0
`workspace` where a file is in the repository
`changes`   what is different between two schedules
`names`     names of files and folders for what is written beside
`api`       `check`: the same in a test
`arguments` what the arguments of `check` can be
=========== ===================================================================================

What an invariant means and how it is decided is in `schedules.invariants`.
"""
