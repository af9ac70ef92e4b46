"""Proposition 1 (2): the delay and the look-ahead are said to align as γ_t → 1.

Problem    f is convex and smooth; a fixed delay τ ≥ 1, any stepsize and γ_t → 1.
Method     a run for τ = 1 on a parabola with the momentum of (29): it turns back for ever
           (`turning`); for τ ≥ 2 a run on Huber's function with another γ_t (`turning_outside`).
Guarantee  False: after each turn the cosine is −1, or, at τ = 1, there is none as one of the two is
           0. That it is −1 for infinitely many t is shown there for all but countably many η in
           [1/β, 2/β], and for η = 1/β as far as it was run. The printed proof lets the gradients'
           part of (20) vanish; d̄_t vanishes as well, and no slower. Whether (29) with τ ≥ 2 turns
           back for ever is open.
Source     Nesterov paper, Proposition 1 (2).

The slopes of a parabola are not bounded; the statement does not ask for that. The run itself has
|y_t| ≤ 2 as far as it was run, where Huber's function with its edge at 2 has the same slopes; that
this is so for ever is not shown.
"""

from typing import Any

import sympy

from theory.judging import prover
from theory.judging.as_claim import as_claim
from theory.papers.nesterov.lemmas import aligned, turning_outside
from theory.papers.nesterov.look_ahead import turns
from theory.papers.nesterov.witnesses.turning import START, cosines, decided, departs
from theory.papers.rpd.witnesses.exact_runs import require

UNTIL = 400
"""Iterations of the runs."""
OTHERS = (2, 3, 5)
"""Further delays of the runs beside the verdict."""

_REPAIRED = as_claim(aligned.THEOREM)


def _turns() -> tuple[prover.Ground, ...]:
    """That the cosine is −1 or undefined for infinitely many t."""
    departure = prover.Compared(
        "it departs at t = 2", "theory.papers.nesterov.witnesses.turning.departs", departs()
    )
    return (*decided(), departure)


def _known(printed: prover.Formulas) -> prover.Decision:
    """Then it has no limit above −1."""
    limit = printed["limit"]
    above = bool(limit.is_Rational) and bool(limit > -1)
    if not above or not prover.proves(*_turns()):
        return prover.OPEN
    return prover.Decision(fails=prover.Refutation(_witness(), _turns()))


def _known_outside(printed: prover.Formulas) -> prover.Decision:
    """What is known for τ ≥ 2, where the cosine is −1 again and again."""
    limit, found = printed["limit"], tuple(turning_outside.grounds({"cosine": -sympy.S.One}))
    if not (limit.is_Rational and limit > -1 and prover.proves(*found)):
        return prover.OPEN
    witness: dict[str, Any] = {
        "f": "h(w) = w²/2 for |w| ≤ 1, |w| − 1/2 beyond",
        "gamma_t": "strictly increasing to 1, chosen along the run",
        "for every tau >= 1 and eta > 0": "cos(Δ_t, d̄_t) = −1 for infinitely many t",
        **{f"tau = {tau}, eta = 1": list(turns(tau, 2, delayed=True)) for tau in (2, 3)},
    }
    return prover.Decision(fails=prover.Refutation(witness, found))


def _account(printed: prover.Formulas) -> prover.Account:
    decision = _known(printed)
    return prover.Account(
        decision,
        cases=(
            prover.Case(
                "tau = 1",
                decision,
                "on a parabola the cosine is −1 for infinitely many t, for all but countably many "
                "η in [1/β, 2/β]; for every one of them it is −1, or there is none",
            ),
            prover.Case(
                "tau >= 2",
                _known_outside(printed),
                "on Huber's function, by `nesterov.prop-1-any-delay`: with some γ_t that strictly "
                "increases to 1 the cosine is −1 for infinitely many t",
            ),
            prover.Case(
                "tau >= 2, gamma_t = (t - 2)/t",
                prover.OPEN,
                "exact runs on a parabola turn back as well; no proof for all t",
            ),
        ),
        assumes=(
            "the run starts at rest: w_k = w_1 and d_k = 0 for k ≤ 1",
            "the decided lemmas are put together by hand: the argument 'turning for ever', and for "
            "τ ≥ 2 the one of `nesterov.prop-1-any-delay`",
        ),
        steps=(
            prover.Line(
                "Proposition 1, proof",
                "the gradients' part of (20) vanishes, and the cosine tends to 1 with it",
                "the same run",
                decision,
            ),
            *(
                prover.Line("ours", one.says, one.note, prover.Decision((one,)))
                for one in decided()
            ),
        ),
        findings=(_finding(decision.fails),) if decision.fails else (),
        evidence=(_other_delays(),),
    )


def opposite(tau: int) -> list[int]:
    """The t of a run at which the cosine is −1, or there is none."""
    return [t for t, cosine in cosines(tau, UNTIL).items() if cosine != 1]


def _witness() -> dict[str, Any]:
    turns = opposite(1)
    require(len(turns) > 2, "nesterov.prop-1", turns=turns)
    return {
        "f": "f(w) = βw²/2",
        "tau": 1,
        "eta": "1/β",
        "gamma_t": "(t − 2)/t",
        "w_1": str(START),
        "for every T": "some t > T has cos(Δ_t, d̄_t) = −1, or none as Δ_t or d̄_t is 0",
        "for all but countably many η in [1/β, 2/β]": "the first of the two",
        f"such t up to {UNTIL}": turns,
    }


def _finding(fails: prover.Refutation) -> prover.Finding:
    return prover.Finding(
        "false",
        "Proposition 1 (2)",
        "the gradients' part of (20) vanishes, but so does d̄_t: the run keeps turning back",
        fails.witness,
        repaired=prover.Repair(aligned.THEOREM.statement, (aligned.THEOREM,)),
    )


def _other_delays() -> prover.Evidence:
    return prover.Evidence(
        "against",
        f"exact runs of the same parabola with longer delays: all t ≤ {UNTIL} where the cosine is "
        "not 1",
        {f"tau = {tau}": opposite(tau) for tau in OTHERS},
    )


CLAIM = prover.Claim(
    id="nesterov.prop-1",
    where="Proposition 1 (2)",
    statement=(
        "cos(Δ_t, d̄_t) → 1 as t → ∞, for every convex smooth f, every fixed delay τ ≥ 1, every "
        "stepsize and every increasing sequence γ_t → 1."
    ),
    latex=r"\lim_{t\to\infty}\gamma_t = 1 \implies \lim_{t\to\infty}\cos(\Delta_t, \bar d_t) = 1",
    account=_account,
    printed={"limit": sympy.Integer(1)},
    core=_REPAIRED.core,
    holds=_REPAIRED.holds,
    weakened=_REPAIRED.weakened,
    depends=(aligned.THEOREM.id, turning_outside.CLAIM.id),
)
