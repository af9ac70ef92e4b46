"""The proof of a row: numbered lines with their reasons, and arguments in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from reports.documents.blocks import (
    Block,
    Blocks,
    Display,
    Link,
    Math,
    Paragraph,
    Passage,
    Strong,
    Words,
    joined,
    prose,
)
from reports.documents.wording import Labels, in_words, numbered
from reports.formulas import as_latex, as_text
from reports.formulas.words import human
from reports.ledger import Row

_REASONS: Final = {
    "Expect": "the mean of {of}",
    "Total": "the total expectation of {of}, for every {index}",
    "Telescope": "the sum of {of} over {index} = 0, …, {count} − 1",
    "Induction": "induction on {index} along {of}",
    "ClosedSum": "induction on {count}",
    "Lipschitz": "the gradient is Lipschitz, by {of}",
    "Descent": "the descent lemma, by {of}",
    "Root": "the root of {of}",
    "Everywhere": "{of} at another index",
    "Integral": "the integral of {of}",
    "Swap": "the two means of {of} swapped",
}
LONGEST_INLINE: Final = 78
MOST_RUNNING: Final = 6
"""Steps without formulas that are told in one paragraph."""
_NOT_LINES: Final = ("the hypotheses have a model",)
_NOT_FOUND: Final = "no certificate is stored"
"""How the reason of a line begins that nobody looks for once the statement is refuted."""


def proof(row: Row, labels: Labels | None = None, elsewhere: Words = ()) -> Blocks:
    """The steps, as numbered lines with their reasons or `elsewhere`; arguments in words."""
    labels = labels or Labels()
    lines = proof_lines(row, labels)
    if elsewhere and lines:
        lines = (Paragraph((f"In {len(steps_of(row))} lines, ", *elsewhere, ".")),)
    lines = (*lines, *_arguments(row, labels))
    if not lines:
        return ()
    title = "Argument." if row["verdict"] == "REFUTED" else "Proof."
    return Paragraph((Strong(title),)), *lines


def steps_of(row: Row) -> list[Any]:
    """The steps that are lines of a proof."""
    return [
        one
        for one in row["steps"]
        if one["says"] not in _NOT_LINES
        and not (row["verdict"] == "REFUTED" and one["rule"].startswith(_NOT_FOUND))
    ]


def proof_lines(row: Row, labels: Labels) -> Blocks:
    """All steps; a few without a formula run on in one paragraph."""
    names = _names(row, labels)
    few = sum(not step.get("goal") for step in steps_of(row)) <= MOST_RUNNING
    lines: list[Block] = []
    running: list[Any] = []
    for number, step in enumerate(steps_of(row), 1):
        if not step.get("goal"):
            running += [" " if running else "", *_words(number, step, names)]
            if not few:
                lines.append(Paragraph(tuple(running)))
                running = []
        else:
            lines += [Paragraph(tuple(running))] if running else []
            lines += _line(number, step, names)
            running = []
        if step.get("name"):
            names[step["name"]] = str(number)
    return (*lines, *([Paragraph(tuple(running))] if running else ()))


def _names(row: Row, labels: Labels) -> dict[str, str]:
    """What hypotheses are called in a proof."""
    names = {one["name"]: labels.of(one) for one in row.get("hypotheses", ())}
    return names | {
        one["name"]: f"H{n}" for n, one in numbered(list(row.get("hypotheses", ())), labels)
    }


def _arguments(row: Row, labels: Labels) -> Iterator[Block]:
    """Arguments that are text; one that another row prints is named."""
    for text in row.get("arguments", ()):
        place = labels.arguments.get(text, row["id"])
        if place == row["id"]:
            yield Passage(text)
        else:
            yield Paragraph((f"{text.partition(':')[0]}: as for ", Link(place), "."))


def _words(number: int, step: Any, names: Mapping[str, str]) -> Words:
    """A step without a formula."""
    verdict = "" if step["verdict"] == "PROVED" else f" {step['verdict']}."
    reason = _reason(step, names)
    says: Words = prose(step["says"])
    if not in_words(step["says"]) and as_latex(step["says"]) is not None:
        says = (Math(step["says"]),)
    return (f"({number}) ", *says, ": ", *reason, f".{verdict}")


def _line(number: int, step: Any, names: Mapping[str, str]) -> Iterator[Block]:
    """A line of a proof: short formulas stand in it, long ones below it."""
    reason = _reason(step, names)
    verdict = "" if step["verdict"] == "PROVED" else f" {step['verdict']}."
    goal = step["goal"]
    says: Words = (*prose(step["says"]), "; ") if _adds(step) else ()
    identity = _identity(number, step, names)
    shown = _short(goal)
    why: Words = (*says, *reason)
    if identity and _short(identity):
        why = (*why, ", since ", Math(identity))
    if shown:
        yield Paragraph((f"({number}) ", Math(goal), "  —  ", *why, f".{verdict}"))
    else:
        yield Paragraph((f"({number}) ", *why, f":{verdict}"))
        yield Display(goal)
    if identity and not _short(identity):
        yield Display(identity)


def _short(formula: str) -> bool:
    """Whether a formula fits into a line of words."""
    text = as_text(formula)
    return len(text) <= LONGEST_INLINE and text != formula


def _adds(step: Any) -> bool:
    """Whether the words of a step say more than its formula and its rule."""
    says = step["says"]
    return in_words(says) and says not in (step["rule"], step.get("name"))


def _reason(step: Any, names: Mapping[str, str]) -> Words:
    certificate = step.get("certificate") or {}
    rule = certificate.get("rule")
    used = [f"({names[name]})" for name in step.get("premises", ()) if names.get(name)]
    if rule == "Cite":
        return ("by ", Link(certificate["id"]), *((f", from {', '.join(used)}",) if used else ()))
    if rule == "Combine":
        return (f"from {', '.join(used)}" if used else "multiplied out",)
    if rule in _REASONS:
        of = certificate.get("of", "")
        shown = {name: str(value) for name, value in certificate.items() if name != "of"}
        shown["of"] = f"({names[of]})" if names.get(of) else of
        return (human(_REASONS[rule].format_map({"index": "index", "count": "", **shown})),)
    words: list[Words] = [(human(step["rule"]),)]
    if used:
        words.append((f"from {', '.join(used)}",))
    return joined(words)


def _identity(number: int, step: Any, names: Mapping[str, str]) -> str:
    """The certificate of a linear combination: the statement's gap as what is not negative."""
    certificate = step.get("certificate") or {}
    if certificate.get("rule") != "Combine":
        return ""
    facts = certificate["facts"]
    order = [one for one in step.get("premises", ()) if one in facts]  # not that of a mapping
    parts = [
        _times(facts[name], f'"[{names.get(name) or name}]"')
        for name in (*dict.fromkeys(order), *sorted(set(facts) - set(order)))
    ]
    for coefficient, squared in certificate["squares"]:
        if isinstance(squared, str):
            parts.append(_times(coefficient, f"({squared})**2"))
        else:
            vector = " + ".join(f"({factor})*{name}" for factor, name in squared)
            parts.append(_times(coefficient, f"norm2({vector})"))
    parts += [f"({text})" for text in certificate["plus"]]
    trivial = len(parts) == 1 and not certificate["squares"] and not certificate["plus"]
    return "" if trivial or not parts else f'"[{number}]" == ' + " + ".join(parts)


def _times(factor: str, what: str) -> str:
    return what if factor == "1" else f"({factor})*{what}"
