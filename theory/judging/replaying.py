"""Refutations by runs: the first instance at which a number is not as a formula has it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, Literal

import sympy

from theory.account import Refutation, Violation
from theory.kernel.relations import Relation
from theory.smt.instances import in_words

_AS_STATED: Final = {"<=": operator.le, "==": operator.eq, ">=": operator.ge}


def first_violation(
    measured: Callable[..., Any],
    kind: Literal["<=", "==", ">="],
    stated: sympy.Expr,
    instances: Iterable[Mapping[Any, Any]],
    under: tuple[Relation, ...] = (),
    named: str = "found",
    hidden: Callable[..., Mapping[Any, Any]] = lambda *values: {},
    also: Callable[..., Mapping[str, Any]] = lambda *values: {},
) -> Refutation | None:
    """The first instance at which what is measured is not as stated, to be run once more.

    Parameters
    ----------
    measured : callable
        Exact number from the values of an instance, in their order.
    kind, stated
        How the number has to stand to the formula.
    instances : iterable of mapping
        Values by the formula's symbols; other keys, in words, are for the reader only.
    under : tuple of Relation
        What the statement supposes of an instance.
    named : str
        What the number is called in the witness, beside what is stated; ``""`` leaves both out.
    hidden : callable
        Values of further symbols, which the witness leaves out, from those of the instance.
    also : callable
        What else the witness says, from the values of the instance.

    Examples
    --------
    >>> n = sympy.Symbol("n")
    >>> first_violation(lambda n: n * n, "<=", 3 * n, ({n: k} for k in range(9))).witness
    {'n': 4, 'found': 16, 'stated': 12}
    >>> first_violation(lambda n: n * n, ">=", n, ({n: k} for k in range(9))) is None
    True
    """
    for instance in instances:
        values = tuple(instance.values())
        known = {**instance, **hidden(*values)}
        at = {key: value for key, value in known.items() if isinstance(key, sympy.Symbol)}
        number, formula = measured(*values), sympy.sympify(stated).subs(at)
        if _AS_STATED[kind](sympy.sympify(number), formula):
            continue
        witness = {**{str(key): value for key, value in instance.items()}, **also(*values)}
        if named:
            said = int(formula) if formula.is_Integer else formula
            witness |= {named: number, "stated": said}
        again = Violation(partial(measured, *values), kind, stated, at, under)
        return Refutation(witness, again)
    return None


def witnessed(found: Refutation | None) -> str:
    """What a refutation shows, to be put behind the words of a case; nothing if there is none.

    Examples
    --------
    >>> n = sympy.Symbol("n")
    >>> found = first_violation(lambda n: n * n, "<=", 3 * n, ({n: k} for k in range(9)))
    >>> witnessed(found), witnessed(None)
    (': n = 4, found = 16, stated = 12', '')
    """
    return f": {in_words(found.witness)}" if found else ""
