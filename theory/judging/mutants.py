"""Mutants of a claim's formulas: what the same prover must not prove.

Operators act on the expression tree and know nothing about the claim: every number, exponents
included, becomes one more, one less and twice itself; every summand changes its sign; every symbol
is shifted by one. Of very long formulas only the signs change. Each hypothesis is dropped in turn;
a claim that survives that is reported with it, for then the hypothesis is not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

import sympy

from theory.account import Grounds
from theory.claims import Claim, Formulas
from theory.errors import UncertifiedError, UnsupportedFormError, VacuousError
from theory.judging.decide import established
from theory.kernel.relations import with_scalars
from theory.kernel.residues import Residues
from theory.ledger import Controls
from theory.verdicts import Verdict

Control = Callable[[], Grounds | Verdict]
"""What the same machinery makes of something that it must not prove."""

Name = Callable[[], str]
"""What a control is called; it takes long to write, and only survivors are named."""


LONGEST: Final = 500
"""Operations of a formula beyond which only the signs of its summands change."""


def mutants(form: sympy.Expr) -> dict[str, sympy.Expr]:
    """Differing mutants of an expression, by what they read.

    Examples
    --------
    >>> p = sympy.Symbol("p", integer=True)
    >>> sorted(mutants(p + 2))
    ['2 - p', 'p + 1', 'p + 3', 'p + 4', 'p - 2']
    >>> len(mutants(sympy.sqrt(1 - sympy.Symbol("a", positive=True))))  # none is √(−a)
    7
    >>> len(mutants(sympy.Add(*(n * p**n for n in range(2, 170)))))
    168
    """
    return {sympy.sstr(candidate): candidate for candidate in _differing(form)}


def _differing(form: sympy.Expr) -> list[sympy.Expr]:
    """Mutants that are not the expression itself in other words, each once.

    One that is no real number, such as √(−a) of √(1 − a), is none.
    """
    short = form.count_ops() <= LONGEST
    signs = tuple(_signs(form))
    every = (*_numbers(form), *signs, *_shifts(form)) if short else signs
    candidates, at = dict.fromkeys(every), Residues()
    return [
        candidate
        for candidate in candidates
        if not candidate.has(sympy.I)
        if at.differ(candidate, form) or sympy.expand(candidate - form) != 0
    ]


def _numbers(form: sympy.Expr) -> Iterator[sympy.Expr]:
    if form.is_Number:
        yield from (form + 1, form - 1, 2 * form)
        return
    for position, part in enumerate(form.args):
        for changed in _numbers(part):
            arguments = [*form.args[:position], changed, *form.args[position + 1 :]]
            yield form.func(*arguments)


def _signs(form: sympy.Expr) -> Iterator[sympy.Expr]:
    for part in sympy.Add.make_args(form):
        yield form - 2 * part


def _shifts(form: sympy.Expr) -> Iterator[sympy.Expr]:
    for symbol in sorted(form.free_symbols, key=str):
        yield sympy.expand(with_scalars(form, {symbol: symbol + 1}))


SAMPLE: Final = 10
"""Mutants of a claim that are tried unless all are asked for."""


def run_controls(claim: Claim, every: bool = False) -> Controls:
    """Give mutants of the claim's proved core, and the claim without a hypothesis, to the prover.

    Parameters
    ----------
    claim : Claim
    every : bool
        All of them; else `SAMPLE` at most, spread evenly over the formulas and hypotheses.
    """
    if claim.holds is None or _is_uncertified(claim):
        return Controls()
    known = [*_changed(claim), *_weakened(claim)]
    step = 1 if every else max(1, -(-len(known) // SAMPLE))
    tried = known[::step]
    survivors = [name() for name, control in tried if passes(control) is Verdict.PROVED]
    return Controls(len(tried), len(tried) - len(survivors), tuple(survivors), len(known))


def accepts_original(claim: Claim) -> bool:
    """Whether the prover of mutants accepts the formulas themselves; else it says nothing of them.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.judging.catalogue import CLAIMS
    >>> accepts_original(replace(CLAIMS["kernel.young"], holds=lambda formulas: ()))
    False
    """
    return claim.holds is not None and passes(partial(claim.holds, claim.core)) > Verdict.UNKNOWN


def _is_uncertified(claim: Claim) -> bool:
    """Whether a theorem waits for a certificate: its mutants fail without it, and say nothing."""
    try:
        if claim.theorem is not None and claim.holds is not None:
            claim.holds(claim.core)
    except UncertifiedError:
        return True
    return False


def passes(control: Control) -> Verdict:
    """What a control came to."""
    try:
        found = control()
        return found if isinstance(found, Verdict) else established(found)
    except (UncertifiedError, UnsupportedFormError, VacuousError):
        return Verdict.UNKNOWN


def _changed(claim: Claim) -> Iterator[tuple[Name, Control]]:
    """Every mutant of every formula, and what the prover says of it."""
    for name, form in claim.core.items():
        for mutant in _differing(form):
            formulas = _replaced(claim.core, name, mutant)
            if claim.holds is not None:
                yield partial(_named, name, mutant), partial(claim.holds, formulas)


def _named(name: str, mutant: sympy.Expr) -> str:
    return f"{name}: {sympy.sstr(mutant)}"


def _weakened(claim: Claim) -> Iterator[tuple[Name, Control]]:
    for name, judge_without in claim.weakened.items():
        yield partial("without {}".format, name), judge_without


def _replaced(formulas: Formulas, name: str, form: sympy.Expr) -> Mapping[str, sympy.Expr]:
    return {**formulas, name: form}
