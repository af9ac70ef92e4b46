"""What names of a theorem may look like: each is one thing, and is read as that thing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal
from unicodedata import name as called
from unicodedata import normalize

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.context import constants, means_in
from theory.kernel.vectors import Gram, Scalar, square, vector

if TYPE_CHECKING:
    from theory.kernel.theorem import Theorem


def require_one_thing_a_name(theorem: Theorem) -> None:
    """What a name depends on is told by the name, so two things do not share one.

    A sequence may be called like a quantity or vector of one iteration: both change.
    """
    things: dict[str, Scalar] = {}
    symbols = {*theorem.symbols, *theorem.scalars, *theorem.indices}
    symbols |= {one.value for one in theorem.points}
    vectors = {name for one in theorem.vectors for name in one.names}
    for one in theorem.points:
        vectors |= one.position.names | one.gradient.names
    for _, relation in theorem.relations:
        free = relation.gap.free_symbols
        bound = {limit[0] for one in atoms(relation.gap, sympy.Sum) for limit in one.limits}
        symbols |= free | {one for one in bound if one.name in {other.name for other in free}}
    called = {call.func for _, one in theorem.relations for call in atoms(one.gap, AppliedUndef)}
    still = {one.name for one in (*theorem.symbols, *theorem.indices)}
    still |= {name for one in theorem.fixed for name in one.names}
    functions = {*called, *theorem.sequences}
    shared = [one for one in functions if str(one) in still]
    if len({str(one) for one in functions}) < len(functions):
        shared += sorted(functions, key=str)
    constants, indices = {*theorem.symbols}, {*theorem.indices}
    twice = {*theorem.scalars} & (constants | indices) | constants & indices
    if twice:
        raise TheoryError(
            f"{min(twice, key=str)} is declared twice, and is one of three: a constant, a "
            "quantity that may change, an index",
            theorem.id,
            "list it under one of symbols, scalars and indices, once",
        )
    for thing in (*sorted(symbols, key=str), *sorted(vectors), *shared):
        if things.setdefault(getattr(thing, "name", thing), thing) != thing:
            raise TheoryError(
                f"{thing} is the name of two things: symbols with other domains, vectors and "
                "sequences have names of their own",
                theorem.id,
                "rename one of them",
            )


_BEGIN: Final = re.compile(r"[^\W\d_]|[∇‖]")
"""A letter, a gradient or a norm: what begins otherwise may be read as a number or as a formula."""

_FORMULA: Final = re.compile(r"[-+*/=<>|\[\]].|[−]\S")
"""What in a name, outside of parentheses, would be read as an operation."""

_OWN: Final = frozenset("exp log sqrt Max Min Abs Sum dot mean".split())
"""Functions that formulas have without a declaration."""


def require_readable_names(theorem: Theorem) -> None:
    """A constant called −1, or F(0) beside a sequence F, would be read as that.

    Raises
    ------
    TheoryError
    """
    found = dict.fromkeys(_names(theorem))
    functions = {name for kind, name in found if kind == "sequence"} | _OWN
    meant = {str(one) for one in theorem.sequences}  # ‖g[-tau]‖², called after its value
    symbols = {name for kind, name in found if kind == "symbol"}
    vectors = {name for kind, name in found if kind == "vector"}
    values = {one.value.name for one in theorem.points}
    _require_named_after_points(theorem, vectors)
    _require_called_after_values(theorem)
    for kind, name in found:
        first, opens, rest = name.partition("(")
        odd = not {*_plainly("NFKD", name)} <= _LETTERS
        odd |= not _BEGIN.match(_plainly("NFKC", name)) or name != " ".join(name.split())
        if kind == "symbol" and opens and first in functions:  # the value at a point called F(x)
            odd |= name not in values or not _BEGIN.match(rest) or rest[:-1] in symbols
        bare = _outside(name)
        if kind == "sequence" and name in meant:  # what it means is required to be its name
            bare = _NORM.sub("", _ENCLOSED.sub("", name))
        odd |= kind != "vector" and bool(_FORMULA.search(bare))
        odd |= kind == "function" and bool(opens)  # it would be read as a value
        parts = {one.strip() for one in _SIGN.split(bare)}  # x − y beside x and y
        odd |= kind == "vector" and len(parts) > 1 and parts <= vectors
        if odd or (kind == "sequence" and name in _OWN):
            raise TheoryError(
                "a name begins with a letter, has Latin and Greek letters only and nothing "
                f"hidden, and is no formula, found {name!a}",
                theorem.id,
                "rename it",
            )


def _require_named_after_points(theorem: Theorem, vectors: set[str]) -> None:
    """What is called f(x), or ∇f(x), is that of f at x, where there are an f and an x."""
    functions = {one.function for one in theorem.points}
    for one in theorem.points:
        for name in (one.value.name, *one.gradient.names):
            function, opens, at = name.removeprefix("∇").removesuffix(")").partition("(")
            known = opens and function in functions and at in vectors
            if known and (function, vector(at)) != (one.function, one.position):
                raise TheoryError(
                    f"{name} is called like {function} at {at}, and belongs to {one.function} at "
                    f"{one.position}",
                    theorem.id,
                    "name values and gradients after their points",
                )


def _require_called_after_values(theorem: Theorem) -> None:
    """A sequence that is called f(x), s or ‖v‖² is the mean of that, where there is one."""
    quantities = (*theorem.scalars, *(one.value for one in theorem.points))
    known = {one.name: one for one in quantities}
    vectors = (*theorem.vectors, *(v for p in theorem.points for v in (p.position, p.gradient)))
    known |= {f"‖{name}‖²": square(vector(name)) for one in vectors for name in one.names}
    for sequence, value in theorem.sequences.items():
        if known.get(str(sequence), value) != value:
            raise TheoryError(
                f"{sequence} is called like {known[str(sequence)]}, and is the mean of {value}",
                theorem.id,
                "give the sequence another name",
            )


def _outside(name: str) -> str:
    """A name without what is in parentheses."""
    inner = re.sub(r"\([^()]*\)", "", name)
    return name if inner == name else _outside(inner)


_ENCLOSED: Final = re.compile(r"\(.*\)")
_NORM: Final = re.compile(r"^‖[^‖]*‖²$")
_SIGN: Final = re.compile(r"[-+*/−]")
_GREEK: Final = "αβγδεζηθικλμνξοπρσςτυφχψω"
_MARKS: Final = "∇‖\u0302\u0303\u0304\u0307\u0308"  # hat, tilde, bar, one dot, two dots
_LETTERS: Final = frozenset((*map(chr, range(32, 127)), *_GREEK, *_GREEK.upper(), *_MARKS))
"""What names are made of, once accents stand by themselves: all of it can be told apart."""


def _names(theorem: Theorem) -> Iterator[tuple[str, str]]:
    """Every name that formulas show, with its kind."""
    for _, relation in theorem.relations:
        for form in (relation.lhs, relation.rhs):
            bound = {limit[0] for one in atoms(form, sympy.Sum) for limit in one.limits}
            yield from (("symbol", one.name) for one in form.free_symbols | bound)
            yield from (("vector", name) for entry in atoms(form, Gram) for name in entry.names)
            yield from (("sequence", str(call.func)) for call in atoms(form, AppliedUndef))
    yield from (("sequence", str(one)) for one in theorem.sequences)
    yield from (("mean", str(mean.args[0])) for _, mean in means_in(theorem))
    yield from (("function", one.function) for one in theorem.points)


_ALIKE: Final = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο∆′’∗−∥\u0305",
    "ABEZHIKMNOPTYXoΔ''*-‖\u0304",
)
"""Characters that are printed as others: Greek letters as Latin ones, signs."""


def require_names_apart(theorem: Theorem) -> None:
    """Two names that look the same would make of a ≤ b what reads a ≤ a.

    Raises
    ------
    TheoryError
    """
    found = set(_names(theorem))
    still = constants(theorem) | {one.name for one in theorem.indices}
    sequences = {name for kind, name in found if kind == "sequence"}
    _require_apart({name for kind, name in found if kind != "sequence"}, theorem.id)
    _require_apart(sequences | still, theorem.id)  # others may be called like a quantity


def _require_apart(names: Iterable[str], where: str) -> None:
    seen: dict[str, str] = {}
    for name in sorted(names):
        if seen.setdefault(_look(name), name) != name:
            raise TheoryError(
                f"two names look like {name}: {seen[_look(name)]!a} and {name!a}",
                where,
                "rename one of them",
            )


def _look(name: str) -> str:
    """How a name looks: γ may be written out as gamma, and x₁ as x_1."""
    seen = "".join(map(_spelled, _plainly("NFKC", name)))
    return seen.replace("_", "").replace("lambda", "lamda")


def _plainly(form: Literal["NFKC", "NFKD"], name: str) -> str:
    return normalize(form, name.translate(_ALIKE)).translate(_ALIKE)


def _spelled(letter: str) -> str:
    """A Greek letter by its name."""
    kind, _, name = called(letter, "").rpartition("LETTER ")
    if not kind.startswith("GREEK") or not name.isalpha():
        return letter
    return name.capitalize() if "CAPITAL" in kind else name.lower()
