"""How the error that the stale term bounds grows with p, at τ = Θ(p²): in the model, in PipeDream.

Problem    how the error L²E‖x − x̂‖² that the stale term of (3) bounds grows with p, at τ = Θ(p²):
           said to be as p⁴.
Method     uniform draws in the model (`rpd.sharp-drift`), and PipeDream's own schedule, which is
           not random (`rpd.drift-by-counts` with the counts of the schedule).
Guarantee  False: the term that is printed in (3) grows as p⁴ (`rpd.stale-power-of-the-bound`). The
           error that it bounds is of the order p³, under uniform draws in the mean and in PipeDream
           on every path. Both orders are attained where all block gradients are one vector of norm
           G.
Source     RPD paper, section 5, with Theorem 4.1 and Proposition 4.1.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import sympy

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.delays.comparison import equal
from theory.laws.delays.matrix import ByResidue
from theory.laws.delays.polynomials import in_words, readable
from theory.papers.rpd import prop_4_1
from theory.papers.rpd.lemmas import drift_by_counts, sharp_drift
from theory.papers.rpd.lemmas.growth import Growth, grows_as, superscript
from theory.papers.rpd.lemmas.laws import ASSUMES
from theory.papers.rpd.lemmas.missed_updates import prove_worst, replayed, worst_squares
from theory.papers.rpd.stale_power_of_the_bound import in_p
from theory.papers.rpd.symbols import L
from theory.papers.rpd.witnesses.exact_runs import drift, number, require

SHOWN = 16
"""Stages of the replay beside the refutation."""
SMALL = 2
"""Stages of the model's run, every path of which is walked."""


def _model(delay: sympy.Expr) -> ByResidue:
    """The largest L²E‖x − x̂‖² of the model, over L²γ²G²."""
    return in_p(L**2 * sharp_drift.THEOREM.terms["drift"], delay)


@prover.remembered
def _counted() -> prover.Outcome:
    return prove_worst()


MODEL = (sharp_drift.THEOREM, sharp_drift.ATTAINED)


def _decision(
    growth: Growth, shown: tuple[prover.Ground, ...], witness: Mapping[str, Any]
) -> prover.Decision:
    grounds = (growth.shown, *shown)
    if growth.as_claimed is False:
        return prover.Decision(fails=prover.Refutation(witness, grounds))
    return prover.Decision(grounds)


def _account(printed: prover.Formulas) -> prover.Account:
    growth, model, schedule = printed["growth"], _model(printed["delay"]), worst_squares()
    grown, in_pipedream = grows_as(model, growth), grows_as(schedule, growth)
    model_says = _says(
        f"at most {in_words(model)}, attained for even p, where τ is an integer", grown
    )
    pipedream_says = _says(f"at most {in_words(schedule)}, attained at stage 0", in_pipedream)
    witness = _witness(printed, model_says, pipedream_says)
    decision = _decision(grown, MODEL, witness)
    missed = _decision(in_pipedream, (drift_by_counts.THEOREM, _counted()), witness)
    return prover.Account(
        decision,
        cases=(
            prover.Case(
                "the model's stale error L²E‖x − x̂‖², which the term bounds, over L²γ²G²",
                decision,
                model_says,
            ),
            prover.Case(
                "PipeDream itself: ‖x − x̂‖² of a steady update on any path, over γ²G²",
                missed,
                pipedream_says,
            ),
        ),
        assumes=ASSUMES,
        steps=tuple(_our_lines()),
        findings=(_finding(witness),) if decision.fails else (),
    )


def _says(what: str, growth: Growth) -> str:
    return superscript(f"{what}; {growth.says}")


def _our_lines() -> Iterator[prover.Line]:
    for one in (*MODEL, drift_by_counts.THEOREM):
        yield prover.Line("ours", one.statement, one.id, prover.Decision((one,)))
    counted = _counted()
    yield prover.Line("ours", counted.says, counted.note, prover.Decision((counted,)))


def _compared_with_runs(missed: tuple[int, ...]) -> None:
    """Both forms at a size that is replayed: the model's mean, the schedule's sum of squares."""
    delay = _PRINTED["delay"].subs(p_, SMALL)
    run = drift(SMALL, int(delay), sharp_drift.THEOREM.terms["drift"])
    mean, form = number(run["measured"]), _model(_PRINTED["delay"])[0].subs(p_, SMALL)
    require(mean == form, "rpd.stale-power, the model", run=mean, formula=form)
    squares, worst = sum(n**2 for n in missed), worst_squares()[SHOWN % 2].subs(p_, SHOWN)
    require(squares == worst, "rpd.stale-power, PipeDream", run=squares, formula=worst)


def _witness(printed: prover.Formulas, model_says: str, pipedream_says: str) -> dict[str, Any]:
    missed = replayed(SHOWN, 0)
    _compared_with_runs(missed)
    delay = printed["delay"].subs(p_, SHOWN)
    return {
        "tau": str(printed["delay"]),
        "model, over L²γ²G²": model_says,
        "PipeDream, over γ²G²": pipedream_says,
        "p": SHOWN,
        "model at p": str(_model(printed["delay"])[0].subs(p_, SHOWN)),
        "printed term at p": str(delay**2),
        "updates of each block that a steady update of stage 0 misses": list(missed),
        "the sum of their squares": sum(missed**2 for missed in missed),
    }


def _finding(witness: dict[str, Any]) -> prover.Finding:
    return prover.Finding(
        "loose",
        "section 5, Table 1 and the abstract",
        f"the bound grows as {superscript(readable(_PRINTED['growth']))} because Lemma B.2 is "
        "squared before the mean is taken; the error that it bounds does not",
        witness,
        shown=(*MODEL, drift_by_counts.THEOREM, _counted()),
        repaired=prover.Repair(
            f"with τ = {readable(_PRINTED['delay'])} the model's L²E‖x − x̂‖² is at "
            f"most L²γ²G² times {in_words(_model(_PRINTED['delay']))}, and with PipeDream's steady "
            f"schedule ‖x − x̂‖² is at most γ²G² times {in_words(worst_squares())}; both grow as p³",
            tuple(_holds(_CORE)),
        ),
    )


def _holds(edited: prover.Formulas) -> Iterator[prover.Ground]:
    """The two cubic forms, exactly."""
    yield equal(_model(prop_4_1.CLAIM.printed["worst"]), edited["model"], (0,))
    for a, name in enumerate(_PARITIES):
        yield equal(worst_squares(), edited[name], (a,))
    yield from (*MODEL, drift_by_counts.THEOREM, _counted())


_PARITIES = ("even", "odd")
_PRINTED = {"delay": prop_4_1.CLAIM.printed["worst"], "growth": p_**4}
_CORE = {
    "model": p_**3 - p_ * sympy.Rational(5, 4) + sympy.Rational(1, 2),
    "even": p_ * (p_ - 1) * (7 * p_ - 2) / 12,
    "odd": (p_ - 1) * (7 * p_**2 - 2 * p_ - 3) / 12,
}

CLAIM = prover.Claim(
    "rpd.stale-power",
    "section 5, with Theorem 4.1 and Proposition 4.1",
    "With τ = Θ(p²) the stale error of the model, L²E‖x − x̂‖² at worst, grows as p⁴ (the paper "
    "says so of the bound alone).",
    r"\tau = p^2 - \tfrac{p}{2} \implies "
    r"L^2\,\mathbb{E}\|x - \hat x\|^2 = \Theta(p^4)\,L^2\gamma^2G^2",
    account=_account,
    printed=_PRINTED,
    core=_CORE,
    holds=_holds,
    depends=("rpd.sharp-drift", "rpd.sharp-drift-attained", "rpd.drift-by-counts", "rpd.prop-4.1"),
    cost=4,
    shares="delay laws",
)
