"""Instances against bounds and against printed lines: what the judge replays of them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import sympy

from theory.account import Decision, Finding, Line, Refutation, Repair, Violation
from theory.claims import Formulas
from theory.kernel import Theorem
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import setting

Kind = Literal["<=", "==", ">="]


def above(measured: Callable[[], Scalar], printed: Formulas, at: Mapping[Scalar, Any]) -> Violation:
    """A mean over the iterations above the printed bound, with η ≤ 1/L and κ ≤ 1."""
    supposed = (setting.STEPSIZE.relation, setting.SHARE.relation)
    return Violation(measured, "<=", sympy.Add(*printed.values()), at, supposed)


Shown = Callable[[], Mapping[str, Any] | None]
"""Runs an instance of a line, and returns its numbers by name where the line is false."""


def unlike(shown: Shown, measured: str, kind: Kind, stated: str | int = 0) -> Refutation | None:
    """What an instance shows against a line: which number is run again, and what it should be."""
    found = shown()
    if found is None:
        return None
    line = found[stated] if isinstance(stated, str) else stated
    again = of(lambda numbers: (numbers or {}).get(measured, line), shown)
    return Refutation(found, Violation(again, kind, line, {}))


def of(take: Callable[[Any], Scalar], run: Callable[..., Any], *given: Any) -> Callable[[], Scalar]:
    """What is taken of a run, which names the code that runs it.

    Examples
    --------
    >>> of(max, divmod, 17, 5)()
    3
    """
    return partial(_taken, take, run, *given)


def _taken(take: Callable[[Any], Scalar], run: Callable[..., Any], *given: Any) -> Scalar:
    return take(run(*given))


Broken = tuple[Line, tuple[Finding, ...]]
"""A printed line that is not shown, and what is wrong with it where that is known."""


def broken(line: str, where: str, why: str, fails: Refutation | None, mended: Theorem) -> Broken:
    """The line, with what is wrong if an instance shows it; a theorem holds instead."""
    stated = Line(where, line, "counterexample in rationals", Decision(fails=fails))
    if fails is None:
        return stated, ()
    repaired = Repair.by(mended)
    return stated, (Finding("invalid-step", where, why, fails.witness, repaired=repaired),)
