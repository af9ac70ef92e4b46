"""Lemma C.1, even p: every steady delay is claimed to be (p/2) times its window, exactly.

Problem    every steady delay is claimed to be (p/2) times its window, exactly, for even p.
Method     the derived delay matrix, in the paper's embedding.
Guarantee  False: the printed proof multiplies whole slots by p/2 updates a slot. Delays also count
           the updates that stand before the two events inside their own slots; these give ⌊(i−1)/2⌋
           − ⌈(j−1)/2⌉ more, which is not zero in general.
Source     RPD paper, Lemma C.1, even p.
"""

import sympy
import z3

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.delays.domains import a_microbatch, domain
from theory.laws.delays.matrix import i_, j_
from theory.laws.delays.symbols import Microbatch
from theory.papers.rpd.lemmas.entries import by_slots, entries_equal, entry_is
from theory.papers.rpd.lemmas.laws import PAPER, judged, replay, replayed_entry, times

EVEN = 0
SHOWN = 8
"""Stages in the picture."""


def _known(formulas: prover.Formulas, linearization: str) -> tuple[prover.Decision, str]:
    decision = entry_is(formulas["entry"], linearization, EVEN)
    if decision.fails is None:
        return decision, "holds for every even p" if prover.proves(
            *decision.grounds
        ) else "no replay differs"
    found = decision.fails.witness
    at = ", ".join(f"{key} = {found[key]}" for key in ("p", "i (from 1)", "j (from 1)"))
    return decision, f"{at} has delay {found['delay']}, not {found['printed']}"


def _holds(formulas: prover.Formulas) -> tuple[prover.Compared]:
    return (entries_equal(formulas["entry"], PAPER, EVEN),)


def _account(formulas: prover.Formulas) -> prover.Account:
    def found(fails: prover.Refutation) -> tuple[prover.Finding, ...]:
        return _false(fails), *_any_forward_rule(formulas)

    before = _half_of_the_stages(), by_slots()
    return judged(formulas, _known, found, *before, evidence=(_heatmap(formulas),))


def _half_of_the_stages() -> prover.Line:
    at, m = times(), Microbatch.named("m")
    s, t = z3.Ints("s t")
    runs = at.backward(s, m) == t
    steady = (
        *domain(at.size),
        s >= 0,
        s < at.size.p,
        a_microbatch(at.size, m),
        m.index >= at.size.p,
    )
    parity = prover.decide_from(
        prover.Statement("parity", "", (*steady, runs), (t + s) % 2 == 1),
        {"p": 2, "M": 3, "m": 2, "s": 0},
    )
    return prover.Line(
        "Lemma C.1, proof, case 1",
        "in a steady slot t exactly the stages s with t + s odd run backward: p/2 of them",
        "z3 on proved start times",
        prover.Decision((parity,)),
    )


def _false(fails: prover.Refutation) -> prover.Finding:
    return prover.Finding(
        "false",
        "Lemma C.1, even p",
        "the delay also counts the updates that precede both events inside their own slots; "
        "the printed formula is exact only if events count no update of their own slot "
        "(`slot-start`), where updates of one slot share an index",
        fails.witness,
        repaired=prover.Repair(
            "for even p the steady delay is (p/2)(2p − i − j + 1) + ⌊(i−1)/2⌋ − ⌈(j−1)/2⌉",
            _holds(_REPAIRED),
        ),
    )


def _any_forward_rule(formulas: prover.Formulas) -> tuple[prover.Finding, ...]:
    """Whatever forwards record, two updates of one slot would need the same index.

    Holds of every formula whose entries of stages 1 and 3 (from 1) differ by p, as the counts of
    updates do from one microbatch to the next.
    """
    at, m = times(), Microbatch.named("m")
    same_slot = prover.decide_from(
        prover.Statement(
            "same-slot",
            "",
            (*domain(at.size), at.size.p >= 4, a_microbatch(at.size, m)),
            at.backward(z3.IntVal(0), m) == at.backward(z3.IntVal(2), at.size.shift(m, 1)),
        ),
        {"p": 4, "M": 1, "m": 0},
    )
    first, third = (formulas["entry"].subs(i_, stage) for stage in (1, 3))
    if sympy.expand(first - third - p_) != 0:
        return ()
    run, m_shown = replay(4, 16), 8
    indices = [
        int(run.index[(run.stage == stage) & (run.microbatch == microbatch)][0])
        for stage, microbatch in ((0, m_shown), (2, m_shown + 1))
    ]
    return (
        prover.Finding(
            "invalid-step",
            "Lemma C.1, proof",
            "no rule for what a forward records repairs it when p ≥ 4: the law gives stage 1 "
            "(from 1) at microbatch m and stage 3 at m + 1 delays that differ by p, what they "
            "recorded differs by p as well, so both updates would have one index; but they "
            "run in the same slot (proved), and every backward appends one entry of its own",
            {
                "p": 4,
                "stages (from 1)": [1, 3],
                "microbatches": [m_shown, m_shown + 1],
                "history indices": indices,
            },
            shown=(same_slot,),
        ),
    )


def _heatmap(formulas: prover.Formulas) -> prover.Evidence:
    stages = range(SHOWN)
    rows = [[replayed_entry(SHOWN, i, j, PAPER) for j in stages] for i in stages]
    law = [
        [str(formulas["entry"].subs({p_: SHOWN, i_: i + 1, j_: j + 1})) for j in stages]
        for i in stages
    ]
    same = all(str(rows[i][j]) == law[i][j] for i in stages for j in stages)
    return prover.Evidence(
        "for" if same else "against",
        f"steady delays of p = {SHOWN} from a replay, beside the printed law",
        {"figure": "heatmap", "linearization": PAPER, "p": SHOWN, "rows": rows, "law": law},
    )


_PRINTED = {"entry": p_ / 2 * (2 * p_ - i_ - j_ + 1)}
_REPAIRED = {
    "entry": p_ / 2 * (2 * p_ - i_ - j_ + 1)
    + sympy.floor((i_ - 1) / 2)
    - sympy.ceiling((j_ - 1) / 2)
}

CLAIM = prover.Claim(
    "rpd.lemma-c1-entry",
    "Lemma C.1, even p",
    "For even p every steady delay is exactly (p/2) times its window: active stage i and "
    "block j (1-based) have delay (p/2)(2p − i − j + 1).",
    r"d_{ij} = \tfrac{p}{2}\,(2p - i - j + 1) \quad (p \text{ even})",
    account=_account,
    printed=_PRINTED,
    core=_REPAIRED,
    holds=_holds,
    shares="delay laws",
)
