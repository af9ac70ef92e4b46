"""Rows of a ledger as text: a table, one after the other, or one at full length."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from textwrap import shorten, wrap
from typing import Any, Final

from staleproof.output import LONGEST_SLACK, LONGEST_VERDICT, one_line, put, put_table, width

LONGEST_CELL: Final = 160
"""Characters of a sentence in the table; ``--json`` and ``--report`` have all of it."""

LONGEST_INSTANCE: Final = 400
"""Characters of a counterexample below the table."""

MOST_IN_A_TABLE: Final = 12
"""Rows that are shown with their statements; ``--json`` and ``--report`` show all with them."""

NARROWEST_TABLE: Final = 100
"""Columns below which a table of sentences cannot be read."""

EXPLAINED: Final = ("comparison", "grid", "words")
"""What a verdict may rest on beside machine proofs; a row at full length explains these."""


_MEAN: Final = re.compile(r'mean\(([^,]+), (\[(?:"[^"]*"|[^]"])*\]), ')
"""How a formula names a mean, with all that is random to it."""


def put_rows(rows: Sequence[dict[str, Any]], own: Collection[str] = ()) -> None:
    """Print the rows of a ledger, and how often each verdict occurs.

    Few rows come as a table with formulas and sentences, many one after the other, or as cells of a
    table; one row comes at full length. Rows of files, whose ids are `own`, come with their
    hypotheses, and with what the files say in their own words.
    """
    if len(rows) <= MOST_IN_A_TABLE and width() >= NARROWEST_TABLE:
        columns = ("id", "verdict", "printed proof", "formula", "sentence", "remark")
        put_table("", columns, [_cells(row) for row in rows])
    else:
        put(*lines(rows, width()))
    if len(rows) == 1:
        put(*map(one_line, _briefly(list(details(rows[0])))))
    else:
        for row in (row for row in rows if row["id"] in own and row["hypotheses"]):
            under = [f"{row['id']}:", *_supposed(row)]
            put(*map(one_line, _briefly(under)))
    supplied: dict[str, list[str]] = {}
    for row in rows:
        if row["id"] in own:
            supplied.setdefault(", ".join(row["supplied"]), []).append(row["id"])
    for words, ids in supplied.items():
        put(one_line(f"{', '.join(ids)}: the file's own words, which nothing checks: {words}"))
    for row in rows:
        if row.get("counterexample") and (row["id"] in own or len(rows) == 1):
            put(one_line(_instance(row)))
    for row in rows:
        told = (one["says"] for one in row["evidence"] if one["says"].startswith("tightness, of "))
        put(*(one_line(f"{row['id']}: {says}") for says in told))
    apart = [row for row in rows if row["origin"] not in ("printed", "reconstructed")]
    if 0 < len(apart) < len(rows):
        printed = [row for row in rows if row not in apart]
        put(f"as printed: {counted(printed)}", f"implied or ours: {counted(apart)}")
    number = "1 claim" if len(rows) == 1 else f"{len(rows)} claims"
    put(f"{number}: {counted(rows)}")


def _instance(row: dict[str, Any]) -> str:
    """The counterexample of a row, as far as a line has room."""
    said = ", ".join(f"{name} = {value}" for name, value in row["counterexample"].items())
    return f"{row['id']}: counterexample: {shorten(said, LONGEST_INSTANCE, placeholder=' …')}"


def counted(rows: Sequence[dict[str, Any]]) -> str:
    """How often each verdict occurs."""
    counts = Counter(row["verdict"] for row in rows)
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))


def _briefly(told: Sequence[str]) -> Iterator[str]:
    """Formulas without what is random to a mean, where every mean of its name has the same.

    Examples
    --------
    >>> list(_briefly(['mean(E, [g, "f[k]"], dot(g, g)) <= 1', "where E: mean over g, f[k]"]))
    ['mean(E, dot(g, g)) <= 1', 'where E: mean over g, f[k]']
    """
    random: dict[str, set[str]] = defaultdict(set)
    for name, listed in (found for line in told for found in _MEAN.findall(line)):
        random[name].add(listed)

    def shorter(found: re.Match[str]) -> str:
        return f"mean({found[1]}, " if len(random[found[1]]) == 1 else found[0]

    yield from (_MEAN.sub(shorter, line) for line in told)


def details(row: Any) -> Iterator[str]:
    """One row at full length: what it rests on, and its hypotheses as they were checked."""
    from reports.ledger import LINKS, slack_of, verdict_text

    yield f"{row['id']}: {verdict_text(row)}"
    yield from (f"  {link}: {LINKS[link]}" for link in EXPLAINED if link in row["rests_on"])
    if row["goal"] is not None:
        yield f"  formula: {row['goal']}"
    if slack_of(row):
        brief = shorten(slack_of(row), LONGEST_SLACK, placeholder=" …")
        yield f"  slack, by which the certificate shows more: {brief}"
    yield from _supposed(row)
    yield from (f"  where {text}" for one in row.get("symbols", ()) for text in _meaning(one))


def _supposed(row: Any) -> Iterator[str]:
    """Under what a row holds, as it was checked, and for what."""
    from reports.ledger import hypothesis_text

    for one in row["hypotheses"]:
        case = f" ({one['case']})" if "case" in one else ""
        words = f"    [{one['name']}: {one['says']}]" if one["says"] != one["name"] else ""
        yield f"  if{case} {hypothesis_text(one)}{words}"
    yield from (f"  {text}" for text in row["quantifiers"])


def _meaning(one: dict[str, str]) -> Iterator[str]:
    """What a name stands for, unless its quantifier or the name itself says so: f(x) is f at x."""
    name, domain, says = one["name"], one["domain"], one["says"]
    function, _, place = says.removeprefix("gradient of ").partition(" at ")
    place = place.strip('"')
    itself = name in (f"{function}({place})", f"∇{function}({place})")
    sign = domain if domain not in ("real", "vector", "mean", "sequence") else ""
    if (says and not itself) or (sign and (says or domain.startswith("sequence"))):
        yield ": ".join((name, *filter(None, (sign, says))))


def lines(rows: Sequence[dict[str, Any]], columns: int) -> Iterator[str]:
    """A row after the other, under the name of its paper: id, verdict, and the whole remark.

    Rows that form a table stand in it.
    """
    from reports.cells import table_of
    from staleproof.matrix import table_lines

    papers = [(name, list(group)) for name, group in groupby(rows, key=lambda row: row["paper"])]
    tables = [table_of(group) for _, group in papers]
    inside = {name for table in tables if table is not None for name in table.ids}
    alone = [row for row in rows if row["id"] not in inside]
    longest = max((len(row["id"]) for row in alone), default=0)
    for (paper, group), table in zip(papers, tables, strict=True):
        yield str(paper)
        for row in group:
            if row["id"] in inside:
                continue
            start = f"  {row['id']:<{longest}}  {row['verdict']:<{LONGEST_VERDICT}}"
            remark = one_line(_remark(row))
            yield from wrap(
                f"{start}  {remark}".rstrip(),
                columns,
                subsequent_indent=" " * 6,
                break_long_words=False,
                break_on_hyphens=False,
            )
        if table is not None:
            yield from table_lines(table, columns)


def _cells(row: Any) -> tuple[str, ...]:
    from reports.ledger import verdict_text

    said = (row["goal"] or "", row["statement"])
    brief = (shorten(text, LONGEST_CELL, placeholder=" …") for text in said)
    return row["id"], verdict_text(row), row["printed_proof"], *brief, _remark(row)


def _remark(row: dict[str, Any]) -> str:
    """What is special about its file, then the first finding or why nothing is decided."""
    special = [entry["says"] for entry in row["evidence"] if entry["data"].get("remark") is True]
    return "; ".join(filter(None, (*special, _found(row))))


def _found(row: dict[str, Any]) -> str:
    """The first finding; without one, what kept the claim from being decided, if anything did."""
    for finding in row["findings"]:
        return f"{finding['kind']}: {finding['says']}"
    if row["verdict"] != "UNKNOWN":
        return ""
    for evidence in reversed(row["evidence"]):
        if evidence["says"].startswith("not decided"):
            return str(evidence["says"])
    for step in row["steps"]:
        if step["verdict"] != "PROVED":
            return f"{step['where']}: {step['rule']}"
    return ""
