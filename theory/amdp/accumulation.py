"""Which minibatches of an accumulation window have a mismatch: the first d − 1, at most.

A window is what the source accumulates before a unified update: so many backwards of a stage, of
all d/2 pipelines. An update meets at most n·d/2 = d minibatches between forward and backward, and
the one that closes the window is past its own. So at most d − 1 see the update, and since all of
them had their forward before it, they come first in their window by their forwards. That holds for
all durations. That none sees two updates is another matter: it takes fewer backwards of the stage
than a window between forward and backward, which one pipeline has by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import sympy

from schedules.actions import Kind
from theory.amdp.fifo import READINGS, TIES, TURNS, Job, Play, Tie, Uneven
from theory.amdp.symbols import d
from theory.amdp.window_laws import CORE, UNDER_WAY, is_least, statements
from theory.amdp.windows import Mismatches, mismatches
from theory.claims import Claim, Formulas
from theory.ledger import Case, Evidence, Finding, Judgement, Repair, Step
from theory.queries import remembered
from theory.solver import Outcome, decide, merge
from theory.verdicts import Verdict, weakest


@dataclass(frozen=True)
class Domain:
    """Plays that are looked at to their end: durations the same everywhere."""

    stages: tuple[int, ...]
    durations: tuple[tuple[int, int], ...]
    ties: tuple[Tie, ...]
    windows: tuple[int, ...]

    @property
    def says(self) -> str:
        """In words."""
        return (
            f"d = {', '.join(map(str, self.stages))}, (F, B) in {self.durations}, windows of "
            f"{', '.join(map(str, self.windows))} times d, {len(self.ties)} tie rules, both "
            "readings of the queue, each play to its period"
        )


SMALL: Final = Domain((2, 4, 6), ((1, 1), (1, 2)), TIES[:2], (1, 2))
LARGE: Final = Domain((2, 4, 6, 8), ((1, 1), (1, 2), (2, 3)), TIES, (1, 2, 4))

ATTAINED: Final = tuple((Play(stages, 1, 1), TIES[1]) for stages in (4, 6))
"""Plays in which d − 1 minibatches of a window of d see its update."""


UNEVEN: Final = Uneven(
    4,
    1,
    1,
    TURNS,
    (
        (Job(0, 0, Kind.B, 1), 6),
        (Job(1, 1, Kind.B, 3), 4),
        (Job(1, 2, Kind.B, 3), 3),
    ),
)
"""Three slow backwards among 1s, under the tie rule of the family."""
UNEVEN_STEPS: Final = 120


def _attained(form: sympy.Expr) -> bool:
    """Whether so many do see an update."""
    found = ((play.stages, _of(play, tie, play.stages)) for play, tie in ATTAINED)
    return all(seen is not None and seen.affected == form.subs(d, at) for at, seen in found)


def proof(forms: Formulas) -> Outcome:
    """All of it, and that no smaller number would do.

    Examples
    --------
    >>> proof(CORE).verdict.name, proof(CORE | {"affected": d}).verdict.name
    ('PROVED', 'UNKNOWN')
    """
    says = "at most d − 1 of a window see its update, the first ones by their forwards"
    if not (is_least(forms["window"]) and _attained(forms["affected"])):
        return Outcome("windows", says, Verdict.UNKNOWN, {}, "another number would do", 0)
    return merge("windows", says, [decide(one) for one in statements(forms)])


@remembered
def _of(play: Play, tie: Tie, window: int, steps: int | None = None) -> Mismatches | None:
    return mismatches(play, tie, window, steps)


def exhausted(domain: Domain, stated: Mapping[str, Any]) -> tuple[Verdict, dict[str, Any] | None]:
    """Whether in all plays of a domain only the first minibatches have a mismatch, of so much.

    Looked at by three orders at once: of forwards, of backwards, and of minibatch numbers.

    Examples
    --------
    >>> exhausted(Domain((4,), ((1, 1),), TIES[:1], (2,)), {"first": d, "mismatch": 1})[0].name
    'CHECKED'
    """
    for stages in domain.stages:
        for pair in domain.durations:
            for reading in READINGS:
                for tie in domain.ties:
                    for times in domain.windows:
                        play = Play(stages, *pair, reading)
                        found = _of(play, tie, times * stages)
                        if found is None:
                            return Verdict.UNKNOWN, None
                        last = max(found.by_forward, found.by_backward, found.by_number)
                        first = stated["first"].subs(d, stages)
                        if found.most > stated["mismatch"] or last > first:
                            at = {"d": stages, "F": pair[0], "B": pair[1], "queue": reading}
                            more = {"tie": tie.name, "window": times * stages, **vars(found)}
                            return Verdict.REFUTED, at | more
    return Verdict.CHECKED, None


def _uneven(stated: Any) -> dict[str, Any] | None:
    """A play with uneven durations in which a minibatch sees two updates of windows of d."""
    found = _of(UNEVEN, TIES[0], UNEVEN.stages, UNEVEN_STEPS)
    if found is None or found.most <= stated:
        return None
    slow = {
        f"{job.stage}{job.kind.name} of minibatch {job.number} of pipeline {job.pipeline}": taken
        for job, taken in UNEVEN.slow
    }
    return {
        "d": UNEVEN.stages,
        "window": UNEVEN.stages,
        "F = B": 1,
        "but": slow,
        "queue": UNEVEN.reading,
        "tie": TIES[0].name,
        "mismatch": found.most,
    }


def _short(stated: Any) -> dict[str, Any] | None:
    """A play with a window of one in which a minibatch sees more updates."""
    play, tie = ATTAINED[0]
    found = _of(play, tie, 1)
    if found is None or found.most <= stated:
        return None
    at = {"d": play.stages, "window": 1, "F = B": 1, "queue": play.reading, "tie": tie.name}
    return {**at, "mismatch": found.most}


def _cases(stated: Formulas) -> tuple[Case, ...]:
    outcomes = {one.name: decide(one).verdict for one in statements(CORE)}
    counted = sympy.expand(stated["first"] - UNDER_WAY) == 0
    first = weakest((outcomes["affected"], outcomes["order"]))
    one = stated["mismatch"] == 1
    checked, against = exhausted(SMALL, stated)
    uneven, short = _uneven(stated["mismatch"]), _short(stated["mismatch"])
    refuted = Verdict.REFUTED
    return (
        Case(
            "any mismatch at all, all durations, every window",
            first if counted else Verdict.UNKNOWN,
            "only the first d − 1 of a window, in the order of forwards at the stage",
        ),
        Case(
            "not above 1: one pipeline with n = 2, all durations, every window",
            outcomes["one pipeline"] if one else Verdict.UNKNOWN,
            "for any n, windows of n − 1 and more",
        ),
        Case(
            "not above 1: at most W backwards of a stage between forward and backward, all "
            "durations, every window W",
            outcomes["span"] if one else Verdict.UNKNOWN,
        ),
        Case(
            "not above 1, and the first d by forwards, backwards and numbers: d/2 pipelines, "
            "windows of whole multiples of d, F and B the same everywhere",
            checked,
            SMALL.says if against is None else str(against),
        ),
        Case(
            "not above 1: d/2 pipelines, windows of d, durations that differ",
            refuted if uneven else Verdict.UNKNOWN,
            "a minibatch that is held up sees two updates, if a stage's kinds queue in turns"
            if uneven
            else "",
        ),
        Case(
            "not above 1: d/2 pipelines, windows shorter than d",
            refuted if short else Verdict.UNKNOWN,
            "with an update after every backward it sees those of the other pipelines too"
            if short
            else "",
        ),
    )


def _overall(proved: Verdict, cases: tuple[Case, ...]) -> Verdict:
    """CONDITIONAL: proved of any mismatch at all, and of one pipeline."""
    found = weakest((proved, *(case.verdict for case in cases[:3])))
    if found is not Verdict.PROVED:
        return found
    return Verdict.CONDITIONAL if cases[3].verdict is Verdict.CHECKED else Verdict.UNKNOWN


def _judge(formulas: Formulas) -> Judgement:
    outcome, cases = proof(CORE), _cases(formulas)
    verdict = _overall(outcome.verdict, cases)
    return Judgement(
        verdict=verdict,
        printed_proof="none",
        cases=cases,
        assumes=(
            "n = 2, d/2 pipelines; a stage updates when the last backward of its window ends, for "
            "all pipelines at once",
            "a window is at least d minibatches: with microbatches of 4 the source's figures for "
            "d = 8 and b = 32 or 128 are those of its thresholds 1 and 4, so that a threshold of "
            "1 is d minibatches",
        ),
        steps=(
            *(
                Step("ours", found.says, found.note, found.verdict)
                for found in map(decide, statements(CORE))
            ),
            Step(
                "ours", "d − 1 do see an update, and n − 1 is the least window", "", outcome.verdict
            ),
        ),
        findings=_findings(verdict, cases),
    )


def _findings(verdict: Verdict, cases: tuple[Case, ...]) -> tuple[Finding, ...]:
    if verdict is not Verdict.CONDITIONAL:
        return ()
    found = [
        Finding(
            "loose",
            "Key Designs, 3",
            "one of the d minibatches under way closes the window, so that d − 1 see the update",
            repaired=Repair(
                "At every stage at most d − 1 minibatches of a window have a mismatch, the first "
                "ones by their forwards.",
                cases[0].verdict,
            ),
        )
    ]
    repair = Repair(
        "A minibatch sees one update at most if at most a window's backwards of the stage lie "
        "between its forward and its backward.",
        cases[2].verdict,
    )
    for witness, says in (
        (_uneven(1), "with several pipelines and uneven durations some see two updates"),
        (_short(1), "with windows shorter than d some see several updates"),
    ):
        if witness is not None:
            found.append(Finding("missing-condition", "Key Designs, 3", says, witness, repair))
    return tuple(found)


def _holds(formulas: Formulas) -> Verdict:
    return proof(formulas).verdict


def _deeper(formulas: Formulas) -> tuple[Evidence, ...]:
    """The same plays for more stages, durations, ties and windows."""
    verdict, against = exhausted(LARGE, formulas)
    if against is not None:
        return (Evidence("against", LARGE.says, against),)
    points: Literal["for", "neither"] = "for" if verdict is Verdict.CHECKED else "neither"
    return (Evidence(points, LARGE.says, {"verdict": verdict.name}),)


_PRINTED: Final = {"first": d, "mismatch": sympy.Integer(1)}

CLAIM: Final = Claim(
    id="amdp.accumulation",
    where="Key Designs, 3",
    statement=(
        "Only the first d minibatches of each accumulation window have a mismatch, and it is one "
        "step."
    ),
    latex=r"\mathrm{mismatch}(m) \le 1, \text{ and } 0 \text{ behind the first } d",
    judge=_judge,
    printed=_PRINTED,
    core=CORE,
    holds=_holds,
    deeper=_deeper,
)
