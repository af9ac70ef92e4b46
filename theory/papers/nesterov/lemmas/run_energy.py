"""From one iteration to a rate: both repaired bounds are shown by an energy that decreases.

L(k) = ‖z‖² + 4ηs(f − f*), with s = 1 + k, and what the gradients of the last τ iterations may still
cost. S(j) is ‖∇f‖² at the look-aheads in order, those before the first being w_1.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import sympy

from theory.kernel import ClosedSum, Everywhere, Relation, Theorem
from theory.kernel.vectors import Scalar, Vector
from theory.notation import Function, equal, glossary, index, real, theorem, total
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import gradient_window
from theory.papers.nesterov.lemmas.gradient_window import SIZES, j
from theory.papers.nesterov.lemmas.repaired_start import FIRST, ONWARD

R, eta, tau = symbols.letters("R eta tau")

k, K = index("k K")
F_STAR = real("f*")
F, L = (sympy.Function(name, real=True) for name in "FL")
n, S, V, OC = (sympy.Function(name, nonnegative=True) for name in ("n", "S", "Z", "o"))
"""By iteration: the value and L; k, ‖∇f‖² by look-ahead, ‖z‖², and changes of what is seen."""
s = 1 + n(k)


def window(form: Scalar) -> Scalar:
    """The sum over the last τ iterations."""
    return total(form, j, tau)


@dataclass(frozen=True)
class Iteration:
    """An iteration and the beginning of a run.

    Attributes
    ----------
    f : Function
    now, then, first : Vector
        Where f is in iteration k and in k + 1, and in iteration 0.
    seen : Vector
        Whose gradient moves `z`, to `z_then`.
    z, z_then, z_early : Vector
        `z_early` is z before the window that ends with `z_then`.
    star : Vector
    step, start : Theorem
        What one iteration costs, and the beginning.
    weights : mapping of expression to expression
        What takes the place of the symbols of `step`.
    kept, weight
        The sequence whose window the energy holds besides that of S, and how much of it.
    meanings : mapping of str to Relation
        What `kept` is.
    """

    f: Function
    now: Vector
    then: Vector
    first: Vector
    seen: Vector
    z: Vector
    z_then: Vector
    z_early: Vector
    star: Vector
    step: Theorem
    start: Theorem
    weights: Mapping[Scalar, Scalar]
    kept: Scalar
    weight: Scalar
    meanings: Mapping[str, Relation]

    def energy(self, at: Scalar) -> Scalar:
        """The energy in an iteration."""
        held = window(j * S(at + j)) + self.weight * window(self.kept(at + j))
        return V(at) + 4 * eta * (1 + n(at)) * (F(at) - F_STAR) + 4 * eta**2 * held


def rate(id: str, run: Iteration, says: str, latex: str) -> Theorem:
    """Show that f − f* ≤ R²/(4η(K + 1)) in iteration K."""
    f, g, slope = run.f, run.f.grad(run.seen), run.f.grad(FIRST)
    T = theorem(id, "ours", f)
    T.iterate(run.now, run.then, k)
    T.iterate(run.z, run.z_then, k)
    T.varying(SIZES)
    seen = {
        gradient_window.FIRST: run.z_early,
        gradient_window.LAST: run.z_then,
        gradient_window.SEEN: g,
    }
    T.cite(gradient_window.THEOREM, {gradient_window.LONG: g**2}, seen, "window")
    T.cite(run.start, name="start")
    T.cite(run.step, run.weights, name="step", domain=("delay",) if run.weights else ())
    least = T.assume(equal(f(run.star), F_STAR), "least")
    facts = {
        "count": equal(n(k + 1), n(k) + 1),
        "value": equal(F(k), f(run.now)),
        "value after": equal(F(k + 1), f(run.then)),
        "z": equal(V(k), run.z**2),
        "z after": equal(V(k + 1), run.z_then**2),
        "window sizes": equal(SIZES, window(S(k + 1 + j))),
        "newest": equal(S(k + tau), g**2),
        **run.meanings,
        "energy": equal(L(k), run.energy(k)),
    }
    first = {
        "count from": equal(n(0), 0),
        "first value": equal(F(0), f(run.first)),
        "first z": equal(V(0), ONWARD**2),
        "first sizes": equal(window(j * S(j)), tau * (tau - 1) / 2 * slope**2),
    }
    for name, fact in (facts | first).items():
        T.assume(fact, name)
    kept = run.kept
    grown = window((j + 1) * S(k + j + 1) - j * S(k + j))
    T.have(equal(grown, tau * S(k + tau)), "sizes move on", by=ClosedSum(j, tau))
    grown = window(kept(k + j + 1) - kept(k + j))
    T.have(equal(grown, kept(k + tau) - kept(k)), "others move on", by=ClosedSum(j, tau))
    next_energy = equal(L(k + 1), run.energy(k + 1))
    T.have(next_energy, "next energy", by=Everywhere("energy", {k: k + 1}))
    moved = ("step", "stepsize", "delay", "sizes move on", "others move on", "next energy")
    down = T.have(L(k + 1) <= L(k), "decrease", *moved, least, *facts)
    begins = [name for name in facts if name.startswith("first")]
    start = T.have(L(0) <= R**2, "from the start", "start", "energy, at 0", least, *first, *begins)
    T.have(equal(n(K), K), "counted", "count, summed to K", "count from")
    bounded = T.induction(L(K) <= R**2, down, start)
    bound = R**2 / (4 * eta * (K + 1))
    using = (bounded, "energy, at K", "counted", "delay")
    return T.shows(F(K) - F_STAR <= bound, {"distance": bound}, *using, says=says, latex=latex)


letters = glossary({**vars(symbols), **globals()})
"""Gives these and the paper's symbols by name: ``a, b = letters("a b")``."""
