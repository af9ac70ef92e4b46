"""Whether d/2 pipelines in both directions, two minibatches each, leave no gap on any rank.

To saturate is read as: from some time on no rank is ever idle. Open in the source: how long F and B
take, on which ranks a pipeline's stages are, what a rank's queue holds, and which of equally old
actions goes first.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import sympy

from schedules.actions import Kind
from theory.amdp import rotation
from theory.amdp.fifo import QUEUE, READINGS, TIES, TURNS, Play, Tie
from theory.amdp.steady_play import every_play, steady
from theory.claims import Claim, Formulas
from theory.ledger import Case, Evidence, Finding, Judgement, Repair, Step
from theory.queries import remembered
from theory.verdicts import Verdict, weakest

SIZES: Final = tuple(range(2, 17, 2))
"""Stages d of the plays with F = B."""
DURATIONS: Final = ((1, 1), (1, 2), (2, 1), (1, 3), (2, 3))
"""(F, B)."""
FAMILY_TIE: Final = Tie(Kind.B, "earlier minibatch")
"""That of the family `amdp`."""
WITNESS: Final = (4, 1, 2)
"""d, F and B of the counterexample."""
PLACEMENT: Final = (
    "stage s is on rank s in even pipelines and on rank d − 1 − s in odd ones, our reading of "
    "complementary directions; other placements can fill all ranks, such as that of d = 4, B = 2F, "
    "with the second pipeline's stages on ranks 1, 0, 3, 2"
)
"""What the row assumes about where stages are."""

_READS: Final = {
    TURNS: "of a pipeline's stage only the kind whose turn it is queues, as in the family amdp",
    QUEUE: "all that is ready queues",
}


@remembered
def active(stages: int, forward: int, backward: int, reading: str, tie: Tie) -> Fraction | None:
    """Part of the ranks' time in which they work, once a play repeats itself.

    Examples
    --------
    >>> str(active(6, 1, 1, TURNS, FAMILY_TIE)), str(active(6, 1, 1, QUEUE, FAMILY_TIE))
    ('6/7', '1')
    """
    found = steady(Play(stages, forward, backward, reading), tie)
    return None if found is None else found.active


def _witness(stated: Any) -> dict[str, Any] | None:
    """Plays of `WITNESS` under every tie rule, and all plays that ties allow."""
    shares: dict[str, dict[str, Fraction | None]] = {}
    filled, states = False, {}
    for reading in READINGS:
        shares[reading] = {tie.name: active(*WITNESS, reading, tie) for tie in TIES}
        every = every_play(Play(*WITNESS, reading))
        if every is None:
            return None
        filled, states[reading] = filled or every.fills, every.states
    found = [share for ties in shares.values() for share in ties.values()]
    if filled or any(share is None or stated == share for share in found):
        return None
    return {
        **dict(zip("dFB", WITNESS, strict=True)),
        "pipelines": WITNESS[0] // 2,
        "active by tie rule": shares,
        "states of all plays": states,
        "plays that fill all ranks": 0,
    }


def _two_stages(stated: Any) -> Verdict:
    """One pipeline of two stages, all tie rules and durations."""
    found = [active(2, *pair, how, tie) for pair in DURATIONS for how in READINGS for tie in TIES]
    return Verdict.CHECKED if all(share == stated for share in found) else Verdict.UNKNOWN


def _equal(stated: Any, reading: str, tie: Tie) -> tuple[Verdict, str]:
    """F = B under one rule, and where it first falls short."""
    for stages in SIZES:
        share = active(stages, 1, 1, reading, tie)
        if share is None:
            return Verdict.UNKNOWN, f"d = {stages}: no period found"
        if share != stated:
            return Verdict.REFUTED, f"d = {stages}: {share} of the time"
    return Verdict.CHECKED, "by the period of every play"


def _possible(stated: Any) -> Verdict:
    """F = B and the best order, for every even d."""
    holds = stated == 1 and rotation.fills_if_equal(rotation.FORMS)
    return Verdict.PROVED if holds else Verdict.UNKNOWN


def _cases(stated: Any, any_order: Verdict) -> tuple[Case, ...]:
    pairs = ((QUEUE, FAMILY_TIE), (TURNS, FAMILY_TIE), (QUEUE, Tie(Kind.B, "lower pipeline")))
    return (
        Case(
            "F ≠ B, even d ≥ 4, stages placed as assumed, any order of the actions",
            Verdict.REFUTED if any_order is Verdict.PROVED and stated == 1 else Verdict.UNKNOWN,
            "no order keeps all ranks busy, first come first served or not",
        ),
        Case(
            "F = B, every even d, some order of the actions",
            _possible(stated),
            "minibatches that never wait, an even number of slots apart, can fill all ranks",
        ),
        Case(
            f"d = 2, (F, B) in {DURATIONS}, {len(TIES)} tie rules, both readings of the queue",
            _two_stages(stated),
            "one pipeline fills both ranks",
        ),
        *(
            Case(
                f"F = B, even d ≤ {SIZES[-1]}; {_READS[reading]}; {tie.name}",
                *_equal(stated, reading, tie),
            )
            for reading, tie in pairs
        ),
    )


def _table() -> Evidence:
    """Shares for F = B by reading and tie rule."""
    return Evidence(
        "neither",
        "part of the time in which ranks work after start-up, F = B",
        {
            "d": list(SIZES),
            **{
                f"{reading}: {tie.name}": [active(d, 1, 1, reading, tie) for d in SIZES]
                for reading in READINGS
                for tie in TIES
            },
        },
    )


def _longer() -> Evidence:
    """Shares for B = 2F, and for the smallest d beyond."""
    sizes = SIZES[:4]
    return Evidence(
        "neither",
        f"the same for B = 2F, {FAMILY_TIE.name}",
        {
            "d": list(sizes),
            **{how: [active(d, 1, 2, how, FAMILY_TIE) for d in sizes] for how in READINGS},
        },
    )


def _judge(formulas: Formulas) -> Judgement:
    stated = formulas["active"]
    argument, witness = rotation.proof(rotation.FORMS), _witness(stated)
    cases = _cases(stated, argument.verdict)
    return Judgement(
        verdict=Verdict.REFUTED if witness else Verdict.UNKNOWN,
        printed_proof="none",
        cases=cases,
        assumes=(
            "to saturate: from some time on no rank is ever idle",
            "every pipeline has n = 2 minibatches under way: where one ends the next may begin",
            PLACEMENT,
            "F takes the same time everywhere, B too; messages and updates take none, and no F or "
            "B is interrupted",
            'all durations: our reading; the source says "approximately" and names the ratio of F '
            "to B among its limits",
        ),
        steps=(
            Step(
                "ours", argument.says, f"theory/amdp/rotation.py: {argument.note}", argument.verdict
            ),
            Step(
                "ours",
                f"d = {WITNESS[0]}, F = {WITNESS[1]}, B = {WITNESS[2]}: all states that ties can "
                "lead to are looked at, and no play fills the ranks",
                "exhaustive search, both readings of the queue",
                Verdict.CHECKED if witness else Verdict.UNKNOWN,
            ),
        ),
        findings=_findings(cases, argument.verdict, witness),
        counterexample=witness,
        evidence=(_table(), _longer()),
    )


def _findings(
    cases: tuple[Case, ...], any_order: Verdict, witness: dict[str, Any] | None
) -> tuple[Finding, ...]:
    if witness is None or cases[0].verdict is not Verdict.REFUTED:
        return ()
    return (
        Finding(
            kind="missing-condition",
            where="Overall Architecture",
            says=(
                "d/2 times the active ratio 2/d is 1 only if no minibatch ever waits; with F ≠ B "
                "the two directions cannot avoid each other, and with F = B it depends on ties "
                '(the source says "approximately" and names the ratio of F to B among its limits: '
                "all durations are our reading)"
            ),
            witness=witness,
            repaired=Repair(
                "If F = B, even d ≤ 16, a rank serves all that is ready first come first served, "
                "and of equally old actions backwards and then earlier minibatches go first, no "
                "rank is idle after start-up; if F ≠ B and d ≥ 4, some are in any order, stages "
                "being placed as assumed.",
                weakest((cases[3].verdict, any_order)),
            ),
        ),
    )


def _holds(formulas: Formulas) -> Verdict:
    return rotation.proof(formulas).verdict


CLAIM: Final = Claim(
    id="amdp.saturation",
    where="Overall Architecture",
    statement=(
        "For every even d and all durations of F and B, d/2 pipelines with complementary "
        "directions and n = 2, served first come first served, saturate the devices."
    ),
    latex=r"\tfrac{d}{2} \cdot \tfrac{2}{d} = 1",
    judge=_judge,
    printed={"active": sympy.Integer(1)},
    core=rotation.FORMS,
    holds=_holds,
)
