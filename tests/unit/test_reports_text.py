"""Escaping: whatever the text, the result prints it and does nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.formulas import as_latex, as_text
from reports.symbols import ACCENTS, MATH, SPECIAL, TEXT
from reports.text import (
    code_latex,
    code_markdown,
    escape_latex,
    escape_markdown,
    visible,
)

# With surrogates: JSON may hold them.
texts = st.text(st.characters() | st.sampled_from("\\{}$%&#_^~<>|`-'\"*[]() \n\0\ud800\u202e"))

_ACCENTED = "|".join(rf"{re.escape(accent)}\{{[A-Za-z]\}}" for accent, _ in ACCENTS.values())
_MATH = "|".join(
    re.escape(body)
    for plain in MATH.values()
    for body in [plain, *(f"{accent}{{{plain}}}" for _, accent in ACCENTS.values())]
)
_SIGN = (
    rf"(?:[A-Za-z0-9 !\"'()*+,\-./:;=?@\[\]`]|\{{\}}|\\brk\{{\}}"
    rf"|{'|'.join(map(re.escape, [*SPECIAL.values(), *filter(None, TEXT.values())]))}"
    rf"|{_ACCENTED}|\\ensuremath\{{(?:{_MATH})\}})"
)
_HARMLESS = re.compile(rf"(?:{_SIGN}|\\texttt\{{{_SIGN}*\}})*")


@given(texts)
def test_latex_is_ascii_without_bare_specials(text: str) -> None:
    assert _HARMLESS.fullmatch(escape_latex(text))
    assert _HARMLESS.fullmatch(code_latex(text))


@given(texts)
def test_markdown_prints_the_text_and_nothing_else(text: str) -> None:
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    blocks = parser.parse(f"a {escape_markdown(text)} z")
    assert [block.type for block in blocks] == ["paragraph_open", "inline", "paragraph_close"]
    pieces = blocks[1].children
    assert {piece.type for piece in pieces} <= {"text", "code_inline"}
    printed = "".join(piece.content for piece in pieces)
    assert printed.replace("`", "") == f"a {visible(text)} z".replace("`", "")


@given(texts)
def test_markdown_code_prints_the_text(text: str) -> None:
    markdown_it = pytest.importorskip("markdown_it")
    blocks = markdown_it.MarkdownIt("commonmark").parse(f"a {code_markdown(text)} z")
    codes = [piece.content for piece in blocks[1].children if piece.type == "code_inline"]
    assert codes == [visible(text) or " "]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a | b", r"a \| b"),
        ("in `a_b`, so", "in `a_b`, so"),
        ("`a|b`", r"\`a\|b\`"),
        ("``x` y``", r"\`\`x\` y\`\`"),
        ("&amp; & <br>", r"&amp;amp; & \<br\>"),
    ],
)
def test_markdown_examples(text: str, expected: str) -> None:
    assert escape_markdown(text) == expected


def test_known_characters_have_a_latex_form() -> None:
    assert [sign for sign in [*MATH, *TEXT] if "[U+" in escape_latex(sign)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x̂", r"\^{x}"),
        ("θ̃", r"\ensuremath{\tilde{\theta}}"),
        ("Müller", r"M\"{u}ller"),
        ("漢", r"[U+6F22]\brk{}"),
        ("--require", "-{}-require"),
        ("\ud800", "[U+D800]"),
        ("two\nlines", "two lines"),
        ("in `a_b`, so", r"in \texttt{a\_\brk{}b}, so"),
        ("``quoted''", "`{}`quoted'{}'"),
    ],
)
def test_latex_examples(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


def test_long_words_can_be_broken() -> None:
    longest = max(map(len, re.split(r"\\brk\{\}| ", escape_latex("x" * 200))))
    assert longest <= 16


@given(texts)
def test_mathematics_never_fails_and_is_ascii_in_balance(text: str) -> None:
    source = as_latex(text)
    if source is not None:
        assert source.isascii()
        assert source.count("{") - source.count(r"\{") == source.count("}") - source.count(r"\}")
        assert "%" not in source.replace(r"\%", "")


@pytest.mark.parametrize("sign", ["≠", "∉", "∄", "≤"])
def test_a_sign_that_is_crossed_out_stays_so_in_an_index(sign: str) -> None:
    text = f'"Σ_{{j{sign}i}}"'
    assert f"{MATH[sign]} i" in (as_latex(text) or "")
    assert as_text(text) == f"Σ_{{j{sign}i}}"
