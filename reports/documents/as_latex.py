"""Documents in LaTeX: pure ASCII, compiled by any engine, wide formulas broken or scaled down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from reports.documents.blocks import (
    Block,
    Code,
    Contents,
    Display,
    Document,
    Figure,
    Heading,
    Inline,
    Items,
    Link,
    Math,
    Paragraph,
    Passage,
    Strong,
    Table,
    Words,
    prose,
)
from reports.formulas import as_latex, latex_lines
from reports.text import code_latex, escape_latex

MARK: Final = "% Made by staleproof from ledger.json; made anew, it is replaced."
"""The first line of every file."""
_PREAMBLE: Final = r"""\documentclass[10pt,a4paper]{article}
\usepackage[utf8]{inputenc}
% T1 without Latin Modern would print bitmap letters.
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\usepackage{amsmath,amssymb,graphicx,longtable,booktabs,multicol}
\usepackage[hidelinks,bookmarksnumbered,bookmarksdepth=2,unicode,psdextra]{hyperref}
\setlength{\oddsidemargin}{-0.315in}\setlength{\textwidth}{6.9in}
\setlength{\topmargin}{0pt}\setlength{\headheight}{0pt}\setlength{\headsep}{0pt}
\setlength{\voffset}{-0.3in}\setlength{\textheight}{10.1in}
\setlength{\LTleft}{0pt}\setlength{\LTpre}{0.6ex}\setlength{\LTpost}{0.6ex}
\setcounter{secnumdepth}{1}\setcounter{tocdepth}{1}
\newcommand{\brk}{\penalty500\relax}
\newsavebox{\formulabox}
% A formula wider than the line is scaled down to it.
\newcommand{\shown}[2]{\sbox{\formulabox}{$\displaystyle #1$}%
  \[\ifdim\wd\formulabox>0.92\linewidth\resizebox{0.92\linewidth}{!}{\usebox{\formulabox}}%
  \else\usebox{\formulabox}\fi #2\]}
\newcommand{\illustration}[2]{\par\nobreak\medskip{\centering
  \includegraphics[width=0.93\linewidth,height=0.8\textheight,keepaspectratio]{#1}\par\nobreak
  \smallskip\parbox{0.9\linewidth}{\small\itshape #2}\par}\medskip}
\newenvironment{tight}{\begin{list}{\textbullet}{\setlength{\leftmargin}{1.4em}
  \setlength{\topsep}{1pt}\setlength{\itemsep}{0pt}\setlength{\parsep}{0pt}}}{\end{list}}
\raggedbottom\clubpenalty=10000 \widowpenalty=10000
"""
_START: Final = r"""\begin{document}
\small\raggedright\setlength{\parindent}{0pt}\setlength{\parskip}{0.35ex plus 0.2ex}
\setlength{\abovedisplayskip}{2pt plus 2pt}\setlength{\belowdisplayskip}{2pt plus 2pt}
\setlength{\abovedisplayshortskip}{0pt}\setlength{\belowdisplayshortskip}{2pt}
"""
_SECTIONS: Final = {2: "section", 3: "subsection*", 4: "paragraph"}
PLOTS: Final = "experiments/"
"""Where plots of experiments are, beside the document."""
APPENDIX: Final = "Appendix"
"""How titles begin that get no number."""
LONGEST: Final = 92
"""Characters of a formula, as text, beyond which it is broken into lines."""


def latex_text(document: Document) -> str:
    """The whole file."""
    anchors = {block.anchor for block in document.blocks if isinstance(block, Heading)}
    pen = _Pen(anchors - {""})
    blocks = list(document.blocks)
    if document.contents:
        sections = [
            i for i, one in enumerate(blocks) if isinstance(one, Heading) and one.level == 2
        ]
        blocks.insert(sections[1] if len(sections) > 1 else 0, Contents())
    lines = [
        MARK,
        _PREAMBLE + rf"\hypersetup{{pdftitle={{{escape_latex(document.title)}}}}}",
        _START,
        rf"{{\centering\LARGE {escape_latex(document.title)}\par\smallskip",
        rf"\normalsize {escape_latex(document.subtitle)}\par}}\smallskip",
        *(line for block in blocks for line in pen.block(block)),
        r"\end{document}",
        "",
    ]
    return "\n".join(lines)


class _Pen:
    """Writes blocks; links lead to what the document has."""

    def __init__(self, anchors: set[str]) -> None:
        self.anchors = anchors

    def words(self, words: Words) -> str:
        return "".join(map(self.word, words))

    def word(self, one: Inline) -> str:
        match one:
            case Code(text):
                return code_latex(text)
            case Math(text):
                found = as_latex(text)
                return escape_latex(text) if found is None else rf"\ensuremath{{{found}}}"
            case Strong(text):
                return rf"\textbf{{{escape_latex(text)}}}"
            case Link(name, says):
                shown = escape_latex(says) if says else code_latex(name)
                return rf"\hyperref[{name}]{{{shown}}}" if name in self.anchors else shown
            case _:
                text = str(one)
                start, end = " " * text.startswith(" "), " " * text.endswith(" ")
                return f"{start}{escape_latex(text)}{end}" if text.strip() else text

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Heading(level, words, anchor):
                name = _SECTIONS[min(max(level, 2), 4)]
                plain = escape_latex("".join(getattr(one, "text", str(one)) for one in words))
                if plain.startswith(APPENDIX):
                    name = "section*"
                yield rf"\{name}{{{self.words(words)}}}"
                if name.endswith("*"):
                    yield rf"\addcontentsline{{toc}}{{{name[:-1]}}}{{{plain}}}"
                if anchor:
                    yield rf"\phantomsection\label{{{anchor}}}"
            case Paragraph(words):
                yield f"{self.words(words)}\n"
            case Display(text, number):
                yield display(text, number)
            case Items():
                yield from self._items(block)
            case Table(head, rows, widths):
                yield from self._table(head, rows, widths)
            case Figure(file, caption):
                drawn = rf"\illustration{{{file}.pdf}}{{{escape_latex(caption)}}}"
                if file.startswith(PLOTS):  # these are no files of the report: some are SVG only
                    drawn = rf"\IfFileExists{{{file}.pdf}}{{{drawn}}}{{}}"
                yield drawn
            case Passage(text):
                yield r"\begin{quote}\small"
                yield from (f"{self.words(prose(part))}\n" for part in paragraphs(text))
                yield r"\end{quote}"
            case Contents():
                yield r"\begin{multicols}{2}\setlength{\parskip}{0pt}"
                yield r"\tableofcontents\end{multicols}"

    def _items(self, block: Items) -> Iterator[str]:
        small = block.small or block.columns > 1
        if small:
            yield r"{\footnotesize"
        if block.columns > 1:
            yield rf"\begin{{multicols}}{{{block.columns}}}"
        yield r"\begin{tight}"
        yield from (rf"\item {self.words(words)}" for words in block.items)
        yield r"\end{tight}"
        if block.columns > 1:
            yield r"\end{multicols}"
        if small:
            yield r"}"

    def _table(
        self, head: tuple[str, ...], rows: tuple[tuple[Words, ...], ...], widths: tuple[float, ...]
    ) -> Iterator[str]:
        whole, less = sum(widths), 12 * (len(widths) - 1) / len(widths)  # points between columns
        columns = "".join(
            rf"p{{\dimexpr {width / whole:.3f}\linewidth-{less + 0.5:.1f}pt\relax}}"
            for width in widths
        )
        yield rf"{{\footnotesize\begin{{longtable}}{{@{{}}{columns}@{{}}}}"
        yield r"\toprule " + " & ".join(rf"\raggedright {escape_latex(one)}" for one in head)
        yield r"\tabularnewline\midrule\endhead"
        for row in rows:
            cells = (rf"\raggedright {self.words(words)}" for words in row)
            yield " & ".join(cells) + r" \tabularnewline"
        yield r"\bottomrule\end{longtable}}"


def display(text: str, number: str = "") -> str:
    """A formula on lines of its own; what is no formula is shown as it stands."""
    lines = latex_lines(text, LONGEST)
    if lines is None:
        return f"{code_latex(text)}\n"
    body = lines[0]
    if len(lines) > 1:
        first, *rest = lines
        joined = r" \\ ".join([first, *(rf"\quad {line}" for line in rest)])
        body = rf"\begin{{array}}{{@{{}}l@{{}}}}{joined}\end{{array}}"
    tag = rf"\tag{{{number}}}" if number else ""
    return rf"\shown{{{body}}}{{{tag}}}"


def paragraphs(text: str) -> list[str]:
    r"""Passages of a text: an empty line or a number begins a new one.

    Examples
    --------
    >>> paragraphs("One\ntwo.\n\n1. Three")
    ['One two.', '1. Three']
    """
    found = [""]
    for line in text.split("\n"):
        begins = line[:2] in {f"{digit}." for digit in "123456789"}
        if not line.strip() or begins:
            found.append("")
        found[-1] = f"{found[-1]} {line.strip()}".strip()
    return [part for part in found if part]
