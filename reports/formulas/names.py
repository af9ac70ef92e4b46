"""The parts of a name: ``x̂``, ``w_1``, ``∇f(x⁺)``, ``gamma_next``, ``V2`` as letters with marks."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Final

GREEK: Final = {
    name: unicodedata.lookup(f"GREEK SMALL LETTER {'LAMDA' if name == 'lambda' else name.upper()}")
    for name in "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho "
    "sigma tau phi chi psi omega".split()
} | {
    name: unicodedata.lookup(
        f"GREEK CAPITAL LETTER {'LAMDA' if name == 'Lambda' else name.upper()}"
    )
    for name in "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split()
}
_RAISED: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀⁿ", "0123456789+−⊤n", strict=True))
_LOWERED: Final = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖ", "0123456789+−ijk", strict=True))
_PIECE: Final = re.compile(
    r"(?P<word>[A-Za-z]{2,})(?P<count>\d*)|(?P<letter>[^\W\d_][\u0300-\u036f]*)(?P<digits>\d*)"
    r"|(?P<sign>.[\u0300-\u036f]*)"
)
_TILDES: Final = {"Gtilde": "G̃"}


@dataclass(frozen=True)
class Glyph:
    """A letter, word or sign, with what stands above it, below it and beside it."""

    base: str
    accent: str = ""
    lower: tuple[Glyph, ...] = ()
    upper: tuple[Glyph, ...] = ()


@cache
def glyphs(name: str) -> tuple[Glyph, ...]:
    """Take a name apart.

    Examples
    --------
    >>> [(one.base, one.accent) for one in glyphs("∇f(x̂)")]
    [('∇', ''), ('f', ''), ('(', ''), ('x', '̂'), (')', '')]
    >>> glyphs("V2")[0].lower[0].base, glyphs("w*")[0].upper[0].base, glyphs("tau")[0].base
    ('2', '*', 'τ')
    >>> "".join(one.base for one in glyphs("Σ_{j≠i}")[0].lower)
    'j≠i'
    """
    found: list[Glyph] = []
    text = unicodedata.normalize("NFD", _TILDES.get(name, name))
    place = 0
    while place < len(text):
        sign = text[place]
        if sign in "_^" and found and place + 1 < len(text):
            inside, place = _script(text, place + 1)
            found[-1] = _with(found[-1], glyphs(inside), sign == "^")
        elif sign in _RAISED and found:
            place += 1
            found[-1] = _with(found[-1], (Glyph(_RAISED[sign]),), True)
        elif sign in _LOWERED and found:
            place += 1
            found[-1] = _with(found[-1], (Glyph(_LOWERED[sign]),), False)
        elif sign == "*" and found and (place + 1 == len(text) or text[place + 1] in "),"):
            place += 1
            found[-1] = _with(found[-1], (Glyph("*"),), True)
        else:
            piece = _PIECE.match(text, place)
            if piece is None:
                break
            place = piece.end()
            found.append(_made(piece))
    return tuple(found)


def _script(text: str, place: int) -> tuple[str, int]:
    if text[place] == "{" and "}" in text[place:]:
        end = text.index("}", place)
        return text[place + 1 : end], end + 1
    piece = re.compile(r"[A-Za-z]+|\d+|.[\u0300-\u036f]*").match(text, place)
    assert piece is not None
    return piece[0], piece.end()


def _made(piece: re.Match[str]) -> Glyph:
    whole = unicodedata.normalize("NFC", piece["sign"] or "")  # ≠ is no = with an accent
    text = piece["word"] or piece["letter"] or whole
    digits = piece["count"] or piece["digits"] or ""
    lower = (Glyph(digits),) if digits else ()
    if piece["word"]:
        return Glyph(GREEK.get(text, text), "", lower)
    return Glyph(text[0], text[1:2], lower)


def _with(glyph: Glyph, script: tuple[Glyph, ...], upper: bool) -> Glyph:
    if upper:
        return Glyph(glyph.base, glyph.accent, glyph.lower, glyph.upper + script)
    return Glyph(glyph.base, glyph.accent, glyph.lower + script, glyph.upper)
