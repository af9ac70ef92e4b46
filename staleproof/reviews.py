"""``verify --cross`` and ``--smt``: what the first solver was asked, put to a second one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theory.ledger import Row
    from theory.smt.queries import Query


class Review:
    """Looks at every judged row, dependencies included.

    Attributes
    ----------
    asked : dict of str to tuple of Query
        By claim, what its proof asked.
    contradictions : list of str
        A line for every question that the solvers answer differently.
    """

    def __init__(self, cross: bool) -> None:
        self._cross = cross
        self.asked: dict[str, tuple[Query, ...]] = {}
        self.contradictions: list[str] = []
        if cross:
            from theory.smt.cvc5 import require_cvc5

            require_cvc5()  # before the work is done that it is for

    def __call__(self, row: Row) -> Row:
        """Keep the queries of a row; with a second opinion, the row that it leaves."""
        self.asked[row.id] = row.queries
        if not self._cross:
            return row
        from theory.judging.opinions import contradictions, second_opinion, with_opinion

        opinion = second_opinion(row.queries)
        self.contradictions += contradictions(row.id, opinion)
        return with_opinion(row, opinion)

    def written(self, directory: str) -> list[str]:
        """Write every question as a file; the files written.

        Raises
        ------
        reports.errors.OutputError
            The folder cannot be written.
        """
        from reports.files import write_files
        from theory.smt.files import smt_files

        return [str(path) for path in write_files(smt_files(self.asked), directory)]
