"""The rule of stale iterates: what was read some iterations ago is as near as the moves since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import sympy

from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, le
from theory.kernel.rules.ranges import is_constant
from theory.kernel.rules.series import counts, pinned
from theory.kernel.theorem import Checked, Delayed, Given, missing
from theory.kernel.vectors import Scalar, square
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Drift:
    """How far a stale iterate is from the current one.

    x̂ is what x was in one of the last τ iterations, so x − x̂ is the sum of at most τ moves
    x⁺ − x, and ‖x − x̂‖² ≤ τ Σ‖x⁺ − x‖² over the last τ iterations (Cauchy–Schwarz). Two goals:

    - ``‖x − x̂‖² ≤ τ²·M``, where a fact `move` says ‖x⁺ − x‖² ≤ M in every iteration, M constant;
    - ``Σ_{k<count} D(k) ≤ τ²·Σ_{k<count} N(k)``, where D and N are the sequences of ‖x − x̂‖² and
      ‖x⁺ − x‖²: a move is in the last τ of at most τ iterations. D(k) at most.

    Attributes
    ----------
    of : str
        The assumption that says which point is stale, and by how much.
    index : sympy symbol
        What counts iterations.
    move : str
        The bound of every move, for the first goal.
    count : sympy expression, optional
        The number of iterations, for the second.
    """

    of: str
    index: Scalar
    move: str = ""
    count: Scalar | None = None

    iterates: ClassVar[bool] = True

    @property
    def uses(self) -> tuple[str, ...]:
        """The assumption, and the bound of the moves."""
        return (self.of, self.move) if self.move else (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is one of the two."""
        problem = missing((self.move,) if self.move else (), given) or pinned(self.index, given)
        if problem:
            return problem
        found = self.stated(given)
        if isinstance(found, str):
            return Checked(Verdict.UNKNOWN, found)
        if goal.kind != "<=" or not is_zero(goal.gap - found.gap):
            return Checked(Verdict.UNKNOWN, f"the drift is bounded by {found}")
        return Checked(Verdict.PROVED, f"moves since then: {self.of}")

    def stated(self, given: Given) -> Relation | str:
        """The goal that it reaches, or why it reaches none."""
        theorem = given.theorem
        stale = next((h for h in theorem.hypotheses if h.name == self.of), None)
        if type(stale) is not Delayed:
            return f"{self.of} does not say what is stale"
        then = next((after for now, after in theorem.following if now == stale.now), None)
        if then is None:
            return f"nothing follows {stale.now.value}"
        away = square(stale.now.position - stale.old.position)
        moved = square(then.position - stale.now.position)
        bound = self._of_each if self.move else self._of_all
        return bound(away, moved, stale.constant, given)

    def _of_each(self, away: Scalar, moved: Scalar, delay: Scalar, given: Given) -> Relation | str:
        size = sympy.expand(given.facts[self.move].gap + moved)
        if given.facts[self.move].kind != "<=" or not is_constant(size, given.theorem):
            return f"{self.move} does not bound every move by one constant"
        return le(away, delay**2 * size)

    def _of_all(self, away: Scalar, moved: Scalar, delay: Scalar, given: Given) -> Relation | str:
        if self.count is None or not counts(self.count, self.index):
            return f"{self.count} is no number of iterations"
        meant = given.theorem.sequences
        drift = next((one for one, value in meant.items() if is_zero(value - away)), None)
        move = next((one for one, value in meant.items() if is_zero(value - moved)), None)
        if drift is None or move is None:
            return f"no sequence stands for the mean of {away if drift is None else moved}"
        over = (self.index, 0, self.count - 1)
        return le(sympy.Sum(drift(self.index), over), delay**2 * sympy.Sum(move(self.index), over))
