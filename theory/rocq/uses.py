"""One citation: what takes the place of each variable, and how each premise is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.means import Mean, is_random
from theory.kernel.relations import Relation
from theory.kernel.rules import Cite
from theory.kernel.theorem import Hypothesis, Smooth
from theory.kernel.vectors import Gram, Scalar, Vector, vector
from theory.rocq.expecting import known_rewrites, nested, terms_of
from theory.rocq.numbers import Premise
from theory.rocq.shape import standing
from theory.rocq.steps import arguments, whole_fact
from theory.rocq.text import Text, UnsupportedError, flips
from theory.rocq.writing import Draft, Given, Written, points_of


@dataclass
class Use:
    """One citation: what takes the place of each variable, and how each premise is shown."""

    draft: Draft
    rule: Cite
    other: Written
    count: int = field(default=0)

    @property
    def inner_time(self) -> bool:
        """Whether the cited theorem has iterations of its own."""
        return self.other.draft.shape.iteration is not None

    @property
    def inner_outcome(self) -> bool:
        """Whether it has outcomes."""
        return self.other.draft.shape.random

    def text(self) -> Text:
        """Our text, at what the cited theorem binds itself or at what is in scope."""
        shape = self.draft.shape
        index = self.draft.index(shape.iteration) if shape.iteration is not None else ""
        return self.draft.text(at=index)

    def image_text(self, at: str, outcome: str, depth: int) -> Text:
        """Our text at another iteration or outcome."""
        return self.draft.text(at=at, outcome=outcome, depth=depth)

    def image(self, name: str, at: str, outcome: str, depth: int) -> str:
        """What takes the place of a name of the cited theorem."""
        text = self.image_text(at, outcome, depth)
        symbols = {s.name: s for s in self.other.draft.theorem.symbols}
        if name in symbols:
            form = self.rule.at.scalar(symbols[name])
            return text.whole(form) if symbols[name].is_integer else text.real(form)
        image = self._image(name)
        return text.vector(image) if isinstance(image, Vector) else text.real(image)

    def binder(self) -> str:
        """Variables that a quantity of the cited theorem has of its own."""
        shape = self.draft.shape
        found = [self.draft.index(shape.iteration)] if self.inner_time and shape.iteration else []
        found += ["w"] if self.inner_outcome else []
        return f"fun {' '.join(found)} => " if found else ""

    def value(self, kind: str, of: Any) -> str:
        """Our term for a variable of the cited theorem."""
        text, at = self.text(), self.rule.at
        if kind == "space":
            return "V"
        if kind == "outcomes":
            return "W"
        if kind == "law":
            return "P"
        if kind == "mean":
            name = self.draft.names(of, "mean")
            return name if self.inner_time or not text.at else f"({name} {text.at})"
        if kind == "sequence":
            return self.draft.names(of, "sequence")
        if kind == "free":
            return self.draft.index(of)
        if kind in ("constant", "quantity"):
            form = at.scalar(of)
            written_ = text.whole(form) if of.is_integer else text.real(form)
            scope = "%Z" if of.is_integer else ""
            return f"({self.binder() if kind == 'quantity' else ''}{written_}){scope}"
        one = at.vector(vector(of))
        binder = "" if of in self.other.draft.shape.fixed else self.binder()
        return f"({binder}{text.vector(one)})"

    def hypothesis_type(self, place: int) -> str:
        """The proposition that is asked for, taken from the term itself."""
        del place
        return "ltac:(lazymatch type of D' with ?A' -> _ => exact A' end)"

    def at_goal(self, fact: Any) -> list[str]:
        """Indices and the outcome at which the conclusion is taken."""
        found = []
        mine = self.draft
        for symbol in fact.indices:
            own = mine.shape.iteration if symbol == self.other.draft.shape.iteration else symbol
            found += [mine.index(own), f"H_{mine.index(own)}"]
        return [*found, "w"] if fact.outcome else found

    def some_outcome(self, fact: Any) -> str:
        """What makes room for an outcome that the conclusion is taken at."""
        del fact
        return ""

    def intros(self, fact: Any) -> str:
        """The variables of a premise, under our names."""
        mine, found = self.draft, []
        for symbol in fact.indices:
            own = mine.shape.iteration if symbol == self.other.draft.shape.iteration else symbol
            found += [mine.index(own), f"H_{mine.index(own)}"]
        found += ["w"] if fact.outcome else []
        return f"intros {' '.join(found)}; cbv beta." if found else "cbv beta."

    def shown(self, one: Given) -> str:
        """A proof of a premise."""
        draft = self.draft
        here = draft.here if not self.inner_time else ""
        if one.kind == "hypothesis":
            return self._hypothesis(one.of)
        if one.kind == "smooth":
            return self._smooth(one.of)
        if one.kind == "domain":
            return self._domain(one.of)
        if one.kind == "domain of quantity":
            return "intros; cbv beta; first [lia | pos]."
        if one.kind == "domain of sequence":
            return f"exact nn_{draft.names(one.of, 'sequence')}."
        if one.kind == "tower":
            return f"exact {draft.tower(one.of).split()[0]}."
        if one.kind == "meaning":
            return f"exact {draft.meaning(one.of)}."
        if one.kind in ("cross", "swap"):
            make = draft.crossing if one.kind == "cross" else draft.swapping
            return f"exact ({make(*one.of).split()[0]}{here})."
        if one.kind == "known":
            return self._known(*one.of)
        if one.kind == "follows":
            return self._follows(one.of)
        if one.kind == "late":
            place = self._place(standing(self.rule, one.of, draft.theorem))
            return self._taken(f"h{place}")
        raise UnsupportedError(f"{self.rule.id}: {one.kind}")

    def apart(self, one: Given, goal: Relation) -> str:
        """Make room for the variables that a premise has of its own."""
        if one.kind == "domain":
            return ""
        scope = self.draft.fact("", "", goal)
        taken = ["w"] if self.inner_outcome and scope.outcome else []
        if self.inner_time:
            indices = [self.draft.index(symbol) for symbol in scope.indices]
            taken += [name for index in indices for name in (f"H_{index}", index)]
        return "".join(f"rename {name} into outer_{name}. " for name in taken)

    def _place(self, name: str) -> int:
        return next(i for i, h in enumerate(self.draft.theorem.hypotheses, 1) if h.name == name)

    def _image(self, name: str) -> Any:
        """What takes the place of a quantity or a vector."""
        symbols = {s.name: s for s in self.other.draft.shape.quantities}
        if name in symbols:
            return self.rule.at.scalar(symbols[name])
        return self.rule.at.vector(vector(name))

    def _follows(self, name: str) -> str:
        image = self._image(name)
        names = image.names if isinstance(image, Vector) else {s.name for s in image.free_symbols}
        if len(names) != 1:
            raise UnsupportedError(f"{self.rule.id}: what follows {name}")
        return self._taken(self.draft.follows(min(names)))

    def _taken(self, fact: str) -> str:
        """A premise of ours that speaks of all iterations, at the outcome that is in scope."""
        here = self.draft.shape.random and not self.inner_outcome
        return f"cbv beta; intros; apply {fact}; assumption." if here else f"exact {fact}."

    def _known(self, mean: str, name: str) -> str:
        draft, image = self.draft, self._image(name)
        varying = draft.shape.varying
        if isinstance(image, Vector):
            names = set(image.names)
            for _, factor in image.terms:
                names |= _names_of(factor)
        else:
            names = _names_of(image)
        many = draft.each.split(" ")[1] if self.inner_time else ""
        opening = f"intros {many} H_{many}; " if self.inner_time else ""
        rewrites = "; ".join(
            f"rewrite ?({draft.known(mean, n)} p' q' H')" for n in sorted(names & varying)
        )
        means = not isinstance(image, Vector) and image.atoms(Mean)
        if means:
            raise UnsupportedError(f"{self.rule.id}: a mean in the place of {name}")
        return f"{opening}intros p' q' H'; cbv beta; {rewrites or 'idtac'}; reflexivity."

    def _domain(self, symbol: Scalar) -> str:
        draft, form = self.draft, sympy.sympify(self.rule.at.scalar(symbol))
        under = [
            Premise(draft.facts[n].relation, f"exact {draft.use(n)}") for n in self.rule.domain
        ]
        if symbol.is_integer:
            bounds = "".join(whole_fact(draft, n) for n in self.rule.domain)
            known = form.atoms(AppliedUndef) | (form.free_symbols & set(draft.shape.quantities))
            text = self.text()
            for one in sorted((n for n in known if n.is_integer and n.is_nonnegative), key=str):
                bounds += f"assert (0 <= {text.whole(one)})%Z by (solve [given]); "
            return f"{bounds}first [lia | nia | solve [given]]."
        return f"{draft.numbers.sign(self.text(), form, bool(symbol.is_positive), under)}."

    def _smooth(self, one: Smooth) -> str:
        draft = self.draft
        name = standing(self.rule, one, draft.theorem)
        ours = draft.theorem
        mine = points_of(ours, one.function)
        inner = "smooth_f" + "".join(f" & V{i} & G{i}" for i in range(len(mine)))
        outcome = " w" if draft.shape.random else ""
        opening = self.intros_of_all()
        wanted = [self.rule.at.point(p) for p in points_of(self.other.draft.theorem, one.function)]
        parts = "; ".join(
            f"split; [point V{mine.index(p)}|]; {'split; [' if i < len(wanted) - 1 else ''}"
            f"point G{mine.index(p)}{'|]' if i < len(wanted) - 1 else ''}"
            for i, p in enumerate(wanted)
        )
        # Factors of vectors are defined on the domain: what bounds it is told beside them.
        told = "".join(f"pose proof {draft.use(n)}; " for n in self.rule.domain)
        return (
            f"{opening}{told}destruct (h{self._place(name)}{draft.here}{outcome}) as "
            f"(f & df & {inner}); exists f, df; split; [exact smooth_f|]; {parts or 'idtac'}."
        )

    def intros_of_all(self) -> str:
        """All variables that a premise of the cited theorem may have."""
        found = []
        if self.inner_time:
            index = self.draft.index(self.draft.shape.iteration)
            found += [index, f"H_{index}"]
        found += ["w"] if self.inner_outcome else []
        return f"intros {' '.join(found)}; cbv beta; " if found else ""

    def _hypothesis(self, one: Hypothesis) -> str:
        draft = self.draft
        name = standing(self.rule, one, draft.theorem)
        fact = self.other.draft.facts[one.name]
        lines = [self.intros(fact), *self.transport(one.relation, "")]
        if not name:
            sign = "apply Req_le; " if one.relation.kind == "<=" else ""
            return " ".join([*lines, f"{sign}fields."])
        theirs, mine = self.other.draft.shape.iteration, draft.shape.iteration
        at = {theirs: draft.index(mine)} if theirs not in (None, mine) and mine is not None else {}
        return " ".join([*lines, f"pose proof {draft.use(name, at)} as F'; same F'."])

    # --- the cited formulas in our notation --------------------------------------------------

    def theirs(self) -> Text:
        """The cited theorem's text, each name replaced by ours as it stands after application."""
        text = self.text()
        return Image(
            text.names, text.varying, text.at, text.outcome, text.indices, text.depth, use=self
        )

    def transport(self, relation: Relation, where: str) -> list[str]:
        """Lines that rewrite inner products and means of their combinations into ours."""
        theirs, ours, lines = self.theirs(), self.text(), []
        into = f" in {where}" if where else ""
        form = sympy.Tuple(relation.lhs, relation.rhs)
        counts = [v for s, v in self.rule.scalars.items() if s.is_integer]
        moved = arguments(form, self.rule.scalars, theirs, ours, into)
        plain = all(sympy.sympify(value).is_Symbol for value in counts)
        lines += [f"try ({line.strip(' .')})." for line in (moved[:-1] if plain else moved)]
        means = sorted(_outer_means(form), key=str)
        bare = form.xreplace({m: sympy.Dummy() for m in means})
        for entry in sorted(bare.atoms(Gram), key=str):
            image = self.rule.at.scalar(entry)
            old, new = theirs.real(entry), ours.real(image)
            if old != new:
                names = {n for g in sympy.sympify(image).atoms(Gram) for n in g.names}
                way = f"bilinear; {flips(names, ours)}rooted"
                lines.append(f"replace {old} with {new}{into} by ({way}).")
        for mean in means:
            image = self.rule.at.scalar(mean)
            old, new = theirs.real(mean), ours.real(image)
            if old != new:
                lines += self._mean(mean, image, old, new, into)
        return lines

    def _mean(self, mean: Any, image: Scalar, old: str, new: str, into: str) -> list[str]:
        """A mean of combinations as a combination of means."""
        ours, name = self.text(), str(mean.args[0])
        if mean.args[2].atoms(Mean):
            raise UnsupportedError(f"{self.rule.id}: a mean of means is replaced")
        inside = self.rule.at.scalar(mean.args[2])
        measure = next(m for m in self.draft.shape.measures if m.name == name)
        random = frozenset(measure.random)
        inner = ours.inner()
        v = inner.outcome
        terms = terms_of(inside, lambda part: is_random(part, random))
        mixed = nested([(ours.real(c), inner.real(a)) for c, a in terms])
        split = " + (".join(
            ours.real(c) if a == 1 else f"{ours.real(c)} * {ours.average(name, a)}"
            for c, a in terms
        ) + ")" * (len(terms) - 1)  # fmt: skip
        names = {n for g in sympy.sympify(inside).atoms(Gram) for n in g.names}
        rewrites = known_rewrites(self.draft, name, [c for c, _ in terms], ours, inner)
        operator = ours.operator(name)
        return [
            f"replace {old} with {new}{into} by (symmetry;",
            f"transitivity (mean {operator} {ours.outcome} (fun {v} => {mixed}));",
            f"[apply mean_ext; intros {v} H_{v}; {' '.join(r[:-1] + ';' for r in rewrites)}",
            f"bilinear; {flips(names, inner)}rooted",
            f"| transitivity ({split}); [linear | rooted]]).",
        ]


def _outer_means(form: Any) -> set[Any]:
    inside = {n for m in form.atoms(Mean) for n in m.args[2].atoms(Mean)}
    return set(form.atoms(Mean)) - inside


def _names_of(form: Scalar) -> set[str]:
    form = sympy.sympify(form)
    return {s.name for s in form.free_symbols} | {n for g in form.atoms(Gram) for n in g.names}


@dataclass(frozen=True)
class Image(Text):
    """A cited formula after our terms are put in, as Rocq shows it."""

    use: Any = None

    def named(self, name: str) -> str:
        return str(self.use.image(name, self.at, self.outcome, self.depth))


__all__ = ["Use"]
