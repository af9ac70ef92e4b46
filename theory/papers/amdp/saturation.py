"""Whether d/2 pipelines in both directions, two minibatches each, leave no gap on any rank.

To saturate is read as: from some time on no rank is ever idle; that they can, as: some order does
so. Open in the source: how long F and B take, on which ranks a pipeline's stages are, what a rank's
queue holds, and which of equally old actions goes first. With F = B some order does, in both
placements (`rotation`, `rotation_chimera`); with F ≠ B none does in one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final

import sympy

from schedules.actions import Kind
from theory.account import (
    OPEN,
    Account,
    Case,
    Compared,
    Decision,
    Exhausted,
    Finding,
    Ground,
    Line,
    Readings,
    Refutation,
    Repair,
    Violation,
)
from theory.claims import Claim, Formulas
from theory.judging.decide import proves
from theory.papers.amdp.lemmas import rotation
from theory.papers.amdp.placements import CHIMERA, SAYS, STRAIGHT
from theory.papers.amdp.runs.fifo import QUEUE, READINGS, TIES, TURNS, Play, Tie
from theory.papers.amdp.runs.steady_play import every_play
from theory.papers.amdp.witnesses import rotation_chimera
from theory.papers.amdp.witnesses.saturation_shares import (
    DURATIONS,
    FAMILY_TIE,
    SHIFTED,
    SIZES,
    active,
    again,
    equal_durations,
    longer_backwards,
)
from theory.smt.solver import Outcome

WITNESS: Final = (4, 1, 2)
"""d, F and B of the counterexample."""
PLACEMENT: Final = (
    "where stages are: each case names its placement; others can fill all ranks with F ≠ B too, "
    "such as that of d = 4, B = 2F, with the second pipeline's stages on ranks 1, 0, 3, 2"
)
"""What the row says about where stages are."""

_READS: Final = {
    TURNS: "of a pipeline's stage only the kind whose turn it is queues, as in the family amdp",
    QUEUE: "all that is ready queues",
}


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
        "placement": SAYS[STRAIGHT],
        "active by tie rule": shares,
        "states of all plays": states,
        "plays that fill all ranks": 0,
    }


def _is_all(stated: Any) -> Compared:
    return Compared("all of the time is stated", "theory.papers.amdp.saturation", stated == 1)


def _two_stages(stated: Any) -> Exhausted:
    """One pipeline of two stages, all tie rules and durations."""
    found = [active(2, *pair, how, tie) for pair in DURATIONS for how in READINGS for tie in TIES]
    says = "one pipeline of two stages fills both ranks as stated"
    return Exhausted(says, len(found), all(share == stated for share in found))


def possible(stated: Any) -> tuple[Ground, ...]:
    """F = B and the best order, for every even d."""
    return _is_all(stated), _never_meet(rotation.FORMS)


def _never_meet(forms: Formulas) -> Compared:
    return Compared(
        f"F = B, {SAYS[STRAIGHT]}: no two minibatches with the phases named meet",
        "theory.papers.amdp.lemmas.rotation.fills_if_equal",
        rotation.fills_if_equal(forms),
    )


def possible_as_in_chimera(stated: Any) -> tuple[Ground, ...]:
    """The same in Chimera's placement, for every d that 4 divides."""
    filled = Compared(
        f"these phases fill all ranks slot by slot, d in {SHIFTED}",
        "theory.papers.amdp.witnesses.rotation_chimera.is_filled",
        all(rotation_chimera.is_filled(at, CHIMERA) for at in SHIFTED),
    )
    return _is_all(stated), filled, rotation_chimera.proof(rotation.FORMS)


def _cases(stated: Any, refuted: Refutation | None) -> tuple[Case, ...]:
    never_wait = "minibatches that never wait, an even number of slots apart, fill all ranks"
    served = ((QUEUE, FAMILY_TIE), (TURNS, FAMILY_TIE), (QUEUE, Tie(Kind.B, "lower pipeline")))
    return (
        Case(
            f"F ≠ B, even d ≥ 4, {SAYS[STRAIGHT]}, any order of the actions",
            Decision(fails=refuted),
            "no order keeps all ranks busy, first come first served or not",
        ),
        Case(
            f"F = B, every even d, {SAYS[STRAIGHT]}, some order of the actions",
            Decision(possible(stated)),
            never_wait,
        ),
        Case(
            f"F = B, {SAYS[CHIMERA]}, some order of the actions",
            Decision(possible_as_in_chimera(stated)),
            never_wait,
        ),
        Case(
            f"F ≠ B, d ≥ 8, {SAYS[CHIMERA]}, some order of the actions",
            OPEN,
            "no run first come first served that was tried fills all ranks",
        ),
        Case(
            f"d = 2, (F, B) in {DURATIONS}, {len(TIES)} tie rules, both readings of the queue",
            Decision((_two_stages(stated),)),
            "one pipeline fills both ranks",
        ),
        *(_served(stated, *rule, STRAIGHT, f"even d ≤ {SIZES[-1]}", SIZES) for rule in served),
        *(
            _served(stated, *rule, CHIMERA, f"d in {SHIFTED}", SHIFTED)
            for rule in (served[0], served[2])
        ),
    )


def _served(
    stated: Any, reading: str, tie: Tie, placement: str, when: str, sizes: tuple[int, ...]
) -> Case:
    """First come first served, F = B, and where it first falls short."""
    when = f"F = B, {when}, {SAYS[placement]}; {_READS[reading]}; {tie.name}"
    for stages in sizes:
        share = active(stages, 1, 1, reading, tie, placement)
        if share is None:
            return Case(when, OPEN, f"d = {stages}: no period found")
        if share != stated:
            witness = {"d": stages, "F": 1, "B": 1, "active": share}
            once_more = partial(again, stages, reading, tie, placement)
            wrong = Refutation(witness, Violation(once_more, "==", stated, {}))
            return Case(when, Decision(fails=wrong), f"d = {stages}: {share} of the time")
    plays = Exhausted(when, len(sizes), True)
    return Case(when, Decision((plays,)), "by the period of every play")


def _account(formulas: Formulas) -> Account:
    stated = formulas["active"]
    argument, witness = tuple(rotation.grounds(rotation.FORMS)), _witness(stated)
    because = (*argument, _is_all(stated))
    refuted = Refutation(witness, because) if witness and proves(*because) else None
    cases = _cases(stated, refuted)
    return Account(
        Readings((cases[1].when,)) if refuted else OPEN,
        cases=cases,
        assumes=(
            "to saturate: from some time on no rank is ever idle",
            "every pipeline has n = 2 minibatches under way: where one ends the next may begin",
            PLACEMENT,
            "F takes the same time everywhere, B too; messages and updates take none, and no F or "
            "B is interrupted",
            'every d and all durations: our reading; the source says "approximately" and names the '
            "ratio of F to B among its limits",
            "that they can: some order of the actions does; what first come first served does is a "
            "case of its own, as it depends on ties",
        ),
        steps=_steps(argument, witness),
        findings=(_finding(refuted, cases, argument),) if refuted else (),
        evidence=(equal_durations(), longer_backwards()),
    )


def _steps(
    argument: tuple[Compared | Outcome, ...], witness: Mapping[str, Any] | None
) -> tuple[Line, ...]:
    found, filled = rotation.proof(), rotation_chimera.proof(rotation.FORMS)
    every = Exhausted(
        f"d = {WITNESS[0]}, F = {WITNESS[1]}, B = {WITNESS[2]}: all states that ties can "
        "lead to are looked at, and no play fills the ranks",
        sum(witness["states of all plays"].values()) if witness else 0,
        witness is not None,
    )
    meet, place = _never_meet(rotation.FORMS), "theory/papers/amdp/lemmas/rotation.py"
    searched = "exhaustive search, both readings of the queue"
    return (
        Line("ours", found.says, f"{place}: {found.note}", Decision(argument)),
        Line("ours", every.says, searched, Decision((every,))),
        Line("ours", meet.says, f"{place}: exact identities", Decision((meet,))),
        Line(
            "ours",
            filled.says,
            "theory/papers/amdp/witnesses/rotation_chimera.py: z3 unsat",
            Decision((filled,)),
        ),
    )


def _finding(refuted: Refutation, cases: tuple[Case, ...], argument: tuple[Ground, ...]) -> Finding:
    return Finding(
        kind="missing-condition",
        where="Overall Architecture",
        says=(
            "d/2 times the active ratio 2/d is 1 only if no minibatch ever waits; with F ≠ B "
            "the two directions cannot avoid each other, and with F = B it depends on ties "
            '(the source says "approximately" and names the ratio of F to B among its limits: '
            "all durations are our reading)"
        ),
        witness=refuted.witness,
        shown=argument,
        repaired=Repair(
            f"With {SAYS[STRAIGHT]}: if F = B, even d ≤ 16, a rank serves all that is ready "
            "first come first served, and of equally old actions backwards and then earlier "
            "minibatches go first, no rank is idle after start-up; if F ≠ B and d ≥ 4, some "
            "are in any order.",
            (*cases[5].decision.grounds, *argument),
        ),
    )


def _holds(formulas: Formulas) -> Iterator[Ground]:
    """Both sides: no order with F ≠ B, one with F = B."""
    yield from rotation.grounds(formulas)
    yield _never_meet(formulas)


CLAIM: Final = Claim(
    id="amdp.saturation",
    where="Overall Architecture",
    statement=(
        "For every even d and all durations of F and B, d/2 pipelines with complementary "
        "directions and n = 2 can saturate the devices."
    ),
    latex=r"\tfrac{d}{2} \cdot \tfrac{2}{d} = 1",
    account=_account,
    printed={"active": sympy.Integer(1)},
    core=rotation.FORMS,
    holds=_holds,
)
