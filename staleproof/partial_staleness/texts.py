"""Answers as plain data and as lines of text."""

from fractions import Fraction
from typing import Any, Final

from schedules.formats.layer_table import Time
from schedules.partial_staleness import Late, Model
from staleproof.partial_staleness.answers import Answer, Answers
from staleproof.partial_staleness.shown import MOST_LETTERED, Line, gantt

MOST_NAMED: Final = 8
"""Stale layers that a line of text names."""
MOST_DECIMALS: Final = 9


def as_json(found: Answers, chosen: Answer, line: Line | str) -> dict[str, Any]:
    """Everything about a model as plain data; `chosen` is the answer that is asked for."""
    model = found.model
    repeats = None if isinstance(line, str) else line.repeats
    return {
        "source": model.source,
        "unit": model.unit or None,
        "layers": model.count,
        "graph": model.after is not None,
        "computation": model.computation,
        "communication": model.channel,
        **_answer(model, chosen),
        "right": _answer(model, found.right),
        "heuristic": None if found.heuristic is None else _answer(model, found.heuristic),
        "printed": {
            "program": None if found.program is None else _answer(model, found.program),
            "algorithms": None if found.algorithms is None else _answer(model, found.algorithms),
        },
        "timeline": None if isinstance(line, str) else list(line.operations()),
        "why_no_timeline": line if isinstance(line, str) else None,
        "repeats": None if repeats is None else {"from": repeats[0], "after": repeats[1]},
    }


def _answer(model: Model, answer: Answer) -> dict[str, Any]:
    data: dict[str, Any] = {
        "by": answer.by,
        "stale_layers": None if answer.stale is None else len(answer.stale),
        "stale": None if answer.stale is None else _names(model, answer.stale),
        "stall": answer.stall,
    }
    if model.after is not None and answer.orders is not None:
        orders = answer.orders
        data["orders"] = {
            "backward": [model.layers[layer].name for layer in orders.backward],
            "forward": [model.layers[layer].name for layer in orders.forward],
        }
    if answer.by == "program":
        data["late"] = None if answer.late is None else _late(model, answer.late)
    return data


def _late(model: Model, late: Late) -> dict[str, Any]:
    return {
        "layer": model.layers[late.layer].name,
        "needed": late.needed,
        "printed": late.printed,
        "arrives": late.arrives,
        "waited_for": model.layers[late.waited_for].name,
    }


def _names(model: Model, layers: frozenset[int]) -> list[str]:
    return [model.layers[layer].name for layer in sorted(layers)]


def title(found: Answers, chosen: Answer) -> tuple[str, str]:
    """The two lines above a picture."""
    return _head(found.model), _says(found.model, chosen)


def lines(found: Answers, chosen: Answer, line: Line | str, width: int) -> list[str]:
    """What is printed for people."""
    model = found.model
    text = [_head(model), _says(model, chosen), *_printed(found, chosen), *_gap(found)]
    if isinstance(line, str):
        return [*text, f"no timeline: {line}"]
    if model.count > MOST_LETTERED:
        most = f"more than {MOST_LETTERED} layers"
        return [*text, f"no timeline as text of {most}; --picture and --json have it"]
    return [*text, "", *gantt(line, width), _repeats(line)]


def _head(model: Model) -> str:
    kind = "layers in a graph" if model.after is not None else "layers"
    return (
        f"{model.source}: {model.count} {kind}; an iteration computes for "
        f"{_time(model, model.computation)} and communicates for {_time(model, model.channel)}"
    )


def _says(model: Model, answer: Answer) -> str:
    """The answer in a sentence."""
    stalls = "" if answer.stall is None else f"stalls {_time(model, answer.stall)} an iteration"
    if answer.stale is None:
        return f"no number of stale layers is enough: with all of them stale it {stalls}"
    count = len(answer.stale)
    names = ", ".join(_names(model, answer.stale)[:MOST_NAMED]) + ", …" * (count > MOST_NAMED)
    stale = f"{count} stale layer{'s' * (count != 1)}{f' ({names})' * (count > 0)}"
    if answer.stall is None:
        return f"{stale}, in an order that runs a layer before one that it needs, or twice"
    if answer.stall:
        return f"{stale}: {stalls}"
    also = {"solver": ", the fewest", "exact": ", the fewest", "heuristic": "; fewer may do"}
    return f"{stale}: computation never waits{also.get(answer.by, '')}"


def _printed(found: Answers, chosen: Answer) -> list[str]:
    """What the program and the algorithms of the paper say, and where the program errs."""
    model, text = found.model, []
    if chosen is not found.right:
        text.append(f"right: {_says(model, found.right)}")
    for name, answer in (("program", found.program), ("algorithms 4 and 5", found.algorithms)):
        if answer is None or answer is chosen:
            continue
        same = answer.stale == found.right.stale and answer.stall == found.right.stall
        text.append(f"{name} as printed: {'the same' if same else _says(model, answer)}")
    late = None if found.program is None else found.program.late
    if late is not None:
        text.append(
            f"  the program has the gradient of {model.layers[late.layer].name} arrive at "
            f"{_time(model, late.printed)}, needed at {_time(model, late.needed)}; the channel "
            f"waits for backward {model.layers[late.waited_for].name}, so it arrives at "
            f"{_time(model, late.arrives)}"
        )
    return text


def _gap(found: Answers) -> list[str]:
    """The repaired heuristic beside the exact answer."""
    heuristic, right = found.heuristic, found.right
    if heuristic is None or heuristic.stale is None or right.stale is None:
        return []
    if right is heuristic:
        return ["the fewest are not known: the graph has too many orders to go through all"]
    more = len(heuristic.stale) - len(right.stale)
    return [f"algorithms 4 and 5 repaired, best of many random orders: {more} more"]


def _repeats(line: Line) -> str:
    if line.repeats is None:
        return "* stale; the start of a run that waits later, as its backlog grows"
    first, period = line.repeats
    return f"* stale; repeats from iteration {first} on, with period {period}"


def _time(model: Model, time: Time | None) -> str:
    return f"{_number(time)} {model.unit}".strip()


def _number(time: Time | None) -> str:
    """A decimal where it is exact and short, else a fraction.

    Examples
    --------
    >>> _number(3), _number(Fraction(5, 4)), _number(Fraction(1, 3))
    ('3', '1.25', '1/3')
    """
    digits = Fraction(time or 0) * 10**MOST_DECIMALS
    if digits.denominator > 1:
        return str(time)
    whole, part = divmod(digits.numerator, 10**MOST_DECIMALS)
    return f"{whole}.{part:0{MOST_DECIMALS}}".rstrip("0").rstrip(".")
