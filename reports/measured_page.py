"""One page of all committed measurements, from their JSON files.

``python -m reports.measured_page reports/measured`` writes ``README.md`` there. Every number on
the page stands in one of the files; what was not measured is called so.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from reports.errors import OutputError
from reports.files import write_files

MEASUREMENT: Final = "staleproof-measure/1"
TABLE: Final = "staleproof-seed-table/1"
FAILED: Final = "staleproof-error/1"
"""What ``measure --json`` prints where nothing could be measured; also of a run that failed."""

PAGE: Final = "README.md"

Files = Mapping[str, Mapping[str, Any]]
"""File name → content."""


def load(folder: Path) -> dict[str, dict[str, Any]]:
    """Read every JSON file of a folder.

    Raises
    ------
    OutputError
        A file is no JSON, or none of the two kinds that go on the page.
    """
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise OutputError(f"cannot be read ({error})", str(path), "measure again") from None
        if isinstance(content, dict) and isinstance(content.get("error"), dict):
            found[path.name] = {**content, "schema": FAILED}
            continue
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema not in (MEASUREMENT, TABLE):
            raise OutputError(
                f"a measurement has the schema {MEASUREMENT} or {TABLE}, found {schema!r}",
                str(path),
                "move this file elsewhere",
            )
        found[path.name] = content
    return found


def page(files: Files) -> str:
    """The page as Markdown.

    Examples
    --------
    >>> print(page({}))
    # Measured
    <BLANKLINE>
    No measurement is here yet.
    <BLANKLINE>
    """
    lines = ["# Measured", ""]
    measurements = {name: f for name, f in files.items() if f["schema"] == MEASUREMENT}
    tables = {name: f for name, f in files.items() if f["schema"] == TABLE}
    if not files:
        lines += ["No measurement is here yet.", ""]
    if measurements:
        lines += [*_machines(measurements), *_measurements(measurements)]
    for name, content in tables.items():
        lines += _seed_table(name, content)
    return "\n".join([*lines, *_failures(files)])


def _failures(files: Files) -> Iterator[str]:
    """Measurements that came to nothing, and why."""
    failed = {
        name: content["error"] for name, content in files.items() if content["schema"] == FAILED
    }
    if failed:
        yield "## Not measured"
        yield ""
        for name, error in failed.items():
            yield f"- `{name}`: {error.get('where')}: {error.get('what')}"
        yield ""


def _machines(files: Files) -> Iterator[str]:
    """Where the measurements were made."""
    yield "## Machine"
    yield ""
    machines: dict[str, list[str]] = {}
    for name, content in files.items():
        machines.setdefault(_machine(content["environment"]), []).append(name)
    for machine, names in machines.items():
        yield f"- {machine} ({len(names)} of {len(files)} files)"
    yield ""


def _machine(where: Mapping[str, Any]) -> str:
    gpus = ", ".join(gpu["name"] for gpu in where["gpus"]) or "no GPU"
    return (
        f"{where['processor'] or 'unknown processor'}, {where['cores']} cores, {gpus}; "
        f"{where['system']}, Python {where['python']}, torch {where['libraries']['torch']}"
    )


def _measurements(files: Files) -> Iterator[str]:
    yield "## Runs"
    yield ""
    yield "Checks: held / applicable. Controls: caught / applicable. Local staleness: the largest"
    yield "of each stage, measured and predicted; they are compared microbatch by microbatch."
    yield ""
    yield (
        "| file | family | p | M | policy | transport, device | order | checks | controls | local "
        "staleness | predicted | agree |"
    )
    yield "|:--|:--|--:|--:|:--|:--|:--|--:|--:|:--|:--|:--|"
    for name, content in files.items():
        yield f"| {' | '.join(_row(name, content))} |"
    yield ""


def _row(name: str, content: Mapping[str, Any]) -> list[str]:
    setup, checks, controls = content["setup"], content["checks"], content["controls"]
    applicable = [control for control in controls if control["applicable"]]
    return [
        f"[{name}]({name})",
        setup["family"],
        str(setup["ranks"]),
        str(setup["microbatches"]),
        setup["policy"]["name"],
        f"{setup.get('transport', '?')}, {setup.get('device', '?')}"
        f"{' (shared)' if setup.get('share_gpus') else ''}",
        setup["order"],
        f"{sum(check['holds'] is True for check in checks)} / {len(checks)}",
        f"{sum(control['caught'] for control in applicable)} / {len(applicable)}",
        _largest(content["measured"]["local_staleness"]),
        _largest(content["predicted"]["local_staleness"]),
        _agreement(content, all(control["caught"] for control in applicable)),
    ]


def _agreement(content: Mapping[str, Any], caught: bool) -> str:
    """Whether machine and model agree; what is undecided, where nothing else stands against it.

    Examples
    --------
    >>> left = {"agree": False, "checks": [{"name": "hash", "holds": None}]}
    >>> _agreement(left, caught=True), _agreement(left, caught=False)
    ('not shown: hash', '**no**')
    """
    if content["agree"]:
        return "yes"
    unsure = [check["name"] for check in content["checks"] if check["holds"] is None]
    failed = any(check["holds"] is False for check in content["checks"]) or not caught
    return "**no**" if failed or not unsure else f"not shown: {', '.join(unsure)}"


def _largest(rows: Sequence[Sequence[int]]) -> str:
    return " ".join(str(max(row, default=0)) for row in rows)


def _seed_table(name: str, content: Mapping[str, Any]) -> Iterator[str]:
    model = content["model"]
    yield "## The published table of schedules in PyTorch"
    yield ""
    yield (
        f"p = {content['ranks']}, M = {content['microbatches']}, {model['name']} of width "
        f"{model['width']}; from [{name}]({name}), on {_machine(content['environment'])}."
    )
    yield (
        "Memory is per rank; absolute bytes of different models and machines are not compared, "
        "ratios are."
    )
    yield ""
    yield (
        "| implementation | schedule | memory / GPipe, published | measured | communication share, "
        "published | measured | compute utilisation, published | measured | overlap, published | "
        "measured |"
    )
    yield "|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|"
    keys = ("memory_over_gpipe", "communication_share", "compute_utilisation", "overlap")
    for row in content["rows"]:
        cells = [row["implementation"], row["schedule"]]
        for key in keys:
            cells += [_number(row["published"][key]), _number(row["measured"][key])]
        yield f"| {' | '.join(cells)} |"
    yield ""
    for row in content["rows"]:
        yield f"- {row['implementation']} {row['schedule']}: {row['why']}"
    yield ""


def _number(value: float | str | None) -> str:
    """A cell: a number, ``not measured``, or a dash where the source has none."""
    return "–" if value is None else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page of a folder."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) != 1:
        print("usage: python -m reports.measured_page FOLDER", file=sys.stderr)
        return 2
    folder = Path(given[0])
    try:
        write_files({PAGE: page(load(folder)).encode()}, folder)
    except OutputError as error:
        print(f"measured_page: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
