"""Remark 2: Theorem 2 at its two ends, SGD and PipeSGD.

Problem    Theorem 2 at its two ends, κ = 0 and κ = 1.
Method     the bounds of SGD and PipeSGD, by the same proof.
Guarantee  The bound at κ = 0 is exactly that of SGD as this proof gives it. It could be smaller,
           for SGD too: Lemma 1 drops −(η/2)(1 − Lη)‖E g‖².
Source     SAPipe paper, Remark 2.
"""

from collections.abc import Iterator
from dataclasses import replace

import sympy

from theory.judging import prover
from theory.kernel import Combine, Step, Telescope, Theorem, Total, prove
from theory.papers.sapipe import pipe_sgd, setting, thm_2
from theory.papers.sapipe.lemmas import sgd

V1, L, T, eta, kappa, n, t, E_T = setting.letters("V1 L T eta kappa n t E_T")
NEXT, F, S, X, OPTIMIZATION, VAR_0 = setting.letters("NEXT F S X OPTIMIZATION VAR_0")

_LEFT = 2 - L * eta
_NOISE = L * eta**2 * V1 / (2 * n)
_AHEAD = E_T.of(NEXT.value)


def _sharp() -> Theorem:
    """SGD, with nothing dropped."""
    kept = _, mean, workers = sgd.THEOREM.steps[:3]
    drop = eta * _LEFT / 2
    return replace(
        sgd.THEOREM,
        id="sapipe.sharp-sgd",
        statement="For SGD with n workers and η ≤ 1/L the mean over t < T of E‖∇F(x_t)‖² is at "
        "most (2R₀/(ηT) + LηV₁/n)/(2 − Lη) for every T ≥ 1.",
        steps=(
            *kept,
            Step(
                "one update",
                prover.le(_AHEAD, X.value - drop * X.gradient**2 + _NOISE),
                Combine(
                    {
                        mean.name: 1,
                        "unbiased": L * eta**2 - eta,
                        "of the workers": L * eta**2 / 2,
                        workers.name: L * eta**2 / 2,
                    }
                ),
            ),
            Step(
                "one update, total",
                prover.le(F(t + 1), F(t) - drop * S(t) + _NOISE),
                Total("one update", t),
            ),
            Step(
                "sum",
                prover.le(F(T), F(0) - drop * sympy.Sum(S(t), (t, 0, T - 1)) + T * _NOISE),
                Telescope("one update, total", t, T),
            ),
            Step("small", prover.le(0, 1 - L * eta), Combine({"stepsize": L})),
        ),
        terms={"optimization": OPTIMIZATION / _LEFT, "variance": VAR_0 / _LEFT},
        conclude=Combine(
            dict.fromkeys(("sum", "lower bound", "start"), 2 / (eta * T * _LEFT)), domain=("small",)
        ),
    )


SHARP = _sharp()


def ends(printed: prover.Formulas) -> dict[str, tuple[prover.Ground, ...]]:
    """By the end, that this is the bound there, and what Theorem 2 becomes.

    Examples
    --------
    >>> from theory.judging.decide import proves
    >>> [proves(*grounds) for grounds in ends(CLAIM.printed).values()]
    [True, True]
    """
    general = sympy.Add(*thm_2.CLAIM.printed.values())
    theorems = {"kappa = 0": (sgd.THEOREM, 0), "kappa = 1": (pipe_sgd.THEOREM, 1)}
    found: dict[str, tuple[prover.Ground, ...]] = {}
    for when, (theorem, value) in theorems.items():
        same = sympy.expand(general.subs(kappa, value) - printed[when]) == 0
        becomes = prover.Compared(f"what Theorem 2 becomes for {when}", "sympy.expand", bool(same))
        found[when] = (becomes, replace(theorem, terms={"bound": printed[when]}))
    return found


def _account(printed: prover.Formulas) -> prover.Account:
    found = ends(printed)
    at = {L: 1, eta: sympy.Rational(1, 100)}
    return prover.Account(
        prover.Decision(tuple(ground for grounds in found.values() for ground in grounds)),
        cases=tuple(prover.Case(when, prover.Decision(grounds)) for when, grounds in found.items()),
        assumes=("runs at rest: see Theorem 2 for a first iteration that passes",),
        steps=(*prove(sgd.THEOREM).lines, *prove(pipe_sgd.THEOREM).lines),
        findings=(
            prover.Finding(
                "loose",
                "Remark 2, 'exact error bound of vanilla distributed SGD'",
                "read as the bound that Theorem 2's own proof gives SGD, 'exact' is right; it is "
                "not the least that those steps give: with nothing dropped they give it divided by "
                "2 − Lη",
                {"Leta": at[eta], "factor": _LEFT.subs(at)},
                repaired=prover.Repair.by(SHARP),
            ),
        ),
    )


def _holds(given: prover.Formulas) -> Iterator[prover.Ground]:
    for grounds in ends(given).values():
        yield from grounds


_PRINTED = {
    "kappa = 0": sympy.Add(*sgd.THEOREM.terms.values()),
    "kappa = 1": sympy.Add(*pipe_sgd.THEOREM.terms.values()),
}

CLAIM = prover.Claim(
    "sapipe.remark-2",
    "Remark 2",
    "With no stale layer (κ = 0) Theorem 2 is the bound of distributed SGD, 2R₀/(ηT) + Var₀; "
    "with all layers stale (κ = 1) it is that of PipeSGD, 2R₀/(ηT) + Err₀ + Var₀.",
    r"\kappa = 0: \tfrac{2R_0}{\eta T} + \text{Var}_0, \qquad "
    r"\kappa = 1: \tfrac{2R_0}{\eta T} + \text{Err}_0 + \text{Var}_0",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    depends=(sgd.THEOREM.id, pipe_sgd.THEOREM.id),
)
