"""`theorem`: a statement and its proof, written as in a paper; the rest is inferred.

What is built is a `Theorem` of the kernel, which alone is checked and shown. Nothing here is
trusted: a wrong inference gives a theorem that says something else, which its row shows, or one
that is not proved.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_args

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.context import measures, names_in
from theory.kernel.relations import Relation, eq
from theory.kernel.rules import Cite, Combine, Found, Induction
from theory.kernel.theorem import Assumption, Hypothesis, Rule, Smooth, Theorem
from theory.kernel.values import Values
from theory.kernel.vectors import Gram, Scalar, Vector, squared, vector
from theory.notation import templates
from theory.notation.clipping import Clipped, facing
from theory.notation.coercion import VectorEquation, is_parameters, relation, slack
from theory.notation.interpolation import place
from theory.notation.iterations import Iterates, require_index, require_step
from theory.notation.moving import gaps_at, smooth_text
from theory.notation.names import (
    Expectation,
    Function,
    Named,
    Pending,
    listed_in,
    plainly,
    text,
)
from theory.notation.plan import MEANS, Plan, Statement, Written
from theory.notation.stating import theorem_of
from theory.notation.summed import MEANT, SAID, resummed, total

ANY: Final = vector("any vector")
"""What both sides of an equation of vectors are multiplied by where it is to be shown."""


def theorem(id: str, where: str = "ours", *functions: Function) -> Draft:
    """Begin a theorem.

    Parameters
    ----------
    id : str
        ``paper.name``.
    where : str
        Equation or page.
    functions : Function
        Those about which nothing is assumed; others are known by their assumptions.

    Returns
    -------
    Draft
        To which assumptions and steps are added; `Draft.shows` makes the theorem.

    Examples
    --------
    >>> from theory.kernel import vector
    >>> from theory.notation import function, positive
    >>> L, gamma = positive("L gamma")
    >>> f, x = function("f"), vector("x")
    >>> y = x - gamma * f.grad(x)
    >>> T = theorem("mine.step", "Lemma 5")
    >>> T.smooth(f, L)
    'f is L-smooth'
    >>> made = T.shows(f(y) <= f(x) - gamma * (1 - L * gamma / 2) * f.grad(x) ** 2)
    >>> [str(symbol) for symbol in made.symbols], len(made.points)
    (['L', 'gamma'], 2)
    """
    other = next((one for one in functions if not isinstance(one, Function)), None)
    if other is not None:
        raise TheoryError(
            f"behind the place stand functions about which nothing is assumed, found {other!r}",
            id,
            "leave it out: the file is known, and other functions are by what is assumed of them",
        )
    module = sys._getframe(1).f_globals
    return Draft(id, where, str(module.get("__file__") or ""), list(functions), listed_in(module))


@dataclass
class Draft:
    """A theorem in the making; see `theorem`.

    Attributes
    ----------
    id, where, file : str
    functions : list of Function
    """

    id: str
    where: str
    file: str
    functions: list[Function]
    _listed: Mapping[str, set[str]] = field(default_factory=dict, repr=False)
    _plan: Plan = field(default_factory=Plan, repr=False)

    # What is assumed

    def assume(self, said: Any, name: str = "", says: str = "") -> str:
        """Assume an inequality or equation of scalars or vectors, or what the kernel's classes say.

        A strict inequality such as ``beta < 1`` names its gap, a positive constant. An equation of
        vectors may be used as one of inner products with any vector of the theorem. A sentence is
        shown with the row, and nothing checks it.

        Returns
        -------
        str
            Its name, by which steps may cite it.
        """
        if isinstance(said, str):
            self._plan.words[said] = None
            return said
        if isinstance(said, get_args(Assumption)):
            self._plan.cited -= {said.relation} if isinstance(said, Hypothesis) else set()
            return self._plan.take(said)
        if isinstance(said, VectorEquation):
            label = name or f"{text(said.left)} = {text(said.right)}"
            self._plan.equated |= said.left.names | said.right.names
            self._plan.equations[label] = plainly(said.left - said.right)
            self._plan.offered.append(templates.vector_equation(label, said, says))
            return label
        strict = slack(said)
        stated = strict[1] if strict else self._said(said)
        label = name or sympy.sstr(said) if strict else name or str(stated)
        if strict:
            self._plan.gaps |= {(way := said.gts - said.lts): strict[0], -way: -strict[0]}
        if strict and not is_parameters(stated):
            self._plan.varying.add(strict[0])
        self._plan.assumed.append(Hypothesis(label, says or str(said), stated))
        return label

    def smooth(self, f: Function, constant: Scalar, name: str = "") -> str:
        """Assume ∇f Lipschitz with this constant: the descent lemma holds at any two points.

        That of −f is offered where f is not convex and nothing iterates.
        """
        constant = sympy.sympify(constant)
        label = name or smooth_text(f.name, constant)
        self._know(f)
        self._plan.smooth.append(Smooth(label, label, constant, f.name))
        return label

    def convex(self, f: Function) -> None:
        """Assume f convex: it lies above its tangents, at any two points."""
        self.strongly_convex(f, sympy.S.Zero)

    def strongly_convex(self, f: Function, modulus: Scalar) -> None:
        """Assume f(y) ≥ f(x) + ⟨∇f(x), y − x⟩ + (μ/2)‖y − x‖² at any two points."""
        modulus = sympy.sympify(modulus)
        self._everywhere(f, "convex", modulus)
        self._plan.offered.append(templates.strongly_convex(f, modulus))
        self._plan.convex.append((f, modulus))

    def quasi_convex(self, f: Function, at: Vector) -> None:
        """Assume ⟨∇f(x), x − x*⟩ ≥ f(x) − f(x*) everywhere, for one vector x* = `at`.

        That f is least there is another assumption, `minimum`.
        """
        self.quasi_strongly_convex(f, at, sympy.S.Zero)

    def quasi_strongly_convex(self, f: Function, at: Vector, modulus: Scalar) -> None:
        """Assume ⟨∇f(x), x − x*⟩ ≥ f(x) − f(x*) + (μ/2)‖x − x*‖² everywhere, for x* = `at`."""
        modulus = sympy.sympify(modulus)
        self._everywhere(f, "quasi-convex", modulus, at)
        self.constant(at)
        self._plan.constants.add(f(at))
        self._plan.offered.append(templates.quasi_convex(f, at, modulus))

    def lower_bound(self, f: Function, least: Scalar) -> None:
        """Assume f ≥ `least` everywhere."""
        self._everywhere(f, "least", least)
        self._plan.offered.append(templates.lower_bound(f, least))

    def pl(self, f: Function, modulus: Scalar, least: Scalar) -> None:
        """Assume ‖∇f(x)‖² ≥ 2μ(f(x) − least) everywhere (Polyak–Łojasiewicz)."""
        self._everywhere(f, "Polyak–Łojasiewicz", modulus, least)
        self._plan.offered.append(templates.pl(f, modulus, least))

    def minimum(self, f: Function, at: Vector) -> None:
        """Assume that f is least at this vector, which is the same in every iteration."""
        self._everywhere(f, "minimum", at)
        self.constant(at)
        self._plan.constants.add(f(at))
        self._plan.zero |= f.grad(at).names
        self._plan.offered += [templates.stationary(f, at), templates.least(f, at)]

    def bounded_gradient(self, f: Function, bound: Scalar) -> None:
        """Assume ‖∇f‖ ≤ `bound` everywhere, which is at least 0."""
        bound = _length(bound, f"T.assume({f.name}.grad(x) ** 2 <= …)", self.id)
        if not bound.is_nonnegative:
            raise TheoryError(
                f"norms of gradients are at most {bound}, which is not shown to be at least 0",
                self.id,
                f"declare it with nonnegative or positive, or T.assume({f.name}.grad(x) ** 2 <= …)",
            )
        self._everywhere(f, "steepest", bound)
        self._plan.offered.append(templates.bounded_gradient(f, bound))

    def unbiased(self, mean: Expectation, random: Vector, expected: Vector) -> None:
        """Assume that a random vector has this mean; it is used with any vector that is given."""
        meant = plainly(random), plainly(expected)
        self._plan.everywhere[mean.name, "unbiased", meant] = None
        self._plan.offered.append(templates.unbiased(mean, random, expected))
        self._plan.spreads.append(meant)
        # what no other line names is named here: ∇f(x_i) is random with x_i, and the gradient of f
        self._plan.meant.append(mean((random - expected) ** 2))
        self._plan.expected.setdefault(mean.name, set()).update(expected.names)

    def bounded_variance(
        self, mean: Expectation, random: Vector, expected: Vector, bound: Scalar
    ) -> str:
        """Assume that the mean of ‖random − expected‖² is at most the square of `bound`."""
        away = (random - expected) ** 2
        instead = f"T.assume({mean.name}(({text(random)} - {text(expected)}) ** 2) <= …)"
        limit = _length(bound, instead, self.id) ** 2
        return self.assume(mean(away) <= limit, f"variance of {text(random)}")

    def clipped(self, factor: Scalar, of: Vector, most: Scalar) -> Vector:
        """Say that a positive number is min(1, c/‖g‖), with which g is cut down to length c.

        It may differ from iteration to iteration; where g is random to a mean, so is the factor,
        and is listed there. Of g = 0 it is 1. Of two vectors that are clipped to one length, what
        makes them come no further apart is shown unasked.

        Returns
        -------
        Vector
            The factor times the vector.

        Examples
        --------
        >>> from theory.notation import positive, vector
        >>> c, theta = positive("c theta")
        >>> h = theorem("mine.clipped").clipped(theta, vector("g"), c)
        >>> h**2
        theta**2*<g, g>
        """
        made = Clipped(factor, plainly(of), sympy.sympify(most))
        if self._plan.clipped.setdefault(factor, made) != made:
            clips = text(self._plan.clipped[factor].of)
            raise TheoryError(
                f"{factor} clips {clips}, and cannot clip {text(of)} as well",
                self.id,
                "give the second factor a name of its own",
            )
        self.varying(factor)
        for fact in made.facts():
            self.assume(fact)
        others = [one for one in self._plan.clipped.values() if one != made]
        for step in facing(made, others):
            self.have(step.relation, step.name, by=step.rule)
        return made.vector

    def constant(self, *parts: Vector) -> None:
        """Say that vectors are the same in every iteration."""
        for part in parts:
            self._plan.fixed |= part.names

    def varying(self, *parts: Scalar) -> None:
        """Say that scalars differ between iterations, and at outcomes of means that list them."""
        self._plan.varying |= set(parts)

    # Iterations

    def iterate(self, now: Vector | Iterates, then: Vector, index: Scalar = None) -> None:
        """Say what takes the place of a vector in the next iteration: x⁺ = x − γ∇f(x).

        Parameters
        ----------
        now : Vector or Iterates
            A name of its own, or what `iterates` has made, which knows its index.
        then : Vector
        index : sympy symbol
            What counts iterations, from 0.
        """
        if isinstance(now, Iterates):
            self._of_iterates(now, then)
            index = now.index
            now = now[index]
        if not isinstance(now, Vector) or len(now.terms) != 1:
            found = text(now) if isinstance(now, Vector) else f"a {type(now).__name__}"
            raise TheoryError(
                f"an iterate is a vector of its own, found {found}", self.id, "name it"
            )
        if not isinstance(then, Vector):
            given = f"the next iterate is a vector, found a {type(then).__name__}"
            raise TheoryError(given, self.id, "write vectors, times numbers")
        require_step(now, then, index, self.id)
        self._plan.iterates.append((plainly(now), then))
        self.along(index)

    def _of_iterates(self, now: Iterates, then: Vector) -> None:
        if now.then not in (None, then):
            raise TheoryError(
                f"{now.name}[{now.index} + 1] is one thing, found {text(then)} and another",
                self.id,
                "make other iterates by another name",
            )
        now.then = then
        self._plan.moved.append(now)

    def along(self, index: Scalar) -> None:
        """Say what counts the members of sequences, such as blocks, where nothing iterates.

        Where there are no vectors that iterate, k is known from a line that names both a(k) and
        a(k + 1), from assumptions of an a(k) of whose k the statement says nothing, or else from
        the sums Σ_{k<K} a(k): then this need not be said.
        """
        require_index(index, self.id)
        if self._plan.index not in (None, index):
            raise TheoryError(
                f"iterations are counted by one index, found {self._plan.index} and {index}",
                self.id,
                "name the same in all of them",
            )
        self._plan.index = index

    def delayed(self, old: Vector, now: Vector, delay: Scalar) -> str:
        """Say that a vector is what an iterate was up to `delay` iterations ago.

        In iteration k, `old` is `now` of an iteration from max(0, k − delay) to k, which one may
        differ from iteration to iteration.

        Returns
        -------
        str
            The name of the assumption.
        """
        label = f"{text(old)} is stale"
        self._plan.anchors |= old.names
        self._plan.delays.append((label, plainly(old), plainly(now), sympy.sympify(delay)))
        return label

    def sequences(self, meant: Mapping[Any, Scalar]) -> None:
        """Take sequences that are made already: what each is the mean of."""
        self._plan.sequences |= meant
        self._plan.require_free(self.id)

    def sequence(
        self,
        name: str,
        quantity: Scalar = None,
        *,
        nonnegative: bool = False,
        positive: bool = False,
    ) -> Any:
        """A quantity of iteration k, or its mean if it is random, as a function of k.

        Without a quantity it may be any sequence of numbers, of nonnegative or of positive ones,
        by which one may divide: only what is assumed of it is known.

        Examples
        --------
        >>> from theory.kernel import vector
        >>> k, x = sympy.Symbol("k", integer=True, nonnegative=True), vector("x")
        >>> D = theorem("mine.rate").sequence("D", x**2)
        >>> D(k + 1), D(k).is_nonnegative
        (D(k + 1), True)
        """
        if quantity is None:
            sign = "positive" if positive else "nonnegative" if nonnegative else "real"
            self._plan.any_sequence(name, self.id)
            return sympy.Function(name, **{sign: True})
        if nonnegative or positive:
            raise TheoryError(
                f"{name} is the mean of {quantity}, which says by itself what sign it has",
                self.id,
                "leave the sign out, and assume what is known of the quantity",
            )
        form = sympy.sympify(quantity)
        if self._plan.index in form.free_symbols:
            raise TheoryError(
                f"{name} is the mean of {quantity} in one iteration, and that names its number",
                self.id,
                f"weigh it in the line: T.have(({self._plan.index} + 1) * F({self._plan.index} + 1)"
                f" <= {self._plan.index} * F({self._plan.index}) + ...)",
            )
        sign = "nonnegative" if form.is_nonnegative or squared(form) else "real"
        made = sympy.Function(name, **{sign: True})
        known = {str(one): value for one, value in self._plan.sequences.items()}
        if known.get(name, form) != form:
            raise TheoryError(
                f"{name} is the name of two sequences, of {known[name]} and of {form}",
                self.id,
                "give one of them another name",
            )
        self._plan.sequences[made] = form
        self._plan.require_free(self.id)
        return made

    def averaged(self, mean: Vector, of: Vector | Iterates, count: Scalar) -> None:
        """Say that a vector is the mean of the first `count` iterates, Σ_{k<K} x_k / K.

        It is the same in every iteration, so there must be no expectation: the mean of iterates
        depends on all that is drawn. What is known of it is Σ_{k<K} ⟨∇f(x̄), x_k − x̄⟩ = 0 for each
        function of the theorem so far; that f(x̄) is at most the mean of the f(x_k) is then found
        for a convex f.

        Parameters
        ----------
        mean : Vector
            A name of its own.
        of : Vector or Iterates
        count : sympy expression
        """
        index = of.index if isinstance(of, Iterates) else self._plan.index
        now = of[index] if isinstance(of, Iterates) else of
        if len(mean.terms) != 1 or index is None or not self.functions:
            raise TheoryError(
                f"a mean of iterates is a vector of its own, found {text(mean)}, the index is "
                f"{index}, and functions are {', '.join(f.name for f in self.functions) or 'none'}",
                self.id,
                "name it; say before what is assumed of f, and by T.iterate how x moves",
            )
        if sympy.sympify(count).has(index):
            raise TheoryError(
                f"the mean of {count} iterates is another in each iteration, and {text(mean)} is "
                "the same in all",
                self.id,
                "count iterates by a number of its own, such as K",
            )
        self.constant(mean)
        self._plan.averages.append(mean)
        for f in self.functions:
            self._everywhere(f, "averaged", mean)
            self._plan.constants.add(f(mean))
            self._plan.averaged[f(mean)] = f(now), sympy.sympify(count)
            slope = self.sequence(f"slope of {f.name} at {text(mean)}", f.grad(mean) @ (now - mean))
            label = f"{text(mean)} is the mean of {text(now)}"
            self.assume(eq(total(slope(index), index, count), 0), f"{label}, by ∇{f.name}", label)

    # Steps

    def have(
        self,
        said: Any,
        name: str = "",
        *using: str,
        by: Rule | None = None,
        says: str = "",
        where: str = "ours",
    ) -> str:
        """Add a line of the proof.

        Parameters
        ----------
        said : relation
        name : str, optional
            By which later lines cite it.
        using : str
            Names of the facts that a certificate may use; none means all.
        by : Rule, optional
            A rule of the kernel; without one ``staleproof certify`` looks for a certificate.
        says, where : str

        Returns
        -------
        str
            Its name.
        """
        stated = self._said(said)
        label = name or f"line {1 + len(self._plan.written)}"
        rule = by if by is not None else self._found(using)
        self._plan.written.append(Written(label, stated, rule, says, where))
        return label

    def cite(
        self,
        lemma: Theorem,
        scalars: Mapping[Scalar, Scalar] | None = None,
        vectors: Mapping[Vector, Vector] | None = None,
        name: str = "",
        says: str = "",
        where: str = "ours",
        unused: tuple[str, ...] = (),
        domain: tuple[str, ...] = (),
    ) -> str:
        """Use another theorem, at other values if they are given; its hypotheses are assumed too.

        Those that are named as `unused` are not: its proof must do without them. Values and
        gradients go along with the points of a function. `domain` names the facts under which the
        scalars lie in their domains.

        Returns
        -------
        str
            The name of the line that it gives.
        """
        put = {next(iter(one.names)): other for one, other in (vectors or {}).items()}
        drawn = {name: mean.name for mean in measures(lemma) for name in sorted(mean.random)}
        for name in sorted(drawn.keys() & put.keys()):
            raise TheoryError(
                f"{name} is random to {drawn[name]} in {lemma.id}, whose mean is over {name} and "
                f"nothing else: {text(put[name])} cannot take its place",
                self.id,
                f"call what is drawn {name} here as well",
            )
        numbers = {one: sympy.sympify(other) for one, other in (scalars or {}).items()}
        values = self._carried(lemma, Values(numbers, put))
        values = Values({**gaps_at(lemma, values), **values.scalars}, values.vectors)
        self._plan.cite(lemma, values, unused)
        self._plan.require_free(self.id)
        label = name or lemma.id
        rule = Cite(lemma.id, values.scalars, values.vectors, domain)
        self._plan.written.append(Written(label, values.relation(lemma.goal), rule, says, where))
        return label

    def induction(self, said: Any, recurrence: str, start: str = "", *domain: str) -> str:
        """From a(k + 1) ≤ r·a(k) + s to a bound of a(n) for every n, as `said`.

        Parameters
        ----------
        said : relation
            ``a(n) <= …``.
        recurrence : str
            Name of the line that states a(k + 1) ≤ r·a(k) + s.
        start : str, optional
            Name of what bounds a(0); without it an assumption of that, if the bound does not name
            a(0), or else a(0) itself.
        domain : str
            Facts under which r is at least 0; none means all assumptions about constants.
        """
        stated = self._said(said)
        self._plan.count_along()
        index, call = self._plan.index, stated.lhs
        if index is None:
            raise TheoryError(
                f"an induction goes along an index, and none is known for {stated}",
                self.id,
                "state the recurrence before, of a(k + 1) and a(k), or say T.along(k)",
            )
        if not isinstance(call, AppliedUndef):
            raise TheoryError(
                f"an induction bounds a sequence along an index, found {stated}",
                self.id,
                "state a(n) <= ...; a sum is a sequence by name, such "
                'as T.sequence("V", f(x) + (x - y) ** 2)',
            )
        first = call.func(0)
        if not start and not stated.rhs.has(first):
            start = self._plan.start_of(first)
        if not start:
            start = self.have(eq(first, first), f"{first}", by=Combine())
        under = domain or tuple(h.name for h in self._plan.assumed if is_parameters(h.relation))
        rule = Induction(recurrence, index, call.args[0], call.func, start, under)
        return self.have(stated, by=rule)

    def shows(
        self,
        said: Any,
        terms: Mapping[str, Scalar] | None = None,
        *using: str,
        by: Rule | None = None,
        says: str = "",
        latex: str = "",
    ) -> Theorem:
        """State the theorem.

        Parameters
        ----------
        said : relation
            An equation of vectors is shown as one of inner products with any vector.
        terms : mapping of str to expression, optional
            The right-hand side term by term, with names that tables and figures use.
        using, by
            As for `have`.
        says, latex : str, optional
            The sentence and its formula as the paper has them; nothing checks them.

        Returns
        -------
        theory.kernel.Theorem
            What a claim file calls ``CLAIM``.

        Raises
        ------
        TheoryError
            The formulas name what is not declared, or the terms do not add up.
        """
        if isinstance(said, VectorEquation):
            self._require_any(said)
            said = eq(said.left @ ANY, said.right @ ANY)
        stated = self._said(said)
        self._plan.count_along(stated)
        own = any(self._is_of_one_iteration(one.relation) for one in self._plan.written)
        if by is None and self._is_of_one_iteration(stated):
            self.have(stated, "", *using)
        rule = by if by is not None else self._found(using)
        parts = _terms(stated.rhs)
        if terms:
            parts = {name: self._said(eq(term, 0)).lhs for name, term in terms.items()}
        if sympy.expand(sympy.Add(*parts.values()) - stated.rhs) != 0:
            raise TheoryError(
                "the terms do not add up to the right-hand side", self.id, "correct one of them"
            )
        statement = Statement(self.id, self.where, stated, parts, rule, says, latex)
        tried = type(rule) is Found and not rule.among and not own
        made = theorem_of(statement, self._plan, self.functions, self._found(()) if tried else None)
        self._require_taken(made)
        return made

    def _require_taken(self, made: Theorem) -> None:
        """Of functions that the file says are drawn a run says under which mean they are.

        It would be about one function in all iterations.
        """
        own = {name for one in made.points for name in (one.value.name, *one.gradient.names)}
        taken = {name for one in measures(made) for name in one.random}
        for mean, names in self._listed.items() if self._plan.iterates else ():
            forgotten = own & names - taken if mean not in MEANS[made] else ()
            if forgotten:
                raise TheoryError(
                    f"{min(forgotten)} is listed in the mean {mean}, of which the theorem says "
                    "nothing: it would be of one function in every iteration",
                    self.id,
                    f"say what it is in the mean, such as T.unbiased({mean}, …); or take away "
                    f"{mean}, or give a function that is the same throughout another name",
                )

    def _said(self, said: Any) -> Relation:
        """A relation, with what its sums are made of among the sequences."""
        stated, known = relation(said, self.id), self._plan.sequences
        for node in atoms(stated.lhs, Pending) | atoms(stated.rhs, Pending):
            drawn = (one for one in node.free_symbols if one.name in node.random)
            self.varying(*(one for one in drawn if "(" not in one.name))  # values have points
        sums = atoms(stated.lhs, sympy.Sum) | atoms(stated.rhs, sympy.Sum)
        put: dict[Any, Any] = {one: resummed(one, self._plan.varying) for one in sums}
        stated = Relation(stated.lhs.xreplace(put), stated.kind, stated.rhs.xreplace(put))
        put = {}
        for call in atoms(stated.lhs, AppliedUndef) | atoms(stated.rhs, AppliedUndef):
            said_here = SAID.get((self.file, call.func))
            declared = next((v for f, v in known.items() if str(f) == str(call.func)), said_here)
            if said_here is not None and declared != said_here:
                raise TheoryError(
                    f"{call.func} is a sum of {said_here}, and was declared the mean of {declared}",
                    self.id,
                    "give the sequence another name",
                )
            if call.func in MEANT and call.func not in known:
                meant = MEANT[call.func]
                other = next((f for f, value in known.items() if value == meant), None)
                if other is None:
                    known[call.func] = meant
                    self._plan.require_free(self.id)
                else:
                    put[call] = other(*call.args)
        left, right = (side.xreplace(put) for side in (stated.lhs, stated.rhs))
        return Relation(left, stated.kind, right) if put else stated

    def _is_of_one_iteration(self, stated: Relation) -> bool:
        """Whether sequences are compared with themselves one iteration later."""
        later = None if self._plan.index is None else self._plan.index + 1
        return any(call.args == (later,) for call in atoms(stated.gap, AppliedUndef))

    def _carried(self, lemma: Theorem, values: Values) -> Values:
        """These values, with those of the functions at points that are put elsewhere."""
        about = {f.name: f for f in self.functions}
        said = {name for _, one in lemma.relations for name in names_in(one.gap)}
        unknown = [
            one
            for one in lemma.points
            if values.vector(one.position) != one.position and one.function not in about
            if said & {one.value.name, *one.gradient.names}
        ]
        if unknown:
            raise TheoryError(
                f"{lemma.id} is cited elsewhere, and {unknown[0].value} would stay where it is: "
                f"nothing is said of {unknown[0].function} here",
                self.id,
                "say it before, or list the function: theorem(id, where, f)",
            )
        put = ", ".join(map(text, values.vectors.values()))
        for one in (*lemma.points, *lemma.points):  # a point may be made of another one's gradient
            there = values.vector(one.position)
            if there != one.position and one.function in about:
                label = f"{place(one)}({put})"
                if len(one.position.terms) == 1:
                    label = text(values.vectors[min(one.position.names)])
                called = Named(there.terms, label)
                at, (gradient,) = about[one.function].at(called), one.gradient.names
                values = Values(
                    {one.value: at.value, **values.scalars},
                    {**values.vectors, gradient: at.gradient},
                )
        plain = {name: plainly(one) for name, one in values.vectors.items()}
        return Values(values.scalars, plain)

    def _require_any(self, said: VectorEquation) -> None:
        """Nothing may be known of the vector that stands for all."""
        plan = self._plan
        known = {name for form in plan.forms for entry in atoms(form, Gram) for name in entry.names}
        pairs = (*plan.iterates, *plan.spreads, *((old, now) for _, old, now, *_ in plan.delays))
        known |= {name for pair in pairs for part in pair for name in part.names}
        known |= plan.equated | plan.fixed | said.left.names | said.right.names
        known |= {n for f in self.functions for at in f.points.values() for n in at.position.names}
        if known & ANY.names:
            raise TheoryError(
                f"{text(ANY)!r} stands for every vector in an equation that is to be shown",
                self.id,
                "give your vector another name",
            )

    def _everywhere(self, f: Function, kind: str, *constants: Scalar | Vector) -> None:
        self._know(f)
        put = (plainly(c) if isinstance(c, Vector) else sympy.sympify(c) for c in constants)
        self._plan.everywhere[f.name, kind, tuple(put)] = None

    def _know(self, f: Function) -> None:
        if any(one == f and one is not f for one in self.functions):
            raise TheoryError(
                f"two functions are called {f.name}, and would be one",
                self.id,
                f'give one another name, such as function("h"), or make {f.name} once and use it',
            )
        if f not in self.functions:
            self.functions.append(f)

    def _found(self, using: tuple[str, ...]) -> Found:
        rule = Found(*using)
        object.__setattr__(rule, "file", self.file)  # where the claim is written, not this file
        return rule


def _terms(right: Scalar) -> dict[str, Scalar]:
    """Terms by number, as they are written."""
    parts = sympy.Add.make_args(right)
    return {f"term {number}": part for number, part in enumerate(parts, 1)}


def _length(bound: Any, instead: str, where: str) -> Scalar:
    """A bound of a length; σ² or σ²/n in its place, whose square would be meant, is refused."""
    found = sympy.sympify(bound)
    powers = [part.as_base_exp()[1] for part in sympy.Mul.make_args(found.as_coeff_Mul()[1])]
    above = [power for power in powers if not power.is_negative] or powers
    if found.free_symbols and all(power.is_Integer and power % 2 == 0 for power in above):
        raise TheoryError(
            f"the bound is one of a length and is squared here, so {found} would give {found**2}",
            where,
            f"write {sympy.powdenest(sympy.sqrt(found), force=True)}, or {instead}",
        )
    return found
