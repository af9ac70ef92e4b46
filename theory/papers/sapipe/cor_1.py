"""Corollary 1: every method of the paper reaches O(1/√T) + O(V₁/(n√T)).

Problem    which methods of the paper reach O(1/√T) + O(V₁/(n√T)), and with which constants.
Method     η = min(c/√T, b/L), 0 < b ≤ 1, in the bounds that are proved here: for vanilla SAPipe
           those with the samples of Algorithm 1, from rest and with a first iteration that passes;
           Theorem 3 for whatever samples, and for the three options of SAPipe-WP the repairs of
           Theorems 4 to 6 that hold for every η ≤ 1/L.
Guarantee  all of them reach it; SAPipe-WP for 0 < κ < 1 from rest and with samples of its own. The
           error terms are O(1/T): a power of η more than the corollary needs.
Source     SAPipe paper, Corollary 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import sympy

from theory.judging import prover
from theory.kernel import Theorem, prove
from theory.papers.sapipe import pipe_sgd, setting, thm_2_pass, thm_3_samples
from theory.papers.sapipe.lemmas import (
    counted_twice,
    dc_first_update,
    rate,
    repaired_thm_5,
    same_samples,
    thm_2_reuse_pass,
    wp_1_moment,
    wp_3_moment,
)
from theory.papers.sapipe.lemmas.reused_noise import r

R0, V1, V2, Delta, L, M, T, eta = setting.letters("R0 V1 V2 Delta L M T eta")
kappa, lambda_, n, OPTIMIZATION = setting.letters("kappa lambda_ n OPTIMIZATION")
VAR_0 = setting.letters("VAR_0")

_U = sympy.Symbol("u", positive=True)
"""√T."""


@dataclass(frozen=True)
class Method:
    """A method whose bound has the form that `theory.papers.sapipe.lemmas.rate` takes.

    Attributes
    ----------
    name : str
    theorem : Theorem
        Its bound.
    error, weight, first : sympy expression
        E, w and p, free of η and T.
    domain : str
        Which T the bound asks for beside T ≥ 1.
    at : mapping of symbol to expression
        What symbols of the bound are for this method.
    twice : bool
        Whether x_0 counts twice, which adds 2 to p.
    """

    name: str
    theorem: Theorem
    error: sympy.Expr
    weight: sympy.Expr = sympy.S.One
    first: sympy.Expr = sympy.S.Zero
    domain: str = ""
    at: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=dict)
    twice: bool = False

    def fits(self) -> prover.Outcome:
        """That its bound is at most 2R₀/(ηT) + κEη² + w Var₀ + pLR₀/T for η ≤ 1/L."""
        form = OPTIMIZATION + kappa * self.error * eta**2 + self.weight * VAR_0
        form += self.first * L * R0 / T
        rest = (form - sympy.Add(*self.theorem.terms.values())).subs(self.at)
        facts = [setting.STEPSIZE.relation]
        return prover.nonnegative(sympy.factor(rest), facts)

    def grounds(self) -> tuple[prover.Ground, ...]:
        """Of the corollary for this method."""
        return self.theorem, *self.beside, rate.THEOREM, self.fits()

    @property
    def beside(self) -> tuple[Theorem, ...]:
        """Of what the form comes beside its bound."""
        return (counted_twice.THEOREM, dc_first_update.HEIGHT) if self.twice else ()

    @property
    def when(self) -> str:
        """Its case."""
        return f"{self.name}{', T ' + self.domain if self.domain else ''}"


_TWICE = 1 + 2 * kappa * r
"""What using samples twice makes of Var₀, at most."""

_PREDICTED = tuple(
    Method(f"SAPipe-WP, option {option}, from rest", bound, error)
    for option, bound, error in (
        (1, wp_1_moment.THEOREM, L**2 * V2),
        (2, repaired_thm_5.THEOREM, 4 * L**2 * V2),
        (3, wp_3_moment.THEOREM, L**2 * V2 * (2 + lambda_ * V2 / L) ** 2),
    )
)


_COMPUTING_FIRST = tuple(
    replace(
        one,
        name=one.name.replace("from rest", "κ = 1, the first iteration only computes"),
        twice=True,
    )
    for one in _PREDICTED
)

METHODS = (
    Method(
        "vanilla SAPipe, κ = 1, from rest", pipe_sgd.THEOREM, L**2 * V2, at={kappa: sympy.S.One}
    ),
    Method(
        "vanilla SAPipe, κ = 1, the first iteration passes",
        thm_2_pass.THEOREM,
        L**2 * V2,
        domain="at least 2",
        at={kappa: sympy.S.One, thm_2_pass.m: T - 2},
    ),
    Method("vanilla SAPipe, κ < 1, from rest", same_samples.THEOREM, L**2 * V2, _TWICE),
    Method(
        "vanilla SAPipe, κ < 1, the first iteration passes",
        thm_2_reuse_pass.THEOREM,
        L**2 * V2,
        _TWICE,
        2 * kappa,
    ),
    Method(
        "SAPipe-DC, from rest or the first iteration passes",
        thm_3_samples.THEOREM,
        128 * M**2 * V2**2 / L**2
        + 32 * (1 - lambda_) ** 2 * L**2 * V2
        + 32 * lambda_**2 * Delta**2 * V2
        + 16 * lambda_**2 * V2**3,
        1 + kappa,
        domain="so large that ληV₂ ≤ 1 − 1/√2, λ fixed",
        at={thm_3_samples.m: T - 1},
    ),
    *_PREDICTED,
    *_COMPUTING_FIRST,
)
"""In the order of the corollary."""


def orders(printed: prover.Formulas) -> prover.Compared:
    """Whether the explicit bound has exactly the printed powers of T, with constants beside them.

    Examples
    --------
    >>> orders(PRINTED).holds, orders({**PRINTED, "noise": PRINTED["noise"] / T}).holds
    (True, False)
    """
    terms = rate.THEOREM.terms
    parts = {"rate": terms["optimization"] + terms["staleness"], "noise": terms["variance"]}
    exact = all(_same_order(parts[name], printed[name]) for name in parts)
    says = "the explicit bounds have the printed orders"
    return prover.Compared(says, "theory.papers.sapipe.cor_1.orders", exact)


def _same_order(form: sympy.Expr, printed: sympy.Expr) -> bool:
    """Form = (C + lower powers of √T)·printed with a constant C ≥ 0, free of T, n and V₁."""
    ratio = sympy.expand(sympy.powsimp((form / printed).subs(T, _U**2)))
    powers = [term.as_coeff_exponent(_U) for term in sympy.Add.make_args(ratio)]
    constants = all(factor.is_nonnegative and not factor.has(_U, n, V1) for factor, _ in powers)
    return constants and max(power for _, power in powers) == 0


def _case(method: Method, exact: prover.Compared) -> prover.Case:
    sources = " and ".join(one.id for one in (method.theorem, *method.beside))
    return prover.Case(
        method.when,
        prover.Decision((*method.grounds(), exact)),
        f"E = {sympy.sstr(method.error)}, w = {sympy.sstr(method.weight)}, "
        f"p = {sympy.sstr(method.first + 2 * method.twice)} in {rate.THEOREM.id}, from {sources}",
    )


LEFT = prover.Case(
    "SAPipe-WP, 0 < κ < 1, where the first iteration passes or samples are used twice",
    prover.OPEN,
    "no bound of its errors is proved there",
)


def _account(printed: prover.Formulas) -> prover.Account:
    exact = orders(printed)
    workers = (rate.THEOREM,)
    return prover.Account(
        prover.Readings(tuple(method.when for method in METHODS)),
        cases=(*(_case(method, exact) for method in METHODS), LEFT),
        assumes=(
            "O(·) hides constants of L, V₂, M, Δ, λ, κ, R₀, b and c, and not of T, n and V₁",
            "η ∝ min(1/√T, 1/L) is b = c ≤ 1; for c > 1 it is above 1/L until T ≥ c²L², and from "
            "there on the same as with b = 1",
            "what the theorems of the methods assume; 0 ≤ κ ≤ 1",
            "SAPipe-WP for 0 < κ < 1: from rest and with samples of its own",
            "the option 1 and 3 bounds are the ones that hold for every η ≤ 1/L; Theorems 4 to 6 "
            "as printed are not used",
        ),
        steps=(
            *prove(rate.THEOREM).lines,
            prover.Line("ours", exact.says, "powers of √T", prover.Decision((exact,))),
        ),
        findings=(
            prover.Finding(
                "loose",
                "Corollary 1",
                "2R₀/(c√T) does not shrink with n: for a noise of V₁/n the choice c ∝ √n, with "
                "T ≥ L²c², gives 1/√(nT)",
                shown=workers,
                repaired=prover.Repair(rate.THEOREM.statement, workers),
            ),
        ),
    )


PRINTED = {"rate": 1 / sympy.sqrt(T), "noise": V1 / (n * sympy.sqrt(T))}

CLAIM = prover.Claim(
    "sapipe.cor-1",
    "Corollary 1",
    "With η ∝ min(1/√T, 1/L), vanilla SAPipe, SAPipe-DC and SAPipe-WP with each option have a "
    "mean over t ≤ T of E‖∇F(x_{t−1})‖² of O(1/√T) + O(V₁/(n√T)), as SGD.",
    r"\tfrac1T \sum_{t=1}^T \mathbb{E}\|\nabla F(x_{t-1})\|^2 \le "
    r"\mathcal{O}(\tfrac{1}{\sqrt T}) + \mathcal{O}(\tfrac{V_1}{n\sqrt T})",
    account=_account,
    printed=PRINTED,
    core=PRINTED,
    holds=lambda edited: (orders(edited),),
    depends=tuple(
        dict.fromkeys(
            one.id for method in METHODS for one in (rate.THEOREM, method.theorem, *method.beside)
        )
    ),
    cost=4,
)
