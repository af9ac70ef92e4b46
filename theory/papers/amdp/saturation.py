"""Whether d/2 pipelines in both directions, two minibatches each, leave no gap on any rank.

Problem    to saturate is read as: from some time on no rank is ever idle; that they can, as: some
           order does so. Open in the source: how long F and B take, on which ranks a pipeline's
           stages are, what a rank's queue holds, and which of equally old actions goes first.
Method     d/2 pipelines, n = 2 minibatches each; where one ends the next begins.
Guarantee  with F = B some order does, in both placements (`rotation`, `rotation_chimera`); with
           F ≠ B none does in one of them, d = 2 apart. First come first served is replayed.
Source     Overall Architecture.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import sympy

from schedules.actions import Kind
from theory.judging import prover
from theory.papers.amdp import active_ratio
from theory.papers.amdp.lemmas import greedy, rotation, start_times
from theory.papers.amdp.placements import CHIMERA, SAYS, STRAIGHT
from theory.papers.amdp.runs.fifo import QUEUE, READINGS, TIES, TURNS, Play, Tie
from theory.papers.amdp.runs.steady_play import every_play
from theory.papers.amdp.symbols import d
from theory.papers.amdp.witnesses import rotation_chimera
from theory.papers.amdp.witnesses import saturation_shares as shares

WITNESS = (4, 1, 2)
"""d, F and B of the counterexample."""

_READS = {
    TURNS: "of a pipeline's stage only the kind whose turn it is queues, as in the family amdp",
    QUEUE: "all that is ready queues",
}


ASSUMES = (
    "to saturate: from some time on no rank is ever idle",
    "every pipeline has n = 2 minibatches under way: where one ends the next may begin",
    "where stages are: each case names its placement; others can fill all ranks with F ≠ B too, "
    "such as that of d = 4, B = 2F, with the second pipeline's stages on ranks 1, 0, 3, 2",
    "F takes the same time everywhere, B too; messages and updates take none, and no F or B is "
    "interrupted",
    'every d and all durations: our reading; the source says "approximately" and names the ratio '
    "of F to B among its limits",
    "that they can: some order of the actions does; what first come first served does is a case of "
    "its own, as it depends on ties",
)


def _witness(stated: Any) -> dict[str, Any] | None:
    """Plays of `WITNESS` under every tie rule, and all plays that ties allow."""
    by_tie = {
        how: {tie.name: shares.active(*WITNESS, how, tie) for tie in TIES} for how in READINGS
    }
    every = {how: every_play(Play(*WITNESS, how)) for how in READINGS}
    states = {how: plays.states for how, plays in every.items() if plays and not plays.fills}
    found = [share for ties in by_tie.values() for share in ties.values()]
    if len(states) < len(READINGS) or any(share is None or stated == share for share in found):
        return None
    return {
        **dict(zip("dFB", WITNESS, strict=True)),
        "pipelines": WITNESS[0] // 2,
        "placement": SAYS[STRAIGHT],
        "active by tie rule": by_tie,
        "states of all plays": states,
        "plays that fill all ranks": 0,
    }


def _is_all(stated: Any) -> prover.Compared:
    return prover.Compared("all of the time is stated", __name__, stated == 1)


def _never_meet(forms: prover.Formulas) -> prover.Compared:
    """F = B and the best order, for every even d."""
    says = f"F = B, {SAYS[STRAIGHT]}: no two minibatches with the phases named meet"
    code = f"{rotation.__name__}.fills_if_equal"
    return prover.Compared(says, code, rotation.fills_if_equal(forms))


def _as_in_chimera() -> tuple[prover.Ground, ...]:
    """The same in Chimera's placement, for every d that 4 divides."""
    filled = all(rotation_chimera.is_filled(at, CHIMERA) for at in shares.SHIFTED)
    says = f"these phases fill all ranks slot by slot, d in {shares.SHIFTED}"
    seen = prover.Compared(says, f"{rotation_chimera.__name__}.is_filled", filled)
    return seen, rotation_chimera.proof(rotation.FORMS)


def _two_ranks(stated: Any) -> tuple[prover.Ground, ...]:
    """One pipeline of two stages: n = 2 of F and of B in every period of d(F + B), by its times."""
    says = "two forwards and two backwards fill a period of 2(F + B)"
    period = active_ratio.decided_of(active_ratio.TWO_ADMITTED, "period", d)
    full = prover.Compared(says, __name__, (2 / d).subs(d, 2) == stated)
    return greedy.established(start_times.TWO), period, full


def _two_stages(stated: Any) -> prover.Exhausted:
    """One pipeline of two stages, all tie rules and durations."""
    plays = tuple(product(shares.DURATIONS, READINGS, TIES))
    filled = all(shares.active(2, *pair, how, tie) == stated for pair, how, tie in plays)
    return prover.Exhausted(
        "one pipeline of two stages fills both ranks as stated", len(plays), filled
    )


def _served(
    stated: Any, reading: str, tie: Tie, placement: str, when: str, sizes: tuple[int, ...]
) -> prover.Case:
    """First come first served, F = B, and where it first falls short."""
    when = f"F = B, {when}, {SAYS[placement]}; {_READS[reading]}; {tie.name}"
    for stages in sizes:
        share = shares.active(stages, 1, 1, reading, tie, placement)
        if share is None:
            return prover.Case(when, prover.OPEN, f"d = {stages}: no period found")
        if share != stated:
            once_more = partial(shares.again, stages, reading, tie, placement)
            violation = prover.Violation(once_more, "==", stated, {})
            found = {"d": stages, "F": 1, "B": 1, "active": share}
            fails = prover.Decision(fails=prover.Refutation(found, violation))
            return prover.Case(when, fails, f"d = {stages}: {share} of the time")
    plays = prover.Exhausted(when, len(sizes), True)
    return prover.Case(when, prover.Decision((plays,)), "by the period of every play")


def _cases(stated: Any, refuted: prover.Refutation | None) -> Iterator[prover.Case]:
    never_wait = "minibatches that never wait, an even number of slots apart, fill all ranks"
    known = {
        (
            f"F ≠ B, even d ≥ 4, {SAYS[STRAIGHT]}, any order of the actions",
            "no order keeps all ranks busy, first come first served or not",
        ): prover.Decision(fails=refuted),
        (
            f"F = B, every even d, {SAYS[STRAIGHT]}, some order of the actions",
            never_wait,
        ): prover.Decision((_is_all(stated), _never_meet(rotation.FORMS))),
        (f"F = B, {SAYS[CHIMERA]}, some order of the actions", never_wait): prover.Decision(
            (_is_all(stated), *_as_in_chimera())
        ),
        (
            f"F ≠ B, d ≥ 8, {SAYS[CHIMERA]}, some order of the actions",
            "no run first come first served that was tried fills all ranks",
        ): prover.OPEN,
        (
            "d = 2, all F and B, kinds in turns",
            "one pipeline fills both ranks from its third minibatch on",
        ): prover.Decision(_two_ranks(stated)),
        (
            f"d = 2, (F, B) in {shares.DURATIONS}, {len(TIES)} tie rules, both readings of the "
            "queue",
            "one pipeline fills both ranks",
        ): prover.Decision((_two_stages(stated),)),
    }
    yield from prover.cases(known)
    tie, other = shares.FAMILY_TIE, Tie(Kind.B, "lower pipeline")
    for rule in ((QUEUE, tie), (TURNS, tie), (QUEUE, other)):
        yield _served(stated, *rule, STRAIGHT, f"even d ≤ {shares.SIZES[-1]}", shares.SIZES)
    for rule in ((QUEUE, tie), (QUEUE, other)):
        yield _served(stated, *rule, CHIMERA, f"d in {shares.SHIFTED}", shares.SHIFTED)


def _account(formulas: prover.Formulas) -> prover.Account:
    stated = formulas["active"]
    argument, witness = tuple(rotation.grounds(rotation.FORMS)), _witness(stated)
    because = (*argument, _is_all(stated))
    proved = witness is not None and prover.proves(*because)
    refuted = prover.Refutation(witness, because) if witness and proved else None
    cases = tuple(_cases(stated, refuted))
    found, filled = rotation.proof(), rotation_chimera.proof(rotation.FORMS)
    every = prover.Exhausted(
        f"d = {WITNESS[0]}, F = {WITNESS[1]}, B = {WITNESS[2]}: all states that ties can "
        "lead to are looked at, and no play fills the ranks",
        sum(witness["states of all plays"].values()) if witness else 0,
        witness is not None,
    )
    meet, place = _never_meet(rotation.FORMS), "theory/papers/amdp/lemmas/rotation.py"
    chimera = "theory/papers/amdp/witnesses/rotation_chimera.py"
    steps: dict[tuple[str, str], prover.Grounds] = {
        (found.says, f"{place}: {found.note}"): argument,
        (every.says, "exhaustive search, both readings of the queue"): (every,),
        (meet.says, f"{place}: exact identities"): (meet,),
        (filled.says, f"{chimera}: z3 unsat"): (filled,),
    }
    return prover.Account(
        prover.Readings((cases[1].when, cases[4].when)) if refuted else prover.OPEN,
        cases=cases,
        assumes=ASSUMES,
        steps=prover.found_by(steps),
        findings=(_finding(refuted, cases, argument),) if refuted else (),
        evidence=(shares.equal_durations(), shares.longer_backwards()),
    )


def _finding(
    refuted: prover.Refutation,
    cases: tuple[prover.Case, ...],
    argument: tuple[prover.Ground, ...],
) -> prover.Finding:
    return prover.Finding(
        "missing-condition",
        "Overall Architecture",
        'read for all durations (the source says "approximately" and names the ratio of F to B '
        "among its limits), d/2 times the active ratio 2/d is 1 only if no minibatch ever waits; "
        "with F ≠ B the two directions cannot avoid each other, and with F = B it depends on ties",
        refuted.witness,
        argument,
        prover.Repair(
            f"With {SAYS[STRAIGHT]}: if F = B, even d ≤ 16, a rank serves all that is ready "
            "first come first served, and of equally old actions backwards and then earlier "
            "minibatches go first, no rank is idle after start-up; if F ≠ B and d ≥ 4, some "
            "are in any order.",
            (*cases[6].decision.grounds, *argument),
        ),
    )


def _holds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    """Both sides: no order with F ≠ B, one with F = B."""
    yield from rotation.grounds(formulas)
    yield _never_meet(formulas)


CLAIM = prover.row(
    "amdp.saturation",
    "Overall Architecture",
    "For every even d and all durations of F and B, d/2 pipelines with complementary directions "
    "and n = 2 can saturate the devices.",
    r"\tfrac{d}{2} \cdot \tfrac{2}{d} = 1",
    rotation.FORMS,
    _holds,
    printed={"active": sympy.Integer(1)},
    account=_account,
)
