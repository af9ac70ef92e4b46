"""Re-check the certificates of a ledger: ``python reports/recheck.py LEDGER``.

This file stands alone: it needs Python and nothing else, and shares no code with the programs that
made the ledger. What it does, for each step that says it follows by the rule `Combine`:

1. The premises are hypotheses of the row, or earlier steps of it that are proved.
2. With gap = right side - left side, the identity
   gap(goal) == sum multiplier * gap(premise) + sum coefficient * squared**2 + sum plus
   is multiplied out in exact fractions.
3. An equality follows from equalities alone. The multiplier of an inequality, each coefficient and
   each plus is listed as nonnegative, and the listed reason is tried again here,
   at some numbers too.
4. A denominator is not 0, a root is one of a nonnegative number, a logarithm one of a positive
   number: seen at once, or listed. What is known of exp is that it is positive.
5. No row stands twice, none rests on one of the ledger that is not PROVED, and the summary counts
   them.

What is not re-checked is counted as taken on trust: signs that a solver decided, other rules, and
rows that are not UNKNOWN and whose statement no certificate proves.

Exit code: 0 if all holds, 1 if something fails, each failure being named, 2 if the input
is no ledger.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from itertools import islice, product
from math import gcd, lcm
from typing import Any

SCHEMA = "staleproof-ledger/2"
LONGEST, DEEPEST, BITS = 400_000, 60, 12_000
"""Characters of a formula, its depth, and bits of a number."""
WORK, ALL_WORK = 2_000_000, 8_000_000
"""Products of two terms in a step, and in a ledger."""
NODES = 200
"""Attempts to show one sign from its premises."""
OTHER_RULES = frozenset(
    "Cite ClosedSum Descent Drift Elementary Everywhere Expect Induction Integral Lipschitz Model "
    "Reread Root Schwarz Split Start Swap Telescope Total Triangle Unroll Windows".split()
)
"""What is counted: a step by another rule is none."""
KNOWN = frozenset("Abs Max Min Mod ceiling dot exp floor log mean sqrt Sum".split())
"""Functions that mean the same in every row."""
BY_COEFFICIENTS, BY_SOLVER = "no negative coefficient", "z3"

Tree = tuple[Any, ...]
"""A formula as nested tuples, and other groups of values."""
Number = int | Fraction
Term = tuple[tuple[int, Fraction], ...]
"""A product of powers: atoms with their exponents, sorted."""
Form = dict[Term, Fraction]
"""A sum of products with numbers in front."""
Data = dict[str, Any]


class Refused(Exception):  # noqa: N818 - it is an answer
    """A step is not shown: why, and what the two sides differ by."""

    def __init__(self, says: str, difference: str = "") -> None:
        self.says, self.difference = says, difference
        super().__init__(says)


class BadInput(Exception):  # noqa: N818
    """The input is no ledger: what is wrong, and where."""

    def __init__(self, what: str, where: str) -> None:
        self.what, self.where = what, where
        super().__init__(f"{where}: {what}")


# --- formulas: text to trees ---------------------------------------------------------------------

TOKEN = re.compile(
    r'\s*(?:([0-9]+)|([^\W\d]\w*)|"((?:[^"\\]|\\["\\])*)"|(\*\*|<=|==|[-+*/()\[\],])|(\Z))'
)


class Parser:
    """Formulas as nested tuples, by recursive descent; the operators bind as in Python."""

    def __init__(self, text: object) -> None:
        if not isinstance(text, str) or len(text) > LONGEST:
            raise Refused(f"a formula is text of at most {LONGEST} characters")
        self.depth, place = 0, 0
        self.tokens: list[Tree] = []
        while not self.tokens or self.tokens[-1][0] != "end":
            found = TOKEN.match(text, place)
            if found is None:
                raise Refused(f"cannot read the formula at {text[place : place + 20]!r}")
            number, word, quoted, mark, _ = found.groups()
            place = found.end()
            if number is not None and len(number) > BITS // 4:
                raise Refused("a number is too long")
            self.tokens.append(
                ("number", int(number)) if number is not None
                else ("word", word) if word is not None
                else ("quoted", re.sub(r"\\(.)", r"\1", quoted)) if quoted is not None
                else ("mark", mark) if mark is not None
                else ("end", "")
            )  # fmt: skip
        self.tokens.reverse()

    def take(self, mark: str | None = None) -> Tree:
        """The next token, which has to be this mark if one is given."""
        token = self.tokens[-1]
        if token[0] == "end" or (mark is not None and token != ("mark", mark)):
            raise Refused(f"a formula has {token[1] or 'its end'!r} where {mark or 'more'} belongs")
        return self.tokens.pop()

    def at(self, *marks: str) -> bool:
        """Whether one of these marks comes next."""
        return self.tokens[-1][0] == "mark" and self.tokens[-1][1] in marks

    def whole(self, relation: bool = False) -> Tree:
        """The whole text as an expression, or as a relation."""
        found = self.sum()
        if relation:
            if not self.at("<=", "=="):
                raise Refused("a relation has <= or == between its sides")
            found = (self.take()[1], found, self.sum())
        if self.tokens[-1][0] != "end":
            raise Refused(f"a formula goes on with {self.tokens[-1][1]!r}")
        return found

    def sum(self) -> Tree:
        """Terms with + and - between them."""
        parts = [self.product()]
        while self.at("+", "-"):
            sign = self.take()[1]
            parts.append(self.product() if sign == "+" else ("-", self.product()))
        return parts[0] if len(parts) == 1 else ("+", parts)

    def product(self) -> Tree:
        """Factors with * and / between them."""
        parts = [self.factor()]
        while self.at("*", "/"):
            mark = self.take()[1]
            parts.append(self.factor() if mark == "*" else ("/", self.factor()))
        return parts[0] if len(parts) == 1 else ("*", parts)

    def factor(self) -> Tree:
        """A power with its sign; exponents take the rest to the right."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refused(f"a formula is deeper than {DEEPEST}")
        if self.at("-", "+"):
            found = ("-", self.factor()) if self.take()[1] == "-" else self.factor()
        else:
            found = self.atom()
            if self.at("**"):
                self.take()
                found = ("**", found, self.factor())
        self.depth -= 1
        return found

    def atom(self) -> Tree:
        """A number, a name, a call, or something in parentheses."""
        kind, value = self.take()
        if kind == "number":
            return ("number", value)
        if (kind, value) == ("mark", "("):
            found = self.sum()
            self.take(")")
            return found
        if kind == "mark":
            raise Refused(f"a formula has {value!r} where a name or a number belongs")
        if not self.at("("):
            return ("name", value)
        self.take()
        if kind == "word" and value in ("dot", "mean", "Sum"):
            found = getattr(self, f"call_{value.lower()}")()
        elif kind == "word" and value in ("exp", "log"):
            found = (value, self.sum())
        else:
            found = ("call", value, self.list(self.sum) if not self.at(")") else [])
            if (kind, value, len(found[2])) == ("word", "sqrt", 1):
                found = ("**", found[2][0], ("*", [("number", 1), ("/", ("number", 2))]))
        self.take(")")
        return found

    def list(self, item: Callable[[], Any]) -> list[Any]:
        """Items with commas between them."""
        found = [item()]
        while self.at(","):
            self.take()
            found.append(item())
        return found

    def name(self) -> str:
        """A name, plain or in quotes."""
        kind, value = self.take()
        if kind not in ("word", "quoted"):
            raise Refused(f"a formula has {value!r} where a name belongs")
        return str(value)

    def call_dot(self) -> Tree:
        """``dot(u, v)``, behind the first parenthesis."""
        one = self.name()
        self.take(",")
        return ("dot", one, self.name())

    def call_mean(self) -> Tree:
        """``mean(E, [names], expression)``, behind the first parenthesis."""
        operator = self.name()
        self.take(",")
        self.take("[")
        names = [] if self.at("]") else self.list(self.name)
        self.take("]")
        self.take(",")
        return ("mean", operator, tuple(sorted(set(names))), self.sum())

    def call_sum(self) -> Tree:
        """``Sum(expression, (index, first, last), ...)``: the first index is the innermost."""
        found = self.sum()
        while self.at(","):
            self.take()
            self.take("(")
            index = self.name()
            self.take(",")
            first = self.sum()
            self.take(",")
            found = ("Sum", found, index, first, self.sum())
            self.take(")")
        return found


# --- exact algebra -------------------------------------------------------------------------------
# A form is a dict from monomials to fractions; a monomial is a sorted tuple of (atom, exponent).
# Exponents are fractions, so 1/x and sqrt(x) are powers of the atom x. What is no name is an atom
# as well: inner products, calls, means and sums of one product, sums as bases of roots and
# denominators ("base"), and powers with symbolic exponents ("power").

ONE: Form = {(): Fraction(1)}


def constant(value: int | Fraction) -> Form:
    """A number other than 0."""
    return {(): Fraction(value)}


def single(atom: int, exponent: Fraction = ONE[()]) -> Form:
    """A power of an atom."""
    return {((atom, exponent),): Fraction(1)}


def product_of(term: Term, exponent: Fraction) -> Form:
    """A product of atoms to a power."""
    return {tuple((atom, e * exponent) for atom, e in term if exponent): Fraction(1)}


def whole(form: Form) -> list[tuple[list[tuple[int, Number]], Number]]:
    """Terms and factors with integers for fractions where they are whole: those are much faster."""

    def of(number: Fraction) -> Number:
        return number.numerator if number.denominator == 1 else number

    return [([(atom, of(e)) for atom, e in term], of(factor)) for term, factor in form.items()]


def factors(number: int) -> list[int]:
    """Factors of a natural number: small primes, and what is left."""
    found = []
    for prime in range(2, 1000):
        while number % prime == 0:
            found.append(prime)
            number //= prime
    return found + [number] * (number > 1)


def primitive(form: Form) -> Form:
    """A form up to a positive number."""
    size = abs(form[max(form)]) if form else 1
    return {term: factor / size for term, factor in form.items()}


VALUES: dict[str, tuple[Fraction, ...]] = defaultdict(
    tuple,
    {
        domain: tuple(map(Fraction, numbers.split()))
        for domain, numbers in {
            "positive": "1 1/3 7 1/99 99",
            "integer, positive": "1 2 7",
            "integer, nonnegative": "0 1 7",
            "nonnegative": "0 1/3 1 7",
            "real": "-1 0 1/3 7",
        }.items()
    },
)
"""Numbers by domain; of other domains none are tried."""
TRIED = 5_000
"""Combinations of them."""


def valued(form: Form, at: dict[int, Fraction]) -> Fraction:
    """A form at numbers, at which it must be defined."""
    total = Fraction(0)
    for term, factor in form.items():
        for atom, e in term:
            factor *= at[atom] ** int(e)
        total += factor
    return total


class Algebra:
    """Forms over the atoms of one row, whose names have these domains."""

    def __init__(self, domains: dict[tuple[str, str], str]) -> None:
        self.domains, self.work, self.inside = domains, 0, 0
        self.keys: list[Tree] = []
        self.ids: dict[Tree, int] = {}
        self.free: list[frozenset[str]] = []
        self.needs: list[Tree] = []

    def spend(self, amount: int) -> None:
        """Count work, and give up where it is too much."""
        self.work += amount
        if self.work > WORK:
            raise Refused("it is too large to be multiplied out")

    def atom(self, key: Tree, names: Iterable[str]) -> Form:
        """The form that is this atom, which depends on these names."""
        if key not in self.ids:
            self.ids[key] = len(self.keys)
            self.keys.append(key)
            self.free.append(frozenset(names))
        return single(self.ids[key])

    def names(self, *forms: Form) -> frozenset[str]:
        """All that forms depend on."""
        found = (self.free[atom] for form in forms for term in form for atom, _ in term)
        return frozenset[str]().union(*found)

    def add(self, *forms: Form) -> Form:
        """The sum of forms."""
        total: Form = {}
        for form in forms:
            self.spend(len(form))
            for term, factor in form.items():
                total[term] = total.get(term, 0) + factor
        return {term: factor for term, factor in total.items() if factor}

    def times(self, one: Form, other: Form) -> Form:
        """The product of two forms."""
        self.spend(1 + len(one) * len(other))
        total: dict[tuple[tuple[int, Number], ...], Number] = {}
        mine, others = whole(one), whole(other)
        for left, a in mine:
            for right, b in others:
                exponents = dict(left)
                for atom, exponent in right:
                    exponents[atom] = exponents.get(atom, 0) + exponent
                term = tuple(sorted(power for power in exponents.items() if power[1]))
                total[term] = total.get(term, 0) + a * b
        for term, factor in total.items():
            numbers = [factor, *(exponent for _, exponent in term)]
            if any(max(abs(n.numerator), n.denominator).bit_length() > BITS for n in numbers):
                raise Refused("it has numbers that are too long")
        return {
            tuple((atom, Fraction(e)) for atom, e in term): Fraction(factor)
            for term, factor in total.items()
            if factor
        }

    def less(self, one: Form, other: Form) -> Form:
        """The difference of two forms."""
        return self.add(one, self.times(other, constant(-1)))

    # Powers.

    def natural(self, base: Form, exponent: int) -> Form:
        """A form to a natural power, by squaring."""
        found = ONE
        while exponent:
            found = self.times(found, base) if exponent & 1 else found
            exponent >>= 1
            base = self.times(base, base) if exponent else base
        return found

    def power(self, base: Form, exponent: Fraction) -> Form:
        """A form to a rational power: what can be taken out of it, and the rest as an atom."""
        whole = exponent.denominator == 1
        if whole and exponent >= 0 and len(base) != 1:
            return self.natural(base, int(exponent))
        number, common, rest = self.split(base, whole)
        found = self.times(self.number_power(number, exponent), product_of(common, exponent))
        if rest == ONE:
            return found
        ((term, factor), *more) = rest.items()
        if not more and factor == 1 and len(term) == 1 and term[0][1].numerator % 2:
            return self.times(found, product_of(term, exponent))  # its root is one of this atom
        if not more and not term:
            raise Refused("it takes a root of a negative number")
        self.atom(("base", frozenset(rest.items())), self.names(rest))
        return self.times(found, single(self.ids["base", frozenset(rest.items())], exponent))

    def split(self, base: Form, whole: bool) -> tuple[Fraction, Term, Form]:
        """A number, a product of atoms, and the rest; for roots only what is nonnegative."""
        if self.zero(base):
            raise Refused("it divides by zero, or takes a root of it")
        number = Fraction(
            gcd(*(factor.numerator for factor in base.values())),
            lcm(*(factor.denominator for factor in base.values())),
        )
        least: dict[int, Fraction] = {}
        for atom in {atom for term in base for atom, _ in term}:
            if whole or self.sign(atom):
                self.spend(len(base))
                least[atom] = min(dict(term).get(atom, Fraction(0)) for term in base)
        common = tuple(sorted((atom, e) for atom, e in least.items() if e))
        rest = self.times(base, product_of(common, Fraction(-1)))
        if whole and rest[max(rest)] < 0:  # b - a and a - b are one atom
            number = -number
        return number, common, self.settled(self.times(rest, constant(1 / number)))

    def number_power(self, number: Fraction, exponent: Fraction) -> Form:
        """A number to a rational power; roots of primes are atoms."""
        if exponent.denominator == 1:
            size = max(abs(number.numerator), number.denominator).bit_length() - 1
            if size * abs(exponent) > BITS:
                raise Refused("it has numbers that are too long")
            return constant(number ** int(exponent))
        found = ONE
        for number_part, sign in ((number.numerator, 1), (number.denominator, -1)):
            for factor in factors(number_part):
                key = ("base", frozenset(constant(factor).items()))
                self.atom(key, ())
                found = self.times(found, single(self.ids[key], sign * exponent))
        return self.settled(found)

    def symbolic(self, base: Form, exponent: Form) -> Form:
        """A form to a power that has symbols: one atom for each term of the exponent."""
        found = self.power(base, exponent.get((), Fraction(0)))
        for term, factor in exponent.items():
            if term:
                number, common, rest = self.split(base, self.whole({term: factor}))
                parts = [(single(atom), e * factor) for atom, e in common]
                parts += [(constant(number.numerator), factor), (rest, factor)]
                parts += [(constant(number.denominator), -factor)]
                for part, times in parts:
                    if part != ONE:
                        key = ("power", frozenset(part.items()), term)
                        self.atom(key, self.names(part, {term: Fraction(1)}))
                        found = self.times(found, single(self.ids[key], times))
        return found

    def settled(self, form: Form) -> Form:
        """The same form, with sums multiplied out whose power has become 1 or more."""
        while any(self.is_base(atom) and e >= 1 for term in form for atom, e in term):
            groups: dict[Term, Form] = {}
            for term, factor in form.items():
                outside = tuple(
                    (a, Fraction(e // 1)) for a, e in term if self.is_base(a) and e >= 1
                )
                inside = tuple((a, e - dict(outside).get(a, 0)) for a, e in term)
                group = groups.setdefault(outside, {})
                group[tuple((a, e) for a, e in inside if e)] = factor
            pieces = []
            for outside, piece in groups.items():
                for atom, e in outside:
                    piece = self.times(piece, self.natural(dict(self.keys[atom][1]), int(e)))
                pieces.append(piece)
            form = self.add(*pieces)
        return form

    def cleared(self, form: Form) -> tuple[Form, bool]:
        """The form times powers of its denominators, and whether those are seen to be positive."""
        positive = True
        while True:
            form = self.settled(form)
            least: dict[int, Fraction] = {}
            for term in form:
                for atom, e in term:
                    if self.is_base(atom) and e < 0:
                        least[atom] = min(least.get(atom, Fraction(0)), Fraction(e // 1))
            if not least:
                return form, positive
            positive = positive and all(self.sign(a) or e % 2 == 0 for a, e in least.items())
            form = self.times(form, product_of(tuple(sorted(least.items())), Fraction(-1)))

    def is_base(self, atom: int) -> bool:
        """Whether an atom is a sum or a number of which a power is taken."""
        return bool(self.keys[atom][0] == "base")

    def zero(self, form: Form) -> bool:
        """Whether a form vanishes identically, as far as multiplying out shows."""
        return not self.cleared(form)[0]

    # Signs, as far as they can be seen.

    def sign(self, atom: int) -> int:
        """2 if an atom is positive, 1 if it is nonnegative, else 0."""
        kind, *parts = self.keys[atom]
        if kind in ("name", "call"):
            words = self.domains.get((kind, parts[0]), "").split(", ")
            return 2 if "positive" in words else int("nonnegative" in words)
        if kind in ("exp", "log"):
            return 2 if kind == "exp" else 0
        if kind == "dot":
            return int(parts[0] == parts[1])
        if kind == "Sum":
            with self.scope(parts[1], parts[2]):
                return int(self.plus_only(dict(parts[0])))
        inside = dict(parts[2] if kind == "mean" else parts[0])
        if kind != "mean" and self.plus_only(inside, strict=True):
            return 2
        return int(self.plus_only(inside))

    def plus_only(self, form: Form, strict: bool = False) -> bool:
        """Whether a form is a sum of products of nonnegative things, one of them positive."""
        self.spend(len(form))
        levels = [2 if factor > 0 else 0 for factor in form.values()]
        for place, term in enumerate(form):
            for atom, e in term:
                level = self.sign(atom) or int(e.denominator > 1 or e % 2 == 0)
                levels[place] = min(levels[place], level)
            if not levels[place]:
                return False
        return 2 in levels or not strict

    def shown(self, form: Form, sign: str) -> bool:
        """Whether a sign can be seen, once denominators are cleared."""
        if sign == "!=" and self.shown(self.less({}, form), ">"):
            return True
        cleared, positive = self.cleared(form)
        strict = sign != ">="
        return self.plus_only(form, strict) or (positive and self.plus_only(cleared, strict))

    def follows(self, form: Form, sign: str, gaps: list[Form]) -> bool:
        """Whether a sign can be seen after multiples of premises are taken away."""
        if self.shown(form, sign):
            return True
        if sign == "!=":
            return any(self.follows(f, ">", gaps) for f in (form, self.less({}, form)))
        cleared, positive = self.cleared(form)
        waiting, tried = [cleared] if positive else [], 0
        while waiting:
            left = waiting.pop(0)
            against = [(gap, term, by) for gap in gaps for term, by in gap.items()]
            for (term, factor), (gap, other, by) in product(left.items(), against):
                ratio = self.times({term: factor / by}, product_of(other, Fraction(-1)))
                defined = all(e > 0 or self.sign(atom) == 2 for one in ratio for atom, e in one)
                tried += 1
                if tried > NODES:
                    return False
                if defined and self.plus_only(ratio):
                    waiting.append(self.less(left, self.times(ratio, gap)))
                    if self.shown(waiting[-1], sign):
                        return True
        return False

    def violated(self, form: Form, sign: str, gaps: list[Form]) -> bool:
        """Whether a form of names has another sign at some numbers at which all gaps are >= 0."""
        atoms = sorted({atom for one in (form, *gaps) for term in one for atom, _ in term})
        whole = all(e.denominator == 1 for one in (form, *gaps) for term in one for _, e in term)
        if not whole or any(self.keys[atom][0] != "name" for atom in atoms) or len(atoms) > 6:
            return False
        tried = product(*(VALUES[self.domains.get(self.keys[atom][:2], "")] for atom in atoms))
        for numbers in islice(tried, TRIED):
            at = dict(zip(atoms, numbers, strict=True))
            with suppress(ZeroDivisionError):
                inside = all(valued(gap, at) >= 0 for gap in gaps)
                found = valued(form, at)
                if inside and ((found < 0 and sign != "!=") or (found == 0 and sign != ">=")):
                    return True
        return False

    def need(self, form: Form, sign: str) -> None:
        """Note a sign without which a formula may mean nothing, unless it can be seen."""
        if not self.shown(form, sign):
            self.needs.append((primitive(form), sign, self.inside > 0))

    def need_nonzero(self, tree: Tree) -> None:
        """Note that a divisor is not 0: no factor of it is, nor the base of a power."""
        if tree[0] == "*":
            for part in tree[1]:
                if part[0] != "/":
                    self.need_nonzero(part)
        elif tree[0] in ("**", "-"):
            self.need_nonzero(tree[1])
        else:
            self.need(self.form(tree), "!=")

    # From trees to forms.

    def form(self, tree: Tree) -> Form:
        """The form of an expression; what has to hold for it to be defined goes into `needs`."""
        kind, *parts = tree
        if kind == "number":
            return constant(parts[0]) if parts[0] else {}
        if kind == "name":
            return self.atom(tree, parts)
        if kind == "dot":
            return self.atom((kind, *sorted(parts)), parts)
        if kind == "-":
            return self.less({}, self.form(parts[0]))
        if kind == "+":
            return self.add(*map(self.form, parts[0]))
        if kind in ("exp", "log"):
            inner = self.form(parts[0])
            if kind == "log":
                self.need(inner, ">")
            return self.atom((kind, frozenset(inner.items())), self.names(inner))
        if kind == "call":
            inside = [self.form(part) for part in parts[1]]
            key = (kind, parts[0], *(frozenset(form.items()) for form in inside))
            return self.atom(key, self.names(*inside) | {parts[0]})
        if kind == "*":
            return self.product(parts[0])
        if kind == "**":
            return self.raised(*parts)
        return self.mean(*parts) if kind == "mean" else self.sum(*parts)

    def product(self, parts: list[Tree]) -> Form:
        """A product, some factors of which are divisors."""
        found = ONE
        for part in parts:
            if part[0] == "/":
                self.need_nonzero(part[1])
                found = self.times(found, self.power(self.form(part[1]), Fraction(-1)))
            else:
                found = self.times(found, self.form(part))
        return found

    def raised(self, base_tree: Tree, exponent_tree: Tree) -> Form:
        """A power: the base of a root is nonnegative, and what is divided by is not 0."""
        base, exponent = self.form(base_tree), self.form(exponent_tree)
        above = self.shown(exponent, ">=")
        if not self.whole(exponent):
            self.need(base, ">=" if self.shown(exponent, ">") else ">")
        elif not above:
            self.need(base, "!=")
        if set(exponent) <= {()}:
            return self.power(base, exponent.get((), Fraction(0)))
        return self.symbolic(base, exponent)

    def whole(self, form: Form) -> bool:
        """Whether a form is a polynomial with whole factors in whole names."""
        names = [power for term in form for power in term]
        domains = [self.domains.get(self.keys[atom][:2], "").split(", ") for atom, _ in names]
        return (
            all(factor.denominator == 1 for factor in form.values())
            and all(e.denominator == 1 and e > 0 for _, e in names)
            and all("integer" in words for words in domains)
        )

    def mean(self, operator: str, names: tuple[str, ...], tree: Tree) -> Form:
        """A mean: linear, and what does not depend on its names is taken out."""
        with self.within():
            inner = self.settled(self.form(tree))
        total: Form = {}
        for term, factor in inner.items():
            random = tuple(power for power in term if self.free[power[0]] & set(names))
            outside = {tuple(power for power in term if power not in random): factor}
            key = ("mean", operator, names, frozenset({random: Fraction(1)}.items()))
            atom = self.atom(key, self.names({random: Fraction(1)})) if random else ONE
            total = self.add(total, self.times(outside, atom))
        return total

    def sum(self, tree: Tree, index: str, first_tree: Tree, last_tree: Tree) -> Form:
        """A sum: linear, and what does not depend on its index is taken out."""
        first, last = self.form(first_tree), self.form(last_tree)
        count = self.add(last, self.less(ONE, first))
        self.need(count, ">=")
        domain = "integer, nonnegative" if self.shown(first, ">=") else "integer"
        with self.within(), self.scope(index, domain):
            inner = self.settled(self.form(tree))
        ends = (frozenset(first.items()), frozenset(last.items()))
        total: Form = {}
        for term, factor in inner.items():
            bound = tuple(power for power in term if index in self.free[power[0]])
            outside = {tuple(power for power in term if power not in bound): factor}
            key = ("Sum", frozenset({bound: Fraction(1)}.items()), index, domain, *ends)
            # The ends may name what is called as the index is, and mean something else.
            names = (self.names({bound: Fraction(1)}) - {index}) | self.names(first, last)
            total = self.add(total, self.times(outside, self.atom(key, names) if bound else count))
        return total

    @contextmanager
    def within(self) -> Iterator[None]:
        """Inside a sum or a mean, where premises say nothing: their names may mean others."""
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1

    @contextmanager
    def scope(self, index: str, domain: str) -> Iterator[None]:
        """While an index of a sum has this domain, whatever is called so outside."""
        outside = self.domains.get(("name", index), "")
        self.domains["name", index] = domain
        try:
            yield
        finally:
            self.domains["name", index] = outside

    def text(self, form: Form) -> str:
        """A form as text, shortened: for messages only."""
        terms = []
        for term, factor in list(form.items())[:4]:
            keys = [(self.keys[atom], e) for atom, e in term]
            powers = [
                (key[1] if key[0] == "name" else f"{key[0]}({str(key[1:3])[:40]})")
                + (f"**({e})" if e != 1 else "")
                for key, e in keys
            ]
            terms.append("*".join([str(factor), *powers]))
        return (" + ".join(terms) or "0")[:200] + (" + ..." if len(form) > 4 else "")


# --- steps ---------------------------------------------------------------------------------------


class Row:
    """One row: what is known so far, and what came of its steps."""

    def __init__(self, row: Data, where: str, report: Report) -> None:
        self.report, self.where, self.claim = report, where, typed(row, "id", str, where)
        self.row = row
        domains: dict[tuple[str, str], str] = {}
        for entry in objects(row, "symbols", where):
            name, domain = typed(entry, "name", str, where), typed(entry, "domain", str, where)
            kind = "call" if domain.split(", ")[0] == "sequence" else "name"
            if kind == "call" and name in KNOWN:
                report.fail(self.claim, "symbols", f"{name} is no sequence")
            if domain != "vector" and domains.setdefault((kind, name), domain) != domain:
                report.fail(self.claim, "symbols", f"{name} has two domains")
        self.algebra = Algebra(domains)
        self.read: dict[str, Tree] = {}
        self.facts: dict[str, str | None] = {}
        for entry in objects(row, "hypotheses", where):
            formula = optional(entry, "formula", str, where)
            self.know(typed(entry, "name", str, where), formula)
        self.goal, self.steps = optional(row, "goal", str, where), objects(row, "steps", where)
        self.verdict = typed(row, "verdict", str, where)
        self.proved = self.verdict == "PROVED"
        self.by_kernel = row.get("rests_on") == ["kernel"]

    def know(self, name: str, formula: str | None) -> None:
        """Remember a fact by its name; a hypothesis may have no formula."""
        if name in self.facts:
            self.report.fail(self.claim, name, "this name stands for two facts")
        self.facts[name] = formula

    def relation(self, text: str | None) -> Tree:
        """Kind, gap, and what has to hold for both sides to be defined."""
        if text is None:
            raise Refused("a premise has no formula")
        if text not in self.read:
            self.algebra.spend(len(text) // 4)
            kind, left, right = Parser(text).whole(relation=True)
            self.algebra.needs = []
            gap = self.algebra.less(self.algebra.form(right), self.algebra.form(left))
            self.read[text] = kind, gap, self.algebra.needs
        return self.read[text]

    def expression(self, text: object) -> Tree:
        """Form, and what has to hold for it to be defined."""
        self.algebra.needs = []
        return self.algebra.form(Parser(text).whole()), self.algebra.needs

    def check(self) -> None:
        """All steps, in order."""
        certified = stated = False
        for place, step in enumerate(self.steps):
            where = f"{self.where}.steps[{place}]"
            name = optional(step, "name", str, where) or ""
            goal = optional(step, "goal", str, where)
            certificate = optional(step, "certificate", dict, where)
            proved = typed(step, "verdict", str, where) == "PROVED"
            if certificate is not None:
                certified = True
                self.guarded(name or f"step {place}", self.step, step, goal, certificate, where)
            elif proved and goal is not None:
                self.report.fail(self.claim, name or f"step {place}", "it has no certificate")
            if name == "statement":
                stated = True
                self.guarded(name, self.statement, goal, proved)
            elif name and goal is not None and proved:
                self.know(name, goal)
        if self.verdict != "UNKNOWN" and not (certified and self.proved):
            self.report.rows_on_trust += 1
        stated = stated and self.goal is not None
        if (certified or self.by_kernel) and self.proved and not stated:
            self.report.fail(self.claim, "statement", "its proof does not end with the statement")

    def guarded(self, name: str, check: Callable[..., None], *arguments: Any) -> None:
        """Do a check, and note why it fails if it does."""
        self.algebra.work = 0
        try:
            check(*arguments)
        except Refused as refused:
            self.report.fail(self.claim, name, refused.says, refused.difference)
        self.report.spend(self.algebra.work)

    def statement(self, goal: str | None, proved: bool) -> None:
        """The last step says what the row says."""
        if self.proved and not proved:
            raise Refused("the row is PROVED, and its last step is not")
        if proved and self.verdict == "REFUTED":
            raise Refused("the row is REFUTED, and its last step is proved")
        if self.goal != goal:
            (kind, gap, _), (other, wanted, _) = self.relation(goal), self.relation(self.goal)
            rest = self.algebra.less(wanted, gap)
            if kind != other or not self.algebra.zero(rest):
                raise Refused("the last step does not say what the row says", self.shown(rest))

    def step(self, step: Data, goal: str | None, certificate: Data, where: str) -> None:
        """One step that has a certificate."""
        rule, where = typed(certificate, "rule", str, where), f"{where}.certificate"
        premises = texts(step, "premises", where)
        for premise in premises:
            if premise not in self.facts:
                raise Refused(f"{premise!r} is no hypothesis and no earlier step that is proved")
        if rule in OTHER_RULES:
            self.report.rules[rule] += 1
            return
        if rule not in ("Combine", "Sign"):
            raise Refused(f"no rule is called {rule!r:.40}")
        if typed(step, "verdict", str, where) != "PROVED":
            raise Refused("it has a certificate and is not PROVED")
        self.report.certificates += 1
        kind, gap, needs = self.relation(goal)
        if rule == "Combine":
            used = {*typed(certificate, "facts", dict, where), *texts(certificate, "domain", where)}
            if not used <= set(premises):
                raise Refused("it uses a fact that is not among its premises")
            wanted, domain, more = self.combine(kind, gap, certificate, where)
        else:
            domain, more = premises, []
            wanted = [gap, self.algebra.less({}, gap)] if kind == "==" else [gap]
        under = [self.relation(self.facts[name]) for name in domain]
        needs = [*needs, *more, *(need for _, _, own in under for need in own)]
        self.signs(wanted, needs, certificate, domain, where)

    def combine(self, kind: str, gap: Form, certificate: Data, where: str) -> Tree:
        """The identity; what must be nonnegative, the domain, and what must be defined."""
        algebra, wanted, needs, parts = self.algebra, [], [], []
        multipliers = typed(certificate, "facts", dict, where)
        squares, plus = (
            typed(certificate, "squares", list, where),
            texts(certificate, "plus", where),
        )

        for name, text in multipliers.items():
            other, fact, own = self.relation(self.facts[name])
            multiplier, more = self.expression(text)
            needs += [*own, *more]
            if other == "<=" and kind == "==":
                raise Refused("an equality follows from equalities alone")
            wanted += [multiplier] if other == "<=" else []
            parts.append(algebra.times(multiplier, fact))
        if kind == "==" and (squares or plus):
            raise Refused("an equality follows from equalities alone")
        for pair in squares:
            if not (isinstance(pair, list) and len(pair) == 2):
                raise BadInput("a square is a list of a coefficient and what is squared", where)
            (coefficient, own), (square, more) = (
                self.expression(pair[0]),
                self.square(pair[1], where),
            )
            needs += [*own, *more]
            wanted.append(coefficient)
            parts.append(algebra.times(coefficient, square))
        for text in plus:
            form, more = self.expression(text)
            needs += more
            wanted.append(form)
            parts.append(form)
        rest = algebra.cleared(algebra.less(gap, algebra.add(*parts)))[0]
        if rest:
            raise Refused("the two sides of the certificate differ", self.shown(rest))
        self.report.identities += 1
        return wanted, texts(certificate, "domain", where), needs

    def square(self, squared: object, where: str) -> Tree:
        """The square of an expression, or the squared norm of a vector."""
        if not isinstance(squared, list):
            form, needs = self.expression(squared)
            return self.algebra.times(form, form), needs
        terms, needs = [], []
        total: Form = {}
        for pair in squared:
            if not (isinstance(pair, list) and len(pair) == 2):
                raise BadInput("a vector is a list of pairs of factor and name", where)
            form, own = self.expression(pair[0])
            tree = Parser(pair[1]).whole()
            if tree[0] != "name":
                raise Refused("a vector is made of names")
            terms.append((form, tree[1]))
            needs += own
        for one, left in terms:
            for other, right in terms:
                entry = self.algebra.form(("dot", left, right))
                product = self.algebra.times(self.algebra.times(one, other), entry)
                total = self.algebra.add(total, product)
        return total, needs

    def signs(
        self, wanted: list[Form], needs: list[Any], certificate: Data, domain: list[str], where: str
    ) -> None:
        """Each sign that is needed is listed, and what is listed is tried again."""
        algebra, listed, gaps = self.algebra, [], []
        for name in domain:
            kind, gap, _ = self.relation(self.facts[name])
            gaps += [gap, algebra.less({}, gap)] if kind == "==" else [gap]
        for entry in objects(certificate, "signs", where, required=True):
            form, own = self.expression(typed(entry, "expression", str, where))
            sign, reason = typed(entry, "sign", str, where), typed(entry, "reason", str, where)
            if sign not in (">=", ">", "!=") or reason not in (BY_COEFFICIENTS, BY_SOLVER):
                raise Refused(f"nothing is known of the sign {sign!r} by {reason!r}")
            under = texts(entry, "under", where)
            if not set(under) <= set(domain):
                raise Refused("a sign rests on something that is not in the domain")
            needs = [*needs, *own]
            if algebra.follows(form, sign, gaps if reason == BY_SOLVER else []):
                self.report.signs += 1
            elif reason == BY_COEFFICIENTS:
                raise Refused("a sign cannot be read off its coefficients", self.shown(form))
            elif set(form) <= {()} or self.contrary(form, sign, gaps):
                raise Refused("it has another sign than is said", self.shown(form))
            else:
                self.report.trusted[reason] += 1
            listed.append((form, sign))
        for form in wanted:
            if form and not any((form, s) in listed for s in (">=", ">")):
                raise Refused("the sign of a multiplier is not listed", self.shown(form))
        for form, sign, inside in needs:
            stronger = {">=": (">=", ">"), ">": (">",), "!=": ("!=", ">")}[sign]
            negative = primitive(algebra.less({}, form))
            known = [s for one, s in listed if primitive(one) == form and s in stronger]
            known += [s for one, s in listed if primitive(one) == negative and s == sign == "!="]
            if known and inside:
                self.report.trusted["z3, inside a sum or a mean"] += 1
            elif not known and (inside or not algebra.follows(form, sign, gaps)):
                says = f"it is not listed that something is {sign} 0, without which it is undefined"
                raise Refused(says, self.shown(form))

    def contrary(self, form: Form, sign: str, gaps: list[Form]) -> bool:
        """Whether the sign that is said to have been found by a solver is seen to be wrong."""
        if self.algebra.violated(form, sign, gaps):
            return True
        opposite = {">=": ">", ">": ">="}.get(sign)
        negative = self.algebra.less({}, form)
        return opposite is not None and self.algebra.follows(negative, opposite, gaps)

    def shown(self, form: Form) -> str:
        """A form in a message."""
        return self.algebra.text(form)


# --- the ledger ----------------------------------------------------------------------------------


class Report:
    """What came of all rows."""

    def __init__(self) -> None:
        self.rows = self.certificates = self.identities = self.signs = self.work = 0
        self.rows_on_trust = 0
        self.trusted: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()
        self.failures: list[dict[str, str]] = []

    def fail(self, claim: str, step: str, says: str, difference: str = "") -> None:
        """Note a failure."""
        entry = {"claim": claim, "step": step, "says": says, "difference": difference}
        self.failures.append(entry)

    def spend(self, amount: int) -> None:
        """Count work over all rows."""
        self.work += amount
        if self.work > ALL_WORK:
            raise BadInput("the ledger is too large to be re-checked", "ledger")

    def data(self) -> Data:
        """Plain data for ``--json``."""
        return {
            "ok": not self.failures,
            "rows": self.rows,
            "certificates": self.certificates,
            "identities": self.identities,
            "signs": {"rechecked": self.signs, "trusted": dict(sorted(self.trusted.items()))},
            "trusted_rules": dict(sorted(self.rules.items())),
            "trusted_rows": self.rows_on_trust,
            "failures": self.failures,
        }

    def lines(self) -> list[Any]:
        """A table."""
        counts = [
            ("rows", self.rows),
            ("certificates", self.certificates),
            ("identities re-checked", self.identities),
            ("signs re-checked", self.signs),
            *((f"signs on trust: {reason}", n) for reason, n in sorted(self.trusted.items())),
            *((f"steps on trust: {rule}", n) for rule, n in self.rules.most_common()),
            ("rows on trust: no proof to re-check", self.rows_on_trust),
            ("failures", len(self.failures)),
        ]
        return [f"{what:<40}{count:>8}" for what, count in counts]


def recheck(ledger: object) -> Report:
    """Re-check a ledger.

    Raises
    ------
    BadInput
        It has not the shape of one.
    """
    if not isinstance(ledger, dict):
        raise BadInput("it is no JSON object", "ledger")
    if ledger.get("schema") != SCHEMA:
        raise BadInput(f"its schema is not {SCHEMA}, so it has no certificates", "schema")
    report = Report()
    for place, row in enumerate(objects(ledger, "claims", "ledger", required=True)):
        report.rows += 1
        Row(row, f"claims[{place}]", report).check()
    together(ledger, report)
    return report


def together(ledger: Data, report: Report) -> None:
    """What rows say of one another, and the summary of them."""
    verdicts: dict[str, str] = {}
    for row in ledger["claims"]:
        if row["id"] in verdicts:
            report.fail(row["id"], "row", "this row stands twice")
        verdicts[row["id"]] = row["verdict"]
    for row in ledger["claims"]:
        needs = texts(row, "depends", row["id"]) if "depends" in row else []
        weak = [name for name in needs if verdicts.get(name, "PROVED") != "PROVED"]
        if weak and row["verdict"] in ("PROVED", "CHECKED", "CONDITIONAL"):
            report.fail(row["id"], "row", f"it rests on {weak[0]}, which is {verdicts[weak[0]]}")
    counted = Counter(row["verdict"] for row in ledger["claims"])
    summary = optional(ledger, "summary", dict, "ledger") or counted
    if {word: n for word, n in summary.items() if n} != counted:
        report.fail("ledger", "summary", "it does not count these rows")


def typed(holder: Data, key: str, kind: type, where: str) -> Any:
    """The value of a key, which has to be of this type."""
    value = holder.get(key)
    if type(value) is not kind:
        raise BadInput(f"needs the key {key!r} with a {kind.__name__}", where)
    return value


def optional(holder: Data, key: str, kind: type, where: str) -> Any:
    """The value of a key that may be missing or null."""
    return None if holder.get(key) is None else typed(holder, key, kind, where)


def objects(holder: Data, key: str, where: str, required: bool = False) -> list[Any]:
    """A list of objects; without the key it is empty."""
    found = typed(holder, key, list, where) if required or key in holder else []
    if not all(type(entry) is dict for entry in found):
        raise BadInput(f"{key!r} is a list of objects", where)
    return found


def texts(holder: Data, key: str, where: str) -> list[Any]:
    """A list of texts."""
    found: list[Any] = typed(holder, key, list, where)
    if not all(type(entry) is str for entry in found):
        raise BadInput(f"{key!r} is a list of texts", where)
    return found


def loaded(path: str) -> object:
    """The JSON of a file: without repeated keys, and with numbers only."""

    def once(pairs: list[Any]) -> Data:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a key stands twice in an object")
        return dict(pairs)

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no JSON number")

    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file, object_pairs_hook=once, parse_constant=refuse)
    except OSError as error:
        raise BadInput(error.strerror or "cannot be read", path) from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is no JSON file: {type(error).__name__}: {error}", path) from None


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="recheck.py", description=__doc__.split("\n")[0])
    parser.add_argument("ledger", metavar="LEDGER", help="what `staleproof verify --json` printed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="print failures only")
    options = parser.parse_args(arguments)
    try:
        report = recheck(loaded(options.ledger))
    except BadInput as error:
        said = {"what": error.what, "where": error.where, "fix": "pass a ledger of `verify --json`"}
        line = " ".join(f"recheck: {error}".split())
        print(
            json.dumps({"error": said}) if options.json else line,
            file=sys.stdout if options.json else sys.stderr,
        )
        return 2
    if options.json:
        print(json.dumps(report.data()))
        return 1 if report.failures else 0
    for line in [] if options.quiet else report.lines():
        print(line)
    for failure in report.failures:
        print(ascii("{claim}, {step}: {says}; {difference}".format(**failure))[1:-1])
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
