"""Remark 1: the two error terms of Theorem 2, and what each of them comes from.

It is about the printed formula: whether the bound holds is the matter of Theorem 2. Where there are
no stale elements, or no noise, it does, and samples do not matter: there is none that is used
twice, or none that adds anything.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.claims import Claim, Formulas
from theory.kernel import Cite, Hypothesis, Smooth, Theorem
from theory.kernel.controls import formulas, verdict_of
from theory.ledger import Judgement, Step
from theory.sapipe import sgd, thm_2, thm_2_one_iteration, thm_2_pass, thm_2_samples
from theory.sapipe.errors import ERR_0, OPTIMIZATION, VAR_0
from theory.sapipe.symbols import V1, T, kappa
from theory.verdicts import Verdict, weakest

_OWN: Final = thm_2_samples.THEOREM
_QUIET: Final = {V1: sympy.S.Zero}


def _quiet(one: Hypothesis | Smooth) -> Hypothesis | Smooth:
    """An assumption of Theorem 2 for V₁ = 0."""
    if isinstance(one, Smooth) or V1 not in one.relation.gap.free_symbols:
        return one
    return replace(one, relation=one.relation.replaced(_QUIET))


def _without_noise() -> Theorem:
    """Theorem 2 for V₁ = 0."""
    return replace(
        _OWN,
        id="sapipe.no-noise",
        where="Remark 1",
        statement=(
            "Without sampling noise the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + "
            "κL²η²V₂, from rest."
        ),
        symbols=tuple(symbol for symbol in _OWN.symbols if symbol != V1),
        hypotheses=tuple(map(_quiet, _OWN.hypotheses)),
        cites=(_OWN,),
        steps=(),
        terms={"optimization": OPTIMIZATION, "staleness": kappa * ERR_0},
        conclude=Cite(_OWN.id, scalars=_QUIET),
    )


NO_NOISE: Final = _without_noise()


def parts(printed: Formulas) -> dict[str, Verdict]:
    """What the remark says, piece by piece, for these two error terms.

    Examples
    --------
    >>> {verdict.name for verdict in parts(CLAIM.printed).values()}
    {'PROVED'}
    """
    stale, noise = printed["staleness"], printed["variance"]
    return {
        "the bound is the sum of an optimization term and the two errors": _sum(stale, noise),
        "without stale elements the second error is all there is": _with(sgd.THEOREM, None, noise),
        "without sampling noise the first error is all there is": _with(NO_NOISE, stale, None),
        "each error vanishes only with its cause": _caused(stale, noise),
    }


def _sum(stale: sympy.Expr, noise: sympy.Expr) -> Verdict:
    """The printed bound of Theorem 2, whose terms stand there, is this sum."""
    printed = sympy.Add(*thm_2.CLAIM.printed.values())
    same = sympy.expand(printed - OPTIMIZATION - stale - noise) == 0
    return Verdict.PROVED if same else Verdict.UNKNOWN


def passing(stale: sympy.Expr) -> Verdict:
    """Whether this error is enough without noise, where the first iteration passes.

    Examples
    --------
    >>> passing(kappa * ERR_0).name, passing(kappa * ERR_0 / 2).name
    ('PROVED', 'UNKNOWN')
    """
    return weakest(
        (
            _with(thm_2_pass.THEOREM, stale.subs(T, thm_2_pass.m + 2), None),
            thm_2.as_printed(thm_2_one_iteration.THEOREM, {"staleness": stale}),
        )
    )


def _with(theorem: Theorem, stale: sympy.Expr | None, noise: sympy.Expr | None) -> Verdict:
    """What the proof of a theorem makes of these error terms."""
    errors = {"statement staleness": stale, "statement variance": noise}
    given = {name: form for name, form in errors.items() if form is not None}
    return verdict_of(theorem, {**formulas(theorem), **given})


def _caused(stale: sympy.Expr, noise: sympy.Expr) -> Verdict:
    """κ and V₁ are factors of the two errors, and what is left of each is positive."""
    rests = (sympy.cancel(stale / kappa), sympy.cancel(noise / V1))
    positive = all(rest.is_positive and not rest.has(kappa, V1) for rest in rests)
    return Verdict.PROVED if positive else Verdict.UNKNOWN


def _judge(printed: Formulas) -> Judgement:
    found = parts(printed)
    found["so it is with a first iteration that passes"] = passing(printed["staleness"])
    steps = tuple(Step("Remark 1", says, "kernel", one) for says, one in found.items())
    return Judgement(
        weakest(found.values()),
        printed_proof="none",
        assumes=(
            "the bound of Theorem 2 is taken as it is printed; where it holds, sapipe.thm-2 says",
            "with V₁ = 0 every stochastic gradient is its mean, whichever sample it is taken with",
        ),
        steps=steps,
    )


_PRINTED: Final = {"staleness": kappa * ERR_0, "variance": VAR_0}

CLAIM: Final = Claim(
    id="sapipe.remark-1",
    where="Remark 1",
    statement=(
        "Beside 2R₀/(ηT) the bound that Theorem 2 prints has two errors, κErr₀ of staleness, 0 "
        "only for κ = 0 and alone enough for V₁ = 0, and Var₀ of sampling, 0 only for V₁ = 0 and "
        "alone enough for κ = 0."
    ),
    latex=r"\kappa L^2\eta^2 V_2 = 0 \iff \kappa = 0, \qquad \tfrac{L\eta V_1}{n} = 0 \iff V_1 = 0",
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=lambda given: weakest(parts(given).values()),
    depends=(_OWN.id, thm_2_pass.THEOREM.id, sgd.THEOREM.id),
)
