"""Section 3.1: PyTorch's NAdam warms its momentum up, beside what Proposition 1 assumes.

Problem    γ_t = β₁(1 − 0.96^{tψ}/2) with ψ = 0.004 (PyTorch's documentation) is said to satisfy the
           assumption of Proposition 1, γ_t increasing to 1, when β₁ is set close to 1.
Method     γ_t as a function of x = 0.96^{tψ}, which falls to 0.
Guarantee  It increases, and to β₁: within 1 − β₁ of 1, and not to 1. With β₁ = 0.99, as in the
           paper's runs, 0.01 is left.
Source     Nesterov paper, section 3.1, implementation details.
"""

from collections.abc import Iterator

import sympy

from theory.judging import prover

beta, x, u = sympy.symbols("beta_1 x u", positive=True)
"""β₁; x = 0.96^{tψ}, which is x(1 − u) one iteration later."""
_PRINTED = {"momentum": beta * (1 - x / 2), "limit": beta}
_CLOSE = "increasing to a limit that is 1 − β₁ from 1"
_ONE = "increasing to 1, as Proposition 1 assumes"


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    momentum = formulas["momentum"]
    growth = sympy.factor(momentum.subs(x, x * (1 - u)) - momentum)
    yield prover.nonnegative(growth, (), strict=True)
    yield prover.nonnegative(sympy.expand(momentum), (prover.le(x, 1),), strict=True)
    limit = sympy.expand(momentum.subs(x, 0) - formulas["limit"])
    yield prover.Compared("the limit, where x → 0", "sympy.expand", limit == 0)


def _short(formulas: prover.Formulas) -> prover.Refutation | None:
    at = {beta: sympy.Rational(99, 100)}
    found = formulas["limit"].subs(at)
    witness = {"beta_1": "99/100", "limit": str(found), "stated": 1}
    missed = prover.Violation(lambda: found, "==", sympy.S.One, at)
    return prover.Refutation(witness, missed) if found != 1 else None


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    return (
        prover.Case(_CLOSE, prover.Decision(tuple(_grounds(formulas)))),
        prover.Case(_ONE, prover.Decision(fails=_short(formulas)), "its limit is β₁ < 1"),
    )


CLAIM = prover.row(
    "nesterov.nadam",
    "section 3.1, implementation details",
    "The momentum of PyTorch's NAdam, warmed up to β₁, satisfies the assumption of Proposition 1 "
    "when β₁ is close to 1.",
    r"\gamma_t = \beta_1 \left(1 - \tfrac 12 0.96^{t \psi}\right) \to \beta_1",
    _PRINTED,
    _grounds,
    cases=_cases,
    holding=(_CLOSE,),
    assumes=("PyTorch's formula, with its momentum_decay ψ = 0.004",),
)
