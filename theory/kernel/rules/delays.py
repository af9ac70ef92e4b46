"""Rules of stale iterates: what was read some iterations ago is as near as the moves since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.context import drawn
from theory.kernel.means import Mean, with_vectors
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, eq, le
from theory.kernel.rules.ranges import is_constant, own_indices
from theory.kernel.rules.series import counts, no_sequence, pinned
from theory.kernel.rules.windows import is_bound, window
from theory.kernel.theorem import Checked, Delayed, Given, Theorem, missing
from theory.kernel.values import named
from theory.kernel.vectors import Gram, Scalar, square
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Drift:
    """How far a stale iterate is from the current one.

    x̂ is what x was in one of the last τ iterations, so x − x̂ is the sum of at most τ moves
    x⁺ − x, and ‖x − x̂‖² ≤ τ Σ‖x⁺ − x‖² over the last τ iterations (Cauchy–Schwarz). Three goals:

    - ``‖x − x̂‖² ≤ τ²·M``, where a fact `move` says ‖x⁺ − x‖² ≤ M in every iteration, M constant;
    - ``Σ_{k<count} D(k) ≤ c·τ²·Σ_{k<count} N(k)``, where D and c·N are the sequences of ‖x − x̂‖²
      and ‖x⁺ − x‖², c constant: a move is in the last τ of at most τ iterations, D(k) at most;
    - ``D(k) ≤ c·τ·Σ_{j=max(0,k−τ)}^{k−1} N(j)``, with the same sequences.

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
    inner : sympy symbol, optional
        j, for the third.
    moves : sympy function, optional
        N, for the third.
    """

    of: str
    index: Scalar
    move: str = ""
    count: Scalar | None = None
    inner: Scalar | None = None
    moves: Scalar | None = None

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
        bound = bound if self.inner is None else self._of_window
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
        exact = (one for one, value in meant.items() if is_zero(value - moved))
        others = (one for one, value in meant.items() if multiple(moved, value, given) != 0)
        move = next(exact, None) or next(others, None)
        if drift is None or move is None:
            return f"no sequence stands for the mean of {away if drift is None else moved}"
        factor = multiple(moved, meant[move], given)
        over = (self.index, 0, self.count - 1)
        moves = sympy.Sum(move(self.index), over)
        return le(sympy.Sum(drift(self.index), over), factor * delay**2 * moves)

    def _of_window(
        self, away: Scalar, moved: Scalar, delay: Scalar, given: Given
    ) -> Relation | str:
        """The drift now, by the moves of the last iterations."""
        j, meant = self.inner, given.theorem.sequences
        if self.move or self.count is not None or not is_bound(j, self.index, given):
            return f"{j} is no index of its own"
        if self.moves is None:
            return "no sequence of moves is named"
        drift = next((one for one, value in meant.items() if is_zero(value - away)), None)
        factor = multiple(moved, meant.get(self.moves, sympy.S.Zero), given)
        if drift is None or factor == 0:
            lacking = away if drift is None else f"{moved} up to a constant factor"
            return f"no sequence stands for the mean of {lacking}"
        total = window(self.moves(j), j, self.index, delay)
        return le(drift(self.index), factor * delay * total)


def multiple(form: Scalar, value: Scalar, given: Given) -> Scalar:
    """The constant by which a value is multiplied in a form; 0 if it is no such multiple."""
    entries = sorted(atoms(value, Gram), key=str)
    size = sympy.expand(value).coeff(entries[0]) if entries else sympy.S.Zero
    if size == 0:
        return size
    factor = sympy.cancel(sympy.expand(form).coeff(entries[0]) / size)
    same = is_constant(factor, given.theorem) and is_zero(form - factor * value)
    return factor if same else sympy.S.Zero


@dataclass(frozen=True)
class Reread:
    """What is read τ iterations late, summed: the same terms, the first of them τ times more.

    ``Σ_{k<count} O(k) ≤ τ·S(0) + Σ_{k<count} S(k)``, where O(k) is the mean of a quantity at a
    stale point whose delay is exactly τ, and S(k) ≥ 0 that of the same quantity at the current one:
    O(k) is S(0) for k < τ, and S(k − τ) from then on.

    Attributes
    ----------
    of : str
        The assumption that says which point is stale, and by how much.
    sequence : sympy function
        O.
    index : sympy symbol
        k.
    count : sympy expression
        The number of iterations.
    """

    of: str
    sequence: Scalar
    index: Scalar
    count: Scalar

    iterates: ClassVar[bool] = True

    @property
    def uses(self) -> tuple[str, ...]:
        """The assumption."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is this."""
        return _decided(self, goal, given, f"read late: {self.of}")

    def stated(self, given: Given) -> Relation | str:
        """The goal that it reaches, or why it reaches none."""
        theorem = given.theorem
        stale = next((h for h in theorem.hypotheses if h.name == self.of), None)
        if type(stale) is not Delayed or not stale.exact:
            return f"{self.of} does not say by how much something is stale, exactly"
        value = theorem.sequences.get(self.sequence)
        if value is None or not self._is_stale(value, stale, theorem):
            return f"{self.sequence} is not the mean of something at {stale.old.position} alone"
        if not counts(self.count, self.index):
            return f"{self.count} is no number of iterations"
        now = _at_present(value, stale)
        current = next((one for one, meant in theorem.sequences.items() if meant == now), None)
        if current is None or not current(self.index).is_nonnegative:
            return f"no nonnegative sequence stands for the mean of {now}"
        over = (self.index, 0, self.count - 1)
        late = sympy.Sum(self.sequence(self.index), over)
        return le(late, stale.constant * current(0) + sympy.Sum(current(self.index), over))

    def _is_stale(self, value: Scalar, stale: Delayed, theorem: Theorem) -> bool:
        """Whether a quantity is made of a stale point of one function, and of constants."""
        point = stale.old
        own = named(point.position) | named(point.gradient) | named(point.value)
        rest = named(value) - own
        if {str(name) for name in named(value)} & drawn(theorem):
            return False
        vectors = {name for one in theorem.fixed for name in one.names}
        still = vectors | (set(theorem.symbols) - own_indices(theorem))
        return bool(named(value) & own) and rest <= still and not atoms(value, Mean, AppliedUndef)


@dataclass(frozen=True)
class Start:
    """In iteration 0 what is stale is what it is stale of: ``D(0) = 0`` for D the mean of ‖x − x̂‖².

    The goal is ``O(0) = 0``, or ``O(0) = c·S(0)`` where O is at the current point c times what S is
    the mean of, and c is a constant.

    Attributes
    ----------
    of : str
        The assumption that says which point is stale, by any delay.
    sequence : sympy function
        O.
    index : sympy symbol
        k.
    """

    of: str
    sequence: Scalar
    index: Scalar

    iterates: ClassVar[bool] = True

    @property
    def uses(self) -> tuple[str, ...]:
        """The assumption."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is this."""
        return _decided(self, goal, given, f"nothing is late at the start: {self.of}")

    def stated(self, given: Given) -> Relation | str:
        """The goal that it reaches, or why it reaches none."""
        stale = next((h for h in given.theorem.hypotheses if h.name == self.of), None)
        if type(stale) is not Delayed:
            return f"{self.of} does not say what is stale"
        value = given.theorem.sequences.get(self.sequence)
        if value is None or atoms(value, AppliedUndef, Mean):
            return f"{self.sequence} is the mean of nothing of one iteration"
        now = _at_present(value, stale)
        if is_zero(now):
            return eq(self.sequence(0), 0)
        meant = given.theorem.sequences.items()
        alike = sorted(meant, key=lambda entry: not is_zero(entry[1] - now))
        sizes = ((one(0), multiple(now, other, given)) for one, other in alike)
        current = next((size * first for first, size in sizes if size != 0), None)
        if current is None or now == value:
            return f"no sequence stands for the mean of {now}"
        return eq(self.sequence(0), current)


def _decided(rule: Reread | Start, goal: Relation, given: Given, how: str) -> Checked:
    """Whether a goal is the one that a rule states of a sequence."""
    problem = no_sequence(rule.sequence) or pinned(rule.index, given)
    if problem:
        return problem
    found = rule.stated(given)
    if isinstance(found, str):
        return Checked(Verdict.UNKNOWN, found)
    if goal.kind != found.kind or not is_zero(goal.gap - found.gap):
        return Checked(Verdict.UNKNOWN, f"what is late gives {found}")
    return Checked(Verdict.PROVED, how)


def _at_present(value: Scalar, stale: Delayed) -> Scalar:
    """A quantity at the current point in place of the stale one."""
    old, now = stale.old, stale.now
    vectors = {next(iter(old.position.names)): now.position}
    vectors |= {next(iter(old.gradient.names)): now.gradient}
    return with_vectors(value, vectors).xreplace({old.value: now.value})
