"""Local staleness: stage s is claimed to have staleness p − 1 − s (s from 0).

The source does not say from which microbatch on. In the steady state it is right; in start-up
stages in the middle of the pipeline admit more forwards before their first backward, and their
updates are staler than that.
"""

from __future__ import annotations

from typing import Final

import sympy

from schedules.closed_forms.affine import Affine, Piece, Piecewise
from schedules.closed_forms.floor_sums import p_, x_
from schedules.families import build
from schedules.timeline import timeline
from schedules.versions import versions
from theory.claims import Claim, Formulas
from theory.delay_laws.staleness import LocalStaleness, prove_staleness
from theory.ledger import Case, Evidence, Finding, Judgement, Repair
from theory.rpd.laws import ASSUMES, closed, our_steps, times
from theory.verdicts import Verdict

s_ = sympy.Symbol("s", integer=True)
SEARCHED: Final = range(2, 17)


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
    poly = sympy.Poly(form, s_, p_)
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
    witness = _start_up_witness(printed)
    cases = (
        Case("steady state, p ≤ m < M − p", steady, "every stage, every p ≥ 2"),
        Case(
            "whole run, start-up included",
            Verdict.REFUTED if witness else Verdict.UNKNOWN,
            f"at most min(p − 1, 2p − 2 − 2s), attained ({_holds(_CORE).name})",
        ),
    )
    finding = Finding(
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
    return Judgement(
        verdict=Verdict.CONDITIONAL if steady is Verdict.PROVED else Verdict.REFUTED,
        printed_proof="none",
        cases=cases,
        assumes=ASSUMES[1:],
        steps=our_steps(),
        findings=(finding,) if witness else (),
        evidence=(_timeline(witness),) if witness else (),
    )


def _start_up_witness(printed: sympy.Expr) -> dict[str, int] | None:
    """The least run with a microbatch that is staler than printed."""
    for p in SEARCHED:
        found = versions(build("pipedream", p, 2 * p)).local_staleness
        for s in range(p):
            for m in range(p):
                value = int(printed.subs({p_: p, s_: s}))
                if int(found[s, m]) > value:
                    return {"p": p, "s": s, "m": m, "staleness": int(found[s, m]), "printed": value}
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
)
