"""Citations that have to do with a run inside an iteration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy

from theory.kernel.relations import Relation
from theory.kernel.theorem import Hypothesis
from theory.kernel.vectors import Gram
from theory.rocq.inside import Told, about, binders, inner_text, opened, place_of, told
from theory.rocq.shape import standing
from theory.rocq.text import Text, flips
from theory.rocq.uses import Use
from theory.rocq.writing import Given


class InsideUse(Use):
    """A citation whose iterations go inside one of ours."""

    def text(self) -> Text:
        """Our text in that run."""
        return inner_text(self.draft)

    def image_text(self, at: str, outcome: str, depth: int) -> Text:
        """Our text there, at another iteration of the run."""
        return inner_text(self.draft, at=at, outcome=outcome or "w1", depth=depth)

    def binder(self) -> str:
        """Variables of the run."""
        inner = self.draft.shape.inner
        assert inner is not None
        return f"fun {self.draft.index(inner.index)} w1 => "

    def value(self, kind: str, of: Any) -> str:
        """Our term for a variable of the cited theorem."""
        if kind in ("outcomes", "law"):
            return {"outcomes": "W1", "law": "P1"}[kind]
        return super().value(kind, of)

    def _counted(self, counts: bool, outcome: bool) -> str:
        inner = self.draft.shape.inner
        assert inner is not None
        j = self.draft.index(inner.index)
        names = [*([j, f"H_{j}"] if counts else []), *(["w1"] if outcome else [])]
        return " ".join(names)

    def intros(self, fact: Any) -> str:
        """The variables of a premise."""
        found = self._counted(bool(fact.indices), fact.outcome)
        return f"intros {found}; cbv beta." if found else "cbv beta."

    def apart(self, one: Given, goal: Relation) -> str:
        """Nothing is in the way: the run has names of its own."""
        return ""

    def some_outcome(self, fact: Any) -> str:
        """An outcome of the run, if the conclusion is about one."""
        lemma = "some_outcome_le" if fact.relation.kind == "<=" else "some_outcome_eq"
        return f"apply ({lemma} W1 P1); intros w1." if fact.outcome else ""

    def at_goal(self, fact: Any) -> list[str]:
        """The conclusion says nothing of the run: it is taken anywhere."""
        return [
            *(["0%Z", "ltac:(lia)"] * len(fact.indices)),
            *(["w1"] if fact.outcome else []),
        ]

    def shown(self, one: Given) -> str:
        """A proof of a premise."""
        if one.kind == "domain":
            return self._domain(one.of)
        if one.kind != "hypothesis":
            return f"{self.shown_inside(one.kind, one.of)}."
        name = standing(self.rule, one.of, self.draft.theorem)
        fact = self.other.draft.facts[one.of.name]
        start = " ".join([self.intros(fact), *self.transport(one.of.relation, "")])
        if not name:
            sign = "apply Req_le; " if one.of.relation.kind == "<=" else ""
            return f"{start} {sign}fields."
        if not about(self.draft, name):
            return f"{start} pose proof {self.draft.use(name)} as F'; same F'."
        label, ours = place_of(self.draft, "hypothesis", name)
        there = f"({label} {self._counted(ours.counts, ours.outcome)})"
        return f"{start} pose proof {there} as F'; same F'."

    def shown_inside(self, kind: str, of: Any, told_there: Told | None = None) -> str:
        """A tactic for something that is said of the run."""
        label, ours = place_of(self.draft, kind, of)
        opening = f"intros {self._counted(ours.counts, ours.outcome)}; "
        there = f"({label} {self._counted(ours.counts, ours.outcome)})"
        if kind == "meaning":
            meant = {f.__name__: v for f, v in self.draft.theorem.sequences.items()}
            entries = sympy.sympify(meant[of]).atoms(Gram)
            flip = flips({n for one in entries for n in one.names}, self.text())
            other = f"{opening}cbv beta; rewrite {there}; apply total_ext; intros w1; cbv beta; "
            return f"first [exact {label} | {other}bilinear; {flip}rooted]"
        if kind == "hypothesis" and told_there is not None:
            if not (ours.counts or ours.outcome):
                opening, there = "", label
            lines = " ".join(self.transport(told_there.of.relation, "")).replace(".", ";")
            other = f"{opening}cbv beta; {lines} pose proof {there} as F'; same F'"
            return f"first [exact {label} | {other}]"
        return f"exact {label}"


def carried(use: Use) -> str:
    """A proof that the run inside an iteration of the cited theorem is one of ours."""
    mine, theirs = use.draft.bundle, use.other.draft.bundle
    assert mine is not None
    assert theirs is not None
    inner = InsideUse(use.draft, use.rule, use.other)
    names = [name for name, _ in binders(use.draft, replace(mine, variables=theirs.variables))]
    shown = []
    for one in told(use.other.draft, theirs):
        of = one.of
        if isinstance(of, Hypothesis):
            of = standing(use.rule, of, use.draft.theorem)
        shown.append(inner.shown_inside(one.kind, of, one))
    body = shown[-1]
    for tactic in reversed(shown[:-1]):
        body = f"split; [{tactic} | {body}]"
    return f"{use.intros_of_all()}{opened(use.draft)[:-1]}; exists {', '.join(names)}; {body}."


__all__ = ["InsideUse", "carried"]
