"""What a mismatch of one step adds to the average squared gradient of synchronous SGD.

Problem    L-smooth f, unbiased stochastic gradients of bounded variance. Open in the source: which
           weights the backward uses.
Method     with those of its forward, the gradient is one at x_{t−1}; with the newest, which is what
           a mismatch between forward and backward says, the vector is a gradient nowhere.
Guarantee  L²η²σ² is added in the first case, and no bound in L, Δ, σ, η and T exists in the second,
           unless derivatives of stages are Lipschitz in what the forward read (`eta2_mixed`).
Source     Loss & Training.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.judging import prover
from theory.kernel.signs import nonnegative
from theory.papers.amdp.convergence import L, T, eta, sigma
from theory.papers.amdp.lemmas import eta2_mixed, eta2_stash, synchronous
from theory.papers.amdp.witnesses import mixed_chain

BOUND = sympy.Symbol("bound", nonnegative=True)
"""Any number that may depend on L, Δ, σ, η and T."""

SHOWN = tuple(map(Fraction, (1, 1000, 10**6)))
"""Bounds that are replayed."""
STEPSIZES = tuple(Fraction(1, n) for n in (2, 8, 100))
COUNTS = (3, 5)


def added(theorem: Any) -> sympy.Expr:
    """What a theorem's bound has beyond that of synchronous SGD.

    Examples
    --------
    >>> added(eta2_stash.THEOREM)
    L**2*eta**2*sigma**2
    """
    return sympy.expand(sum(theorem.terms.values()) - sum(synchronous.THEOREM.terms.values()))


def excess() -> sympy.Expr:
    """The same, measured: f = Lx²/2 with noise of variance σ² and x̂_t = x_{t−1}, as T → ∞.

    On f = Lx²/2 with noise of variance σ² and x̂_t = x_{t−1}, let a = ηL < 1. The second moments m₀
    = E x_t² and m₁ = E x_t x_{t−1} tend to the solution of m₀ = m₀ + a²m₀ − 2a m₁ + η²σ² and m₁ =
    m₀ − a m₁, without delay to that of m₀ = (1 − a)²m₀ + η²σ². The difference of L²m₀ has the order
    η² as η → 0: the added term cannot be of a higher order.

    Examples
    --------
    >>> sympy.factor(excess() / (eta**2 * L**2 * sigma**2))
    2/((L*eta - 2)*(L*eta - 1)*(L*eta + 2))
    """
    a, noise = eta * L, eta**2 * sigma**2
    square, product, fresh = sympy.symbols("m0 m1 fresh")
    late = sympy.solve(
        [a**2 * square - 2 * a * product + noise, product - square + a * product],
        [square, product],
        dict=True,
    )
    [prompt] = sympy.solve((1 - a) ** 2 * fresh + noise - fresh, fresh)
    return sympy.factor(L**2 * (late[0][square] - prompt))


def order(form: sympy.Expr) -> int | None:
    """The e with form = c·η^e + higher powers, c ≠ 0, as η → 0; None if there is none.

    Examples
    --------
    >>> order(L * eta**2 / (1 - eta)), order(sympy.S.Zero)
    (2, None)
    """
    top, bottom = (sympy.Poly(part, eta) for part in sympy.fraction(sympy.together(form)))
    if top.is_zero:
        return None
    return int(min(top.monoms())[0] - min(bottom.monoms())[0])


def _adds(theorem: Any, exponent: sympy.Expr, *measured: sympy.Expr) -> prover.Grounds:
    """Exactly this power of η is added, and is what is measured."""
    exact = all(order(one) == exponent for one in (added(theorem), *measured))
    says = f"the power of η that is added is as stated{', and as measured' if measured else ''}"
    return synchronous.THEOREM, theorem, prover.Compared(says, f"{__name__}.order", exact)


def _holds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield from _adds(eta2_stash.THEOREM, formulas["exponent"], excess())
    yield from _adds(eta2_mixed.THEOREM, formulas["exponent"])


def passes_every_bound() -> prover.Outcome:
    """Without a stash every bound is passed: two stages, any η and any T ≥ 3.

    The third weight is 1 − 2η − Aη³; with the A of `mixed_chain.steep_enough` its square is above T
    times the bound.
    """
    steepness = sympy.Symbol("A", real=True)
    third = mixed_chain.weights(mixed_chain.FEWEST, eta, steepness)[-1]
    steep = mixed_chain.steep_enough(T, eta, BOUND)
    reached = sympy.expand(third.subs(steepness, steep)) ** 2
    return nonnegative(sympy.expand(reached - T * BOUND), strict=True)


def replayed() -> dict[str, Any] | None:
    """The witness, for the first of `STEPSIZES`; None if some replay stays within its bound."""
    for stepsize, count, bound in product(STEPSIZES, COUNTS, SHOWN):
        steepness = mixed_chain.steep_enough(count, stepsize, bound)
        if mixed_chain.average(count, stepsize, steepness) <= bound:
            return None
    stepsize, count, bound = STEPSIZES[1], COUNTS[0], SHOWN[0]
    steepness = mixed_chain.steep_enough(count, stepsize, bound)
    return {
        "stages": 2,
        "stage 0": "a = h(w), h'(w) = 1 + A(w - 1)^2",
        "stage 1": "l(a) = f(h^-1(a)), f(w) = w^2/2",
        "L": mixed_chain.SMOOTHNESS,
        "Delta": mixed_chain.GAP,
        "sigma": 0,
        "eta": stepsize,
        "T": count,
        "A": steepness,
        "for every bound C": "A = (2 + T C)/eta^3",
        "C": bound,
        "weights": mixed_chain.weights(count, stepsize, steepness),
        "average": mixed_chain.average(count, stepsize, steepness),
    }


ASSUMES = (
    "O(η²) hides a constant of L, Δ and σ: nothing else is assumed of f",
    "one update for each stochastic vector",
    "the vector may be the mean of a window whose first minibatches read x_{t−1}: with a stash it "
    "is no gradient at a single point then, but a mean of vectors within L‖x_t − x_{t−1}‖ of "
    "∇f(x_t), so within that itself, and amdp.eta2-mixed with Λ = L gives the bound of the stash; "
    "σ² is then the variance of that mean",
    "a stash counts as a reading because the text assumes unbiased stochastic gradients: what a "
    "backward gives is the gradient of f at some weights only if it uses those of its forward, "
    "stage by stage; the system described keeps no stash, so that AMDP itself is in the other "
    "cases",
    "all stages update together, so that there is one model x_t",
)


def _account(formulas: prover.Formulas) -> prover.Account:
    exponent, witness, beyond = formulas["exponent"], replayed(), passes_every_bound()
    stash = tuple(_adds(eta2_stash.THEOREM, exponent, excess()))
    mixed = tuple(_adds(eta2_mixed.THEOREM, exponent))
    # Why no bound holds without a stash: a proof for every bound, and runs beyond some.
    unbounded = prover.Refutation(witness, (beyond,)) if witness else None
    cases = {
        (
            "the backward uses the weights of its forward (a stash; the system described has none)",
            f"{added(eta2_stash.THEOREM)} is added, if Lη + L²η² ≤ 1",
        ): prover.Decision(stash),
        (
            "the backward uses the newest weights, nothing else assumed",
            "no bound in L, Δ, σ, η and T holds",
        ): prover.Decision(fails=unbounded),
        (
            "the backward uses the newest weights, ‖v_t − ∇f(x_t)‖ ≤ Λ‖x_t − x_{t−1}‖",
            f"{added(eta2_mixed.THEOREM)} is added, if Lη + Λ²η² ≤ 1; so it is where derivatives "
            "of stages are Lipschitz in what the forward read",
        ): prover.Decision(mixed),
    }
    measured = prover.Compared(
        f"on f = Lx²/2 with delay 1 the average exceeds that without by {excess()} as T → ∞",
        f"{__name__}.excess",
        order(excess()) == exponent,
    )
    theorems = (synchronous.THEOREM, eta2_stash.THEOREM, eta2_mixed.THEOREM)
    steps: dict[tuple[str, str], prover.Grounds] = {
        **{(one.statement, one.id): (one,) for one in theorems},
        (measured.says, "exact second moments"): (measured,),
        (
            "without a stash the average of two stages passes every bound, for all η and T ≥ 3",
            "a sign, of the run with symbols for η, T and the bound",
        ): (beyond,),
    }
    return prover.Account(
        prover.Readings((next(iter(cases))[0],)),
        cases=prover.cases(cases),
        assumes=ASSUMES,
        steps=prover.found_by(steps),
        findings=(_finding(unbounded, beyond, mixed),) if unbounded else (),
    )


def _finding(
    unbounded: prover.Refutation, beyond: prover.Outcome, mixed: prover.Grounds
) -> prover.Finding:
    return prover.Finding(
        "missing-condition",
        "Loss & Training",
        "if forward and backward use different weights, what the backward gives is no "
        "gradient of f, and smoothness of f does not bound it",
        unbounded.witness,
        (beyond,),
        prover.Repair(eta2_mixed.THEOREM.statement, mixed),
    )


CLAIM = prover.row(
    "amdp.eta2",
    "Loss & Training",
    "For L-smooth f and unbiased stochastic gradients of bounded variance, a mismatch of one step "
    "adds only O(η²) to the bound of the average squared gradient norm of synchronous SGD.",
    r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla f(x_t)\|^2 \le \tfrac{2\Delta}{\eta T} + "
    r"L\eta\sigma^2 + O(\eta^2)",
    {"exponent": sympy.Integer(2)},
    _holds,
    account=_account,
    depends=("amdp.eta2-synchronous", "amdp.eta2-stash", "amdp.eta2-mixed"),
)
