"""``staleproof derive``: closed forms of delays, proved for all p.

Derives start times, delays and staleness of a family as formulas in p and proves them for every p ≥
2. Of families with split backwards, several stages a rank or updates at an interval it proves
makespan, bubble, peak of activations and largest local staleness, for all sizes. Exit code 1 unless
a law, or all seven invariants of an order of your own, are proved.
"""

import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from schedules import LINEARIZATIONS, get_family, get_linearization
from schedules.closed_forms.start_times import LEAST_STAGES
from schedules.errors import ParameterError, ScheduleError
from schedules.families import is_family_file
from schedules.families.family import Family
from schedules.linearization import DEFAULT
from schedules.stamps import StampedOrder
from schedules.timeline import timeline
from schedules.user_code import TooLong
from staleproof.arguments import Parser, add_json, as_mapping, assignment, suggestion
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.family_options import FAMILY_HELP, add_parameters, parameters, require_family
from staleproof.interrupts import keep_from_z3
from staleproof.output import progress, put, put_json

if TYPE_CHECKING:
    from theory.errors import NoClosedFormError

AT: Final = "--at"
DURATIONS: Final = "--durations"
POINT: Final = "p=…,i=…,j=…"
SMALL: Final = range(1, 6)
"""Values of p that a file's family is built for before anything is proved."""

TRIED: Final = (range(1, 5), range(1, 9))
"""Values of p and M that are tried where no size of the table runs."""

COORDINATES: Final = ("p", "i", "j", "r")

_FORMS: Final = {
    "max": "max over (i, j)",
    "min": "min over (i, j)",
    "mean": "mean over (i, j)",
    "whole_run_max": "largest in the whole run",
    "whole_run_least_m": "  reached from M on, M",
}


def configure(parser: Parser) -> None:
    """Add the arguments of ``derive``."""
    parser.add_argument("family", metavar="FAMILY|FILE.py", help=FAMILY_HELP)
    parser.add_argument(
        "--linearization",
        metavar="L",
        default=DEFAULT,
        help=f"{', '.join(LINEARIZATIONS)} (default {DEFAULT})",
    )
    add_parameters(parser)
    parser.takes(
        """
        --at p=…,i=…,j=…  evaluate the law at these numbers
        --durations  start times for all durations F, B and messages c too
        """,
        at=point,
    )
    add_json(parser)


def point(text: str) -> dict[str, int]:
    """Read the numbers of ``--at``: p, and i, j and r where wanted.

    Raises
    ------
    UsageError
        No p, or a name other than p, i, j, r.

    Examples
    --------
    >>> point("p=1000000,i=0,j=0")
    {'p': 1000000, 'i': 0, 'j': 0}
    """
    values = as_mapping((assignment(part, AT, POINT) for part in text.split(",")), AT)
    for name in values:
        if name not in COORDINATES:
            remedy = suggestion(name, COORDINATES) or f"write {POINT}"
            raise UsageError(f"there is no {name!r}, only p, i, j and r", AT, remedy)
    if "p" not in values:
        raise UsageError("the number of stages p is needed", AT, f"write {POINT}")
    return values


def run(arguments: Namespace) -> int:
    """Derive, prove, print; 1 unless a law, all invariants or all figures are proved."""
    require_family(arguments.family)
    family = get_family(arguments.family)
    get_linearization(arguments.linearization)
    missing = _missing(family, parameters(arguments)) if is_family_file(arguments.family) else []
    from theory.derive import derive, durations, has_law, invariants
    from theory.errors import NoClosedFormError
    from theory.laws.step_delays import of_a_flush
    from theory.verdicts import Verdict

    if family.figures is not None and (parameters(arguments) or not has_law(family)):
        return _run_figures(arguments)

    keep_from_z3()
    try:
        law = derive(arguments.family, arguments.linearization, parameters(arguments))
    except NoClosedFormError as error:
        raise _with_its_paper(error, arguments.family) from None
    proved = law.verdict is Verdict.PROVED
    result = law.to_json() | {"no_schedule": missing}
    step = None if proved else of_a_flush(family, arguments.linearization)
    if step is not None and all(row.get("refused") for row in result["table"]):
        result["runs"] = _running(family, parameters(arguments))
        step = step if result["runs"] else None  # a law of no size says nothing
    if step is not None:
        result["step"] = step.to_json()
        result["proof"] += [one.to_json() for one in step.proof]
    if arguments.at is not None:
        wanted = arguments.at
        values = law.at(**wanted) if proved else None
        result["at"] = values
    if is_family_file(arguments.family) and not parameters(arguments):
        row = invariants(arguments.family, law)
        proved = proved or row.proved
        result["invariants"] = [one.to_json() for one in row.invariants]
        result["invariants_domain"] = row.domain
    if arguments.durations and parameters(arguments):
        raise UsageError("the order is the family's own", DURATIONS, "leave out --set")
    if arguments.durations:
        found = durations(arguments.family, law)
        result["durations"] = [one.to_json() for one in found]
        result["durations_open"] = (
            "" if found else _why(law.verdict is Verdict.PROVED or result["started"])
        )
        proved = proved and bool(found)
    if arguments.json:
        put_json(result)
    else:
        put(*_lines(result))
    return 0 if proved else 1


def _with_its_paper(error: "NoClosedFormError", family: str) -> "NoClosedFormError":
    """The error; of a family that has the name of a paper, where its claims are judged."""
    from theory.judging.catalogue import PAPERS

    if family not in PAPERS:
        return error
    fix = f"{error.fix}, `staleproof verify {family}` for what its paper claims"
    return type(error)(error.what, error.where, fix)


def _running(family: Family, given: Mapping[str, int]) -> list[dict[str, int]]:
    """Which of some small sizes run to their end."""
    found = []
    for p, M in product(*TRIED):
        with suppress(ScheduleError):
            timeline(family.build(p, M, **given))
            found.append({"p": p, "M": M})
    return found


def _missing(family: Family, given: Mapping[str, int]) -> list[dict[str, Any]]:
    """The least p, up to the first that has a schedule, and why they have none.

    Raises
    ------
    ScheduleError
        No small size has one for another reason than that it is refused: the file is wrong.
    """
    known = family.rule.defaults if isinstance(family.rule, StampedOrder) else {}
    least = {one.name: one.minimum for one in family.parameters if one.name not in known}
    found: dict[int, ScheduleError] = {}
    for p, M in product(SMALL, (1, 4)):
        try:
            family.build(p, M * p, **{**least, **given})
        except ParameterError:
            continue
        except ScheduleError as error:
            if isinstance(error.__cause__, TooLong):
                raise
            found.setdefault(p, error)
        else:
            return [{"p": less, "why": error.what} for less, error in found.items() if less < p]
    if found:
        raise next(iter(found.values()))
    return []


def _run_figures(arguments: Namespace) -> int:
    """Prove the family's figures, print; 1 unless they are."""
    if arguments.at is not None:
        raise UsageError(
            "delays are evaluated of one stage a rank, F and B alone, an update a gradient or a "
            "flush",
            AT,
            f"leave {AT} out",
        )
    from theory.laws.duration_figures import span_laws
    from theory.laws.figures import figures_law
    from theory.verdicts import Verdict

    keep_from_z3()
    law = figures_law(arguments.family, parameters(arguments), arguments.linearization)
    result, proved = law.to_json(), law.verdict is Verdict.PROVED
    if arguments.durations:
        ordered = isinstance(get_family(arguments.family).rule, StampedOrder)
        if ordered:
            progress("durations: regions are looked for and proved one by one")
        spans = span_laws(get_family(arguments.family))
        result["durations"] = [one.to_json() for one in spans]
        result["durations_open"] = "" if spans else _why(ordered)
        proved = proved and bool(spans)
    if arguments.json:
        put_json(result)
    else:
        put(*_figure_lines(result))
    return 0 if proved else 1


def _why(ordered: Any) -> str:
    """Why no makespan is proved for all durations."""
    longest = "no one path is proved to be the longest in a region of durations"
    return longest if ordered else "no order is proved that other durations keep"


def _figure_lines(result: dict[str, Any]) -> Iterator[str]:
    from reports.formulas import as_text

    yield f"{result['family']}: {result['verdict']}"
    if result["makespan"] is None:
        how = "" if result["verdict"] == "REFUTED" else "open: "
        yield f"no figures are proved; {how}{result['open']}"
    else:
        yield f"for {result['domain']}"
        yield ""
        yield "unit times: F = B = 1; where backwards are split, F = I = W = 1 and B = 2"
        yield f"makespan: {as_text(result['makespan'])}"
        yield f"bubble: {as_text(result['bubble'])}"
        yield f"peak activations of rank r: {as_text(result['peak_activations'])}"
        stale = as_text(result["local_staleness_whole_run"])
        fresh = ": one version a step, one update of all its gradients" if result["flush"] else ""
        yield f"largest local staleness of gradients applied at stage s: {stale}{fresh}"
        yield from _delay_lines(result)
    yield from _proof_lines(result)
    yield from _duration_lines(result)


def _delay_lines(result: dict[str, Any]) -> Iterator[str]:
    """Of a step, the same for every block j and microbatch, or of a window."""
    from reports.formulas import as_text

    result = result | result.get("short", {})

    if result["delay"] is None:
        yield f"delays: UNKNOWN [{result['delay_open']}]"
        return
    lines = result["linearization"]
    yield f"delay D[i][j], linearization {lines}: of {result['delay_of']}"
    yield from _entries(result)
    if result["equivalent_delay"]:
        yield f"equivalent delay E[i][j], of the same: {as_text(result['equivalent_delay'])}"
    for key in ("max", "min", "mean", "whole_run_max", "whole_run_least_m"):
        if result.get(key) is not None and (key != "whole_run_max" or result[key] != result["max"]):
            yield f"{_meaning(key, result)}: {as_text(result[key])}"


def _meaning(key: str, result: dict[str, Any]) -> str:
    """What a form is of: of rows that depend on the place r in a round, those of all places."""
    every = any(re.search(r"\br\b", str(one)) for one in result["delay"])
    return _FORMS[key].replace("(i, j)", "(i, j, r)") if every else _FORMS[key]


def _entries(result: dict[str, Any]) -> Iterator[str]:
    """D[i][j], in two parts where it depends on the place r in a round."""
    from reports.formulas import as_text

    if "index" not in result:
        yield from _cases(result["delay"])
        return
    r = ", r" if re.search(r"\br\b", str(result["recorded"])) else ""
    yield f"  A(i{r}) − R(j{r}), with A(i{r})"
    yield from _cases(result["index"])
    yield f"and R(j{r})"
    yield from _cases(result["recorded"])
    if "short" in result:
        total = f" and G(k) = {as_text(result['G(k)'])}" if "G(k)" in result else ""
        yield f"with c(k) = {as_text(result['c(k)'])}{total}"
        named = result["short"].get("where", {}).items()
        if named:
            yield "where " + ", ".join(f"{as_text(name)} = {as_text(form)}" for name, form in named)


def _lines(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['family']}, linearization {result['linearization']}: {result['verdict']}"
    for one in result["no_schedule"]:
        yield f"p = {one['p']} has no schedule: {one['why']}"
    for part in result.get("parts", ()):
        yield ""
        yield f"where {part['part']}: {part['verdict']}"
        yield from _law_lines(part)
    if "parts" not in result or result["table"]:
        yield from _law_lines(result)
    if "runs" in result:
        yield ""
        yield from _size_lines(result["runs"])
    if "step" in result:
        yield ""
        yield "at every size that runs to its end, as a flush ends a step"
        yield from _delay_lines(result["step"])
    yield from _proof_lines(result)
    yield from _invariant_lines(result)
    yield from _duration_lines(result)
    if result.get("at") is not None:
        yield ""
        yield "at these numbers"
        yield from _values(result["at"])


def _values(found: dict[str, Any]) -> Iterator[str]:
    """What a law says at numbers; of a delay that is open, which number is missing."""
    from reports.formulas import as_text

    for name, value in found.items():
        if name == "delay" and value is None:
            yield f"  delay depends on r, {as_text(found['needs'])}: add r=… to {AT}"
        elif name != "needs":
            yield f"  {name} = {as_text(value) if isinstance(value, str) else value}"


def _law_lines(result: dict[str, Any]) -> Iterator[str]:
    if result["delay"] is not None:
        yield f"for all {result['domain']}"
        if not result["domain"].startswith(f"p >= {LEAST_STAGES},"):
            yield "smaller p have other forms, or no schedule: ask `staleproof delays` for numbers"
        yield ""
        yield from _closed_forms(result)
    else:
        yield from _instead(result)


def _size_lines(runs: list[dict[str, int]]) -> Iterator[str]:
    """Which small sizes run, where the larger ones that were tried do not."""
    among = " and ".join(f"{name} ≤ {max(tried)}" for name, tried in zip("pM", TRIED, strict=True))
    if not runs:
        yield f"no size with {among} runs to its end: there are no delays to state"
        return
    yield f"of the sizes with {among} these run to their end"
    for p in dict.fromkeys(size["p"] for size in runs):
        yield f"  p = {p}: M = {', '.join(str(size['M']) for size in runs if size['p'] == p)}"


def _invariant_lines(result: dict[str, Any]) -> Iterator[str]:
    """Of an order in a file: what holds for all sizes, or where it does not."""
    if "invariants" not in result:
        return
    yield ""
    if not result["invariants_domain"]:
        yield f"invariants: UNKNOWN [{result['invariants'][0]['note']}]"
        return
    yield f"invariants, for all sizes with {result['invariants_domain']}"
    for one in result["invariants"]:
        bound = f" = {one['bound']}" if one["bound"] else ""
        at = "".join(f", {name} = {number}" for name, number in (one["witness"] or {}).items())
        why = "" if one["verdict"] == "PROVED" else f" [{one['note']}]"
        yield f"  {one['verdict']:<9} {one['name']}{bound}{at}: {one['says']}{why}"


def _duration_lines(result: dict[str, Any]) -> Iterator[str]:
    """Start times of the order for all durations, one region after the other."""
    from reports.formulas import as_text

    if "durations" not in result:
        return
    yield ""
    if not result["durations"]:
        yield f"durations as symbols: UNKNOWN [{result['durations_open']}]"
    if sum(not law["starts"] for law in result["durations"]) > 1:
        yield "each makespan is as long as a path of any durations: that of a run is the largest"
    for law in result["durations"]:
        yield f"for all durations with {law['domain']}: {law['verdict']}"
        yield f"  makespan: {as_text(law['makespan'])}"
        for kind in ("F", "B") if law["starts"] else ():
            yield f"  start of {kind}(s, m), a sum"
            for duration, cases in law["starts"].items():
                yield f"    of {as_text(duration)}, so many times"
                yield from (f"    {line}" for line in _cases(cases[kind]))
        yield from (f"  {line}" for line in _rounds(next(iter(law["starts"].values()), {})))


def _instead(result: dict[str, Any]) -> Iterator[str]:
    """What is known of a family without a proved law."""
    yield f"no law is proved; open: {result['open']}"
    if result["guess"] is not None:
        yield ""
        fits = (
            "start times, proved" if result["started"] else "a guess that no small run contradicts"
        )
        yield f"{fits}, for p ≥ {result['guess']['least_p']}, M ≥ 1, 0 ≤ s < p and 0 ≤ m < M"
        yield from _start_times(result["guess"])
    if result["table"]:
        yield ""
        yield "runs, exactly: steady delays, largest local staleness by stage"
    for row in result["table"]:
        rest = row.get("refused") or _numbers(row)
        yield f"  p = {row['p']}, M = {row['M']}: {rest}"


def _numbers(row: dict[str, Any]) -> str:
    stale = " ".join(map(str, row["local_staleness_whole_run"]))
    steady = "not steady"
    if row["mean"] is not None:
        steady = f"max {row['max']}, min {row['min']}, mean {row['mean']} from m = {row['from']} on"
    return f"{steady}; whole run {row['whole_run_max']}; stale {stale}; {row['makespan']} slots"


def _proof_lines(result: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield "proof"
    steps = (
        f"  {step['verdict']:<9} {step['name']}: {step['says']} [{step['method']}]"
        for step in result["proof"]
    )
    yield from dict.fromkeys(steps)  # of parts, some steps are the same


def _closed_forms(result: dict[str, Any]) -> Iterator[str]:
    from reports.formulas import as_text

    yield from _start_times(result["start_times"])
    result = result | result.get("short", {})
    yield "steady delay D[i][j]"
    yield from _entries(result)
    for key in _FORMS:
        if result[key] is not None:  # delays that never fall attain it in the steady state
            yield f"{_meaning(key, result)}: {as_text(result[key])}"
    yield "local staleness of stage i"
    yield from _cases(result["local_staleness"])
    if result["local_staleness_whole_run"]:
        yield "  its largest value in whole runs, reached where M is large enough"
        yield from _cases(result["local_staleness_whole_run"])
    yield f"makespan of M microbatches: {as_text(result['makespan'])}"
    yield f"bubble: {as_text(result['bubble'])}"
    yield "most activations in flight at stage i, or M if that is less"
    yield from _cases(result["in_flight"])


def _start_times(texts: dict[str, Any]) -> Iterator[str]:
    for kind in ("F", "B"):
        yield f"slot of {kind}(s, m)"
        yield from _cases(texts[kind])
    yield from _rounds(texts)


def _rounds(texts: dict[str, Any]) -> Iterator[str]:
    """What q and r are, where a form may have them."""
    from reports.formulas import as_text

    if "period" in texts:
        every = as_text(texts["period"])
        yield f"with m = ({every})q + r and 0 ≤ r < {every}"


def _cases(cases: list[dict[str, str]] | str) -> Iterator[str]:
    """One line a case; a form without cases is a text."""
    from reports.formulas import as_text

    if isinstance(cases, str):
        yield f"  {as_text(cases)}"
        return
    whens: dict[str, list[str]] = {}
    for case in cases:
        when = "" if case["when"] == "True" else as_text(case["when"])
        whens.setdefault(case["expr"], []).append(when)
    common = max(whens, key=lambda form: len(whens[form]))
    if len(whens[common]) > 1:  # the cases are all that there are
        whens[common] = ["otherwise" if len(whens) > 1 else ""]
    for form, conditions in sorted(whens.items(), key=lambda one: one[1] == ["otherwise"]):
        text = " or ".join(conditions)
        condition = {"": "", "otherwise": "   otherwise"}.get(text, f"   if {text}")
        inner = form.startswith("Piecewise(") and condition  # its cases end before this one's
        yield f"  ({as_text(form)}){condition}" if inner else f"  {as_text(form)}{condition}"


COMMAND: Final = Command.of(__doc__, configure, run)
