"""Documents in Markdown, with mathematics as GitHub shows it."""

from __future__ import annotations

from collections.abc import Iterator

from reports.documents.as_latex import LONGEST, paragraphs
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
from reports.text import code_markdown, escape_markdown


def markdown_text(document: Document) -> str:
    """The whole file."""
    anchors = {block.anchor for block in document.blocks if isinstance(block, Heading)} - {""}
    pen = _Pen(anchors)
    lines = [f"# {escape_markdown(document.title)}", "", f"*{escape_markdown(document.subtitle)}*"]
    for block in document.blocks:
        lines += ["", *pen.block(block)]
    return "\n".join(lines) + "\n"


class _Pen:
    """Writes blocks; links lead to what the document has."""

    def __init__(self, anchors: set[str]) -> None:
        self.anchors = anchors

    def words(self, words: Words) -> str:
        return "".join(map(self.word, words))

    def word(self, one: Inline) -> str:
        match one:
            case Code(text):
                return code_markdown(text)
            case Math(text):
                found = as_latex(text)
                return code_markdown(text) if found is None else f"$`{found.strip()}`$"
            case Strong(text):
                return f"**{escape_markdown(text)}**"
            case Link(name, says):
                shown = escape_markdown(says) if says else code_markdown(name)
                return f"[{shown}](#{name})" if name in self.anchors else shown
            case _:
                text = str(one)
                start, end = " " * text.startswith(" "), " " * text.endswith(" ")
                return f"{start}{escape_markdown(text)}{end}" if text.strip() else text

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Heading(level, words, anchor):
                if anchor:
                    yield from (f'<a id="{anchor}"></a>', "")
                yield f"{'#' * level} {self.words(words)}"
            case Paragraph(words):
                yield self.words(words)
            case Display(text, number):
                yield from _display(text, number)
            case Items(items, _, _):
                yield from (f"- {self.words(words)}" for words in items)
            case Table(head, rows, _):
                yield f"| {' | '.join(map(escape_markdown, head))} |"
                yield "|" + ":--|" * len(head)
                for row in rows:
                    cells = (self.words(words).replace("|", r"\|").replace(r"\\|", r"\|")
                             for words in row)  # fmt: skip
                    yield f"| {' | '.join(cells)} |"
            case Figure(file, caption):
                yield from (f"![{escape_markdown(caption)}]({file}.svg)", "")
                yield f"*{escape_markdown(caption)}*"
            case Passage(text):
                for part in paragraphs(text):
                    yield from (f"> {self.words(prose(part))}", ">")
            case Contents():
                yield ""


def _display(text: str, number: str) -> Iterator[str]:
    lines = latex_lines(text, LONGEST)
    if lines is None:
        yield code_markdown(text)
        return
    body = [r"\begin{gathered}", " \\\\\n".join(lines), r"\end{gathered}"]
    tag = rf"\qquad ({number})" if number else ""
    yield from ("```math", *(body if len(lines) > 1 else lines), *([tag] if tag else ()), "```")
