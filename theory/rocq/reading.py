"""Read an exported statement back, and compare it with what the theorem says.

Nothing of what writes files is used here but the names that it gave: the text is parsed, each
hypothesis and the conclusion becomes an expression again, and these are the theorem's or they are
not. What is assumed besides has to be a domain, or one of a few forms about means and iterations,
each with what the theorem declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.means import Mean
from theory.kernel.relations import Relation
from theory.kernel.rules.expectation import _carried
from theory.kernel.rules.series import pinned
from theory.kernel.theorem import Delayed, Given, Hypothesis, Smooth, Theorem
from theory.kernel.vectors import Scalar, Vector, vector
from theory.rocq.parsing import MisreadError, Parser, neutral, tokens, without_comments
from theory.rocq.shape import shape_of
from theory.rocq.writing import Written


def require_faithful(one: Written) -> None:
    """Refuse a file whose statement is not that of its theorem.

    Raises
    ------
    MisreadError
    """
    source = without_comments(one.source)  # words may look like a statement
    match = re.search(
        r"^Definition statement : Prop :=\s*forall (.*?),\n(.*?)\.\n\n", source, re.DOTALL | re.M
    )
    if match is None:
        raise MisreadError("there is no statement", one.module, "see the file")
    parts = list(_arrows(tokens(match.group(2))))
    reader = _Reader(one)
    reader.binders(tokens(match.group(1)))
    inner = reader.shape.inner
    inside = inner.hypotheses if inner is not None else ()
    hypotheses = [h for h in one.draft.theorem.hypotheses if h not in inside]
    runs = [part for part in parts[:-1] if "W1" in part]
    if len(runs) != (inner is not None) or not all(map(reader.says_run, runs)):
        raise MisreadError("a run inside an iteration is another one", one.module, "see the file")
    for part in (part for part in parts[:-1] if part not in runs):
        if hypotheses and reader.says(part, hypotheses[0]):
            hypotheses.pop(0)
        elif not reader.structure(part):
            raise MisreadError(f"it assumes {' '.join(part)[:200]}", one.module, "see the file")
    if hypotheses:
        raise MisreadError(f"it leaves out {hypotheses[0].name}", one.module, "see the file")
    if not reader.relation(parts[-1], one.draft.theorem.goal, True):
        raise MisreadError("its conclusion is another one", one.module, "see the file")
    if not re.search(r"^Theorem holds : statement\.$", source, re.MULTILINE):
        raise MisreadError("nothing is shown to hold", one.module, "see the file")


_INSIDE: Final = {"W1": "W", "P1": "P", "w1": "w", "w": "w0"}
"""How a run inside an iteration is read: its outcomes as ours, and ours as others."""


def _arrows(found: list[str], between: str = "->") -> Iterator[list[str]]:
    """The parts of an implication, or of what is said at once, each without its parentheses."""
    place = 0
    while place < len(found):
        if found[place] != "(":
            raise MisreadError(f"a premise begins with {found[place]}", "statement", "see it")
        end, depth = place + 1, 1
        while depth:
            depth += {"(": 1, ")": -1}.get(found[end], 0)
            end += 1
        yield found[place + 1 : end - 1]
        if end < len(found) and found[end] != between:
            raise MisreadError(f"after a premise comes {found[end]}", "statement", "see it")
        place = end + 1


class _Reader:
    """What identifiers of a file mean."""

    def __init__(self, one: Written) -> None:
        self.theorem: Theorem = one.draft.theorem
        self.things = one.draft.names.things
        self.shape = shape_of(self.theorem)
        self.varying = self.shape.varying
        self.random = self.shape.random
        index = self.shape.iteration
        self.iteration = "" if index is None else one.draft.names(index.name)
        relations = [r for _, r in self.theorem.relations]
        free = {s for r in relations for s in r.lhs.free_symbols | r.rhs.free_symbols}
        bound = {limit[0] for r in relations for t in r.gap.atoms(sympy.Sum) for limit in t.limits}
        named = {*free, *self.theorem.symbols, *self.theorem.scalars, *self.theorem.indices, *bound}
        named |= {point.value for point in self.theorem.points}
        named |= {index} if index is not None else set()
        self.symbols = {symbol.name: symbol for symbol in named}
        calls = {c for r in relations for c in r.gap.atoms(AppliedUndef)}
        self.functions = {c.func.__name__: c.func for c in calls}
        self.vectors = {n for v in self.theorem.vectors for n in v.names}
        for point in self.theorem.points:
            self.vectors |= point.position.names | point.gradient.names
        self.typed: dict[str, str] = {}
        self.own: frozenset[str] = frozenset()
        self.outside: list[str] | None = None

    # --- binders ----------------------------------------------------------------------------

    def binders(self, found: list[str]) -> None:
        """Read what is quantified, and see that each name is what its type says."""
        for name, kind in re.findall(r"\( (\S+) : ([^()]*?) \)", " ".join(found)):
            self.typed[name] = kind
            last = kind.split()[-1]
            thing, sort = self.things.get(name, (None, ""))
            if kind in ("Space", "Type") or (kind == "Law W" and name == "P"):
                continue
            right = (
                sort == "mean" if kind.endswith("Mean W")
                else sort == "sequence" and thing in self.functions if sort == "sequence"
                else thing in self.vectors if last == "V"
                else thing in self.symbols and bool(self.symbols[thing].is_integer) == (last == "Z")
            )  # fmt: skip
            if not right:
                raise MisreadError(f"{name} is bound as {kind}", self.theorem.id, "see the file")

    # --- propositions -----------------------------------------------------------------------

    def opened(self, found: list[str]) -> tuple[list[str], list[str]]:
        """The indices that a proposition is about, and the rest."""
        indices, place = [], 0
        while place < len(found) and found[place] == "forall":
            end = found.index(",", place)
            name, kind = found[place + 1], found[place + 3 : end]
            place = end + 1
            if kind == ["Z"]:
                wanted = ["(", "0", "<=", name, ")", "->"]
                if found[place : place + 6] != wanted:
                    raise MisreadError(f"{name} is any whole number", self.theorem.id, "see it")
                indices.append(name)
                place += 6
            elif kind != ["W"]:
                raise MisreadError(f"a variable of {kind}", self.theorem.id, "see it")
        return indices, found[place:]

    def says(self, found: list[str], one: Any) -> bool:
        """Whether a proposition is this assumption."""
        if isinstance(one, Hypothesis):
            return self.relation(found, one.relation, False)
        if "exists" not in found:
            return False
        text = " ".join(self.opened(found)[1])
        if isinstance(one, Smooth):
            return self._smooth(text, one)
        return self._late(text, one)

    def says_run(self, found: list[str]) -> bool:
        """Whether a proposition is that there is a run with what is assumed of it.

        In each iteration, and at each outcome; its names are bound there, and no others.
        """
        inner = self.shape.inner
        if inner is None or "exists" not in found:
            return False
        start = found.index("exists")
        indices, rest = self.opened(found)
        if rest != found[start:]:
            return False
        each = [self.iteration] if self.iteration else []
        if indices != each or ("W" in found[:start]) != self.random:
            return False
        inside = copy(self)
        inside.iteration = next(
            n for n, (name, _) in self.things.items() if name == str(inner.index)
        )
        inside.own, inside.random = inner.own, True
        inside.outside = [*each, *(["w0"] if self.random else [])]
        inside.varying = self.varying | inner.own
        inside.symbols = {**self.symbols, str(inner.index): inner.index}
        end = rest.index(",")
        bound = dict(re.findall(r"\( (\S+) : ([^()]*?) \)", " ".join(rest[1:end])))
        inside.typed = self.typed | bound
        if not all(inside._along(name, kind) for name, kind in bound.items()):
            return False
        renamed = [_INSIDE.get(token, token) for token in rest[end + 1 :]]
        left = list(inner.hypotheses)
        for part in _arrows(renamed, "/\\"):
            if left and inside.relation(part, left[0].relation, False):
                left.pop(0)
            elif not any(
                rule(" ".join(part)) for rule in (inside._domain, inside._meant, inside._next)
            ):
                return False
        return not left

    def _along(self, name: str, kind: str) -> bool:
        """Whether something that is bound in a run goes along it, as what it is."""
        if name in ("W1", "P1"):
            return kind == {"W1": "Type", "P1": "Law W1"}[name]
        thing, sort = self.things.get(name, ("", ""))
        inner = self.shape.inner
        assert inner is not None
        if sort == "sequence":
            return kind == "Z -> R" and thing in {one.__name__ for one in inner.functions}
        right = "Z -> W1 -> V" if thing in self.vectors else "Z -> W1 -> R"
        return thing in inner.own and kind == right

    def relation(self, found: list[str], wanted: Relation, goal: bool) -> bool:
        """Whether a proposition is this relation, about all that it names."""
        del goal
        if any(token in found for token in ("exists", "known", "->")) and "forall" not in found:
            return False
        try:
            indices, rest = self.opened(found)
            parser = Parser(rest, self)
            left = parser.sum()
            sign = parser.take()
            right = parser.sum()
        except (MisreadError, IndexError, KeyError):
            return False
        if parser.left or sign not in ("<=", "="):
            return False
        if any(pinned(self.symbols[self.things[i][0]], Given(self.theorem, {})) for i in indices):
            return False
        if self.shape.raw(wanted.lhs) or self.shape.raw(wanted.rhs):
            named = (wanted.lhs.free_symbols | wanted.rhs.free_symbols) & self.shape.hyper
            wanted = wanted.replaced(self.shape.renamed(named))
        same = (sign == "<=") == (wanted.kind == "<=")
        return same and all(
            self.equal(one, other) for one, other in ((left, wanted.lhs), (right, wanted.rhs))
        )

    def equal(self, one: Scalar, other: Scalar) -> bool:
        """Whether an expression that is read is one of the theorem."""
        other = sympy.sympify(other)
        bound = {limit[0] for total in other.atoms(sympy.Sum) for limit in total.limits}
        other = neutral(other.xreplace({s: self.symbols.get(s.name, s) for s in bound}))
        return bool(one == other or sympy.expand(one - other) == 0)

    def structure(self, found: list[str]) -> bool:
        """Whether a proposition is a domain, or says what means and iterations are."""
        text = " ".join(found)
        return any(
            rule(text)
            for rule in (self._domain, self._known, self._between, self._meant, self._next)
        )

    _EACH: Final = r"(?:forall (\S+) : Z , \( 0 <= \S+ \) -> )?"

    def _domain(self, text: str) -> bool:
        bound = r"((?:forall i\d+ : Z , \( 0 <= i\d+ \) -> )+)"
        call = re.fullmatch(bound + r"\( 0 (<=|<) (\S+) [i0-9 ]+ \)", text)
        if call:
            kind = self.functions.get(self.things.get(call[3], ("", ""))[0])
            if kind is None:
                return False
            at = kind(*[sympy.Dummy(integer=True)] * call[1].count("forall"))
            return bool(at.is_positive if call[2] == "<" else at.is_nonnegative)
        each = self._EACH + r"(?:forall w : W , )?"
        match = re.fullmatch(each + r"(?:\( )?([01]) (<=|<) (?:\( )?(\w+)(?: \w+)*(?: \))*", text)
        if match is None:
            return False
        symbol = self.symbols.get(self.things.get(match[4], ("", ""))[0])
        if symbol is None:
            return False
        if match[2] == "1":
            return bool(match[3] == "<=" and symbol.is_integer and symbol.is_positive)
        return bool(symbol.is_nonnegative if match[3] == "<=" else symbol.is_positive)

    def _known(self, text: str) -> bool:
        """A mean knows what is not random to it."""
        match = re.fullmatch(self._EACH + r"known (\(.*?\)|\S+) (\(.*?\)|\S+)", text)
        if match is None:
            return False
        mean, name = (re.sub(r"[()]", "", part).split()[0] for part in match.groups()[1:])
        from theory.kernel.context import measures

        of, sort = self.things[mean]
        random = {one.name: one.random for one in measures(self.theorem)}
        return bool(sort == "mean" and self.things[name][0] not in random[of])

    def _between(self, text: str) -> bool:
        """What two means, or a mean and the expectation of everything, have to do."""
        mean = r"(\( \S+ \S+ \)|\S+)"
        forms = (
            rf"forall f , known {mean} f -> known \2 \( fun w => mean {mean} w f \)",
            rf"forall w f , mean {mean} w \( fun v => mean {mean} v f \) = "
            rf"mean \3 w \( fun v => mean \2 v f \)",
            rf"forall f , total P \( fun w => mean {mean} w f \) = total P f",
        )
        if not any(re.fullmatch(self._EACH + form, text) for form in forms):
            return False
        crossed = re.fullmatch(self._EACH + forms[1], text)
        averages = {
            str(m.args[0]) for _, r in self.theorem.relations for m in r.gap.atoms(Mean)
            if "(average)" in map(str, m.args[1])
        }  # fmt: skip
        names = [re.sub(r"[()]", "", g).split()[0] for g in crossed.groups()[1:]] if crossed else []
        tower = re.fullmatch(self._EACH + forms[2], text)
        if tower:
            return self.things[re.sub(r"[()]", "", tower[2]).split()[0]][0] not in averages
        return not crossed or any(self.things[name][0] in averages for name in names)

    def _meant(self, text: str) -> bool:
        """A sequence is the expectation of its value."""
        match = re.fullmatch(self._EACH + r"(\S+) (\S+) = total P \( fun w => (.*) \)", text)
        if match is None or self.things.get(match[2], ("", ""))[1] != "sequence":
            return False
        meant = {f.__name__: v for f, v in self.theorem.sequences.items()}
        parser = Parser(match[4].split(" "), self)
        value = parser.sum()
        return not parser.left and self.equal(value, meant[self.things[match[2]][0]])

    def _next(self, text: str) -> bool:
        """What takes the place of something in the next iteration."""
        outcome, at = ("forall w : W , ", " w") if self.random else ("", "")
        each = self._EACH + rf"{outcome}(.*) = (\S+) \( (\S+) \+ 1 \){at}"
        match = re.fullmatch(each, text)
        if match is None:
            return False
        parser = Parser(match[2].split(" "), self)
        name = self.things[match[3]][0]
        for now, then in (*self.theorem.following, *_carried(self.theorem)):
            if now.value.name == name:
                return bool(parser.sum() == then.value)
            for old, new in ((now.position, then.position), (now.gradient, then.gradient)):
                if old == vector(name):
                    found = parser.vector()
                    return (found - new).terms == ()
        return False

    def _smooth(self, text: str, one: Smooth) -> bool:
        head = r"exists \( f : V -> R \) \( df : V -> V \) , smooth f df "
        if not re.match(head, text):
            return False
        parser = Parser(re.sub(head, "", text).split(" "), self)
        if not self.equal(parser.atom(), sympy.sympify(one.constant)):
            return False
        inner = self.shape.inner
        aside = inner.own if inner is not None else frozenset()
        points = (p for p in self.theorem.points if p.function == one.function)
        for point in (p for p in points if not aside & {p.value.name, *p.position.names}):
            for word, value in (("f", point.value), ("df", point.gradient)):
                if [parser.take(), parser.take()] != ["/\\", word]:
                    return False
                if (parser.vector() - point.position).terms or parser.take() != "=":
                    return False
                told = parser.atom() if word == "f" else parser.vector()
                if told != value and not (word == "df" and (told - value).terms == ()):
                    return False
        return not parser.left

    def _late(self, text: str, one: Delayed) -> bool:
        least = r"Z\s*\.\s*max 0 \( (?P<k>\S+) - (?P<delay>.*?) \)"
        when = rf"(?P=j) = {least}" if one.exact else rf"{least} <= (?P=j) <= (?P<end>\S+)"
        match = re.match(rf"exists (?P<j>j'?) : Z , \( {when} \) ", text)
        if match is None or match["k"] != self.iteration:
            return False
        j, told = match["j"], match["delay"].split(" ")
        if j in (self.iteration, *told):  # what is bound here is nothing else
            return False
        delay = Parser(told, self).atom()
        parser = Parser(text[match.end() :].split(" "), self)
        ends = one.exact or match["end"] == match["k"]
        pairs = [
            (one.old.position, one.now.position), (one.old.value, one.now.value),
            (one.old.gradient, one.now.gradient),
        ]  # fmt: skip
        for old, now in pairs:
            if parser.take() != "/\\":
                return False
            read = parser.vector if isinstance(old, Vector) else parser.atom
            scope = parser.where
            first, sign = read(), parser.take()
            parser.where = [j, *scope[1:]]
            if (first, sign, read()) != (old, "=", now):
                return False
            parser.where = scope
        return bool(ends and not parser.left and delay == one.constant)
