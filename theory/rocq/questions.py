"""What z3 was asked of whole and of real numbers, as lemmas of Rocq.

A question with the answer ``unsat`` becomes: for all numbers, the assertions together are absurd.
One with the answer ``sat`` becomes: there are numbers such that all of them hold. What `lia` has no
word for is a number of its own, with what is true of it: ``if c then a else b``, a quotient and a
rest by what is above 0, a fraction, a value of a function. What is true or false is a number that
is 1 or not. Assertions are written with "and" and "or" alone, and "not" before equations.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from typing import Any, Final

import z3

from theory.rocq.names import Names
from theory.rocq.text import UnsupportedError

Term = Any
"""A z3 expression; z3 ships no usable types."""

_SIGNS: Final = {z3.Z3_OP_ADD: " + ", z3.Z3_OP_SUB: " - ", z3.Z3_OP_MUL: " * "}
_RELATIONS: Final = {
    z3.Z3_OP_LE: " <= ", z3.Z3_OP_LT: " < ", z3.Z3_OP_GE: " >= ", z3.Z3_OP_GT: " > ",
    z3.Z3_OP_EQ: " = ",
}  # fmt: skip
# A comparison by its sign would be turned round where the right side is a number.
_OPPOSITE: Final = {
    z3.Z3_OP_LE: z3.ArithRef.__gt__, z3.Z3_OP_LT: z3.ArithRef.__ge__,
    z3.Z3_OP_GE: z3.ArithRef.__lt__, z3.Z3_OP_GT: z3.ArithRef.__le__,
}  # fmt: skip


@dataclass
class Question:
    """A question without what `lia` has no word for.

    Attributes
    ----------
    asserted : tuple of term
        With "and", "or" and relations between numbers alone.
    defined : dict of str to term
        By name, what a number of its own stands for.
    below : list of term
        That nothing is divided by what z3 takes in its own way: a model has to keep to it.
    """

    asserted: tuple[Term, ...]
    said: list[Term] = field(default_factory=list)
    defined: dict[str, Term] = field(default_factory=dict)
    below: list[Term] = field(default_factory=list)
    _known: dict[int, Term] = field(default_factory=dict)
    _calls: list[tuple[Term, Term]] = field(default_factory=list)

    @property
    def facts(self) -> list[Term]:
        """What is said of numbers of their own, and the assertions."""
        return [*self.said, *self.asserted]

    def form(self, term: Term, yes: bool = True) -> Term:
        """A proposition, or that it does not hold."""
        if not z3.is_app(term):
            raise UnsupportedError("a quantifier in a question")
        kind, parts = term.decl().kind(), term.children()
        if kind in (z3.Z3_OP_TRUE, z3.Z3_OP_FALSE):
            return z3.BoolVal((kind == z3.Z3_OP_TRUE) == yes)
        if kind == z3.Z3_OP_NOT:
            return self.form(parts[0], not yes)
        if kind in (z3.Z3_OP_AND, z3.Z3_OP_OR):
            inner = [self.form(part, yes) for part in parts]
            return _joined((kind == z3.Z3_OP_AND) == yes, inner)
        if kind == z3.Z3_OP_IMPLIES:
            return _joined(not yes, [self.form(parts[0], not yes), self.form(parts[1], yes)])
        if kind == z3.Z3_OP_ITE:
            return self._either(parts[0], self.form(parts[1], yes), self.form(parts[2], yes))
        if kind in (z3.Z3_OP_IFF, z3.Z3_OP_EQ) and z3.is_bool(parts[0]):
            return self._either(parts[0], self.form(parts[1], yes), self.form(parts[1], not yes))
        if kind == z3.Z3_OP_DISTINCT:
            pairs = [self.form(a == b, not yes) for a, b in combinations(parts, 2)]
            return _joined(yes, pairs)
        if kind == z3.Z3_OP_UNINTERPRETED:
            name = self._value(term) if parts else z3.Int(term.decl().name())
            return name == 1 if yes else z3.Not(name == 1)
        if kind in _RELATIONS and all(map(z3.is_arith, parts)):
            a, b = map(self.number, parts)
            if yes:
                return term.decl()(a, b)
            return z3.Not(a == b) if kind == z3.Z3_OP_EQ else _OPPOSITE[kind](a, b)
        raise UnsupportedError(f"{term.decl().name()} in a question")

    def _either(self, test: Term, one: Term, other: Term) -> Term:
        first = _joined(True, [self.form(test), one])
        return _joined(False, [first, _joined(True, [self.form(test, False), other])])

    def number(self, term: Term) -> Term:
        """A number without what has no word."""
        found = self._known.get(term.get_id())
        if found is None:
            found = self._known[term.get_id()] = self._number(term)
        return found

    def _number(self, term: Term) -> Term:
        kind, parts = term.decl().kind(), term.children()
        if is_number(term) or (kind == z3.Z3_OP_UNINTERPRETED and not parts):
            return term
        if kind == z3.Z3_OP_ITE:
            name = self._new(term, "either")
            one, other = (name == self.number(part) for part in parts[1:])
            self.said.append(self._either(parts[0], one, other))
            return name
        if kind in (z3.Z3_OP_IDIV, z3.Z3_OP_MOD):
            return self._divided(term, *map(self.number, parts))
        if kind == z3.Z3_OP_UNINTERPRETED:
            return self._value(term)
        inner = list(map(self.number, parts))
        if kind == z3.Z3_OP_UMINUS:
            return (z3.IntVal(0) if z3.is_int(term) else z3.RealVal(0)) - inner[0]
        if kind == z3.Z3_OP_DIV:
            return self._fraction(term, *inner)
        if kind == z3.Z3_OP_TO_REAL:
            return _as_real(inner[0])
        if kind in _SIGNS:
            return term.decl()(*inner)
        raise UnsupportedError(f"{term.decl().name()} in a question")

    def _divided(self, term: Term, number: Term, by: Term) -> Term:
        whole, left = term.arg(0) / term.arg(1), term.arg(0) % term.arg(1)
        quotient, rest = self._new(whole, "quotient"), self._new(left, "rest")
        self._known |= {whole.get_id(): quotient, left.get_id(): rest}
        true = _joined(True, [number == by * quotient + rest, rest >= 0, rest < by])
        positive = z3.is_int_value(by) and by.as_long() > 0
        self.said.append(true if positive else _joined(False, [by <= 0, true]))
        self.below += [] if positive else [by > 0]
        return quotient if term.decl().kind() == z3.Z3_OP_IDIV else rest

    def _fraction(self, term: Term, above: Term, by: Term) -> Term:
        if is_number(by) and by.as_fraction() != 0:
            return z3.RealVal(1 / by.as_fraction()) * above
        name = self._new(term, "fraction")
        self.said.append(_joined(False, [by == 0, name * by == above]))
        self.below.append(z3.Not(by == 0))
        return name

    def _value(self, term: Term) -> Term:
        inner = list(map(self.number, term.children()))
        name = self._new(term if z3.is_arith(term) else z3.If(term, *_TRUE), "value")
        for other, at in self._calls:
            if z3.eq(other.decl(), term.decl()):
                differs = [
                    z3.Not(a == self.number(b))
                    for a, b in zip(inner, other.children(), strict=True)
                ]
                self.said.append(_joined(False, [*differs, name == at]))
        self._calls.append((term, name))
        return name

    def _new(self, term: Term, word: str) -> Term:
        name = f"{word} {len(self.defined)}"
        self.defined[name] = term
        return z3.Const(name, term.sort())


_TRUE: Final = (z3.IntVal(1), z3.IntVal(0))


def is_number(term: Term) -> bool:
    """Whether a term is a numeral."""
    return bool(z3.is_int_value(term) or z3.is_rational_value(term))


def _as_real(term: Term) -> Term:
    """A whole number among real ones: with its numbers, not its sums, made real."""
    if z3.is_int_value(term):
        return z3.RealVal(term.as_long())
    parts = term.children()
    return (
        z3.ToReal(term)
        if not parts
        else _BACK[_SIGNS[term.decl().kind()].strip()]([*map(_as_real, parts)])
    )


def _joined(both: bool, parts: Sequence[Term]) -> Term:
    """All of them, or one of them: flat, and plain where a part is true or false."""
    kind = z3.Z3_OP_AND if both else z3.Z3_OP_OR
    flat: list[Term] = []
    for part in parts:
        flat += part.children() if part.decl().kind() == kind else [part]
    settles, idle = (z3.is_false, z3.is_true) if both else (z3.is_true, z3.is_false)
    if any(map(settles, flat)):
        return z3.BoolVal(not both)
    left = [part for part in flat if not idle(part)]
    if len(left) < 2:
        return left[0] if left else z3.BoolVal(both)
    return (z3.And if both else z3.Or)(*left)


def question(text: str) -> Question:
    """A question that is given as SMT-LIB 2.

    Raises
    ------
    UnsupportedError
        It is about other numbers than whole ones.
    """
    found = Question(())
    found.asserted = tuple(map(found.form, z3.parse_smt2_string(text)))
    return found


def symbols(terms: Sequence[Term]) -> dict[str, Term]:
    """The numbers in propositions by their names, in the order in which they are met."""
    found: dict[str, Term] = {}
    seen: set[int] = set()

    def visit(term: Term) -> None:
        if term.get_id() not in seen:
            seen.add(term.get_id())
            if term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found[term.decl().name()] = term
            for part in term.children():
                visit(part)

    for term in terms:
        visit(term)
    return found


def text(term: Term, names: Names) -> str:
    r"""A number, or a proposition of a question, in Rocq.

    Examples
    --------
    >>> x = z3.Int("rest 1")
    >>> text(z3.Or(x > -1, z3.Not(x == 2)), Names())
    '((rest_1 > (-1)) \\/ (rest_1 <> 2))'
    """
    kind, parts = term.decl().kind(), term.children()
    if z3.is_int_value(term):
        return _whole(term.as_long())
    if z3.is_rational_value(term):
        above, below = f"IZR {_whole(term.numerator_as_long())}", term.denominator_as_long()
        return f"({above})" if below == 1 else f"({above} / IZR {below})"
    if kind == z3.Z3_OP_TO_REAL:
        return f"(IZR {text(parts[0], names)})"
    if kind == z3.Z3_OP_UNINTERPRETED:
        return names(term.decl().name())
    if kind == z3.Z3_OP_TRUE or kind == z3.Z3_OP_FALSE:
        return "True" if kind == z3.Z3_OP_TRUE else "False"
    if kind == z3.Z3_OP_NOT:
        (inner,) = parts
        return f"({' <> '.join(text(part, names) for part in inner.children())}){_scope(inner)}"
    words = {z3.Z3_OP_AND: " /\\ ", z3.Z3_OP_OR: " \\/ "} | _SIGNS | _RELATIONS
    return f"({words[kind].join(text(part, names) for part in parts)}){_scope(term)}"


def _whole(number: int) -> str:
    return str(number) if number >= 0 else f"({number})"


def _scope(term: Term) -> str:
    """What tells Rocq that a relation is one between real numbers."""
    return "%R" if z3.is_bool(term) and z3.is_real(term.arg(0)) else ""


def leaves(term: Term, kind: int) -> Iterator[Term]:
    """The parts of a conjunction, or of a disjunction; the term itself if it is none."""
    yield from term.children() if term.decl().kind() == kind else [term]


_TOKEN: Final = re.compile(r"\s*([A-Za-z_][\w']*|\d+|<>|<=|>=|/\\|\\/|[-+*/=<>()]|%R)")
_BACK: Final[Mapping[str, Callable[[list[Term]], Term]]] = {
    "+": lambda parts: z3.Sum(parts), "*": lambda parts: z3.Product(parts),
    "-": lambda parts: reduce(operator.sub, parts),
    "/\\": lambda parts: z3.And(*parts), "\\/": lambda parts: z3.Or(*parts),
    "=": lambda parts: z3.ExprRef.__eq__(*parts),
    "<>": lambda parts: z3.Not(z3.ExprRef.__eq__(*parts)),
    "<=": lambda parts: z3.ArithRef.__le__(*parts), "<": lambda parts: z3.ArithRef.__lt__(*parts),
    ">=": lambda parts: z3.ArithRef.__ge__(*parts), ">": lambda parts: z3.ArithRef.__gt__(*parts),
    "/": lambda parts: z3.RealVal(parts[0].as_fraction() / parts[1].as_fraction()),
}  # fmt: skip


def read_back(told: str, names: Mapping[str, Term]) -> Term:
    r"""What a proposition of a file says, by the numbers that its identifiers stand for.

    Examples
    --------
    >>> read_back(r"((p_m > (-1)) \/ (p_m <> 2))", {"p_m": z3.Int("p*m")})
    Or(p*m > -1, Not(p*m == 2))
    """
    tokens = _TOKEN.findall(told)[::-1]

    def read() -> Term:
        token = tokens.pop()
        if token == "IZR":
            inner = read()
            return z3.RealVal(inner.as_long()) if z3.is_int_value(inner) else z3.ToReal(inner)
        if token != "(":
            return _word(token, names)
        if tokens[-1] == "-":
            tokens.pop()
            parts, sign = [z3.IntVal(-int(tokens.pop()))], ""
        else:
            parts, sign = [read()], ""
        while (token := tokens.pop()) != ")":
            if sign not in ("", token):
                raise UnsupportedError(f"{sign} beside {token} in a question")
            sign = token
            parts.append(read())
        found = _BACK[sign](parts) if sign else parts[0]
        if tokens[-1:] == ["%R"]:
            tokens.pop()
        return found

    found = read()
    if tokens:
        raise UnsupportedError("more than a proposition in a question")
    return found


def _word(token: str, names: Mapping[str, Term]) -> Term:
    if token in ("True", "False"):
        return z3.BoolVal(token == "True")
    return z3.IntVal(int(token)) if token.isdigit() else names[token]
