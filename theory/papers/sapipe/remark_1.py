"""Remark 1: the two error terms of Theorem 2, and what each of them comes from.

Problem    the two error terms of Theorem 2. It is about the printed formula: whether the bound
           holds is the matter of Theorem 2.
Method     their zeros, and the bound without one of them.
Guarantee  κErr₀ is 0 only for κ = 0, Var₀ only for V₁ = 0. Where there are no stale elements, or no
           noise, the bound holds, and samples do not matter: there is none that is used twice, or
           none that adds anything.
Source     SAPipe paper, Remark 1.
"""

from collections.abc import Iterator
from dataclasses import replace

import sympy

from theory.judging import prover
from theory.kernel import Cite, Hypothesis, Theorem
from theory.kernel.theorem import Assumption
from theory.papers.sapipe import setting, thm_2, thm_2_pass, thm_2_samples
from theory.papers.sapipe.lemmas import sgd, thm_2_one_iteration
from theory.papers.sapipe.pieces import stating

V1, T, kappa, ERR_0, OPTIMIZATION = setting.letters("V1 T kappa ERR_0 OPTIMIZATION")
VAR_0 = setting.letters("VAR_0")

_OWN = thm_2_samples.THEOREM
_QUIET = {V1: sympy.S.Zero}


def _quiet(one: Assumption) -> Assumption:
    """An assumption of Theorem 2 for V₁ = 0."""
    if not isinstance(one, Hypothesis) or V1 not in one.relation.gap.free_symbols:
        return one
    return replace(one, relation=one.relation.replaced(_QUIET))


def _without_noise() -> Theorem:
    """Theorem 2 for V₁ = 0."""
    return replace(
        _OWN,
        id="sapipe.no-noise",
        where="Remark 1",
        statement="Without sampling noise the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + "
        "κL²η²V₂, from rest.",
        symbols=tuple(symbol for symbol in _OWN.symbols if symbol != V1),
        hypotheses=tuple(map(_quiet, _OWN.hypotheses)),
        cites=(_OWN,),
        steps=(),
        terms={"optimization": OPTIMIZATION, "staleness": kappa * ERR_0},
        conclude=Cite(_OWN.id, scalars=_QUIET),
    )


NO_NOISE = _without_noise()


def parts(printed: prover.Formulas) -> dict[str, tuple[prover.Ground, ...]]:
    """What the remark says, piece by piece, for these two error terms.

    Examples
    --------
    >>> from theory.judging.decide import proves
    >>> all(proves(*grounds) for grounds in parts(CLAIM.printed).values())
    True
    """
    stale, noise = printed["staleness"], printed["variance"]
    return {
        "the bound is the sum of an optimization term and the two errors": (_sum(stale, noise),),
        "without stale elements the second error is all there is": (
            stating(sgd.THEOREM, {"variance": noise}),
        ),
        "without sampling noise the first error is all there is": (
            stating(NO_NOISE, {"staleness": stale}),
        ),
        "each error vanishes only with its cause": (_caused(stale, noise),),
    }


def _sum(stale: sympy.Expr, noise: sympy.Expr) -> prover.Compared:
    """The printed bound of Theorem 2, whose terms stand there, is this sum."""
    printed = sympy.Add(*thm_2.CLAIM.printed.values())
    same = sympy.expand(printed - OPTIMIZATION - stale - noise) == 0
    return prover.Compared("the printed bound is this sum", "sympy.expand", bool(same))


def passing(stale: sympy.Expr) -> tuple[prover.Ground, ...]:
    """Why this error is enough without noise, where the first iteration passes.

    Examples
    --------
    >>> from theory.judging.decide import proves
    >>> proves(*passing(kappa * ERR_0)), proves(*passing(kappa * ERR_0 / 2))
    (True, False)
    """
    return (
        stating(thm_2_pass.THEOREM, {"staleness": stale.subs(T, thm_2_pass.m + 2)}),
        *thm_2.as_printed(thm_2_one_iteration.THEOREM, {"staleness": stale}),
    )


def _caused(stale: sympy.Expr, noise: sympy.Expr) -> prover.Compared:
    """κ and V₁ are factors of the two errors, and what is left of each is positive."""
    rests = (sympy.cancel(stale / kappa), sympy.cancel(noise / V1))
    positive = all(rest.is_positive and not rest.has(kappa, V1) for rest in rests)
    return prover.Compared("κ and V₁ times what is positive", "sympy.cancel", positive)


def _account(printed: prover.Formulas) -> prover.Account:
    found = parts(printed)
    found["so it is with a first iteration that passes"] = passing(printed["staleness"])
    return prover.Account(
        prover.Decision(tuple(ground for grounds in found.values() for ground in grounds)),
        assumes=(
            "the bound of Theorem 2 is taken as it is printed; where it holds, sapipe.thm-2 says",
            "with V₁ = 0 every stochastic gradient is its mean, whichever sample it is taken with",
        ),
        steps=tuple(
            prover.Line("ours", says, "kernel", prover.Decision(grounds))
            for says, grounds in found.items()
        ),
    )


def _holds(given: prover.Formulas) -> Iterator[prover.Ground]:
    for grounds in parts(given).values():
        yield from grounds


_PRINTED = {"staleness": kappa * ERR_0, "variance": VAR_0}

CLAIM = prover.Claim(
    "sapipe.remark-1",
    "Remark 1",
    "Beside 2R₀/(ηT) the bound that Theorem 2 prints has two errors, κErr₀ of staleness, 0 "
    "only for κ = 0 and alone enough for V₁ = 0, and Var₀ of sampling, 0 only for V₁ = 0 and "
    "alone enough for κ = 0.",
    r"\kappa L^2\eta^2 V_2 = 0 \iff \kappa = 0, \qquad \tfrac{L\eta V_1}{n} = 0 \iff V_1 = 0",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    depends=(_OWN.id, thm_2_pass.THEOREM.id, sgd.THEOREM.id),
)
