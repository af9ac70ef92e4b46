"""The formulas of exported statements, read back by recursive descent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, Protocol

import sympy
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str

from theory.errors import TheoryError
from theory.kernel.elementary import Exp, Log
from theory.kernel.means import Mean
from theory.kernel.vectors import Gram, Scalar, Vector, vector

TOKEN: Final = re.compile(r"\s*(%Z|<=|/\\|->|=>|[A-Za-z_][\w']*|\d+|[-+*/^()=<:,.])")


class MisreadError(TheoryError):
    """A statement says something else than its theorem."""


def without_comments(text: str) -> str:
    """What Rocq reads; words in a comment neither open nor close another."""
    return re.sub(r"\(\*.*?\*\)", " ", text, flags=re.DOTALL)


def tokens(text: str) -> list[str]:
    """The tokens of a proposition, without comments."""
    bare, found, place = without_comments(text).strip(), [], 0
    while place < len(bare):
        match = TOKEN.match(bare, place)
        if match is None:
            raise MisreadError(f"cannot read {bare[place : place + 30]!r}", "statement", "see it")
        found.append(match.group(1))
        place = match.end()
    return [token for token in found if token != "%Z"]


class Meanings(Protocol):
    """What identifiers of a file mean."""

    things: dict[str, tuple[str, str]]
    symbols: dict[str, Any]
    functions: dict[str, Any]
    vectors: set[str]
    typed: dict[str, str]
    varying: frozenset[str]
    iteration: str
    random: bool
    own: frozenset[str]
    outside: list[str] | None


def neutral(form: Scalar) -> Scalar:
    """An expression with means that tell their operator and nothing else."""
    form = sympy.sympify(form)
    if isinstance(form, Mean):
        return sympy.Function(f"mean of {form.args[0]}")(neutral(form.args[2]))
    if isinstance(form, Gram) or not form.args:
        return form
    if isinstance(form, sympy.Sum):
        return sympy.Function("sum")(neutral(form.function), *form.limits)
    return form.func(*map(neutral, form.args))


class Parser:
    """A recursive descent over tokens."""

    def __init__(self, found: list[str], reader: Meanings, at: str = "") -> None:
        self.left, self.reader = found[::-1], reader
        time = [at or reader.iteration] if reader.iteration else []
        self.where = [*time, *(["w"] if reader.random else [])]

    def take(self) -> str:
        """The next token."""
        return self.left.pop()

    def sum(self) -> Scalar:
        """Terms with plus and minus between them."""
        total = self.product()
        while self.left and self.left[-1] in "+-":
            sign = self.take()
            term = self.product()
            total = total + term if sign == "+" else total - term
        return total

    def product(self) -> Scalar:
        """Factors with times and division between them."""
        if self.left[-1] == "-":
            self.take()
            return -self.product()
        if self.left[-1] == "/":
            self.take()
            return 1 / self.power()
        total = self.power()
        while self.left and self.left[-1] in ("*", "/"):
            sign = self.take()
            factor = self.power()
            total = total * factor if sign == "*" else total / factor
        return total

    def power(self) -> Scalar:
        """An atom, to a power."""
        base = self.atom()
        if self.left and self.left[-1] == "^":
            self.take()
            return base ** int(self.take())
        return base

    def atom(self) -> Any:
        """A number, a name, or something in parentheses."""
        token = self.take()
        if token.isdigit():
            return sympy.Integer(token)
        if token != "(":
            return self.called(token)
        if self.left[-1] in ("-", "/", "(") or self.left[-1].isdigit():
            found = self.sum()
        else:
            found = self.application()
        if self.take() != ")":
            raise MisreadError("a parenthesis does not close", "statement", "see it")
        return found

    def application(self) -> Any:
        """What stands in parentheses: a call of something known, or a sum."""
        word = self.left[-1]
        table: dict[str, Callable[[], Any]] = {
            "dot": self._dot, "mean": self._mean, "zsum": self._sum, "IZR": self.atom,
            "sqrt": lambda: sympy.sqrt(self.atom()), "nroot": self._root,
            "exp": lambda: Exp(self.atom()),
            "ln": lambda: Log(self.atom()), "powz": lambda: self.atom() ** self.atom(),
            "Rmax": lambda: sympy.Max(self.atom(), self.atom()),
            "Rmin": lambda: sympy.Min(self.atom(), self.atom()),
            "Rabs": lambda: sympy.Abs(self.atom()),
        }  # fmt: skip
        if word in table:
            self.take()
            return table[word]()
        if word == "Z":
            return self._largest()
        name, sort = self.reader.things.get(word, ("", ""))
        if sort == "sequence" and word in self.reader.typed:
            self.take()
            values = []
            while self.left[-1] != ")":
                values.append(self.atom())
            return self.reader.functions[name](*values)
        if name in self.reader.varying and self.scope(name):
            self.take()
            self.placed(name)
            return self.reader.symbols[name]
        return self.sum()

    def scope(self, name: str) -> list[str]:
        """The iteration and the outcome of what is in scope."""
        outside = self.reader.outside
        return self.where if outside is None or name in self.reader.own else outside

    def placed(self, name: str) -> None:
        """The iteration and the outcome at which something is taken: those in scope."""
        found = [self.take() for _ in self.scope(name)]
        if found != self.scope(name):
            raise MisreadError(f"something is taken at {' '.join(found)}", "statement", "see it")

    def called(self, token: str) -> Any:
        """What an identifier stands for by itself."""
        name, _ = self.reader.things[token]
        if name in self.reader.varying and self.scope(name):
            raise MisreadError(f"{token} is taken nowhere", "statement", "see it")
        return self.reader.symbols[name]

    def _root(self) -> Any:
        degree = self.atom()
        return self.atom() ** (1 / degree)

    def _largest(self) -> Any:
        self.take()
        self.take()
        kind = sympy.Max if self.take() == "max" else sympy.Min
        one = self.atom()
        return kind(one, self.atom())

    def name(self) -> str:
        """A vector by name, at its iteration and outcome."""
        token = self.take()
        inner = token == "("
        if inner:
            token = self.take()
            self.placed(self.reader.things[token][0])
            if self.take() != ")":
                raise MisreadError(f"{token} is taken at more", "statement", "see it")
        name = self.reader.things[token][0]
        varies = bool(self.scope(name)) and name in self.reader.varying
        if name not in self.reader.vectors or varies != inner:
            raise MisreadError(f"{token} is no vector here", "statement", "see it")
        return name

    def vector(self) -> Vector:
        """A combination of vectors."""
        if self.left[-1] == "zero":
            self.take()
            return Vector(())
        if self.left[-1] == "(" and self.left[-2] in ("add", "scale"):
            self.take()
            found = self._sum_of_vectors() if self.take() == "add" else self._scaled()
            self.take()
            return found
        return vector(self.name())

    def _sum_of_vectors(self) -> Vector:
        one = self.vector()
        return one + self.vector()

    def _scaled(self) -> Vector:
        factor = self.atom()
        return self.vector().__mul__(factor)

    def _dot(self) -> Scalar:
        one = self.name()
        return Gram(Str(one), Str(self.name()))

    def _mean(self) -> Scalar:
        token = self.take()
        if token == "(":
            token = self.take()
            if [self.take(), self.take()] != [self.where[0], ")"]:
                raise MisreadError("a mean of another iteration", "statement", "see it")
        if self.take() != self.where[-1] or [self.take(), self.take()] != ["(", "fun"]:
            raise MisreadError("a mean at another outcome", "statement", "see it")
        outside, self.where = self.where, [*self.where[:-1], self.take()]
        self.take()
        inside = self.sum()
        self.take()
        self.where = outside
        name, sort = self.reader.things[token]
        if sort != "mean":
            raise MisreadError(f"{token} is no mean", "statement", "see it")
        return sympy.Function(f"mean of {name}")(inside)

    def _sum(self) -> Scalar:
        if [self.take(), self.take()] != ["(", "fun"]:
            raise MisreadError("a sum of no function", "statement", "see it")
        index = self.reader.symbols[self.reader.things[self.take()][0]]
        self.take()
        inside = self.sum()
        self.take()
        limit = sympy.Tuple(index, self.atom(), self.atom())
        if isinstance(inside, AppliedUndef) and inside.func.__name__ == "sum":
            return sympy.Function("sum")(*inside.args, limit)
        return sympy.Function("sum")(inside, limit)
