"""A counterexample as mathematics: what each name is, not how Python prints it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from reports.documents.blocks import Block, Items, Math, Paragraph, Words, joined, prose
from reports.formulas import NotAFormulaError, read
from reports.formulas.names import GREEK
from reports.formulas.tree import Call, Number, Power, Product, Relation, Symbol, Total

SHORT: Final = 60
"""Letters of a fact that may stand in a line with others."""
_SIMPLE: Final = re.compile(r"[A-Za-z0-9_+\-*/(). ,\[\]]+")


def witness(data: Mapping[str, Any]) -> tuple[Block, ...]:
    """What a witness says, name by name: short facts run on, a long one has a line of its own."""
    items: list[Words] = []
    for part, inside in parts(data):
        all_facts = list(facts(inside))
        short = [words for words in all_facts if length(words) <= SHORT]
        rest = [words for words in all_facts if length(words) > SHORT]
        before = f"{part}: " if part else ""
        items += [(before, *joined(short, "; "), ".")] if short else []
        items += [(before, *words) for words in rest]
    return (Paragraph(items[0]),) if len(items) == 1 else (Items(tuple(items)),) if items else ()


def length(words: Words) -> int:
    """Letters of a fact."""
    return sum(len(getattr(one, "text", str(one))) for one in words)


def parts(data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A witness, then its inner tables by name."""
    inner = {name: value for name, value in data.items() if _is_part(name, value)}
    yield "", {name: value for name, value in data.items() if name not in inner}
    yield from inner.items()


def _is_part(name: str, value: Any) -> bool:
    return isinstance(value, dict) and name not in ("problem", "parameters")


def facts(data: Mapping[str, Any], before: str = "") -> Iterator[Words]:
    """What each name of a witness is."""
    # Symbols before words, each in alphabetical order, so that writers' habits change nothing.
    for name, value in sorted(data.items(), key=lambda item: (len(item[0]) > 2, item[0])):
        if name == "problem" and isinstance(value, dict) and "components" in value:
            yield from _problem(value)
        elif name in ("engine", "seed") and "problem" in data:
            continue  # how it was found; the claim's run replays it
        elif name == "parameters" and isinstance(value, dict):
            yield from facts(value, before)
        elif isinstance(value, dict):
            yield from facts(value, f"{before}{name}: ")
        else:
            found = _value(value)
            said = " " in name and not isinstance(found[0], Math)
            yield (before, *_named(name), ": " if said else " = ", *found)


def _named(name: str) -> Words:
    whole = re.fullmatch(r"[A-Za-z_0-9]{1,9}", name) and _formula(name)
    return (Math(name),) if whole else prose(name)


def _value(value: Any) -> Words:
    if isinstance(value, list):
        found: list[Any] = ["("]
        for index, item in enumerate(value):
            found += [", " if index else "", *_value(item)]
        return (*found, ")")
    if isinstance(value, dict):
        return ("; ".join(f"{name} = {inner}" for name, inner in sorted(value.items())),)
    text = str(value)
    return (Math(text),) if len(text) <= SHORT and _formula(text) else prose(text)


def _formula(text: str) -> bool:
    """Whether a text is a formula without words in it."""
    if not _SIMPLE.fullmatch(text):
        return False
    try:
        return _wordless(read(text))
    except (NotAFormulaError, RecursionError):
        return False


def _wordless(node: Any) -> bool:
    match node:
        case Number():
            return True
        case Symbol(name):
            return len(name) <= 6 or name.partition("_")[0] in GREEK
        case Call(name, arguments):
            return len(name) <= 6 and all(map(_wordless, arguments))
        case Total(terms):
            return all(_wordless(term) for _, term in terms)
        case Product(above, below):
            return all(map(_wordless, (*above, *below)))
        case Power(base, exponent):
            return _wordless(base) and _wordless(exponent)
        case Relation(sides, _):
            return all(map(_wordless, sides))
    return False


def _problem(problem: Mapping[str, Any]) -> Iterator[Words]:
    """An objective of the falsifier: a mean of sums of functions of one block each."""
    components = problem["components"]
    count = len(components)
    yield (f"f is the mean of {count} components" if count > 1 else "f has one component",
           f" ({problem.get('name', 'made')}); blocks hold coordinates ",
           ", ".join(map(str, problem.get("blocks", ()))) or "0")  # fmt: skip
    for number, parts in enumerate(components, 1):
        for place, part in enumerate(parts):
            points = part["derivative"]
            at = "; ".join(f"{x} ↦ {y}" for x, y in points)
            left, right = part["slopes outside"]
            line = (
                f"slopes {left} and {right} outside" if left != right else f"slope {left} outside"
            )
            yield (f"component {number}, coordinate {place}: the derivative is piecewise linear, "
                   f"{at}, with {line}",)  # fmt: skip
    for name in ("coupling", "start"):
        if problem.get(name) not in (None, "0"):
            yield (f"{name} = ", *_value(problem[name]))
