"""Outcomes as JUnit XML: a suite a target, a test case an invariant."""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from staleproof import __version__
from staleproof.checking.outcome import Fault, Outcome, Result, Unreadable
from staleproof.checking.text import more_of, shown_lines
from staleproof.output import one_line


def junit(outcomes: Sequence[Result], notes: Sequence[str] = ()) -> str:
    """The XML text of a report; the same for the same outcomes.

    An invariant that does not hold is a failure, one that is undecided an error, and one that
    holds of nothing is skipped. A target that could not be read is a suite of one error. A note
    is what the suite of the same place prints: what changed, for example.

    Examples
    --------
    >>> from schedules import WeightPolicy
    >>> from schedules.messages.model import QueueModel
    >>> policy = WeightPolicy("stash")
    >>> print(junit([Outcome("a.csv", True, 8, True, True, QueueModel(), policy, ("match",))]))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="staleproof" tests="0" failures="0" errors="0">
      <testsuite name="a.csv" tests="0" failures="0" errors="0" skipped="0">
    ...
        <property name="required" value="match" />
    ...
    """
    root = ET.Element("testsuites", name="staleproof")
    suites = [_unread(each) if isinstance(each, Unreadable) else _suite(each) for each in outcomes]
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    for suite, note in zip(suites, notes, strict=False):
        ET.SubElement(suite, "system-out").text = note
    root.extend(suites)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}'


def _unread(target: Unreadable) -> ET.Element:
    name = one_line(target.target)
    suite = ET.Element("testsuite", name=name, tests="1", failures="0", errors="1", skipped="0")
    case = ET.SubElement(suite, "testcase", name="readable", classname=name, file=name)
    ET.SubElement(case, "error").set("message", one_line(target.message))
    return suite


def _suite(outcome: Outcome) -> ET.Element:
    name = one_line(outcome.target)
    cases = list(_cases(outcome, name))
    count = {tag: sum(case.find(tag) is not None for case in cases) for tag in _TAGS}
    suite = ET.Element(
        "testsuite",
        name=name,
        tests=str(len(cases)),
        failures=str(count["failure"]),
        errors=str(count["error"]),
        skipped=str(count["skipped"]),
    )
    properties = ET.SubElement(suite, "properties")
    about = {
        "staleproof": __version__,
        "model": str(outcome.model),
        "policy": "; ".join(outcome.grounds),
        "required": ", ".join(outcome.required),
        "findings": "; ".join(outcome.findings),
    }
    for key, value in about.items():
        ET.SubElement(properties, "property", name=key, value=one_line(value))
    suite.extend(cases)
    return suite


_TAGS = ("failure", "error", "skipped")


def _cases(outcome: Outcome, name: str) -> Iterator[ET.Element]:
    undecided = dict(outcome.undecided)
    for invariant in dict.fromkeys((*outcome.broken, *outcome.decided, *undecided)):
        case = ET.Element("testcase", name=one_line(outcome.term(invariant)), classname=name)
        faults, more = outcome.foremost(invariant)
        if faults:
            line = next((fault.line for fault in faults if fault.line is not None), None)
            if outcome.from_file:
                case.set("file", name)
            if line is not None:
                case.set("line", str(line))
            _failure(case, faults, more)
        elif invariant in undecided:
            message = one_line(f"undecided: {undecided[invariant]}")
            ET.SubElement(case, "error").set("message", message)
        elif invariant in outcome.of_nothing:
            ET.SubElement(case, "skipped").set("message", "there are no messages")
        yield case


def _failure(case: ET.Element, faults: Sequence[Fault], more: int) -> None:
    failure = ET.SubElement(case, "failure")
    failure.set("message", one_line(faults[0].message))
    failure.set("type", one_line(faults[0].invariant))
    text = [line for fault in faults for line in (fault.message, *shown_lines(fault, "  "))]
    text += [more_of(more)] if more else []
    failure.text = "\n".join(map(one_line, text))
