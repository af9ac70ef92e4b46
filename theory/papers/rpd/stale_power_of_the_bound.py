"""How the stale term of (3) grows with p, at τ = Θ(p²): as p⁴, which is a statement on the bound.

Problem    the stale term L²γ²τ²G² of (3), at τ = Θ(p²), and 2LΔτ²/K, which it is after tuning γ.
Method     the power of p in them, with the delays of Proposition 4.1.
Guarantee  both grow as p⁴, which is a statement on the bound. Whether the error that they bound is
           as large is another statement, `rpd.stale-power`.
Source     RPD paper, section 5, with (3) and Proposition 4.1.
"""

import sympy

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.delays.comparison import Comparison, equal
from theory.laws.delays.matrix import ByResidue
from theory.laws.delays.polynomials import in_words
from theory.papers.rpd import prop_4_1, thm_4_1
from theory.papers.rpd.lemmas import tuned
from theory.papers.rpd.lemmas.growth import grows_as, superscript
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, p, tau

WHERE = "section 5"

_SCALE = L**2 * gamma**2 * G**2
"""What does not depend on p."""


def in_p(term: sympy.Expr, delay: sympy.Expr, scale: sympy.Expr = _SCALE) -> ByResidue:
    """A stale term without L²γ²G², or what else does not depend on p, at this delay."""
    return {0: sympy.expand((term / scale).subs({p: p_, tau: delay}, simultaneous=True))}


def printed_term(delay: sympy.Expr) -> ByResidue:
    """The stale term of Theorem 4.1, as printed."""
    return in_p(thm_4_1.THEOREM.terms["staleness"], delay)


def tuned_term(delay: sympy.Expr) -> ByResidue:
    """The stale term of Corollary B.1, without 2LΔ/K."""
    return in_p(tuned.PRINTED["staleness"], delay, 2 * L * Delta / K)


def known(printed: prover.Formulas) -> prover.Decision:
    """Whether the terms grow as they should, by constants for every p ≥ 2."""
    term = printed_term(printed["delay"])
    growth = grows_as(term, printed["growth"])
    if growth.as_claimed is not False:
        says, same = "the tuned term over 2LΔ/K is the same", tuned_term(printed["delay"]) == term
        return prover.Decision((growth.shown, prover.Compared(says, f"{__name__}.in_p", same)))
    witness = {"term over L²γ²G²": in_words(term), "growth": superscript(growth.says)}
    return prover.Decision(fails=prover.Refutation(witness, (growth.shown,)))


def _account(printed: prover.Formulas) -> prover.Account:
    decision = known(printed)
    says = "τ = Θ(p²) is put into the stale terms of (3) and of Corollary B.1"
    return prover.Account(
        decision, steps=(prover.Line(WHERE, says, "Laurent polynomials in p", decision),)
    )


def _holds(edited: prover.Formulas) -> tuple[Comparison]:
    """The term itself, exactly: a factor would not change how it grows."""
    return (equal(printed_term(_PRINTED["delay"]), edited["term"], (0,)),)


_PRINTED = {"delay": prop_4_1.CLAIM.printed["worst"], "growth": p_**4}

CLAIM = prover.Claim(
    "rpd.stale-power-of-the-bound",
    "section 5, with (3) and Proposition 4.1",
    "With τ = Θ(p²) the stale term L²γ²τ²G² of Theorem 4.1 grows as p⁴, and so does 2LΔτ²/K, that "
    "of Corollary B.1.",
    r"\tau = p^2 - \tfrac{p}{2} \implies L^2\gamma^2\tau^2G^2 = \Theta(p^4)\,L^2\gamma^2G^2, \quad "
    r"\tfrac{2L\Delta\tau^2}K = \Theta(p^4)\,\tfrac{L\Delta}K",
    account=_account,
    printed=_PRINTED,
    core={"term": p_**4 - p_**3 + p_**2 / 4},
    holds=_holds,
    depends=("rpd.thm-4.1", "rpd.cor-b1", "rpd.prop-4.1"),
)
