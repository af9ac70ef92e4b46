"""The three ways of writing mathematics down; `writing` says what is written."""
# ruff: noqa: D102 - `Ink` says once what the methods write

from __future__ import annotations

from html import escape
from typing import Final, Protocol

from reports.formulas.names import Glyph
from reports.symbols import ACCENTS, MATH
from reports.text import escape_latex

_SUPERSCRIPTS: Final = dict(zip("0123456789+−n⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵀ", strict=True))
_SUBSCRIPTS: Final = dict(zip("0123456789+−ijk", "₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖ", strict=True))


class Ink(Protocol):
    """What a notation has to offer."""

    side_by_side: bool
    """Whether fractions are written on one line."""

    def number(self, text: str) -> str:
        """Digits."""

    def glyph(self, one: Glyph) -> str:
        """A letter, word or sign with its scripts."""

    def sign(self, text: str) -> str:
        """An operator or relation."""

    def words(self, text: str) -> str:
        """Words between formulas."""

    def fraction(self, above: str, below: str) -> str:
        """A quotient."""

    def power(self, base: str, exponent: str) -> str:
        """A power."""

    def root(self, inside: str) -> str:
        """A square root."""

    def fenced(self, left: str, inside: str, right: str) -> str:
        """Something in brackets that grow with it."""

    def big(self, sign: str, lower: str, upper: str) -> str:
        """A sum or mean sign with what stands below and above it."""

    def joined(self, *parts: str) -> str:
        """Parts side by side."""

    def cases(self, lines: list[tuple[str, str]]) -> str:
        """Values, each with when it is taken."""


class Latex:
    """LaTeX with amsmath."""

    side_by_side = False
    _fences: Final = {"‖": r"\|", "⟨": r"\langle ", "⟩": r"\rangle ", "⌊": r"\lfloor "} | {
        "⌋": r"\rfloor ",
        "⌈": r"\lceil ",
        "⌉": r"\rceil ",
    }

    def number(self, text: str) -> str:
        return text

    def glyph(self, one: Glyph) -> str:
        base = self._base(one.base)
        if one.accent in ACCENTS:
            base = f"{ACCENTS[one.accent][1]}{{{base}}}"
        lower = "".join(map(self.glyph, one.lower))
        upper = "".join(map(self.glyph, one.upper))
        return base + (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")

    def _base(self, text: str) -> str:
        if len(text) > 1 and text.isalpha():
            return rf"\mathrm{{{text}}}"
        if text in MATH:
            return f"{MATH[text]} " if MATH[text][-1].isalpha() else MATH[text]
        if text == " ":
            return r"\ "
        return text if text.isascii() and text not in "\\{}%#$&^_~" else r"\square "

    def sign(self, text: str) -> str:
        return f" {MATH.get(text, text)} "

    def words(self, text: str) -> str:
        return rf"\text{{ {escape_latex(text)} }}"

    def fraction(self, above: str, below: str) -> str:
        return rf"\frac{{{above}}}{{{below}}}"

    def power(self, base: str, exponent: str) -> str:
        return f"{base}^{{{exponent}}}"

    def root(self, inside: str) -> str:
        return rf"\sqrt{{{inside}}}"

    def fenced(self, left: str, inside: str, right: str) -> str:
        opening, closing = (self._fences.get(one, one) for one in (left, right))
        return rf"\left{opening}{inside}\right{closing}"

    def big(self, sign: str, lower: str, upper: str) -> str:
        return f"{MATH[sign]}_{{{lower}}}" + (f"^{{{upper}}}" if upper else "") + " "

    def joined(self, *parts: str) -> str:
        return "".join(parts)

    def cases(self, lines: list[tuple[str, str]]) -> str:
        inside = r" \\ ".join(rf"{value} & {when}" for value, when in lines)
        return rf"\begin{{cases}}{inside}\end{{cases}}"


class MathMl:
    """MathML Core, as browsers draw it without help."""

    side_by_side = False

    def number(self, text: str) -> str:
        return f"<mn>{escape(text)}</mn>"

    def glyph(self, one: Glyph) -> str:
        letter = one.base.isalpha()
        base = f"<mi>{escape(one.base)}</mi>" if letter else f"<mo>{escape(one.base)}</mo>"
        if one.base.isdigit():
            base = self.number(one.base)
        if one.base in "()":
            base = f'<mo stretchy="false">{one.base}</mo>'
        if one.accent:
            over = _ACCENT_SIGNS.get(one.accent, one.accent)
            base = f'<mover accent="true">{base}<mo stretchy="false">{over}</mo></mover>'
        lower = self.joined(*map(self.glyph, one.lower))
        upper = self.joined(*map(self.glyph, one.upper))
        if lower and upper:
            return f"<msubsup>{base}{_one(lower)}{_one(upper)}</msubsup>"
        if lower:
            return f"<msub>{base}{_one(lower)}</msub>"
        return f"<msup>{base}{_one(upper)}</msup>" if upper else base

    def sign(self, text: str) -> str:
        return f"<mo>{escape(text)}</mo>"

    def words(self, text: str) -> str:
        return f"<mtext>&#160;{escape(text)}&#160;</mtext>"

    def fraction(self, above: str, below: str) -> str:
        return f"<mfrac>{_one(above)}{_one(below)}</mfrac>"

    def power(self, base: str, exponent: str) -> str:
        return f"<msup>{_one(base)}{_one(exponent)}</msup>"

    def root(self, inside: str) -> str:
        return f"<msqrt>{inside}</msqrt>"

    def fenced(self, left: str, inside: str, right: str) -> str:
        return f"<mrow><mo>{left}</mo>{_one(inside)}<mo>{right}</mo></mrow>"

    def big(self, sign: str, lower: str, upper: str) -> str:
        if sign == "𝔼":
            return f"<msub><mi>𝔼</mi>{_one(lower)}</msub>" if lower else "<mi>𝔼</mi>"
        return f"<munderover><mo>{sign}</mo>{_one(lower)}{_one(upper)}</munderover>"

    def joined(self, *parts: str) -> str:
        return "".join(parts)

    def cases(self, lines: list[tuple[str, str]]) -> str:
        rows = "".join(
            f"<mtr><mtd>{_one(value)}</mtd><mtd>{_one(when)}</mtd></mtr>" for value, when in lines
        )
        return f"<mrow><mo>{{</mo><mtable>{rows}</mtable></mrow>"


_ACCENT_SIGNS: Final = {"\u0302": "^", "\u0303": "~", "\u0304": "¯", "\u0307": "˙", "\u0308": "¨"}


def _one(text: str) -> str:
    """What has to be one element."""
    return f"<mrow>{text}</mrow>"


class Plain:
    """A line of Unicode, for terminals."""

    side_by_side = True

    def number(self, text: str) -> str:
        return text

    def glyph(self, one: Glyph) -> str:
        base = one.base + one.accent
        lower = "".join(map(self.glyph, one.lower))
        upper = "".join(map(self.glyph, one.upper))
        if lower:
            digits = "".join(_SUBSCRIPTS.get(sign, "") for sign in lower)
            small = digits if len(digits) == len(lower) else ""
            base += small or (f"_{lower}" if len(lower) == 1 else f"_{{{lower}}}")
        return self.power(base, upper) if upper and upper != "*" else base + upper

    def sign(self, text: str) -> str:
        return f" {text} " if text not in ("·", ",", "") else (", " if text == "," else text)

    def words(self, text: str) -> str:
        return f" {text} "

    def fraction(self, above: str, below: str) -> str:
        return f"{above}/{below}"

    def power(self, base: str, exponent: str) -> str:
        small = "".join(_SUPERSCRIPTS.get(sign, "") for sign in exponent)
        if len(small) == len(exponent):
            return base + small
        return f"{base}^{exponent}" if len(exponent) == 1 else f"{base}^({exponent})"

    def root(self, inside: str) -> str:
        return f"√{inside}" if len(inside) == 1 else f"√({inside})"

    def fenced(self, left: str, inside: str, right: str) -> str:
        return f"{left}{inside}{right}"

    def big(self, sign: str, lower: str, upper: str) -> str:
        if sign == "𝔼":
            return f"E_{lower}" if len(lower) == 1 else f"E_{{{lower}}}" if lower else "E"
        top = f"^{{{upper}}}" if len(upper) > 1 else f"^{upper}"
        return f"{'Σ' if sign == '∑' else sign}_{{{lower}}}{top} "

    def joined(self, *parts: str) -> str:
        return "".join(parts)

    def cases(self, lines: list[tuple[str, str]]) -> str:
        return "; ".join(f"{value} {when}".strip() for value, when in lines)
