"""Put every question that z3 answered for a claim to cvc5 as well.

A verdict rests on two solvers then. Where they contradict each other, one of them is wrong, and the
claim is undecided whatever was said before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from theory.ledger import Evidence, Row
from theory.smt import cvc5 as engine
from theory.smt.queries import Query
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Opinion:
    """What cvc5 says to the questions that z3 answered.

    Attributes
    ----------
    queries : int
        Questions that z3 answered. Nothing rests on those that it left open.
    undecided : tuple of (Query, str)
        Those that cvc5 left open, and its reasons.
    disagreements : tuple of (Query, str)
        Those that cvc5 answered otherwise, and its answers.
    """

    queries: int
    undecided: tuple[tuple[Query, str], ...] = ()
    disagreements: tuple[tuple[Query, str], ...] = ()

    @property
    def confirmed(self) -> int:
        """Questions that both solvers answered alike."""
        return self.queries - len(self.undecided) - len(self.disagreements)


def second_opinion(queries: Sequence[Query], rlimit: int = engine.RLIMIT) -> Opinion:
    """Put questions to cvc5.

    Parameters
    ----------
    queries : sequence of Query
    rlimit : int
        cvc5's budget of one question.

    Raises
    ------
    theory.smt.cvc5.MissingSolverError
        cvc5 is not installed.

    Examples
    --------
    >>> text = "(set-logic ALL)(declare-fun x () Int)(assert (< x 0))(check-sat)"
    >>> second_opinion([Query("below 0", text, "sat", 9)]).confirmed
    1
    >>> second_opinion([Query("below 0", text, "unsat", 9)]).disagreements[0][1]
    'sat'
    """
    engine.require_cvc5()
    answered = [query for query in queries if query.answer != "unknown"]
    undecided, disagreements = [], []
    for query in answered:
        answer, reason = _answer(query.text, rlimit)
        if answer == "unknown":
            undecided.append((query, reason))
        elif answer != query.answer:
            disagreements.append((query, answer))
    return Opinion(len(answered), tuple(undecided), tuple(disagreements))


@lru_cache(maxsize=20_000)
def _answer(text: str, rlimit: int) -> tuple[engine.Answer, str]:
    """Many claims rest on one delay law, and ask the same."""
    return engine.answer(text, rlimit)


def with_opinion(row: Row, opinion: Opinion) -> Row:
    """The row with the opinion in its evidence; UNKNOWN where the solvers disagree.

    It is checked by cvc5 where that confirms every question.

    Examples
    --------
    >>> from theory.judging.catalogue import CLAIMS
    >>> from theory.judging.judge import judge
    >>> row = judge(CLAIMS["kernel.young"], listen=True)
    >>> with_opinion(row, second_opinion(row.queries)).judgement.evidence[-1].says
    'second opinion: ... queries confirmed by cvc5, 0 undecided'
    """
    evidence = _evidence(opinion)
    judgement = replace(row.judgement, evidence=(*row.judgement.evidence, evidence))
    if opinion.disagreements:
        judgement = replace(judgement, verdict=Verdict.UNKNOWN)
    checked_by = ("cvc5",) if evidence.points == "for" else ()
    return replace(row, judgement=judgement, checked_by=checked_by)


def contradictions(claim: str, opinion: Opinion) -> list[str]:
    """A line for every question that the solvers answer differently."""
    return [
        f"{claim}: z3 says {query.answer}, cvc5 says {answer}: {query.asks}"
        for query, answer in opinion.disagreements
    ]


def _evidence(opinion: Opinion) -> Evidence:
    """One piece of evidence; it speaks for the claim only where every question is confirmed."""
    says = (
        f"second opinion: {opinion.confirmed} of {opinion.queries} queries confirmed by cvc5, "
        f"{len(opinion.undecided)} undecided"
    )
    data: dict[str, Any] = {
        "solver": engine.version(),
        "rlimit": engine.RLIMIT,
        "queries": opinion.queries,
        "confirmed": opinion.confirmed,
        "undecided": [{"asks": q.asks, "why": reason} for q, reason in opinion.undecided],
    }
    if opinion.disagreements:
        data["disagreements"] = [
            {"asks": query.asks, "z3": query.answer, "cvc5": answer, "text": query.text}
            for query, answer in opinion.disagreements
        ]
        return Evidence("against", f"{says}, {len(opinion.disagreements)} contradicted", data)
    settled = opinion.queries > 0 and not opinion.undecided
    return Evidence("for" if settled else "neither", says, data)
