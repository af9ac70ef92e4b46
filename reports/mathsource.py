r"""Deciding whether LaTeX mathematics from a ledger can be trusted to compile.

One undefined command would stop the whole document, and ``\input`` would read a file of the
reader's machine. So only listed commands in a sound structure are typeset; anything else is shown
as source.
"""

from __future__ import annotations

import re

from reports.symbols import MATH

_TOKEN = re.compile(r"\\(?:begin|end)\{[a-z]*\}|\\[A-Za-z]+|\\.|.", re.DOTALL)
_DEEPEST = 40

_COLUMNS = {"aligned": 100, "gathered": 0, "cases": 1, "matrix": 9, "pmatrix": 9, "bmatrix": 9}
"""Environment → how many ``&`` a row may hold."""

_ARGUMENTS = dict.fromkeys(["frac", "tfrac", "dfrac", "binom", "overset", "underset"], 2) | (
    dict.fromkeys(
        "sqrt mathbb mathcal mathrm mathbf mathit mathsf boldsymbol operatorname hat tilde bar dot "
        "ddot vec check breve acute grave mathring overline underline widehat widetilde underbrace "
        "overbrace pmod mod".split(),
        1,
    )
)
_TEXT = frozenset(["text", "textrm", "textbf", "textit", "mbox"])
_SIZES = frozenset("big Big bigg Bigg bigl Bigl bigr Bigr biggl biggr".split())
_DELIMITERS = frozenset(
    r"( ) [ ] | / . < > \{ \} \| \lfloor \rfloor \lceil \rceil \langle \rangle "
    r"\vert \Vert \lvert \rvert \lVert \rVert".split()
)
_SPACES_AND_SIGNS = frozenset(["\\" + sign for sign in ",;:!> {}|%#&_$"])
_PLAIN = frozenset(
    "arccos arcsin arctan arg cos cosh cot deg det dim exp gcd inf ker lg lim liminf limsup ln log "
    "max min Pr sin sinh sup tan tanh bmod mod dots quad qquad displaystyle textstyle bigcup "
    "bigcap bigoplus bigotimes ge geq le leq ne neq not gets iff implies colon vert Vert "
    "lvert rvert lVert rVert lnot land lor varnothing prime rightarrow lbrace rbrace backslash "
    "hbar imath jmath Re Im parallel angle longmapsto hookrightarrow bullet epsilon".split()
) | {name for body in MATH.values() for name in re.findall(r"\\([A-Za-z]+)", body)}
_KNOWN = _PLAIN - _ARGUMENTS.keys()


class _UnsoundError(Exception):
    """The mathematics may not compile."""


def math_source(latex: str) -> str | None:
    r"""Return ASCII LaTeX mathematics that compiles, or None if that cannot be vouched for.

    Examples
    --------
    >>> math_source(r"\tau \le \frac{p}{2}")
    '\\tau \\le \\frac{p}{2}'
    >>> math_source(r"\input{secrets}") is None
    True
    """
    tokens = _TOKEN.findall(" ".join(latex.split()))
    reader = _Reader(tokens)
    try:
        end = reader.formula("", 0)
    except _UnsoundError:
        return None
    if end != len(tokens) or not tokens:
        return None
    written = [t if t.isascii() else rf"{{\ensuremath{{{MATH[t]}}}}}" for t in tokens]
    for index in reader.bare:  # some commands are no argument without braces
        written[index] = f"{{{written[index]}}}"
    return "".join(written)


class _Reader:
    """Walks over the tokens once; every method takes an index and returns the one after."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.depth = 0
        self.bare: list[int] = []

    def at(self, index: int) -> str:
        return self.tokens[index] if index < len(self.tokens) else ""

    def skip_blanks(self, index: int) -> int:
        while self.at(index) == " ":
            index += 1
        return index

    def formula(self, closer: str, index: int, columns: int | None = None) -> int:
        """Read up to `closer`; `columns` is how many ``&`` a row may hold, None for no rows."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _UnsoundError
        scripts: set[str] = set()
        ampersands = 0
        while (token := self.at(index)) != closer:
            if token in ("^", "_", "'"):
                index = self.script(token, index + 1, scripts)
                continue
            if token != " ":
                scripts.clear()
            if token in ("&", r"\\"):
                ampersands = ampersands + 1 if token == "&" else 0
                after = self.at(self.skip_blanks(index + 1))
                if columns is None or ampersands > columns or (token != "&" and after in "[*"):
                    raise _UnsoundError
                index += 1
            else:
                index = self.atom(token, index + 1)
        self.depth -= 1
        return index + bool(closer)

    def script(self, sign: str, index: int, scripts: set[str]) -> int:
        # A prime is a superscript that only another prime or "^" may continue, at once.
        prime_ends = "'" in scripts and self.at(index - 2) != "'"
        if sign in scripts - {"'"} or (sign != "_" and (prime_ends or "^" in scripts)):
            raise _UnsoundError
        scripts.add(sign)
        return index if sign == "'" else self.argument(index)

    def atom(self, token: str, index: int) -> int:
        """Read what follows `token`, which ends before `index`."""
        name = token[1:] if token.startswith("\\") else ""
        if token == "{":
            return self.formula("}", index)
        if token == r"\left":
            index = self.formula(r"\right", self.delimiter(index))
            return self.delimiter(index)
        if name.startswith("begin{") and name[6:-1] in _COLUMNS:
            return self.formula(rf"\end{{{name[6:-1]}}}", index, _COLUMNS[name[6:-1]])
        if name in _SIZES:
            return self.delimiter(index)
        if name in _TEXT:
            return self.prose(index)
        if name == "sqrt" and self.at(index) == "[":
            index = self.formula("]", index + 1)
        for _ in range(_ARGUMENTS.get(name, 0)):
            index = self.argument(index)
        if name not in _ARGUMENTS and not _stands_alone(token):
            raise _UnsoundError
        return index

    def argument(self, index: int) -> int:
        index = self.skip_blanks(index)
        token = self.at(index)
        if token == "{":
            return self.formula("}", index + 1)
        if token in ("'", " ") or not _stands_alone(token):
            raise _UnsoundError
        self.bare.append(index)
        return index + 1

    def delimiter(self, index: int) -> int:
        index = self.skip_blanks(index)
        if self.at(index) not in _DELIMITERS:
            raise _UnsoundError
        return index + 1

    def prose(self, index: int) -> int:
        r"""Read the argument of ``\text``: letters and harmless signs, nothing else."""
        if self.at(index) != "{":
            raise _UnsoundError
        while (token := self.at(index := index + 1)) != "}":
            harmless = token.isascii() and (token.isalnum() or token in " .,;:()=+-/'!?")
            if not token or not (harmless or token in MATH):
                raise _UnsoundError
        return index + 1


def _stands_alone(token: str) -> bool:
    """Whether a token is complete by itself."""
    if token.startswith("\\") and len(token) > 1:
        return token[1:] in _KNOWN or token in _SPACES_AND_SIGNS
    if not token.isascii():
        return token in MATH
    return len(token) == 1 and token.isprintable() and token not in "\\{}%#$&^_`"
