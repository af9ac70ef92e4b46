"""Writing a formula down: what binds tighter than what, and the signs of each function."""

from __future__ import annotations

from typing import Final

from reports.formulas.inks import Ink, Latex, MathMl, Plain
from reports.formulas.names import glyphs
from reports.formulas.reading import NotAFormulaError, read
from reports.formulas.tree import (
    Call,
    Named,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Relation,
    Row,
    Symbol,
    Total,
)

_SIGNS: Final = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}
_FENCES: Final = {"floor": ("⌊", "⌋"), "ceiling": ("⌈", "⌉"), "Abs": ("|", "|")}
_WORDS: Final = {"Max": "max", "Min": "min", "log": "ln"}
_CONNECTIVES: Final = {"And": "and", "Or": "or"}
ALONE: Final = -1
"""Asks for no brackets: of what stands alone on its line, or in brackets already."""

PART: Final = 0
"""Asks for brackets around what has no end of its own: of an item among others."""


def as_text(text: str) -> str:
    """A formula as one line for a terminal; what is no formula stays as it is.

    Examples
    --------
    >>> as_text("Piecewise((p**2 - p/2, Eq(Mod(p, 2), 0)), (0, True))")
    'p² − p/2 if p mod 2 = 0; 0 otherwise'
    """
    try:
        return _Writer(Plain()).write(read(text))
    except (NotAFormulaError, RecursionError):
        return text


def as_latex(text: str) -> str | None:
    """A formula as LaTeX, or None if the text is no formula."""
    return _made(text, Latex())


def as_mathml(text: str) -> str | None:
    """A formula as the inside of a ``math`` element, or None if the text is no formula."""
    return _made(text, MathMl())


def latex_lines(text: str, longest: int) -> list[str] | None:
    r"""A formula as lines of LaTeX of about this many characters when read; None if it is none.

    A line begins with a relation or with the sign of a term.

    Examples
    --------
    >>> latex_lines("a <= b + c - d", 6)
    ['a \\le b', ' + c', ' - d']
    """
    try:
        node = read(text)
        whole = _Writer(Plain()).write(node)
        if len(whole) <= longest:
            return [_Writer(Latex()).write(node)]
        pieces, shadows = _pieces(node, Latex()), _pieces(node, Plain())
    except (NotAFormulaError, RecursionError):
        return None
    lines, room = [""], longest
    for piece, shadow in zip(pieces, shadows, strict=True):
        if lines[-1] and len(shadow) > room:
            lines.append("")
            room = longest
        lines[-1] += piece
        room -= len(shadow)
    return lines


def _pieces(node: Node, ink: Ink) -> list[str]:
    """Parts of a formula before which a line may end."""
    writer, found = _Writer(ink), []
    sides, signs = (node.sides, node.signs) if isinstance(node, Relation) else ((node,), ())
    for sign, side in zip(("", *signs), sides, strict=True):
        start = ink.sign(_SIGNS.get(sign, sign)) if sign else ""
        parts = writer.terms(side.terms) if isinstance(side, Total) else [writer.write(side, 1)]
        found += [start + parts[0], *parts[1:]]
    return found


def _made(text: str, ink: Ink) -> str | None:
    try:
        return _Writer(ink).write(read(text))
    except (NotAFormulaError, RecursionError):
        return None


def _binding(node: Node, one_line: bool = False) -> int:
    """How tightly a thing holds together: relations least, atoms most.

    Cases on one line have no brace around them and end nowhere: they hold together least of all.
    """
    if one_line and isinstance(node, Call) and node.name == "Piecewise":
        return ALONE
    if isinstance(node, Relation):
        return 0
    if isinstance(node, Total) or (isinstance(node, Call) and node.name in _CONNECTIVES):
        return 1
    if isinstance(node, Call) and node.name == "Mod":
        return 1
    if isinstance(node, Product) or (isinstance(node, Call) and node.name in ("Sum", "Piecewise")):
        return 2
    return 3 if isinstance(node, Power) else 4


class _Writer:
    """One walk over the tree, in one ink."""

    def __init__(self, ink: Ink) -> None:
        self.ink = ink

    def write(self, node: Node, least: int = ALONE) -> str:
        """The node; in brackets if it holds less tightly than is needed."""
        text = self._bare(node)
        tight = _binding(node, self.ink.side_by_side)
        return text if tight >= least else self.ink.fenced("(", text, ")")

    def _bare(self, node: Node) -> str:
        ink = self.ink
        match node:
            case Number(text):
                return ink.number(text)
            case Symbol(name):
                return self.name(name)
            case Total(terms):
                return self._total(terms)
            case Product(above, below):
                return self._quotient(above, below)
            case Power(base, exponent):
                return self._power(base, exponent)
            case Norm(inside):
                return ink.power(ink.fenced("‖", self.write(inside), "‖"), ink.number("2"))
            case Relation(sides, signs):
                parts = [self.write(sides[0], 1)]
                for sign, side in zip(signs, sides[1:], strict=True):
                    parts += [ink.sign(_SIGNS.get(sign, sign)), self.write(side, 1)]
                return ink.joined(*parts)
            case Row(items):
                return ink.fenced("(", self._listed(items), ")")
            case Call(name, arguments):
                return self._call(name, arguments)
            case Named(items):
                return self._named(items)

    def _named(self, items: tuple[tuple[str, Node], ...]) -> str:
        parts = []
        for label, node in items:
            try:
                words = self.write(read(label))
            except NotAFormulaError:
                words = self.ink.words(label).strip()
            parts += [self.ink.sign(","), words, self.ink.sign("="), self.write(node, PART)]
        return self.ink.joined(*parts[1:])

    def name(self, name: str) -> str:
        """A name, its letters with their marks."""
        if name == "True":
            return self.ink.words("always").strip()
        return self.ink.joined(*(self.ink.glyph(one) for one in glyphs(name)))

    def _listed(self, items: tuple[Node, ...]) -> str:
        comma = self.ink.sign(",")
        least = PART if len(items) > 1 else ALONE
        parts = [part for item in items for part in (comma, self.write(item, least))]
        return self.ink.joined(*parts[1:])

    def _total(self, terms: tuple[tuple[bool, Node], ...]) -> str:
        return self.ink.joined(*self.terms(terms))

    def terms(self, terms: tuple[tuple[bool, Node], ...]) -> list[str]:
        """Terms with their signs; what is added comes first."""
        parts = []
        ordered = sorted(terms, key=lambda term: term[0])
        for index, (minus, node) in enumerate(ordered):
            sign = self.ink.sign("−" if minus else "+") if index or minus else ""
            parts.append(self.ink.joined(sign if index else sign.strip(), self.write(node, 2)))
        return parts

    def _power(self, base: Node, exponent: Node) -> str:
        if isinstance(base, Norm) and exponent == Number("2"):
            length = self.ink.fenced("‖", self.write(base.inside), "‖")
            return self.ink.power(length, self.ink.number("4"))
        scripted = isinstance(base, Symbol) and bool(glyphs(base.name)[-1:])
        if scripted and isinstance(base, Symbol) and glyphs(base.name)[-1].upper:
            text = self.ink.fenced("(", self.write(base), ")")
        else:
            text = self.write(base, 4)
        return self.ink.power(text, self.write(exponent))

    def _quotient(self, above: tuple[Node, ...], below: tuple[Node, ...]) -> str:
        if not below:
            return self._product(above)
        if not self.ink.side_by_side:
            return self.ink.fraction(
                self.write(above[0]) if len(above) == 1 else self._product(above),
                self.write(below[0]) if len(below) == 1 else self._product(below),
            )
        under = self._product(below)
        if len(below) == 1 and _binding(below[0]) < 3:
            under = self.write(below[0], 3)
        elif len(below) > 1:
            under = f"({under})"
        over = self._product(above) if len(above) > 1 else self.write(above[0], 3)
        return self.ink.fraction(over, under)

    def _product(self, factors: tuple[Node, ...]) -> str:
        parts: list[str] = []
        for index, factor in enumerate(factors):
            last = index == len(factors) - 1
            tight = 2 if last and isinstance(factor, Call) else 3
            if (
                isinstance(factor, Call)
                and factor.name in ("Sum", "Piecewise")
                and len(factors) > 1
            ):
                tight = 3
            text = self.write(factor, tight if len(factors) > 1 or tight == 3 else 2)
            if index and self._needs_dot(factors[index - 1], factor):
                parts.append(self.ink.sign("·"))
            parts.append(text)
        return self.ink.joined(*parts)

    @staticmethod
    def _needs_dot(before: Node, after: Node) -> bool:
        """Whether two factors side by side would read as one thing."""
        first = after.base if isinstance(after, Power) else after
        if isinstance(first, Number):
            return True
        worded = [
            len(one.base) > 1
            for node in (before, first)
            if isinstance(node, (Symbol, Call))
            for one in glyphs(node.name)
        ]
        brackets = isinstance(before, Symbol) and isinstance(first, (Total, Row))
        return (any(worded) and not isinstance(before, Number)) or brackets

    def _call(self, name: str, arguments: tuple[Node, ...]) -> str:
        ink = self.ink
        match name, arguments:
            case "dot", (left, right):
                return ink.fenced("⟨", self._listed((left, right)), "⟩")
            case "mean", (Symbol(measure), _, body):
                inside = ink.fenced("[", self.write(body), "]")
                return ink.joined(ink.big("𝔼", self._measure(measure), ""), inside)
            case "Sum", (body, *ranges):
                return ink.joined(*map(self._sum_sign, ranges), self.write(body, 2))
            case "sqrt", (inside,):
                return ink.root(self.write(inside))
            case "Mod", (left, right):
                parts = self.write(left, 2), ink.words("mod"), self.write(right, 2)
                return ink.joined(*parts)
            case (("floor" | "ceiling" | "Abs"), (inside,)):
                return ink.fenced(_FENCES[name][0], self.write(inside), _FENCES[name][1])
            case "Piecewise", _ if all(isinstance(one, Row) for one in arguments):
                return ink.cases([self._case(one) for one in arguments if isinstance(one, Row)])
            case (("And" | "Or"), _):
                joined = [
                    part
                    for one in arguments
                    for part in (ink.words(_CONNECTIVES[name]), self._joint(one))
                ]
                return ink.joined(*joined[1:])
        inside = ink.fenced("(", self._listed(arguments), ")")
        return ink.joined(self.name(_WORDS.get(name, name)), inside)

    def _joint(self, node: Node) -> str:
        """What is joined by ``and`` or ``or``: in brackets if it is joined itself."""
        text = self.write(node, PART)
        joined = isinstance(node, Call) and node.name in _CONNECTIVES
        return self.ink.fenced("(", text, ")") if joined else text

    def _measure(self, name: str) -> str:
        """What a mean is over: ``E_t`` is the mean given the past of t."""
        return "" if name == "E" else self.name(name.removeprefix("E_"))

    def _sum_sign(self, over: Node) -> str:
        if not isinstance(over, Row) or len(over.items) != 3:
            raise NotAFormulaError("a range has a name, a beginning and an end")
        index, first, last = over.items
        lower = self.ink.joined(self.write(index), self.ink.sign("=").strip(), self.write(first))
        return self.ink.big("∑", lower, self.write(last))

    def _case(self, row: Row) -> tuple[str, str]:
        value, when = row.items
        if when == Symbol("True"):
            return self.write(value, PART), self.ink.words("otherwise").strip()
        condition = self.ink.joined(self.ink.words("if").lstrip(), self.write(when, PART))
        return self.write(value, PART), condition
