"""`DelayLaw`: closed forms of a family's delays with their proof, and as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sympy

from schedules.closed_forms.floor_sums import p_, x_
from schedules.closed_forms.let_in import Part
from schedules.closed_forms.start_times import LEAST_STAGES, StartTimes
from theory.errors import NoClosedFormError
from theory.laws.delays.closed import Closed, by_residue, closed_json, described
from theory.laws.delays.greedy_induction import Clause
from theory.laws.delays.let_in import LetIn
from theory.laws.delays.matrix import Columns, DelayMatrix, i_, j_
from theory.laws.delays.whole_run import WholeRun
from theory.laws.delays.window_closed import WindowClosed
from theory.smt.solver import Outcome
from theory.verdicts import Verdict, weakest


@dataclass(frozen=True)
class DelayLaw:
    """What `derive` found out about a family under a linearization.

    Attributes
    ----------
    family, linearization : str
    closed : Closed or None
        None where no closed form was found.
    proof : tuple of Outcome
    clauses : tuple of Clause
        For a greedy rule: which of its preferences ever decide.
    guess : StartTimes or None
        Start times that fit small runs, proved or not.
    start_proof : tuple of Outcome
        The part of `proof` that is about start times.
    part : Part or None
        The p that it is stated for, where other p have other forms.
    parts : tuple of DelayLaw
        In place of closed forms: one law for every rest that p leaves.
    table : tuple of mapping
        Where nothing is proved, what runs of small sizes say.
    """

    family: str
    linearization: str
    closed: Closed | WindowClosed | LetIn | None
    proof: tuple[Outcome, ...]
    clauses: tuple[Clause, ...] = ()
    guess: StartTimes | None = None
    table: tuple[Mapping[str, Any], ...] = ()
    start_proof: tuple[Outcome, ...] = ()
    part: Part | None = None
    parts: tuple[DelayLaw, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """PROVED if every part of the proof is."""
        if self.parts:
            return weakest(one.verdict for one in self.parts)
        established = weakest(outcome.verdict for outcome in self.proof) is Verdict.PROVED
        return Verdict.PROVED if established and self.closed else Verdict.UNKNOWN

    @property
    def rests_on(self) -> tuple[str, ...]:
        """What the law rests on: ``"solver"``, ``"comparison"``."""
        return tuple(dict.fromkeys(kind for part in self.proof for kind in part.rests_on))

    @property
    def matrix(self) -> DelayMatrix:
        """The closed form of the delay matrix."""
        return self.established.matrix

    @property
    def whole_run(self) -> WholeRun:
        """The closed form of the largest delay of a run.

        Raises
        ------
        NoClosedFormError
            There is none, or no law.
        """
        found = self.established.whole
        if found is None:
            raise NoClosedFormError(
                "no closed form of the largest delay of a run is established",
                f"derive {self.family}",
                "ask `staleproof delays` for the numbers of one size",
            )
        return found

    @property
    def established(self) -> Closed:
        """The closed forms where all microbatches are alike.

        Raises
        ------
        NoClosedFormError
            They are not established, or depend on a microbatch's place in its round.
        """
        found = self.proved
        if not isinstance(found, Closed):
            raise NoClosedFormError(
                "rows of the matrix depend on the microbatch's place in its round",
                f"derive {self.family}",
                "read `index` and `recorded`",
            )
        return found

    @property
    def proved(self) -> Closed | WindowClosed | LetIn:
        """The closed forms, once every part of the proof is PROVED.

        Raises
        ------
        NoClosedFormError
            They are not established; the message says which part fell short.
        """
        if self.closed is None or self.verdict is not Verdict.PROVED:
            raise NoClosedFormError(
                f"no closed form is established: {self._short()}",
                f"derive {self.family}",
                "ask `staleproof delays` for the numbers of one size",
            )
        return self.closed

    def _short(self) -> str:
        """The first part that fell short, and why."""
        for part in self.proof:
            if part.verdict is not Verdict.PROVED:
                return f"{part.says} ({part.note})"
        return "nothing was proved"

    @property
    def domain(self) -> str:
        """The values that the law is stated for."""
        if self.verdict is not Verdict.PROVED:
            return "none"
        if self.parts:
            return "; ".join(one.domain for one in self.parts)
        return self.part.words(self._own_domain) if self.part else self._own_domain

    @property
    def _own_domain(self) -> str:
        if not isinstance(self.proved, Closed):
            return self.proved.domain
        counts = self.proved.counts
        steady = "0 <= m < M" if counts.from_start else f"{counts.first} <= m < M - p"
        return f"p >= 2, 0 <= i < p, 0 <= j < p, {steady}"

    def to_json(self) -> dict[str, Any]:
        """The law as plain data; formulas are `sympy.sstr` texts."""
        head = {
            "family": self.family,
            "linearization": self.linearization,
            "domain": self.domain,
            "verdict": self.verdict.name,
            "clauses": [asdict(clause) for clause in self.clauses],
            "proof": [outcome.to_json() for outcome in self.proof],
            "rests_on": list(self.rests_on),
        }
        if self.part is not None:
            head["part"] = str(self.part)
        if self.parts:
            each = {"parts": [one.to_json() for one in self.parts]}
            return head | _NOTHING | self._instead() | each
        if self.verdict is not Verdict.PROVED:
            return head | _NOTHING | self._instead()
        found = self.proved
        return head | (closed_json(found) if isinstance(found, Closed) else found.to_json())

    def _instead(self) -> dict[str, Any]:
        """Where no law is proved: what fits, what small runs say, and what is missing."""
        return {
            "guess": None
            if self.guess is None
            else described(self.guess) | {"least_p": self.guess.least},
            "started": bool(self.start_proof)
            and weakest(one.verdict for one in self.start_proof) is Verdict.PROVED,
            "table": list(self.table),
            "open": "" if self.verdict is Verdict.PROVED else self._short(),
        }

    def at(
        self, p: int, i: int | None = None, j: int | None = None, r: int | None = None
    ) -> dict[str, Any]:
        """Evaluate at numbers, without building a schedule; r where rows depend on it.

        Where r is needed and not given, the delay is None, and ``"needs"`` says which r there are.

        Raises
        ------
        NoClosedFormError
            A number outside the law's domain, or no law.

        Examples
        --------
        >>> from theory.derive import derive
        >>> derive("pipedream").at(1_000_000, 0, 0)["delay"]
        999999500000
        """
        if self.parts:
            here = [one for one in self.parts if one.part and one.part.here(p)]
            _require(bool(here), f"{self.domain}, found p = {p}")
            return here[0].at(p, i, j, r)
        closed = self.proved
        for name, value in (("p", p), ("i", i), ("j", j)):
            whole = isinstance(value, int) and not isinstance(value, bool)
            _require(value is None or whole, f"whole numbers, found {name} = {value!r}")
        least = LEAST_STAGES if isinstance(closed, Closed) else closed.least
        _require(p >= least, f"p ≥ {least}, found p = {p}")
        for name, stage in (("i", i), ("j", j)):
            _require(stage is None or 0 <= stage < p, f"0 ≤ {name} < p = {p}, found {stage}")
        if not isinstance(closed, Closed):
            by_number = isinstance(closed, LetIn) and closed.interval > 1
            _require(r is None or not by_number, "delays in m, not in r: leave out r")
            every = closed.places(p)
            _require(r is None or 0 <= r < every, f"0 ≤ r < {every}, found {r}")
            stages = {"i": i, "j": j, "r": r}
            found = closed.at(p, **{n: one for n, one in stages.items() if one is not None})
            if "delay" in found or i is None or j is None:
                return found
            return found | {"delay": None, "needs": f"0 <= r < {every}"}
        _require(r is None, "every microbatch: leave out r")
        a = p % closed.matrix.period
        values: dict[str, Any] = {"p": p}
        if i is not None:
            values["i"] = i
            steady = closed.staleness.columns
            staleness = steady[_among(steady, p, i)].recorded[a, i % closed.matrix.period]
            values["local_staleness"] = _number(staleness.subs({p_: p, x_: i}))
        if i is not None and j is not None:
            residues = (a, i % closed.matrix.period, j % closed.matrix.period)
            entry = closed.matrix.entry(*residues, _among(closed.matrix.columns, p, j))
            values["j"] = j
            values["delay"] = _number(entry.subs({p_: p, i_: i, j_: j}))
        tables = by_residue(closed)
        return values | {
            name: None if table is None else _number(table[a].subs(p_, p))
            for name, table in tables.items()
        }


_NOTHING: dict[str, Any] = {
    "start_times": None,
    "delay": None,
    "max": None,
    "min": None,
    "mean": None,
    "whole_run_max": None,
    "whole_run_least_m": None,
    "local_staleness": None,
    "local_staleness_whole_run": None,
    "makespan": None,
    "bubble": None,
    "in_flight": None,
}


def _among(columns: Sequence[Columns], p: int, stage: int) -> int:
    """Which entry of a decision list a stage belongs to."""
    at = {"x": stage, "p": p}
    return next(
        place for place, one in enumerate(columns) if one.guard is None or one.guard.at(at) >= 0
    )


def _require(holds: bool, rule: str) -> None:
    if not holds:
        raise NoClosedFormError(f"the law is stated for {rule}", "--at", "stay inside the domain")


def _number(value: sympy.Expr) -> int | str:
    return int(value) if value.is_Integer else str(value)
