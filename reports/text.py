"""Escaping: any text becomes harmless Markdown or LaTeX that prints what it says."""

from __future__ import annotations

import re
import unicodedata

from reports.symbols import ACCENTS, MATH, SPECIAL, TEXT

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|$~#])")
_CODE = re.compile(r"(?<!`)`([^`|\s](?:[^`|]*[^`|\s])?)`(?!`)")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_LIGATURES = frozenset("-`',<>?!")
_SEPARATORS = frozenset("_./=:;,)]}+-−·×*")
_LONG_WORD = 16
_BREAK = r"\brk{}"
"""A line may end here, but rather at a space; the template defines it."""
_BREAKABLE = re.compile(r"[A-Za-z0-9]{0,11}[^A-Za-z0-9][\u0300-\u036f]?|[A-Za-z0-9]{1,12}")
_SIGNS = re.compile(r".[\u0300-\u036f]?", re.DOTALL)


def visible(text: str) -> str:
    r"""Put text on one line and name the characters that do not print.

    Examples
    --------
    >>> visible("a\n  b\x07")
    'a b[U+0007]'
    """
    return "".join(c if _prints(c) else marker(c) for c in " ".join(text.split()))


def _prints(character: str) -> bool:
    return unicodedata.category(character) not in {"Cc", "Cf", "Cn", "Cs"}


def marker(character: str) -> str:
    """Name a character that cannot be printed: ``[U+0007]``."""
    return f"[U+{ord(character):04X}]"


def escape_markdown(text: str) -> str:
    r"""Escape text for Markdown: no emphasis, link, table, mathematics or HTML comes of it.

    A part in single backticks becomes code.

    Examples
    --------
    >>> escape_markdown("x_i * y | <b> in `--json`")
    'x\\_i \\* y \\| \\<b\\> in `--json`'
    """
    prose = visible(text)
    return "".join(
        f"`{part}`" if is_code else _ENTITY.sub("&amp;", _MARKDOWN.sub(r"\\\1", part))
        for part, is_code in _parts(prose)
    )


def _parts(text: str) -> list[tuple[str, bool]]:
    """Split text into prose and what stands in single backticks."""
    return [(part, index % 2 == 1) for index, part in enumerate(_CODE.split(text))]


def code_markdown(text: str) -> str:
    """Write text as a Markdown code span; inside a table, escape its bars.

    Examples
    --------
    >>> code_markdown("p = 3, m = 2")
    '`p = 3, m = 2`'
    """
    shown = visible(text) or " "
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def escape_latex(text: str) -> str:
    r"""Escape text for LaTeX: the result is ASCII, compiles, and long words can be broken.

    Characters without a LaTeX form print as ``[U+XXXX]``; a part in single backticks becomes code.

    Examples
    --------
    >>> escape_latex("τ ≤ 50% of p²")
    '\\ensuremath{\\tau} \\ensuremath{\\le} 50\\% of p\\ensuremath{{}^{2}}'
    """
    return "".join(
        code_latex(part) if is_code else " ".join(map(_word_latex, part.split(" ")))
        for part, is_code in _parts(_line(text))
    )


def _line(text: str) -> str:
    return visible(unicodedata.normalize("NFC", text))


def _word_latex(word: str) -> str:
    pieces: list[str] = []
    previous = ""
    for count, sign in enumerate(_SIGNS.findall(word)):
        after_sign = count > 8 and previous in _SEPARATORS and sign not in _SEPARATORS
        if after_sign or (count >= _LONG_WORD and count % 4 == 0):
            pieces.append(_BREAK)
        elif previous in _LIGATURES and sign in _LIGATURES:
            pieces.append("{}")  # keeps "--" two hyphens
        pieces.append(_sign_latex(sign))
        previous = sign
    return "".join(pieces)


def _sign_latex(sign: str) -> str:
    """Print one character, with the accent that combines with it if there is one."""
    base, accent = sign[0], sign[1:]
    if not accent:
        decomposed = unicodedata.normalize("NFD", base)
        known = base.isascii() or base in MATH or base in TEXT
        if known or len(decomposed) != 2:
            return _character_latex(base)
        base, accent = decomposed[0], decomposed[1]
    if accent in ACCENTS and base.isascii() and base.isalpha():
        return f"{ACCENTS[accent][0]}{{{base}}}"
    if accent in ACCENTS and base in MATH:
        return rf"\ensuremath{{{ACCENTS[accent][1]}{{{MATH[base]}}}}}"
    return "".join(_character_latex(character) for character in sign)


def _character_latex(character: str) -> str:
    if character in SPECIAL:
        return SPECIAL[character]
    if character.isascii():
        return character
    if character in TEXT:
        return TEXT[character]
    if character in MATH:
        return rf"\ensuremath{{{MATH[character]}}}"
    return marker(character) + _BREAK


def code_latex(text: str) -> str:
    r"""Write text in typewriter letters that may break after every sign and in long words.

    Examples
    --------
    >>> code_latex("lemma-b1")
    '\\texttt{lemma-\\brk{}b1}'
    """
    breakable = (
        _BREAK.join(map(_word_latex, _BREAKABLE.findall(word))) for word in _line(text).split(" ")
    )
    return rf"\texttt{{{' '.join(breakable)}}}"
