"""Runs inside an iteration: what goes along one is bound there, in each iteration anew.

A statement says of such a run that there is one: outcomes of its own, quantities and sequences
that go along it, and all that the theorem assumes of them, at this iteration's values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from theory.kernel.rules import Cite
from theory.kernel.rules.ranges import rules_of
from theory.kernel.theorem import Hypothesis
from theory.kernel.vectors import Vector, vector
from theory.rocq.shape import Inner, cited_by
from theory.rocq.text import Text, UnsupportedError, comment

if TYPE_CHECKING:
    from theory.rocq.writing import Draft

STRUCTURE: Final = ("domain of quantity", "domain of sequence", "meaning", "follows")
"""What is assumed of such a run besides the hypotheses of the row."""


@dataclass(frozen=True)
class InnerText(Text):
    """Text in a run inside an iteration: the rest is taken at that iteration.

    Attributes
    ----------
    own : frozenset of str
        What goes along.
    outside : Text
    """

    own: frozenset[str] = frozenset()
    outside: Text | None = None

    def named(self, name: str) -> str:
        """A quantity or vector by name."""
        if name in self.own:
            return f"({self.names(name)} {self.at} {self.outcome})"
        assert self.outside is not None
        return replace(self.outside, indices=self.indices).named(name)


@dataclass(frozen=True)
class Told:
    """Something that is said of a run inside an iteration.

    Attributes
    ----------
    kind : str
        ``"hypothesis"``, or one of `STRUCTURE`.
    of : Hypothesis or str
    counts, outcome : bool
        Whether it is about each of its iterations, and outcomes.
    says : str
    """

    kind: str
    of: Any
    counts: bool
    outcome: bool
    says: str


@dataclass
class Bundle:
    """What a statement says of the run inside its iterations.

    Attributes
    ----------
    inner : Inner
    variables : list of (str, object)
        What is bound: kind and name, or symbol.
    structure : list of (str, object)
        What is assumed besides hypotheses.
    """

    inner: Inner
    variables: list[tuple[str, Any]] = field(default_factory=list)
    structure: list[tuple[str, Any]] = field(default_factory=list)


def bundle_of(draft: Draft) -> Bundle:
    """What the theorems that are cited need of a run inside an iteration."""
    from theory.rocq.writing import variables, written

    inner = draft.shape.inner
    assert inner is not None
    bundle = Bundle(inner)
    for rule in (r for r in rules_of(draft.theorem) if isinstance(r, Cite)):
        cited = cited_by(rule, draft.theorem)
        other = written(cited).draft
        if cited.id in draft.shape.run_of:
            hidden = other.shape.internal
            found = [
                (k, of) for *_, k, of in variables(other) if not (k == "sequence" and of in hidden)
            ]
            needs = [(one.kind, one.of) for one in written(cited).core]
        elif other.bundle is not None:
            found, needs = other.bundle.variables, other.bundle.structure
        else:
            continue
        if cited.id in draft.shape.run_of and other.shape.measures:
            raise UnsupportedError(f"{rule.id} takes means inside an iteration")
        _require_same(rule, inner, found)
        bundle.variables += [
            v for v in found if _goes_along(inner, *v) and v not in bundle.variables
        ]
        bundle.structure += [n for n in needs if n[0] in STRUCTURE and n not in bundle.structure]
        strange = {one.kind for one in written(cited).core} - {*STRUCTURE, "domain", "hypothesis"}
        if cited.id in draft.shape.run_of and strange:
            raise UnsupportedError(f"{rule.id} assumes {min(strange)} inside an iteration")
    return bundle


def _goes_along(inner: Inner, kind: str, of: Any) -> bool:
    if kind == "sequence":
        return of in {one.__name__ for one in inner.functions}
    return str(of) in inner.own


def _require_same(rule: Cite, inner: Inner, found: Sequence[tuple[str, Any]]) -> None:
    """What goes along keeps its name."""
    for kind, of in found:
        if kind in ("vector", "quantity", "constant"):
            image = rule.at.vector(vector(of)) if kind == "vector" else rule.at.scalar(of)
            same = (image - vector(of)).terms == () if isinstance(image, Vector) else image == of
            if not same and (_goes_along(inner, kind, of) or _names(image) & inner.own):
                raise UnsupportedError(f"{rule.id} renames {of} of a run inside an iteration")


def _names(image: Any) -> set[str]:
    from theory.kernel.values import named

    return set(map(str, named(image)))


def inner_text(draft: Draft, at: str = "", outcome: str = "w1", **more: Any) -> InnerText:
    """Text in the run inside an iteration of this theorem."""
    inner, outside = draft.shape.inner, draft.text()
    assert inner is not None
    varying = outside.varying | inner.own
    at = at or draft.index(inner.index)
    return InnerText(draft.names, varying, at, outcome, own=inner.own, outside=outside, **more)


def binders(draft: Draft, bundle: Bundle) -> list[tuple[str, str]]:
    """Identifiers and types of what is bound."""
    found = [("W1", "Type"), ("P1", "Law W1")]
    for kind, of in bundle.variables:
        if kind == "sequence":
            found.append((draft.names(of, "sequence"), "Z -> R"))
        else:
            last = "V" if kind == "vector" else "R"
            found.append((draft.names(str(of)), f"Z -> W1 -> {last}"))
    return found


def told(draft: Draft, bundle: Bundle) -> list[Told]:
    """What is said of the run: structure, and the hypotheses about it."""
    text, inner = inner_text(draft), bundle.inner
    found = [_structure(draft, text, kind, of) for kind, of in bundle.structure]
    for one in inner.hypotheses:
        raw = inner.raw(one.relation.lhs) or inner.raw(one.relation.rhs)
        free = one.relation.lhs.free_symbols | one.relation.rhs.free_symbols
        counts = raw or inner.index in free
        says = _for_all(draft, inner, counts, raw) + text.relation(one.relation)
        found.append(Told("hypothesis", one, counts, raw, says))
    return found


def _for_all(draft: Draft, inner: Inner, counts: bool, outcome: bool) -> str:
    j = draft.index(inner.index)
    each = f"forall {j} : Z, (0 <= {j})%Z -> " if counts else ""
    return each + ("forall w1 : W1, " if outcome else "")


def _structure(draft: Draft, text: InnerText, kind: str, of: Any) -> Told:
    inner = draft.shape.inner
    assert inner is not None
    j = draft.index(inner.index)
    if kind == "domain of quantity":
        value = text.named(of.name)
        sign = "<" if of.is_positive else "<="
        return Told(kind, of, True, True, f"{_for_all(draft, inner, True, True)}0 {sign} {value}")
    name = draft.names(of, "sequence")
    if kind == "domain of sequence":
        above = next(f for f in inner.functions if f.__name__ == of)(inner.index).is_positive
        says = f"forall i0 : Z, (0 <= i0)%Z -> (0 {'<' if above else '<='} {name} i0)"
        return Told(kind, of, True, False, says)
    if kind == "meaning":
        value = next(v for f, v in draft.theorem.sequences.items() if f.__name__ == of)
        says = f"{name} {j} = total P1 (fun w1 => {text.real(value)})"
        return Told(kind, of, True, False, _for_all(draft, inner, True, False) + says)
    then = draft.successor(of)
    found = text.vector(then) if isinstance(then, Vector) else text.named(then.name)
    says = f"{found} = {draft.names(of)} ({j} + 1)%Z w1"
    return Told(kind, of, True, True, _for_all(draft, inner, True, True) + says)


def statement(draft: Draft, bundle: Bundle) -> str:
    """That there is such a run in each iteration and outcome."""
    outcome = "forall w : W, " if draft.shape.random else ""
    bound = " ".join(f"({name} : {kind})" for name, kind in binders(draft, bundle))
    parts = []
    for one in told(draft, bundle):
        about = isinstance(one.of, Hypothesis)
        words = f"{comment(f'{one.of.name}: {one.of.says}')} " if about else ""
        parts.append(f"{words}({one.says})")
    joined = " /\\\n    ".join(parts)
    return f"{draft.each}{outcome}exists {bound},\n    {joined}"


def labels(bundle: Bundle, count: int) -> list[str]:
    """Names of what is said, once it is opened."""
    return [f"B{place}" for place in range(count)]


def opened(draft: Draft) -> str:
    """A tactic that opens what is said of the run, in the iteration and the outcome in scope."""
    bundle = draft.bundle
    assert bundle is not None
    names = [name for name, _ in binders(draft, bundle)]
    parts = [*names, *labels(bundle, len(told(draft, bundle)))]
    outcome = " w" if draft.shape.random else ""
    return f"destruct (inner_run{draft.here}{outcome}) as ({' & '.join(parts)})."


def place_of(draft: Draft, kind: str, of: Any) -> tuple[str, Told]:
    """Where something that is said of the run stands."""
    assert draft.bundle is not None
    for place, one in enumerate(told(draft, draft.bundle)):
        same = one.of.name == of if isinstance(one.of, Hypothesis) else one.of == of
        if one.kind == kind and same:
            return f"B{place}", one
    raise UnsupportedError(f"{kind} of {of} is not said inside an iteration")


def about(draft: Draft, name: str) -> bool:
    """Whether a hypothesis of ours is about the run inside an iteration."""
    inner = draft.shape.inner
    return inner is not None and any(one.name == name for one in inner.hypotheses)


__all__ = ["Bundle", "InnerText", "Told", "bundle_of", "inner_text", "opened", "statement", "told"]
