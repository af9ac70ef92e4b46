"""Documents in HTML, with mathematics as MathML, which browsers draw without help."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from reports.documents.as_latex import paragraphs
from reports.documents.blocks import (
    Block,
    Blocks,
    Code,
    Contents,
    Display,
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
from reports.formulas import as_mathml


def html_text(blocks: Blocks) -> str:
    """The blocks as HTML; ids of claims become links to them.

    Examples
    --------
    >>> html_text((Paragraph(("1 < 2, ", Link("a.b"))),))
    '<p>1 &lt; 2, <a href="#a.b"><code>a.b</code></a></p>'
    """
    return "\n".join(line for block in blocks for line in _block(block))


def mathml(text: str, display: bool = False) -> str:
    """A formula as a ``math`` element; code if it is none."""
    inside = as_mathml(text)
    if inside is None:
        return f"<code>{escape(text)}</code>"
    kind = ' display="block"' if display else ""
    return f"<math{kind}>{inside}</math>"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading(level, words, _):
            yield f"<h{level}>{line_html(words)}</h{level}>"
        case Paragraph(words):
            yield f"<p>{line_html(words)}</p>"
        case Display(text, _):
            yield f'<div class="display" tabindex="0">{mathml(text, True)}</div>'
        case Items(items, _, _):
            inside = "".join(f"<li>{line_html(words)}</li>" for words in items)
            yield f"<ul>{inside}</ul>"
        case Table(head, rows, _):
            top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
            body = "".join(
                "<tr>" + "".join(f"<td>{line_html(words)}</td>" for words in row) + "</tr>"
                for row in rows
            )
            yield f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
        case Passage(text):
            inside = "".join(f"<p>{line_html(prose(part))}</p>" for part in paragraphs(text))
            yield f"<blockquote>{inside}</blockquote>"
        case Figure(_, caption):
            yield f"<p><em>{escape(caption)}</em></p>"
        case Contents():
            return


def line_html(words: Words) -> str:
    """Words in a line."""
    return "".join(map(_word, words))


def _word(one: Inline) -> str:
    match one:
        case Code(text):
            return f"<code>{escape(text)}</code>"
        case Math(text):
            return mathml(text)
        case Strong(text):
            return f"<strong>{escape(text)}</strong>"
        case Link(name, says):
            shown = escape(says) if says else f"<code>{escape(name)}</code>"
            return f'<a href="#{escape(name)}">{shown}</a>'
        case _:
            return escape(str(one))
