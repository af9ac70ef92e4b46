"""Answers of ``staleproof bounds`` in words."""

from collections.abc import Iterator
from typing import Any

from staleproof.bounding.text_of_comparison import compared, mapped


def lines(result: dict[str, Any]) -> Iterator[str]:
    """The lines that people read, from the data of `staleproof.bounding.answers.answer`."""
    for entry in _each_note_once(result["bounds"]):
        yield from _bound(entry)
    for entry in _each_note_once(result["tuned"]):
        yield from _tuned(entry)
    if result["period"] is not None:
        (symbol, best), (_, why) = result["period"].items()
        yield f"best {symbol} = {best}: {why}"
    for entry in result["crossovers"]:
        yield from _crossover(entry)
    if result["series"] is not None:
        yield from _series(result["series"])
    if result["comparison"] is not None:
        yield from compared(result["comparison"])
    if result["map"] is not None:
        yield from mapped(result["map"])


def _each_note_once(entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The entries, where a note stands under the last form of its method that it is about.

    Forms of one method follow one another.
    """
    for entry, *after in (entries[number:] for number in range(len(entries))):
        later = {
            note
            for other in after
            if other["method"] == entry["method"]
            for note in (*other["notes"], *other.get("unmet", ()))
            if other["refused"] is None
        }
        kept: dict[str, Any] = {
            key: [note for note in entry[key] if note not in later]
            for key in ("notes", "unmet")
            if key in entry
        }
        yield {**entry, **kept}


def _title(entry: dict[str, Any]) -> str:
    return f"{entry['method']}, {entry['form']}"


def _bound(entry: dict[str, Any]) -> Iterator[str]:
    if entry["refused"] is not None:
        yield f"{_title(entry)}: left out, {entry['refused']}"
        return
    source = f"[{entry['source']}; {entry['claim']}]"
    yield f"{_title(entry)}: {entry['quantity']} <= {_number(entry['value'])}   {source}"
    width = max(len(name) for name in entry["terms"])
    for name, term in entry["terms"].items():
        largest = "   <- largest" if name == entry["dominant"] else ""
        yield f"  {name:<{width}}  {_number(term)}{largest}"
    yield from (f"  {name} = {_number(part)}" for name, part in entry["named"].items())
    yield from (f"  (not met: {condition})" for condition in entry["unmet"])
    yield from (f"  ({note})" for note in entry["notes"])


def _tuned(entry: dict[str, Any]) -> Iterator[str]:
    if entry["refused"] is not None:
        yield f"{_title(entry)}, tuned: left out, {entry['refused']}"
        return
    at_limit = ", the largest that the bound holds for" if entry["at_limit"] else ""
    yield f"{_title(entry)}, tuned: {entry['quantity']} <= {entry['value']['float']:.6g}"
    yield f"  stepsize {_number(entry['stepsize'])}{at_limit}"
    if entry["paper"] is not None:
        yield (
            f"  the paper's stepsize {_number(entry['paper']['stepsize'])} gives "
            f"{entry['paper']['value']['float']:.6g}, {entry['ratio']:.4g} times as much"
        )
    yield from (f"  ({note})" for note in entry["notes"])


def _crossover(entry: dict[str, Any]) -> Iterator[str]:
    symbol = entry["symbol"]
    tuned = ", each at its best stepsize" if entry["tuned"] else ""
    title = f"{' and '.join(entry['methods'])}, {entry['form']}, over {symbol}{tuned}"
    if entry["refused"] is not None:
        yield f"{title}: left out, {entry['refused']}"
        return
    yield title
    for stretch in entry["stretches"]:
        yield f"  {_range(symbol, stretch)}: {stretch['better']}"
    for point in entry["touches"]:
        yield f"  equal at {symbol} = {_number(point)} without a change"
    yield from (f"  equal where {form}" for form in entry["symbolic"])
    yield f"  (method: {entry['how']})"
    yield from (f"  ({note})" for note in entry["notes"])


def _range(symbol: str, stretch: dict[str, Any]) -> str:
    start, end = stretch["from"], stretch["to"]
    if start is None and end is None:
        return f"every {symbol}"
    if end is None:
        return f"{symbol} from {_number(start)}"
    if start is None:
        return f"{symbol} up to {_number(end)}"
    return f"{symbol} from {_number(start)} to {_number(end)}"


def _series(entry: dict[str, Any]) -> Iterator[str]:
    names = [_title(curve) for curve in entry["curves"]]
    widths = [max(12, len(name)) for name in names]
    head = "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    yield f"{entry['symbol']:>10}  {head}"
    for k, place in enumerate(entry["at"]):
        cells = (
            f"{_cell(curve['values'][k]):>{width}}"
            for curve, width in zip(entry["curves"], widths, strict=True)
        )
        yield f"{place:>10.6g}  {'  '.join(cells)}"


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _number(number: dict[str, Any]) -> str:
    """A short exact text, with its decimals where it is not plain."""
    text, value = number["exact"], f"{number['float']:.6g}"
    if text.isdigit() or text == value:
        return str(text)
    return value if len(text) > 48 else f"{text} = {value}"
