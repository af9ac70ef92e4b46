"""An outcome for people: what was decided and how far it reaches, what is wrong and where."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from staleproof.checking.outcome import Fault, Outcome
from staleproof.layer_options import time_text

LONGEST: Final = 32
"""Values of a list that are printed; JSON has all."""

NEVER: Final = "never completes"


def lines(outcome: Outcome) -> Iterator[str]:
    """Everything about one target."""
    yield from summary(outcome)
    for name, value in outcome.facts.items():
        said = name == "amiss"  # among the findings
        if not said and (outcome.has_messages or name != "deadlock"):
            yield f"  {label(name)}: {value_text(name, value)}"
    if outcome.query is not None:
        yield f"  query: {outcome.query}"


def summary(outcome: Outcome) -> Iterator[str]:
    """The verdict and its reasons."""
    yield verdict(outcome)
    for invariant in outcome.broken:
        faults, more = outcome.foremost(invariant)
        for fault in faults:
            yield f"  {invariant}: {fault.message}"
            yield from shown_lines(fault, "    ")
        if more:
            yield f"  {invariant}: {more_of(more)}"
    for name, why in outcome.undecided:
        yield f"  undecided: {outcome.term(name)}: {why}"
    for finding in outcome.findings:
        yield f"  finding: {finding}"
    for path in outcome.pictures:
        yield f"  picture: {path}"


def verdict(outcome: Outcome) -> str:
    """The line that says whether a target passes, on what grounds, and in which model.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from schedules import WeightPolicy
    >>> from schedules.messages.model import QueueModel
    >>> outcome = Outcome("a.csv", True, 8, True, True, QueueModel(), WeightPolicy("stash"))
    >>> verdict(replace(outcome, decided=("match",)))
    'ok: a.csv: 8 actions; holds: match; one queue a rank, buffer 0; policy stash'
    """
    parts = []
    undecided = [name for name, _ in outcome.undecided]
    groups = (("broken", outcome.broken), ("undecided", undecided), ("holds", outcome.held))
    for word, names in groups:
        if names:
            parts.append(f"{word}: {', '.join(map(outcome.term, names))}")
    parts += [str(outcome.model)] if outcome.has_messages else _without_messages(outcome)
    parts += outcome.grounds
    word = "ok" if outcome.ok else "not ok"
    return f"{word}: {outcome.target}: {outcome.actions} actions; {'; '.join(parts)}"


def _without_messages(outcome: Outcome) -> list[str]:
    if not outcome.of_nothing:
        return []
    where = "file" if outcome.from_file else "schedule"
    names, hold = (
        " and ".join(outcome.of_nothing),
        "holds" if len(outcome.of_nothing) < 2 else "hold",
    )
    remedy = "--lower added none" if outcome.lowered else "--lower as-soon-as-possible adds them"
    return [f"no messages in the {where}: {names} {hold} of nothing ({remedy})"]


def more_of(count: int) -> str:
    """What is left out."""
    return f"… and {count} more; --format json lists them"


def shown_lines(fault: Fault, margin: str) -> Iterator[str]:
    """The timeline around a fault and the steps that lead to it."""
    for line in fault.excerpt:
        yield f"{margin}{line}".rstrip()
    if fault.steps:
        yield f"{margin}step by step:"
        for number, step in enumerate(fault.steps, 1):
            yield f"{margin}  {number}. {step}"


def label(name: str) -> str:
    """A key of the facts in words."""
    return "least buffer without deadlock" if name == "deadlock" else name.replace("_", " ")


def value_text(name: str, value: object) -> str:
    """A value of the facts in words; None among the buffers says that none suffices.

    Examples
    --------
    >>> value_text("deadlock", {"rank": None, "peer": 1})
    'rank never completes, peer 1'
    """
    if value is None:
        return NEVER if name == "deadlock" else "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {value_text(name, each)}" for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        some = " ".join(value_text(name, each) for each in value[:LONGEST])
        return some if len(value) <= LONGEST else f"{some} … ({len(value)} in all)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return time_text(value) if isinstance(value, Fraction) else str(value)
