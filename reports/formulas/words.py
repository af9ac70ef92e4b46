"""Words with formulas in them, as a program prints them: with the signs that people write."""

from __future__ import annotations

import re
from typing import Final

from reports.formulas.names import GREEK

_SIGNS: Final = (
    (re.compile(r"(?<![<\w])<([^<>=]+, [^<>=]+)>"), r"⟨\1⟩"),
    (re.compile(r"<="), "≤"),
    (re.compile(r">="), "≥"),
    (re.compile(r"!="), "≠"),
    (re.compile(r" == "), " = "),
    (re.compile(r"\*\*([0-9])(?![0-9])"), lambda found: "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(found[1])]),
    (re.compile(r"(?<=[\w)\]⟩²³⁴])\*(?=[^\W_]|[(⟨∇])"), "·"),
    (re.compile(r"\bsqrt\((\w+)\)"), r"√\1"),
    (
        re.compile(rf"(?<![A-Za-z.])(?<!\w-)({'|'.join(GREEK)})(?![A-Za-z]|[.\-][A-Za-z])"),
        lambda found: GREEK[found[1]],
    ),
)
"""What Python writes, and what people do; not inside the name of a row or of a file."""
_CODE: Final = re.compile(r"(`[^`]*`)")


def human(text: str) -> str:
    """Write signs and letters for what Python prints; what stands in backticks is left alone.

    Examples
    --------
    >>> human("for every Delta: nonnegative; see kernel.young")
    'for every Δ: nonnegative; see kernel.young'
    >>> human("it is -eta*g, by case-eta")
    'it is -η·g, by case-eta'
    >>> human("F(x) <= L*eta**2*<g, h>/2, as `a <= b` says")
    'F(x) ≤ L·η²·⟨g, h⟩/2, as `a <= b` says'
    """
    return "".join(
        part if index % 2 else _signs(part) for index, part in enumerate(_CODE.split(text))
    )


def _signs(text: str) -> str:
    for signs, said in _SIGNS:
        text = signs.sub(said, text)
    return text
