"""One row of a ledger as a numbered statement and its proof."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from reports.documents.blocks import (
    Block,
    Blocks,
    Code,
    Display,
    Heading,
    Items,
    Link,
    Math,
    Paragraph,
    Passage,
    Strong,
    Table,
    Words,
    joined,
    prose,
)
from reports.documents.witnesses import witness
from reports.formulas import as_text
from reports.formulas.names import GREEK
from reports.ledger import ORIGINS, Row, hypothesis_text, survivor_count, verdict_text

Hypothesis = Mapping[str, Any]
ABBREVIATION: Final = (
    "In a proof [k] stands for the right side of line k less its left side; multipliers of "
    "inequalities are nonnegative. `staleproof show ID` prints a claim whole, and "
    "`staleproof verify ID --no-cache` proves or refutes it again."
)
KINDS: Final = {
    "false": "False",
    "invalid-step": "A step of the printed proof fails",
    "missing-condition": "A condition is missing",
    "loose": "Not sharp",
    "superfluous-condition": "A condition is not needed",
    "not-reproducible": "Not reproducible",
    "typo": "Misprint",
}
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
SHORTENED: Final = 4
"""Formulas from which on a proof is shortened where that is asked for."""
_NOT_LINES: Final = ("the hypotheses have a model",)


@dataclass(frozen=True)
class Labels:
    """How the hypotheses of a document are called; those that it has not are printed in full."""

    known: Mapping[tuple[str, str, str], str] = field(default_factory=dict)

    def of(self, hypothesis: Hypothesis) -> str:
        """The label of a hypothesis, or the empty string."""
        return self.known.get(key(hypothesis), "")


def key(hypothesis: Hypothesis) -> tuple[str, str, str]:
    """What makes two hypotheses the same one."""
    return hypothesis["name"], hypothesis_text(hypothesis), hypothesis["says"]  # type: ignore[arg-type]


def claim_blocks(
    row: Row, labels: Labels | None = None, level: int = 3, *, last_line: bool = False
) -> Blocks:
    """A row at full length: statement, assumptions, proof or counterexample, findings.

    With `last_line`, of a proof that is made of formulas only the line that ends it.
    """
    labels = labels or Labels()
    where = "" if row["where"] == "ours" else f" {row['where']}"
    title = (Code(row["id"]), f"{where}: ", Strong(row["verdict"]))
    return (
        Heading(level, title, row["id"]),
        *_statement(row),
        *_assumptions(row, labels),
        *_cases(row),
        *proof(row, labels, last_line=last_line),
        *_counterexample(row),
        *_findings(row),
    )


def _statement(row: Row) -> Iterator[Block]:
    yield Paragraph(prose(row["statement"]))
    if row.get("goal"):
        yield Display(str(row["goal"]))
    origin = ORIGINS.get(row.get("origin", ""), "")
    printed = {"none": "", "gap": "; the printed proof has a gap"}.get(
        row["printed_proof"], f"; the printed proof is {row['printed_proof']}"
    )
    controls = row["controls"]
    tried = f" {controls['killed']} of {controls['tried']} false variants rejected."
    survivors = survivor_count(controls)
    loud: Words = (Strong(f" {survivors} PASSED AS TRUE."),) if survivors else ()
    said = f"{verdict_text(row)}. {origin[:1].upper()}{origin[1:]}{printed}."
    yield Paragraph((said, tried if controls["tried"] else "", *loud))
    if isinstance(controls["survivors"], list) and controls["survivors"]:
        yield Items(tuple((Strong("SURVIVOR:"), f" {one}") for one in controls["survivors"]))


def _assumptions(row: Row, labels: Labels) -> Iterator[Block]:
    hypotheses = list(row.get("hypotheses", ()))
    called = [label for one in hypotheses if (label := labels.of(one))]
    own = [one for one in hypotheses if not labels.of(one)]
    if called:
        words = tuple(dict.fromkeys(called))
        yield Paragraph((Strong("Assumptions"), " ", ", ".join(words)))
    if own:
        yield Paragraph((Strong("Assuming also" if called else "Assuming"),))
        yield Items(tuple(assumption(one, f"H{n}") for n, one in _numbered(hypotheses, labels)))
    if row.get("quantifiers"):
        yield Paragraph((Strong("Holds"), " ", human("; ".join(row["quantifiers"])), "."))
    names = [one for one in row.get("symbols", ()) if one["says"] and not labels.known]
    if names:
        yield Paragraph((Strong("Names"),))
        yield Items(tuple(meaning(one) for one in names))


def human(text: str) -> str:
    """Words of a ledger with letters for the names of letters.

    Examples
    --------
    >>> human('for every Delta: nonnegative; for every "f*": real')
    'for every Δ: nonnegative; for every f*: real'
    """
    return re.sub(r"[A-Za-z]+", lambda found: GREEK.get(found[0], found[0]), text.replace('"', ""))


def meaning(symbol: Mapping[str, Any]) -> Words:
    """What a name stands for."""
    name: Words = (Math(f'"{symbol["name"]}"'),)
    domain = f" ({symbol['domain']})" if symbol["domain"] else ""
    return (*name, f"{domain}: {human(symbol['says'])}")


def _numbered(hypotheses: list[Any], labels: Labels) -> list[tuple[int, Any]]:
    return list(enumerate((one for one in hypotheses if not labels.of(one)), 1))


def assumption(hypothesis: Hypothesis, label: str) -> Words:
    """A hypothesis: its label, its words, and the formula that was used."""
    text = hypothesis_text(hypothesis)  # type: ignore[arg-type]
    case = f" ({hypothesis['case']})" if "case" in hypothesis else ""
    formula: Words = (Math(text),) if hypothesis["formula"] is not None else (text,)
    says = hypothesis["says"] if _in_words(hypothesis["says"]) else ""
    start: Words = (Strong(f"({label})"), f" {hypothesis['name']}{case}: ")
    return (*start, *formula, " — ", *prose(says)) if says and says != text else (*start, *formula)


def _cases(row: Row) -> Iterator[Block]:
    if row["cases"]:
        rows = tuple(
            (prose(case["when"]), (Strong(case["verdict"]),), prose(case.get("says", "")))
            for case in row["cases"]
        )
        yield Table(("Case", "Verdict", "What holds"), rows, (0.4, 0.16, 0.4))


def proof(row: Row, labels: Labels | None = None, *, last_line: bool = False) -> Blocks:
    """The steps, as numbered lines with their reasons."""
    labels = labels or Labels()
    names = {one["name"]: labels.of(one) for one in row.get("hypotheses", ())}
    names |= {one["name"]: f"H{n}" for n, one in _numbered(list(row.get("hypotheses", ())), labels)}
    steps: list[Any] = [one for one in row["steps"] if one["says"] not in _NOT_LINES]
    lines: list[Block] = []
    running: list[Any] = []
    formulas = sum(bool(step.get("goal")) for step in steps)
    for number, step in enumerate(steps, 1):
        if not step.get("goal"):
            running += [" " if running else "", *_words(number, step, names)]
        elif not last_line or number == len(steps) or formulas < SHORTENED:
            lines += [Paragraph(tuple(running))] if running else []
            lines += _line(number, step, names)
            running = []
        if step.get("name"):
            names[step["name"]] = str(number)
    if last_line and formulas >= SHORTENED:
        start = f"In {len(steps)} lines, which "
        lines.insert(0, Paragraph((start, Code(f"staleproof show {row['id']}"), " prints.")))
    lines += [Paragraph(tuple(running))] if running else []
    lines += [Passage(text) for text in row.get("arguments", ())]
    if not lines:
        return ()
    title = "Argument." if row["verdict"] == "REFUTED" else "Proof."
    return Paragraph((Strong(title),)), *lines


def _words(number: int, step: Any, names: Mapping[str, str]) -> Words:
    """A step without a formula."""
    verdict = "" if step["verdict"] == "PROVED" else f" {step['verdict']}."
    reason = _reason(step, names)
    return (f"({number}) ", *prose(human(step["says"])), ": ", *reason, f".{verdict}")


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


def _in_words(says: str) -> bool:
    """Whether a gloss is more than the formula once more, as the machine prints it."""
    return not any(sign in says for sign in (" <= ", " == ", " >= "))


def _adds(step: Any) -> bool:
    """Whether the words of a step say more than its formula and its rule."""
    says = step["says"]
    return _in_words(says) and says not in (step["rule"], step.get("name"))


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
        return (_REASONS[rule].format_map({"index": "index", "count": "", **shown}),)
    words: list[Words] = [(step["rule"],)]
    if used:
        words.append((f"from {', '.join(used)}",))
    return joined(words)


def _identity(number: int, step: Any, names: Mapping[str, str]) -> str:
    """The certificate of a linear combination: the statement's gap as what is not negative."""
    certificate = step.get("certificate") or {}
    if certificate.get("rule") != "Combine":
        return ""
    parts = [
        _times(multiplier, f'"[{names.get(name) or name}]"')
        for name, multiplier in certificate["facts"].items()
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


def _counterexample(row: Row) -> Iterator[Block]:
    if row["counterexample"]:
        yield Paragraph((Strong("Counterexample."),))
        yield from witness(row["counterexample"])


def _findings(row: Row) -> Iterator[Block]:
    for finding in row["findings"]:
        start = Strong(f"{KINDS.get(finding['kind'], finding['kind'])}.")
        yield Paragraph((start, " ", *prose(finding["says"]), f" ({finding['where']})"))
        if finding["witness"] and finding["witness"] != row["counterexample"]:
            yield from witness(finding["witness"])
        if finding["repaired"]:
            repaired = finding["repaired"]
            words = prose(f"{repaired['statement']} ({repaired['verdict']})")
            yield Paragraph((Strong("Instead:"), " ", *words))
