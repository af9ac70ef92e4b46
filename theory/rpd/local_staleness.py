"""Local staleness: stage s is claimed to have staleness p − 1 − s (s from 0).

The source does not say from which microbatch on. In the steady state it is right; in start-up
stages in the middle of the pipeline admit more forwards before their first backward, and their
updates are staler than that.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import sympy
import z3

from schedules.closed_forms.affine import Affine, Piece, Piecewise
from schedules.closed_forms.floor_sums import p_, x_
from schedules.families import build
from schedules.timeline import timeline
from schedules.versions import versions
from theory.claims import Claim, Formulas
from theory.delay_laws.counts import equals
from theory.delay_laws.staleness import LocalStaleness, prove_staleness
from theory.errors import UnsupportedFormError
from theory.ledger import Case, Evidence, Finding, Judgement, Repair
from theory.rpd.laws import ASSUMES, closed, our_steps, times
from theory.verdicts import Verdict

s_ = sympy.Symbol("s", integer=True)
SEARCHED: Final = range(2, 17)
"""Numbers of stages that are replayed in search of a witness."""


def _outcomes(steady: sympy.Expr, early: sympy.Expr, late: sympy.Expr) -> dict[str, Verdict]:
    """Verdicts on a steady value and on a largest one, by the proof of the derived forms."""
    forms = closed()
    q = forms.counts.period
    classes = {(a, b): steady.subs(s_, x_) for a in range(q) for b in range(q)}
    pieces = (Piece(_affine(late - early), _affine(early)), Piece(None, _affine(late)))
    claimed = LocalStaleness(classes, Piecewise(pieces))
    found = prove_staleness(times(), forms.counts, claimed)
    return {outcome.name: outcome.verdict for outcome in found}


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


def _holds(formulas: Formulas) -> Verdict:
    found = _outcomes(formulas["staleness"], formulas["early"], formulas["late"])
    return min(found.values())


def _judge(formulas: Formulas) -> Judgement:
    printed = formulas["staleness"]
    steady = _outcomes(printed, _CORE["early"], _CORE["late"])["steady-staleness"]
    in_steady = _witness(printed, steady=True)
    in_start_up = _witness(printed, steady=False)
    cases = (
        Case("steady state, p ≤ m < M − p", _case(steady, in_steady), "every stage, every p ≥ 2"),
        Case(
            "whole run, start-up included",
            Verdict.REFUTED if in_steady or in_start_up else Verdict.UNKNOWN,
            f"at most min(p − 1, 2p − 2 − 2s), attained ({_holds(_CORE).name})",
        ),
    )
    proved = cases[0].verdict is Verdict.PROVED
    return Judgement(
        verdict=Verdict.CONDITIONAL if proved else cases[0].verdict,
        printed_proof="none",
        cases=cases,
        assumes=ASSUMES[1:],
        steps=our_steps(),
        findings=(_finding(in_start_up),) if proved and in_start_up else (),
        counterexample=in_steady,
        evidence=(_timeline(in_start_up),) if proved and in_start_up else (),
    )


def _case(proof: Verdict, witness: dict[str, int] | None) -> Verdict:
    """A proof, or a replayed witness; anything else is undecided."""
    if witness is not None:
        return Verdict.REFUTED
    return Verdict.PROVED if proof is Verdict.PROVED else Verdict.UNKNOWN


def _finding(witness: dict[str, int]) -> Finding:
    return Finding(
        kind="missing-condition",
        where="appendices F and G.4",
        says="the value needs the steady state; stages in mid-pipeline start up staler",
        witness=witness,
        repaired=Repair(
            "stage s has local staleness p − 1 − s for m ≥ p, and at most "
            "min(p − 1, 2p − 2 − 2s) in a whole run, which is attained",
            _holds(_CORE),
        ),
    )


def _witness(printed: sympy.Expr, *, steady: bool) -> dict[str, int] | None:
    """The least p, s and m of a replay, in the steady state or before, that is not as printed."""
    for p in SEARCHED:
        found = versions(build("pipedream", p, 4 * p)).local_staleness
        microbatches = range(p, 3 * p) if steady else range(p)
        for s, m in product(range(p), microbatches):
            value, said = int(found[s, m]), printed.subs({p_: p, s_: s})
            if (value != said) if steady else bool(value > said):
                return {"p": p, "s": s, "m": m, "staleness": value, "printed": int(said)}
    return None


def _timeline(witness: dict[str, int]) -> Evidence:
    p, s, m = witness["p"], witness["s"], witness["m"]
    rows = timeline(build("pipedream", p, 2 * p)).rows()
    cells = rows[s].split()
    marks = [
        {"stage": s, "slot": cells.index(f"{kind}{m}"), "label": f"{kind}{m}"} for kind in "FB"
    ]
    return Evidence(
        points="against",
        says=(
            f"p = {p}: between F{m} and B{m} of stage {s} the weights change "
            f"{witness['staleness']} times"
        ),
        data={
            "figure": "timeline",
            "title": f"PipeDream, p = {p}: stage {s}, microbatch {m} in start-up",
            "rows": rows,
            "marks": marks,
        },
    )


_CORE: Final = {
    "staleness": p_ - 1 - s_,
    "early": p_ - 1,
    "late": 2 * p_ - 2 - 2 * s_,
}

CLAIM: Final = Claim(
    id="rpd.local-staleness",
    where="appendices F and G.4",
    statement="Stage s (from 0) of PipeDream has local staleness p − 1 − s.",
    latex=r"\text{staleness}(s) = p - 1 - s",
    judge=_judge,
    printed={"staleness": p_ - 1 - s_},
    core=_CORE,
    holds=_holds,
    shares="delay laws",
)
