"""Plans as plain data and as lines of text."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from schedules.analysis import critical_shares
from schedules.planning.plans import Binding, Found, Plan
from staleproof.layer_options import time_text

UNITS: Final = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def plan_data(plan: Plan) -> dict[str, Any]:
    """One plan."""
    return {
        "family": plan.family,
        "parameters": dict(plan.parameters),
        "makespan": plan.makespan,
        "is_lower_bound": plan.is_lower_bound,
        "bubble": plan.line.idle_fraction,
        "peak_memory": plan.peak_memory,
        "staleness": plan.staleness,
        "exposed_communication": plan.exposed_communication,
        "partition": list(plan.costs.bounds),
    }


def found_data(found: Found, why: Binding | None) -> dict[str, Any]:
    """All plans, best first; without any, what keeps them from the limits."""
    return {
        "plans": [plan_data(plan) for plan in found.plans],
        "beyond_limits": beyond(found),
        "left_out": [{"family": name, "why": text} for name, text in found.left_out.items()],
        "binding": None if why is None else binding_data(why),
    }


def beyond(found: Found) -> int:
    """How many families with parameters are beyond the limits."""
    return len({(plan.family, *plan.parameters.items()) for plan in found.others})


def binding_data(why: Binding) -> dict[str, Any]:
    """What binds, and the least that would do."""
    return {
        "limit": why.limit,
        "least_memory": None if why.memory is None else plan_data(why.memory),
        "least_staleness": None if why.staleness is None else plan_data(why.staleness),
    }


def plan_rows(found: Found, most: int) -> list[list[str]]:
    """Rows of a table."""
    return [
        [
            str(number),
            name_of(plan.family, plan.parameters),
            "≥ " * plan.is_lower_bound + time_text(plan.makespan),
            f"{float(plan.line.idle_fraction):.1%}",
            bytes_text(plan.peak_memory),
            str(plan.staleness),
            time_text(plan.exposed_communication),
            " ".join(str(b - a) for a, b in pairwise(plan.costs.bounds)),
        ]
        for number, plan in enumerate(found.plans[:most], 1)
    ]


def plan_columns(unit: str) -> list[str]:
    """Heads of the columns of `plan_rows`."""
    times = f" ({unit})" if unit else ""
    return [
        "",
        "plan",
        f"makespan{times}",
        "bubble",
        "memory of a rank",
        "staleness",
        f"exposed communication{times}",
        "layers by stage",
    ]


def found_lines(found: Found, most: int) -> Iterator[str]:
    """What follows the table."""
    if len(found.plans) > most:
        yield f"… and {len(found.plans) - most} more; --json lists them"
    if found.others:
        yield f"beyond the limits: {beyond(found)} more"
    if any(plan.is_lower_bound for plan in found.plans[:most]):
        yield "≥: several weight copies of a stage add up gradients or average, in no time here"
    yield path_line(found.plans[0])


def path_line(plan: Plan, most: int = 6) -> str:
    """What the critical path of a plan is made of."""
    layers = plan.costs.layers
    shares = critical_shares(plan.line, plan.costs.message_time)
    words = [f"{part.what} ×{part.count} {time_text(layers.time(part.time))}" for part in shares]
    more = ", …" if len(words) > most else ""
    return f"critical path of {plan.family}: {', '.join(words[:most])}{more}"


def binding_lines(found: Found, why: Binding) -> Iterator[str]:
    """What keeps every plan from the limits, for people."""
    limits = found.limits
    asked = []
    if limits.memory is not None:
        asked.append(f"{bytes_text(limits.memory)} a rank ({limits.memory} bytes)")
    if limits.staleness is not None:
        asked.append(f"staleness {limits.staleness}")
    words = {
        "memory": "the memory cap binds",
        "staleness": "the staleness limit binds",
        "both": "each limit can be kept, but not both",
    }
    yield f"no plan within {' and '.join(asked)}: {words[why.limit]}"
    if why.memory is not None:
        held = "" if limits.staleness is None else f" at staleness ≤ {limits.staleness}"
        yield (
            f"  least memory found{held}: {why.memory.peak_memory} bytes "
            f"({bytes_text(why.memory.peak_memory)}), {_named(why.memory)}"
        )
    if why.staleness is not None:
        held = "" if limits.memory is None else " within the memory cap"
        yield f"  least staleness found{held}: {why.staleness.staleness}, {_named(why.staleness)}"


def _named(plan: Plan) -> str:
    unit = plan.costs.layers.unit
    return f"{name_of(plan.family, plan.parameters)}, makespan {time_text(plan.makespan, unit)}"


def name_of(family: str, parameters: Mapping[str, int]) -> str:
    """A family with its parameters.

    Examples
    --------
    >>> name_of("pipedream", {"noam": 3})
    'pipedream noam=3'
    """
    return " ".join([family, *(f"{name}={value}" for name, value in parameters.items())])


def bytes_text(size: int) -> str:
    """Bytes for people, rounded up to three digits behind the point.

    Examples
    --------
    >>> bytes_text(12_500_000_001), bytes_text(12)
    ('12.501 GB', '12 B')
    """
    for unit, name in UNITS:
        if size >= unit:
            return f"{-(-size * 1000 // unit) / 1000:g} {name}"
    return f"{size} B"
