"""Outcomes as annotations of GitHub Actions: workflow commands, with the text between them."""

from collections.abc import Iterator

from staleproof.checking.outcome import Result, Unreadable
from staleproof.checking.text import lines
from staleproof.checking.workspace import in_workspace
from staleproof.output import one_line


def github_lines(outcome: Result) -> Iterator[str]:
    """The text of an outcome, then an annotation for each thing to see in the pull request."""
    if isinstance(outcome, Unreadable):
        yield annotation("error", "not readable", outcome.message, in_workspace(outcome.target))
        return
    yield from map(harmless, lines(outcome))
    file = in_workspace(outcome.target) if outcome.from_file else None
    foremost = (fault for name in outcome.broken for fault in outcome.foremost(name)[0])
    for fault in foremost:
        shown = "\n".join((fault.message, *fault.excerpt, *fault.steps))
        yield annotation("error", fault.invariant, shown, file, fault.line)
    for name, why in outcome.undecided:
        yield annotation("error", f"{outcome.term(name)} is undecided", why, file)
    for finding in outcome.findings:
        yield annotation("warning", "finding", finding, file)


def harmless(line: str) -> str:
    r"""A line of text that is no command; ``##[`` begins one wherever it stands.

    Examples
    --------
    >>> print(harmless("ok: ##[error]q.csv"))
    ok: ##\x5berror]q.csv
    """
    return one_line(line).replace("##[", r"##\x5b")


def annotation(
    level: str, title: str, message: str, file: str | None = None, line: int | None = None
) -> str:
    r"""One workflow command, with everything escaped that would end it.

    Examples
    --------
    >>> print(annotation("error", "match", "a.csv: 100%\nwrong", "a.csv", 2))
    ::error file=a.csv,line=2,title=match::a.csv: 100%25%0Awrong
    """
    properties = {"file": file, "line": line, "title": title}
    given = ",".join(
        f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None
    )
    return f"::{level} {given}::{_data(message)}"


def _data(text: str) -> str:
    for plain, escaped in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(plain, escaped)
    return one_line(text)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
