"""Data files of certificates: formulas as text that the kernel reads back, written in one go."""

from __future__ import annotations

import json
import keyword
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import sympy

from theory.errors import TheoryError
from theory.kernel.relations import Relation
from theory.kernel.rules.algebra import Combine
from theory.kernel.rules.expectation import Expect
from theory.kernel.stored import SCHEMA, key_of
from theory.kernel.theorem import Step
from theory.kernel.vectors import Scalar, Vector


def entry(
    theorem: str,
    step: str,
    goal: Relation,
    facts: Mapping[str, Relation],
    combine: Combine,
    steps: Mapping[str, Step] = MappingProxyType({}),
) -> dict[str, Any]:
    """A certificate as data; squares of which it uses a mean are among the steps.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> made = entry("kernel.young", "statement", YOUNG.goal, {}, YOUNG.conclude)
    >>> made["squares"]
    [['1/(2*a)', [['a', 'u'], ['-1', 'v']]]]
    """
    used = {name: facts[name] for name in combine.uses}
    squares = [
        [_written(c), terms(one)] if isinstance(one, Vector) else [_written(c), _written(one)]
        for c, one in combine.squares
    ]
    means = [*_means(combine.uses, steps)]
    return {
        "theorem": theorem,
        "step": step,
        "key": key_of(goal, used),
        "facts": {name: _written(one) for name, one in combine.facts.items()},
        "squares": squares,
        "plus": [_written(one) for one in combine.plus],
        "domain": list(combine.domain),
        **({"means": means} if means else {}),
    }


def _means(uses: Iterable[str], steps: Mapping[str, Step]) -> Iterator[list[Any]]:
    """Of which squares facts are the means: the means by name, and the vector."""
    for name in uses:
        under, one = [], steps.get(name)
        while one is not None and type(one.rule) is Expect:
            under.append(one.rule.under.name)
            one = steps.get(one.rule.of)
        if under and one is not None and one.name.startswith("‖") and type(one.rule) is Combine:
            yield [under, terms(one.rule.squares[0][1])]


def terms(one: Vector | Scalar) -> list[list[str]]:
    """A vector as pairs of a factor and a name."""
    assert isinstance(one, Vector)
    return [[_written(factor), name] for name, factor in one.terms]


def _written(form: Scalar) -> str:
    return formula_text(sympy.sympify(form))


def formula_text(form: Scalar) -> str:
    """A formula as `theory.kernel.stored.formula` reads it.

    Examples
    --------
    >>> x, k = sympy.Symbol("x", positive=True), sympy.Symbol("lambda", positive=True)
    >>> formula_text((x - k) / (2 * sympy.sqrt(x))), formula_text(-k / 3)
    ('(-"lambda" + x)/(2*(x**(1/2)))', '-"lambda"/3')
    """
    if form.is_Integer:
        return str(form)
    if form.is_Add:
        terms = [formula_text(term) for term in form.as_ordered_terms()]
        return "".join(
            term if not k else f" - {term[1:]}" if term.startswith("-") else f" + {term}"
            for k, term in enumerate(terms)
        )
    if form.is_Rational or form.is_Mul or (form.is_Pow and form.exp.could_extract_minus_sign()):
        return _quotient(form)
    if form.is_Pow:
        return f"{_inside(form.base)}**{_inside(form.exp)}"
    return _name(str(form))


def _quotient(form: Scalar) -> str:
    above, below = _fraction(form)
    sign = "-" if above[0] < 0 else ""
    upper = [str(abs(above[0]))] if abs(above[0]) != 1 or len(above) == 1 else []
    upper += [_inside(factor) for factor in above[1:]]
    lower = [str(below[0])] if below[0] != 1 else []
    lower += [_inside(factor) for factor in below[1:]]
    if not lower:
        return sign + "*".join(upper)
    under = "*".join(lower)
    return f"{sign}{'*'.join(upper)}/{under if len(lower) == 1 else f'({under})'}"


def _fraction(form: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """Number and factors above and below the line."""
    number, rest = form.as_coeff_Mul()
    if not number.is_Rational:
        number, rest = sympy.S.One, form
    above, below = [sympy.Integer(number.p)], [sympy.Integer(number.q)]
    for factor in sympy.Mul.make_args(rest):
        if factor.is_Pow and factor.exp.could_extract_minus_sign():
            below.append(sympy.Pow(factor.base, -factor.exp))
        elif factor != 1:
            above.append(factor)
    return above, below


def _inside(form: Scalar) -> str:
    text = formula_text(form)
    simple = form.is_Symbol or form.is_Function or (form.is_Integer and form >= 0)
    return text if simple or (form.is_Pow and "/" not in text) else f"({text})"


def _name(text: str) -> str:
    plain = text.isascii() and text.isidentifier() and not keyword.iskeyword(text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def updated(path: Path, theorem: str, entries: Sequence[Mapping[str, Any]]) -> bool:
    """Put entries in place of all those of a theorem; whether the file has changed.

    Raises
    ------
    TheoryError
        The file cannot be read or written.
    """
    try:
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        others = [one for one in _kept(old) if one["theorem"] != theorem]
        kept = sorted(
            (*others, *entries), key=lambda one: (one["theorem"], one["step"], one["key"])
        )
        lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in kept)
        text = f'{{"schema": "{SCHEMA}", "certificates": [\n{lines}\n]}}\n'
        if text == old or not (kept or old):
            return False
        path.parent.mkdir(exist_ok=True)
        _replace(path, text)
    except OSError as error:
        raise TheoryError(
            f"cannot be written ({error.strerror})", str(path), "check its permissions"
        ) from error
    return True


def _kept(old: str) -> list[dict[str, Any]]:
    """The entries of a data file; what is none is written anew."""
    try:
        content = json.loads(old)
        if content["schema"] == SCHEMA:
            return [
                one for one in content["certificates"] if {"theorem", "step", "key"} <= set(one)
            ]
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return []


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
