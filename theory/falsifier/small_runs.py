"""Runs small methods on small functions until one satisfies every hypothesis and breaks the goal.

In which dimension, with how many outcomes and iterations: what is drawn then is in `drawn_runs`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Final

import sympy

from theory.falsifier.compare import certain_sign
from theory.falsifier.drawn_runs import Runner, is_irrational
from theory.falsifier.effort import current
from theory.falsifier.everywhere import beyond_numbers, everywhere
from theory.falsifier.iterations import iteration
from theory.falsifier.numbers import in_domain
from theory.falsifier.posed import printed
from theory.falsifier.rewriting import free_vectors
from theory.falsifier.run_forms import functions_in
from theory.falsifier.small_models import SmallModel
from theory.kernel.context import means_in
from theory.kernel.elementary import ELEMENTARY, Log
from theory.kernel.rules.inner_runs import inner_runs
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar, Vector, squared, vector

COUNTS: Final = (1, 2, 3, 4, 0)
"""Values of integer symbols; 9 too where there are roots or exponentials."""
POSED: Final = 24
"""Shapes, and combinations of counts with them."""
DRAWS: Final = 500
"""Instances for one shape and one combination of counts."""
RESTS: Final = 500
"""Instances at rest that noise of ±1 moves, for each of those shapes, once all others are tried."""
WORK: Final = 300_000
"""Relations that are looked at, all in all; some ten seconds."""
SHARE: Final = 6
"""The part of them that one shape and combination may take is one in so many."""
SPLITS: Final = 4
"""Iterations of a run that splits into outcomes."""


def small_run(theorem: Theorem) -> SmallModel | None:
    """Look for an exact small run that satisfies all hypotheses and violates a statement.

    Returns
    -------
    SmallModel or None
        None says nothing: the search is small.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.kernel import Combine
    >>> q = sympy.Symbol("q", positive=True)
    >>> j = sympy.Symbol("j", integer=True, nonnegative=True)
    >>> total = sympy.Sum(q**j, (j, 0, 2))
    >>> names = dict(id="mine.sum", where="", statement="", latex="", conclude=Combine())
    >>> one = Theorem(**names, symbols=(q,), lhs=total, terms={"right": 1 + q + q**2})
    >>> small_run(one) is None
    True
    >>> small_run(replace(one, terms={"right": 1 + q})).numbers[q] > 0
    True
    """
    if beyond_numbers(theorem) or inner_runs(theorem):
        return None
    source, made = random.Random(0), current()
    posed = ((counts, shape) for counts in _counts(theorem) for shape in _shapes(theorem))
    most = made.tries(WORK)
    left = most
    runners: list[tuple[dict[Scalar, Scalar], int, Runner]] = []
    for counts, (size, outcomes, around, loose) in islice(posed, POSED):
        one = iteration(theorem, counts, size, outcomes, around, loose=loose)
        if one is None or (len(one.then) > 1 and one.last > SPLITS):
            continue
        runner = Runner(one, counts)
        runners += [(counts, outcomes, runner)] if len(one.then) > 1 else []
        for _ in range(made.tries(DRAWS)):
            made.say("small runs", most - left + runner.work, most)
            model = runner.violating(source)
            if model and is_one(theorem, counts, model, outcomes):
                return model
            if runner.work > most // SHARE:
                break
        left -= runner.work
        if left <= 0:
            break
    for number, (counts, outcomes, runner) in enumerate(runners):
        for tried in range(made.tries(RESTS)):
            made.say("runs from rest", number * RESTS + tried, len(runners) * RESTS)
            model = runner.violating(source, at_rest=True)
            if model and is_one(theorem, counts, model, outcomes):
                return model
    return None


def is_one(
    theorem: Theorem, counts: Mapping[Scalar, Scalar], model: SmallModel, outcomes: int
) -> bool:
    """Whether an instance is one: functions are as is said, all is defined, and it goes on."""
    numbers = {**counts, **model.numbers}
    kept = everywhere(theorem, numbers, outcomes) and is_defined(theorem, numbers)
    return kept and model.lasts()


def is_defined(theorem: Theorem, numbers: Mapping[Scalar, Scalar]) -> bool:
    """Whether no denominator vanishes, and roots are of what has them.

    All must be made of constants, or be positive by their domains: then one look is enough for all
    iterations, before any cancels.
    """
    logs = {log.args[0] for part in printed(theorem) for log in part.atoms(Log)}
    if any(_sign(base, numbers) != 1 for base in logs):
        return False
    powers = {power for part in printed(theorem) for power in part.atoms(sympy.Pow)}
    for power in powers:
        base, exponent = power.base, power.exp
        if (exponent.is_integer and exponent.is_nonnegative) or base.is_positive:  # as k + 1 is
            continue
        if exponent.is_positive and (base.is_nonnegative or squared(base)):  # the root of a norm
            continue
        sign = _sign(base, numbers)
        known = sign == 1 or (sign == 0 and exponent.is_positive)
        if not (known or (exponent.is_integer and sign == -1)):
            return False
    return True


def _sign(form: Scalar, numbers: Mapping[Scalar, Scalar]) -> int | None:
    """The sign of what is made of constants; None of anything else."""
    strange = form.atoms(sympy.Function) - form.atoms(*ELEMENTARY)
    if strange or not form.free_symbols <= numbers.keys():
        return None
    value = form.subs(dict(numbers), simultaneous=True)
    if value.has(*ELEMENTARY):
        return certain_sign(value)
    return 1 if value.is_positive else 0 if value.is_zero else -1 if value.is_negative else None


def _counts(theorem: Theorem) -> Iterator[dict[Scalar, Scalar]]:
    """Small values for integer symbols, inside their domains."""
    named = sorted((one for one in theorem.symbols if one.is_integer), key=str)
    rough = any(is_irrational(side) for _, r in theorem.relations for side in (r.lhs, r.rhs))
    known = (*COUNTS, 9) if rough else COUNTS
    choices = [[n for n in known if in_domain(sympy.Integer(n), one)] for one in named]
    for values in sorted(product(*choices), key=sum):
        yield dict(zip(named, map(sympy.Integer, values), strict=True))


def _shapes(theorem: Theorem) -> Iterator[tuple[int, int, Mapping[str, Vector], bool]]:
    """Coordinates, outcomes, near what vectors lie that nothing defines, what bounds sequences."""
    free = set(free_vectors(theorem))
    known = [one for one in theorem.points if free and not one.position.names & free]
    bases = [name for one in known[:3] for name in one.gradient.names]
    for around in ({}, *(dict.fromkeys(free, vector(base)) for base in bases)):
        yield 1, 1, around, False
        if len({str(mean.args[0]) for _, mean in means_in(theorem)}) == 1:
            yield 1, 2, around, False
    relations = [one for _, one in theorem.relations]
    if {*functions_in(relations)} - theorem.sequences.keys():
        yield 1, 1, {}, True
    if theorem.points or theorem.vectors:
        yield 2, 1, {}, False
