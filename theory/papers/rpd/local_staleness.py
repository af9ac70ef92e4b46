"""Local staleness: whether stage s has staleness p − 1 − s (s from 0).

Problem    the source defines local staleness and names no value; that of stage s (from 0) is said
           to be p − 1 − s.
Method     the proved start times, with one slot for every forward and backward.
Guarantee  In the steady state it is right; in start-up stages in the middle of the pipeline admit
           more forwards before their first backward, and their updates are staler than that.
Source     RPD paper, appendices F and G.4.
"""

from collections.abc import Mapping
from itertools import product
from typing import Literal

import sympy
import z3

from schedules.closed_forms.affine import Affine, Piece, Piecewise
from schedules.closed_forms.floor_sums import p_, x_
from schedules.families import build
from schedules.schedule import IntArray
from schedules.timeline import timeline
from schedules.versions import versions
from theory.errors import UnsupportedFormError
from theory.judging import prover
from theory.laws.delays.counts import equals
from theory.laws.delays.staleness import LocalStaleness, prove_staleness
from theory.papers.rpd.lemmas.laws import ASSUMES, closed, our_steps, times

s_ = sympy.Symbol("s", integer=True)
STEADY = "steady state, p ≤ m < M − p"
"""The case in which the printed value is right."""

SEARCHED = range(2, 17)
"""Numbers of stages that are replayed in search of a witness."""


def _outcomes(steady: sympy.Expr, early: sympy.Expr, late: sympy.Expr) -> dict[str, prover.Outcome]:
    """What is known of a steady value and on a largest one, by the proof of the derived forms."""
    forms = closed()
    q = forms.counts.period
    classes = {(a, b): steady.subs(s_, x_) for a in range(q) for b in range(q)}
    pieces = (Piece(_affine(late - early), _affine(early)), Piece(None, _affine(late)))
    claimed = LocalStaleness(classes, Piecewise(pieces))
    found = prove_staleness(times(), forms.counts, claimed)
    return {outcome.name: outcome for outcome in found}


def _affine(form: sympy.Expr) -> Affine:
    """An affine expression in s and p as data; half-integers cannot occur in a claim here."""
    equals(z3.Int("value"), form, {s_: z3.Int("s"), p_: z3.Int("p")})  # refuses what it cannot read
    poly = sympy.Poly(form, s_, p_)
    if poly.total_degree() > 1 or not all(c.is_Integer for c in poly.coeffs()):
        raise UnsupportedFormError(
            f"a staleness has to be affine with integer coefficients, found {form}",
            "rpd.local-staleness",
            "write it in pieces",
        )
    terms = tuple(
        (name, int(poly.coeff_monomial(symbol)))
        for name, symbol in (("s", s_), ("p", p_))
        if poly.coeff_monomial(symbol) != 0
    )
    return Affine(terms, int(poly.coeff_monomial(1)))


def _holds(formulas: prover.Formulas) -> tuple[prover.Outcome, ...]:
    found = _outcomes(formulas["staleness"], formulas["early"], formulas["late"])
    return tuple(found.values())


def _account(formulas: prover.Formulas) -> prover.Account:
    printed = formulas["staleness"]
    proof = _outcomes(printed, _CORE["early"], _CORE["late"])["steady-staleness"]
    steady = prover.Decision((proof,), _witness(printed, steady=True))
    start_up = _witness(printed, steady=False)
    attained = prover.proves(*_holds(_CORE))
    whole_run = prover.Case(
        "whole run, start-up included",
        prover.Decision(fails=steady.fails or start_up),
        "at most min(p − 1, 2p − 2 − 2s), which is attained" if attained else "",
    )
    shown = start_up if steady.fails is None else None
    return prover.Account(
        prover.Readings((STEADY,)) if steady.fails is None else steady,
        cases=(prover.Case(STEADY, steady, "every stage, every p ≥ 2"), whole_run),
        assumes=ASSUMES[1:],
        steps=our_steps(),
        findings=(_finding(shown, proof),) if shown else (),
        evidence=(_timeline(shown.witness),) if shown else (),
    )


def _finding(fails: prover.Refutation, proof: prover.Outcome) -> prover.Finding:
    return prover.Finding(
        "missing-condition",
        "appendices F and G.4",
        "the value, which the source does not name, needs the steady state; stages in "
        "mid-pipeline start up staler",
        fails.witness,
        shown=(proof,),
        repaired=prover.Repair(
            "stage s has local staleness p − 1 − s for m ≥ p, and at most "
            "min(p − 1, 2p − 2 − 2s) in a whole run, which is attained",
            _holds(_CORE),
        ),
    )


def _witness(printed: sympy.Expr, *, steady: bool) -> prover.Refutation | None:
    """The least p, s and m of a replay, in the steady state or before, that is not as printed."""
    for p in SEARCHED:
        found = _replayed(p)
        microbatches = range(p, 3 * p) if steady else range(p)
        for s, m in product(range(p), microbatches):
            value, said = int(found[s, m]), printed.subs({p_: p, s_: s})
            if (value != said) if steady else bool(value > said):
                witness = {"p": p, "s": s, "m": m, "staleness": value, "printed": int(said)}
                return prover.Refutation(witness, _violation(printed, p, s, m, steady=steady))
    return None


def _violation(printed: sympy.Expr, p: int, s: int, m: int, *, steady: bool) -> prover.Violation:
    stages = (prover.le(2, p_), prover.le(0, s_), prover.le(s_, p_ - 1))
    kind: Literal["==", "<="] = "==" if steady else "<="
    return prover.Violation(lambda: int(_replayed(p)[s, m]), kind, printed, {p_: p, s_: s}, stages)


def _replayed(p: int) -> IntArray:
    return versions(build("pipedream", p, 4 * p)).local_staleness


def _timeline(witness: Mapping[str, int]) -> prover.Evidence:
    p, s, m = witness["p"], witness["s"], witness["m"]
    rows = timeline(build("pipedream", p, 2 * p)).rows()
    cells = rows[s].split()
    marks = [
        {"stage": s, "slot": cells.index(f"{kind}{m}"), "label": f"{kind}{m}"} for kind in "FB"
    ]
    return prover.Evidence(
        "against",
        f"p = {p}: between F{m} and B{m} of stage {s} the weights change "
        f"{witness['staleness']} times",
        {
            "figure": "timeline",
            "title": f"PipeDream, p = {p}: stage {s}, microbatch {m} in start-up",
            "rows": rows,
            "marks": marks,
        },
    )


_CORE = {"staleness": p_ - 1 - s_, "early": p_ - 1, "late": 2 * p_ - 2 - 2 * s_}

CLAIM = prover.Claim(
    "rpd.local-staleness",
    "appendices F and G.4",
    "Stage s (from 0) of PipeDream has local staleness p − 1 − s.",
    r"\text{staleness}(s) = p - 1 - s",
    account=_account,
    printed={"staleness": p_ - 1 - s_},
    core=_CORE,
    holds=_holds,
    shares="delay laws",
)
