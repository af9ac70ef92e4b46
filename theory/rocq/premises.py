"""What a theorem quantifies over, and what it assumes of that, as propositions of Rocq."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import sympy

from theory.kernel.theorem import Delayed, Smooth, Theorem
from theory.kernel.vectors import Point, Scalar
from theory.rocq.text import UnsupportedError

if TYPE_CHECKING:
    from theory.rocq.writing import Draft


@dataclass(frozen=True)
class Given:
    """Something that a theorem assumes, as it is written.

    Attributes
    ----------
    name : str
    says : str
        The proposition.
    kind, of : str, object
        What it is about, so that a citation can show it.
    words : str
        For the reader.
    """

    name: str
    says: str
    kind: str
    of: Any = None
    words: str = ""


def smooth_text(draft: Draft, one: Smooth) -> str:
    """That one smooth function has these values and gradients, in each iteration and outcome."""
    text = draft.text()
    parts = [f"smooth f df {text.real(one.constant)}"]
    for point in points_of(draft.theorem, one.function):
        at = text.vector(point.position)
        parts.append(f"f {at} = {text.real(point.value)}")
        parts.append(f"df {at} = {text.vector(point.gradient)}")
    outcome = "forall w : W, " if draft.shape.random else ""
    joined = " /\\ ".join(parts)
    return f"{draft.each}{outcome}exists (f : V -> R) (df : V -> V), {joined}"


def points_of(theorem: Theorem, function: str) -> list[Point]:
    """The points of a function, in order, but for those of a run inside an iteration."""
    from theory.rocq.shape import shape_of

    inner = shape_of(theorem).inner
    aside = inner.own if inner is not None else frozenset()
    return [
        one for one in theorem.points
        if one.function == function and not aside & {one.value.name, *one.position.names}
    ]  # fmt: skip


def late_text(draft: Draft, one: Delayed) -> str:
    """That a point is what another was some iterations ago."""
    text, index = draft.text(), draft.index(draft.shape.iteration)
    j = "j'" if "j" in draft.names.things else "j"
    then = draft.text(at=j)
    delay = text.whole(one.constant)
    least = f"Z.max 0 ({index} - {delay})"
    when = f"{j} = {least}" if one.exact else f"{least} <= {j} <= {index}"
    parts = [
        f"{text.vector(one.old.position)} = {then.vector(one.now.position)}",
        f"{text.real(one.old.value)} = {then.real(one.now.value)}",
        f"{text.vector(one.old.gradient)} = {then.vector(one.now.gradient)}",
    ]
    outcome = "forall w : W, " if draft.shape.random else ""
    joined = " /\\ ".join(parts)
    return f"{draft.each}{outcome}exists {j} : Z, ({when})%Z /\\ {joined}"


def variables(draft: Draft) -> list[tuple[str, str, str, Any]]:
    """Identifier, type, kind and thing of all that a theorem quantifies over."""
    shape, names = draft.shape, draft.names
    time = "Z -> " if shape.iteration is not None else ""
    depends = time + ("W -> " if shape.random else "")
    found: list[tuple[str, str, str, Any]] = [("V", "Space", "space", None)]
    if shape.random:
        found.append(("W", "Type", "outcomes", None))
    if shape.law:
        found.append(("P", "Law W", "law", None))
    found += [
        (names(one.name, "mean"), f"{time}Mean W", "mean", one.name) for one in shape.measures
    ]
    for symbol in shape.constants:
        kind = "Z" if symbol.is_integer else "R"
        found.append((names(symbol.name), kind, "constant", symbol))
    found += [(names(symbol.name), "Z", "free", symbol) for symbol in shape.free]
    for name in shape.vectors:
        kind = "V" if name in shape.fixed else f"{depends}V"
        found.append((names(name), kind, "vector", name))
    for symbol in shape.quantities:
        kind = "Z" if symbol.is_integer else "R"
        found.append((names(symbol.name), f"{depends}{kind}", "quantity", symbol))
    for name, call in shape.calls.items():
        kind = "Z" if call.is_integer else "R"
        found.append((names(name, "sequence"), "Z -> " * len(call.args) + kind, "sequence", name))
    return found


def domains(draft: Draft) -> list[Given]:
    """The domains of all that is named."""
    shape, found = draft.shape, []
    _each = draft.each + ("forall w : W, " if shape.random else "")
    text = draft.text()
    for symbol in (*shape.constants, *shape.free, *shape.quantities):
        varies = symbol in shape.quantities
        value = text.named(symbol.name)
        if symbol.is_integer:
            least = 1 if symbol.is_positive else 0 if symbol.is_nonnegative else None
            says = None if least is None else f"({least} <= {value})%Z"
        else:
            says = (
                f"0 < {value}"
                if symbol.is_positive
                else f"0 <= {value}"
                if symbol.is_nonnegative
                else None
            )
        if _odd(symbol):
            raise UnsupportedError(f"the domain of {symbol}")
        if says:
            kind = "domain of quantity" if varies else "domain"
            label = f"dom_{draft.names(symbol.name)}"
            found.append(Given(label, (_each if varies else "") + says, kind, symbol))
    for name, call in shape.calls.items():
        if call.is_nonnegative:
            values = [f"i{place}" for place in range(len(call.args))]
            bound = "".join(f"forall {one} : Z, (0 <= {one})%Z -> " for one in values)
            sign = "<" if call.is_positive else "<="
            scope = "%Z" if call.is_integer else ""
            says = f"{bound}(0 {sign} {draft.names(name, 'sequence')} {' '.join(values)}){scope}"
            found.append(
                Given(f"nn_{draft.names(name, 'sequence')}", says, "domain of sequence", name)
            )
    return found


_DOMAINS: Final = [
    sympy.Symbol("x", **domain).assumptions0
    for domain in (
        {"real": True}, {"nonnegative": True}, {"positive": True}, {"integer": True},
        {"integer": True, "nonnegative": True}, {"integer": True, "positive": True},
    )
]  # fmt: skip


def _odd(symbol: Scalar) -> bool:
    return symbol.assumptions0 not in _DOMAINS
