"""Units: how numbers may be scaled together so that all that is known stays as it is.

With L doubled and γ halved a proof of delayed gradients is the same proof. Of all the formulas that
a multiplier might be, only those that scale as it does can be right at every point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from theory.proving.forms import Element, Form
from theory.proving.problem import Problem

Scale = tuple[Any, ...]
"""To which power something is scaled, in each way of scaling."""


@dataclass(frozen=True)
class Scales:
    """Ways of scaling.

    Attributes
    ----------
    inside : tuple of Scale
        Of what the field is made of.
    outside : tuple of Scale
        Of the other atoms.
    """

    inside: tuple[Scale, ...]
    outside: tuple[Scale, ...]

    def of(self, element: Element) -> Scale:
        """An element of the field, in which all terms scale alike."""
        above, below = element.numer.LM, element.denom.LM
        return self._sum([a - b for a, b in zip(above, below, strict=True)], self.inside)

    def of_form(self, form: Form) -> Scale:
        """A linear form, in which all terms scale alike."""
        monomial, element = next(iter(form.items()))
        more = self._sum(monomial, self.outside)
        return tuple(a + b for a, b in zip(self.of(element), more, strict=True))

    def _sum(self, powers: Sequence[int], scales: Sequence[Scale]) -> Scale:
        ways = range(len((*self.inside, *self.outside)[0]))
        pairs = [(p, scale) for p, scale in zip(powers, scales, strict=True) if p]
        return tuple(sum((p * scale[way] for p, scale in pairs), QQ.zero) for way in ways)


def scales_of(problem: Problem, forms: Iterable[Form]) -> Scales:
    """All ways of scaling under which some forms, the goal and the domain stay what they are."""
    one, inner = problem.split.one, len(problem.split.inside)
    known = [form for form in (*forms, problem.reduced_goal) if form]
    known += [{one: element} for element in problem.within.values()]
    size, rows = inner + len(problem.split.outside), set[tuple[int, ...]]()
    for form in known:
        terms = [
            [a - b for a, b in zip(above, element.denom.LM, strict=True)] + [*monomial]
            for monomial, element in form.items()
            for above in element.numer
        ]
        terms += [
            [
                a - 2 * b + c
                for a, b, c in zip(element.numer.LM, element.denom.LM, below, strict=True)
            ]
            + [*monomial]
            for monomial, element in form.items()
            for below in element.denom
        ]
        rows |= {tuple(a - b for a, b in zip(term, terms[0], strict=True)) for term in terms}
    matrix = DomainMatrix([[QQ(a) for a in row] for row in rows], (len(rows), size), QQ)
    ways = matrix.nullspace().to_list()
    scales = tuple(tuple(way[k] for way in ways) for k in range(size))
    return Scales(scales[:inner], scales[inner:])
