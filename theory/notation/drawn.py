"""What is drawn under each mean, and what an author has to say of it before anything is shown.

What a mean does not list is the same at every outcome: pulled out of it, and no matter of chance.
So whatever may depend on a draw is listed, or its author says under `given` that it is there
before. Nothing is guessed in favour of a theorem: lines, means of other means, constants that vary
and theorems that are cited are all asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from unicodedata import decomposition, normalize

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.context import drawn_functions, measures
from theory.kernel.means import GIVEN, OVER, Mean, is_average, marked, random_names
from theory.kernel.relations import Relation
from theory.kernel.rules import Cite
from theory.kernel.theorem import Hypothesis
from theory.kernel.vectors import Gram, Point, Scalar, Vector
from theory.notation.interpolation import Meeting
from theory.notation.moving import is_gap
from theory.notation.names import Pending, text
from theory.notation.plan import MEANS, Plan


def tell_apart(
    randoms: dict[str, set[str]],
    plan: Plan,
    points: tuple[Point, ...],
    between: tuple[Meeting, ...],
    forms: list[Scalar],
    names: Set[str],
    where: str,
) -> frozenset[str]:
    """Complete what is random to each mean, and refuse what nobody can know.

    Parameters
    ----------
    randoms : dict of str to set of str
        What is listed; what is made of it is added.
    plan : Plan
    points : tuple of Point
    between : tuple of Meeting
    forms : list of expressions
        All that the theorem says.
    names : set of str
        All that it names.
    where : str

    Returns
    -------
    frozenset of str
        The means, and those of theorems that are cited.

    Raises
    ------
    TheoryError
        Something may be drawn or not, and nothing says which; or what is said cannot be.
    """
    elsewhere = _cited_means(plan)
    told = {mean: frozenset(random) for mean, random in randoms.items()}
    for mean, random in (*randoms.items(), *elsewhere.items()):
        _close(mean, random, (*points, *(one.u for one in between)), plan)
    _require_drawn(plan, randoms, names, where)
    nodes = [node for form in forms for node in atoms(form, Pending) | atoms(form, Mean)]
    for mean in dict.fromkeys((*randoms, *elsewhere)):
        random = randoms.get(mean, set()) | elsewhere.get(mean, set())
        own = [n for n in nodes if str(n.args[isinstance(n, Pending)]) == mean]
        given, bound = ({str(one) for n in own for one in said(n)} for said in (_given, _bound))
        of = frozenset(random), frozenset(given), frozenset(bound)
        listed = frozenset[str]().union(*randoms.values(), *elsewhere.values())
        average = any(n.is_average if isinstance(n, Pending) else is_average(n) for n in own)
        draw = _Draw(mean, average, *of, listed, plan, points, where)
        draw.require_functions(told.get(mean, frozenset()))
        draw.require_lines()
        draw.require_constants()
        draw.require_means()
        draw.require_steps()
        draw.require_sequences()
        calls = {call.func for form in forms for call in atoms(form, AppliedUndef)}
        numbers = {s.name for form in forms for s in form.free_symbols}
        draw.require_indexed(numbers | {str(f) for f in calls - plan.sequences.keys()}, names)
    return frozenset((*randoms, *elsewhere))


@dataclass(frozen=True)
class _Draw:
    """One mean, what is random to it, what it is given, the variable that it binds.

    And what is random to any mean.
    """

    mean: str
    average: bool
    random: frozenset[str]
    given: frozenset[str]
    bound: frozenset[str]
    listed: frozenset[str]
    plan: Plan
    points: tuple[Point, ...]
    where: str

    @cached_property
    def places(self) -> Mapping[str, frozenset[str]]:
        """By the name of a value or gradient, what its point is made of."""
        return _places(self.points, self.plan)

    @cached_property
    def still(self) -> frozenset[str]:
        """What is there before: iterates and what the mean is given, and their points.

        Workers have iterates with an index of their own, and where something that is drawn was
        drawn some iterations ago, iterates may have been made of it since.
        """
        iterates = {name for now, _ in self.plan.iterates for name in now.names}
        before = self._followed() | self.plan.anchors
        exact = (old.names for name, old, *_ in self.plan.delays if name in self.plan.exact)
        if self.random & iterates.union(*exact):
            before = set()
        if self.average:
            before = {name for name in before if not indices_in(name)}
        named = before | self.given | self.plan.fixed
        return frozenset(named.union(*(self.places.get(name, ()) for name in named)))

    def _followed(self, told: frozenset[str] = frozenset()) -> set[str]:
        """Iterates that are made of what was there, or drawn, in the iteration before, or of these.

        Of x⁺ = y nothing is known where nobody says what y is: it may be made of what comes.
        """
        moves = [(now.names, then.names) for now, then in self.plan.iterates]
        stale = {name for _, old, *_ in self.plan.delays for name in old.names}
        before = self.listed | told | self.plan.fixed | self.plan.anchors | self.plan.zero
        found = {name for now, _ in moves for name in now}
        while True:
            known = before | stale | found
            lost = {n for now, then in moves if not self._at(then) <= known for n in now} & found
            if not lost:
                return found
            found -= lost

    @cached_property
    def of_functions(self) -> Mapping[str, frozenset[str]]:
        """By the name of a value or gradient of a drawn function, all that there are of it."""
        found: dict[str, frozenset[str]] = {}
        for function in drawn_functions(self.points, self.random):
            own = [one for one in self.points if one.function == function]
            names = frozenset(n for one in own for n in (one.value.name, *one.gradient.names))
            found |= dict.fromkeys(names, names)
        return found

    def _at(self, names: Iterable[str]) -> set[str]:
        """These, values and gradients being what their points are."""
        return {part for name in names for part in self.places.get(name, {name})}

    def require_functions(self, told: frozenset[str]) -> None:
        """At an iterate that is random f_i(x) is random by itself, and f_i one for all k.

        Where it is listed, or the mean is over i, f_i is drawn anew in each iteration instead.
        """
        iterates = {name for now, _ in self.plan.iterates for name in now.names}
        for one in self.points:
            own = {one.value.name, *one.gradient.names}
            place = self._at(own) & self.random & iterates
            anew = own & told or (indices_in(one.function) & self.bound and own & self.random)
            if anew and place and not self.average:
                raise TheoryError(
                    f"{min(anew)} is drawn under {self.mean}, and so is {min(place)}, where it is "
                    f"taken: nothing says whether {one.function} is drawn anew in each iteration",
                    self.where,
                    f"list {min(anew)} alone if {one.function} is drawn, {min(place)} being there "
                    f"before; or {min(place)} alone, over no index, if {one.function} is one "
                    "function in all iterations",
                )

    def require_steps(self) -> None:
        """What moves what is drawn, or is moved by it, is drawn too, or there before.

        Such as the stepsize in x⁺ = x − sg: if it is made of g, E of sg is not s times that of g.
        Of what iterates themselves have been moved by the kernel looks for.
        """
        known = self.random | self.still | self._means | self.plan.zero
        known |= {name for _, old, *_ in self.plan.delays for name in old.names}
        known |= {name for now, _ in self.plan.iterates for name in now.names}
        for now, then in self.plan.iterates:
            factors = (_named(form, self.plan, self.places) for form in _factors(then))
            made = self._at(then.names.union(*factors))
            beside = made - known
            if self.average:
                beside = {name for name in beside if indices_in(name)}
            if beside and (made | now.names) & self.random:
                raise TheoryError(
                    f"{min(beside)} moves {text(now)}, and nothing says whether it is drawn with "
                    f"{min((made | now.names) & self.random)}, which is random to {self.mean}",
                    self.where,
                    self._remedy,
                )

    def require_lines(self) -> None:
        """What a line relates to something random is listed as random too, or there before.

        Such as the compressed gradient c in ‖c − g‖² ≤ (1 − δ)‖g‖²: nobody else knows which it is.
        Of f(y) ≤ f(x − γg) y is asked, and so is c of E‖c − g‖² ≤ (1 − δ)E‖g‖² under the mean.
        """
        asked = _asked_before(self.mean, self.plan)
        for line in (one for one in self.plan.assumed if one.relation not in asked):
            gap = self.plan.spelled(line.relation.gap)
            named = _named(_outside(gap, self.mean), self.plan, self.places)
            named |= self.plan.ahead(line.relation.gap)
            later = self._one_later(named)
            for together, known in ((named, self.still), (later, self.still | self._followed_if)):
                drawn = together & self.random
                beside = self._at(together) - known - self.random - self._means_of(drawn)
                if drawn and beside:
                    when = "" if together is named else ", one iteration later,"
                    raise TheoryError(
                        f"{min(beside)} stands{when} in a line with {min(drawn)}, which is random "
                        f"to {self.mean}, and nothing says whether it is drawn as well",
                        f"{self.where}: {line.name!r}",
                        self._remedy,
                    )
            for body in self._bodies(gap):
                named = _named(body, self.plan, self.places)
                drawn = named & self.random
                before = self._means_of(drawn) if drawn else self._means
                beside = self._at(named - self.random - self._equal_to) - self.still - self.random
                if self.average:  # what has no index is the same for all
                    beside = {name for name in beside if indices_in(name)}
                if beside - before:
                    raise TheoryError(
                        f"{min(beside - before)} stands under {self.mean}, and nothing says "
                        "whether it is drawn",
                        f"{self.where}: {line.name!r}",
                        self._remedy,
                    )

    @cached_property
    def _followed_if(self) -> set[str]:
        """Iterates that are followed if what the mean is given was there one iteration before."""
        return self._followed(self.given)

    def _one_later(self, names: Set[str]) -> set[str]:
        """What the iterates in a line about these are made of in the next iteration."""
        moves = {name: then.names for now, then in self.plan.iterates for name in now.names}
        return {n for name in self._at(names) & moves.keys() for n in moves[name]}

    @cached_property
    def _equal_to(self) -> set[str]:
        """What this mean of something is equal to: of E⟨g, w⟩ = ⟨v, w⟩ that is v, and w."""
        gaps = [one.relation.gap for one in self.plan.assumed if one.relation.kind == "=="]
        told = [(gap, _outside(gap, self.mean)) for gap in gaps]
        return {n for gap, rest in told if gap != rest for e in atoms(rest, Gram) for n in e.names}

    def _bodies(self, gap: Scalar) -> list[Scalar]:
        """What this mean is taken of in a formula."""
        nodes = (node for node in atoms(gap, Pending) if str(node.args[1]) == self.mean)
        return [sympy.expand(node.args[-1]) for node in nodes]

    @cached_property
    def _means(self) -> set[str]:
        """What something is in this mean, and what that is made of."""
        pairs = (expected.names for of, _, expected in _unbiased(self.plan) if of == self.mean)
        return {part for names in pairs for part in names | self._at(names)}

    def _means_of(self, drawn: Set[str]) -> frozenset[str]:
        """What each of these has for its mean, or its mean is made of: that is there before.

        A value has what its point is made of, and one of a drawn function what any of its
        gradients has.
        """
        made = {n for one in drawn for n in self.places.get(one, {one}) & self.random or {one}}
        found: dict[str, set[str]] = {name: set() for name in made}
        of_made = made.union(*(self.of_functions.get(n, ()) for n in made))
        for of, later, expected in _unbiased(self.plan):
            if of == self.mean and later.names & self.random <= of_made:  # of h alone, not of g + h
                same = later.names.union(*(self.of_functions.get(n, ()) for n in later.names))
                for name in same & made:
                    found[name] |= expected.names | self._at(expected.names)
        return frozenset(set.intersection(*found.values())) if found else frozenset()

    def require_means(self) -> None:
        """What is another mean of something random is random too, or there before.

        Such as the mean of a batch, of which another draw has it for its mean. Where the function
        is drawn and not its point, the mean over functions is a function of that point. Of what
        differs with an index the mean is a gradient that all have, unless its function has one.
        """
        one_for_all = (o for o in self.points if not any(map(indices_in, _made(o) | {o.function})))
        shared = {name for one in one_for_all for name in one.gradient.names}
        for other, later, expected in _unbiased(self.plan):
            drawn = self._at(later.names & self.random) & self.random
            apart = expected.names - shared if self.average else expected.names
            indexed = {name for name in apart if self.average and name in self.places}
            beside = self._at(apart - indexed) - self.still - self.random | indexed - self.random
            if other != self.mean and drawn and beside:
                raise TheoryError(
                    f"{min(beside)} is the mean of {min(drawn)} under {other}, and {min(drawn)} is "
                    f"random to {self.mean}: nothing says whether {min(beside)} is",
                    self.where,
                    self._remedy,
                )

    def require_sequences(self) -> None:
        """A sequence is one for all: avg D(k) is D(k), where D is the mean of ‖y_i‖² of one i.

        The kernel says so too, where a mean is left of which D(k) has been pulled out.
        """
        for sequence, value in self.plan.sequences.items() if self.average else ():
            named = _named(_outside(value, self.mean), self.plan, self.places)
            if named & self.random:
                raise TheoryError(
                    f"{sequence} is another one for each that {self.mean} is over, as "
                    f"{min(named & self.random)} is",
                    self.where,
                    f"take its mean under {self.mean}, and call that a sequence",
                )

    def require_constants(self) -> None:
        """Scalars that may vary are told apart in what is assumed everywhere, as L_i of f_i is."""
        points = self.points
        drawn = {o.function for o in points if self.random & {o.value.name, *o.gradient.names}}
        smooth = ((one.function, "smooth", (one.constant,)) for one in self.plan.smooth)
        for about, kind, parts in (*self.plan.everywhere, *smooth):
            if about in drawn or (about, kind) == (self.mean, "unbiased"):
                forms = (self.plan.spelled(form) for one in parts for form in _factors(one))
                named = {name for form in forms for name in _named(form, self.plan, self.places)}
                beside = self._at(named) - self.random - self.still
                if beside:
                    raise TheoryError(
                        f"{min(beside)} may vary, and nothing says whether it does with what is "
                        f"random to {self.mean}",
                        f"{self.where}: what is assumed of {about}",
                        f"{self._remedy}; or leave out T.varying, or say T.constant",
                    )

    def require_indexed(self, numbers: Set[str], names: Set[str]) -> None:
        """What has the index of what is drawn differs with it: avg(L_i) is not L_i.

        Vectors and numbers of one worker may be there before what this worker draws; where a mean
        is over all workers, says that it is over i, or f_i is drawn itself, they differ as well.
        """
        values = {one.value.name: one.function for one in self.points}
        values |= {n: one.function for one in self.points for n in one.gradient.names}
        indexed = dict.fromkeys(self.bound, min(self.random))
        for one in sorted(self.random):
            parts = {values.get(one, one), *self.places.get(one, ())}
            if not self.average:
                parts = {values[one]} if one in self.of_functions else set()
            indexed |= {index: one for part in parts for index in self._indices(part)}
        for name in sorted((numbers | names) - self.random - self.given - self.plan.zero):
            for index in sorted(self._indices(values.get(name, name)) & indexed.keys()):
                raise TheoryError(
                    f"{name} is the same for all, and {indexed[index]}, which is random to "
                    f"{self.mean}, differs with {index}",
                    self.where,
                    f"list {name} in the mean {self.mean}, a number by T.varying({name}) as well; "
                    "or give what is the same for all a name without that index",
                )

    def _indices(self, name: str) -> frozenset[str]:
        """Those but that of iterations."""
        found = indices_in(name) - {str(self.plan.index)}
        return found - {"k", "t"} or found

    @property
    def _remedy(self) -> str:
        return (
            f"list it in the mean {self.mean} if it is made of what is drawn; or else under "
            "given=(…,) of that mean, if it is there before"
        )


_SEVERAL: Final = re.compile("(?!min|lim|in$)[i-nrst]{2,3}")
"""Letters of indices beside each other, as in p_ij; f_min has none."""


def indices_in(name: str) -> frozenset[str]:
    """The indices in a name, however they are spelled: below, above, in brackets, several in a row.

    Examples
    --------
    >>> names = ("y_i", "yᵢ", "y^(i)", "x_star_i", "L_{k,i}", "x_i^+", "p_ij", "w_1i", "x^*", "xi")
    >>> ["".join(sorted(indices_in(name))) for name in names]
    ['i', 'i', 'i', 'istar', 'ik', 'i', 'iijj', 'i', '', '']
    """
    low = (one for one in name if decomposition(one).startswith(("<sub>", "<super>")))
    begun = re.search(r"[\W_]", name[1:])
    written = re.findall(r"[^\W_]+", name[begun.end() :]) if begun else []
    found = {one.lstrip("0123456789") for one in (*written, *(normalize("NFKD", n) for n in low))}
    apart = (letter for one in found if _SEVERAL.fullmatch(one) for letter in one)
    return frozenset(one for one in found.union(apart) if one[:1].isalpha())


def _given(node: Any) -> Iterable[Any]:
    """What a mean is given."""
    return node.args[3] if isinstance(node, Pending) else marked(node, GIVEN)


def _bound(node: Any) -> Iterable[Any]:
    """The variable that a mean binds, if it says one."""
    return (str(node.args[4]),) if isinstance(node, Pending) else marked(node, OVER)


def _places(points: Iterable[Point], plan: Plan) -> dict[str, frozenset[str]]:
    varying = {one.name for one in plan.varying}
    vectors = {name for one in points for name in one.position.names}
    return {
        name: _made(one) & (varying | vectors)
        for one in points
        for name in (one.value.name, *one.gradient.names)
    }


def _close(mean: str, random: set[str], points: tuple[Point, ...], plan: Plan) -> None:
    """What is made of something random is random: values and gradients, and stale iterates.

    So is what has it for its mean under another mean: that is drawn afterwards. And so is the gap
    of a strict inequality about it, such as c − ‖g‖² > 0.
    """
    gaps = {symbol.name for gap in plan.gaps.values() for symbol in gap.free_symbols}
    gaps |= {s.name for line in plan.cited for s in line.gap.free_symbols if is_gap(s)}
    places = _places(points, plan) if gaps else {}
    own = [(one, {one.value.name, *one.gradient.names}) for one in points]
    while True:
        more = {name for one, names in own if _made(one) & random for name in names}
        anew = drawn_functions(points, random)
        of_drawn = (names for one, names in own if one.function in anew)
        more = more.union(*(names - plan.fixed - plan.zero for names in of_drawn))
        for _, old, now, _ in plan.delays:
            more |= old.names if now.names & random else set()
        for later, expected in plan.spreads:
            more |= later.names if expected.names & random else set()
        for hypothesis in plan.assumed if gaps else ():
            gap = plan.spelled(hypothesis.relation.gap)
            named = _named(_outside(gap, mean), plan, places)
            more |= gaps & named if named & random else set()
        if more <= random:
            return
        random |= more


def _require_drawn(
    plan: Plan, randoms: Mapping[str, Set[str]], names: Set[str], where: str
) -> None:
    """What has a mean is drawn under it, and its mean is not."""
    for mean, random in randoms.items():
        if not random & names:
            raise TheoryError(
                f"{mean} is a mean over {', '.join(sorted(random))}, and nothing of that is named",
                where,
                f"list what is drawn in the mean {mean}",
            )
    for mean, later, expected in _unbiased(plan):
        random = randoms.get(mean, frozenset())
        if random and not later.names & random:
            raise TheoryError(
                f"{text(later)} has a mean under {mean}, and nothing of it is drawn there: it "
                "would be its mean",
                where,
                f"list {text(later)} in the mean {mean}, or what it is made of",
            )
        if expected.names & random:
            raise TheoryError(
                f"{min(expected.names & random)} is random to {mean}, and cannot be the mean of "
                f"{text(later)} under {mean}",
                where,
                f"say it of a mean over {text(later)} alone, given the rest",
            )


def _unbiased(plan: Plan) -> Iterator[tuple[str, Vector, Vector]]:
    """Means, vectors, and what these are in the mean."""
    for mean, kind, parts in plan.everywhere:
        if kind == "unbiased":
            later, expected = parts
            assert isinstance(later, Vector)
            assert isinstance(expected, Vector)
            yield mean, later, expected


def _cited_means(plan: Plan) -> dict[str, set[str]]:
    """What is random to the means of theorems that are cited; of the kernel's own they say it."""
    conclusions = (w.relation for w in plan.written if isinstance(w.rule, Cite))
    written = frozenset[str]().union(*(MEANS.get(lemma, ()) for lemma, _ in plan.cites))
    found: dict[str, set[str]] = {}
    for relation in (*plan.cited, *conclusions):
        for one in atoms(relation.lhs, Mean) | atoms(relation.rhs, Mean):
            if str(one.args[0]) in written:
                found.setdefault(str(one.args[0]), set()).update(random_names(one))
    return found


def _asked_before(mean: str, plan: Plan) -> set[Relation]:
    """Lines of cited theorems that have this mean: their authors have said what is drawn.

    Of what is put in place of their vectors they have not: u may be constant, and what it is not.
    """
    return {
        one.relation
        for lemma, values in plan.cites
        if any(mean == measure.name for measure in measures(lemma))
        for one in lemma.hypotheses
        if isinstance(one, Hypothesis) and values.relation(one.relation) == one.relation
    }


def _outside(gap: Scalar, mean: str) -> Scalar:
    """What a formula says outside of a mean."""
    return gap.replace(
        lambda node: (
            (isinstance(node, Pending) and str(node.args[1]) == mean)
            or (isinstance(node, Mean) and str(node.args[0]) == mean)
        ),
        lambda node: sympy.S.One,
    )


def _named(form: Scalar, plan: Plan, places: Mapping[str, frozenset[str]]) -> set[str]:
    """Vectors, values at points, and scalars that may change, which a formula names."""
    scalars = {one.name for one in form.free_symbols if one in plan.varying or one.name in places}
    return scalars.union(*(entry.names for entry in atoms(form, Gram)))


def _factors(one: Scalar | Vector) -> list[Scalar]:
    """The scalars in a part of an assumption."""
    parts = [factor for _, factor in one.terms] if isinstance(one, Vector) else [one]
    return [sympy.sympify(part) for part in parts]


def _made(one: Point) -> frozenset[str]:
    """What a position is made of: vectors, and what is in their factors."""
    symbols = (s.name for factor in _factors(one.position) for s in factor.free_symbols)
    return one.position.names.union(symbols)
