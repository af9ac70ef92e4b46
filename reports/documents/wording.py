"""How a document calls what a ledger names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from reports.ledger import hypothesis_text

_ROLE: Final = re.compile(r"\((given|law|over)\) ([^,]+)(?:, |$)")
_WORD: Final = re.compile(r"(?:[a-z]{2,}|a(?= [a-z]{2}))(?=[ ,;:.\u2019'-]|$)")
Hypothesis = Mapping[str, Any]


@dataclass(frozen=True)
class Labels:
    """What a document says once: its names for hypotheses, and where an argument is printed."""

    known: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Each argument, with the id of the row that prints it."""

    def of(self, hypothesis: Hypothesis) -> str:
        """The label of a hypothesis, or the empty string."""
        return self.known.get(key(hypothesis), "")


def key(hypothesis: Hypothesis) -> tuple[str, str, str]:
    """What makes two hypotheses the same one."""
    return hypothesis["name"], hypothesis_text(hypothesis), hypothesis["says"]  # type: ignore[arg-type]


def numbered(hypotheses: Sequence[Any], labels: Labels) -> list[tuple[int, Any]]:
    """Hypotheses without a label, numbered from 1."""
    return list(enumerate((one for one in hypotheses if not labels.of(one)), 1))


def sentence(text: str) -> str:
    """Words that begin a sentence, with a capital unless they begin with a formula.

    Examples
    --------
    >>> sentence("the run keeps turning back"), sentence("f(x) grows"), sentence("a run with k")
    ('The run keeps turning back', 'f(x) grows', 'A run with k')
    """
    return text[:1].upper() + text[1:] if _WORD.match(text) else text


def grouped(says: str) -> str:
    """What a name stands for; of a mean first what it is taken over, then what the rest is.

    Examples
    --------
    >>> grouped("mean over (given) h, (given) ∇f(x), (law) run, g, f(x⁺)")
    'mean over g, f(x⁺), given h, ∇f(x), law run'
    """
    found: dict[str, list[str]] = {}
    for role, name in _ROLE.findall(says):
        found.setdefault(role, []).append(name)
    groups = (f"{role} {', '.join(names)}" for role, names in found.items())
    return ", ".join(filter(None, (_ROLE.sub("", says).rstrip(", "), *groups)))


def in_words(says: str) -> bool:
    """Whether a gloss is more than the formula once more, as the machine prints it."""
    return not any(sign in says for sign in (" <= ", " == ", " >= "))
