"""From what an author writes to a theorem of the kernel: names, points and facts are inferred."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, replace
from typing import Any, Final
from weakref import WeakKeyDictionary

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.context import (
    changing,
    constants,
    drawn,
    measures,
    names_in,
    require_context,
    require_random_since,
    vanishing,
)
from theory.kernel.means import (
    GIVEN,
    LAW,
    OVER,
    Average,
    Mean,
    Operator,
    is_average,
    marked,
    random_names,
)
from theory.kernel.normal import is_zero
from theory.kernel.prove import closure
from theory.kernel.relations import Relation, eq, le
from theory.kernel.residues import Residues
from theory.kernel.rules import Combine, Found, Induction, Total
from theory.kernel.stored import entries_of, names_of, vector_from
from theory.kernel.theorem import Assumption, Delayed, Hypothesis, Rule, Step, Theorem
from theory.kernel.vectors import Gram, Point, Scalar, vector
from theory.kernel.wellformed import require_begun
from theory.notation import elementary, norms, offers
from theory.notation.names import Function, Pending, plainly, text
from theory.notation.norms import SQUARED
from theory.notation.offers import Offer
from theory.notation.plan import MEANS, Plan, Statement
from theory.notation.scene import Scene
from theory.notation.scenes import counts, scene_of

INSIDE: Final = ", in one iteration"
"""What a line about sequences is called where it is said of what they are the means of.

It need not have a certificate: the line may follow from other lines about sequences.
"""
EACH: Final = ", each "
"""Before the index, what a bound by induction is called where it is said of iteration k."""


class _Sketch(Theorem):
    """A theorem in the making, which nothing has looked at yet; `Theorem` alone is proved."""

    def __post_init__(self) -> None:
        """Copy nothing, and look at nothing: that is done once, by `made`."""

    def made(self) -> Theorem:
        """The theorem."""
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        steps = tuple(one.step() if isinstance(one, Offer) else one for one in self.steps)
        return Theorem(**{**parts, "steps": steps})


class _Known(Mapping[str, Relation]):
    """Facts by name, none of which is worked out before it is looked at."""

    def __init__(self) -> None:
        self.lines: dict[str, Hypothesis | Step | Offer] = {}

    def __getitem__(self, name: str) -> Relation:
        return self.lines[name].relation

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)


_FULL: WeakKeyDictionary[Theorem, _Sketch] = WeakKeyDictionary()


def offered(theorem: Theorem) -> Theorem:
    """The theorem with all facts that a search for its certificates may use."""
    full = _FULL.get(theorem)
    return theorem if full is None else full.made()


def built(statement: Statement, plan: Plan, functions: Iterable[Function]) -> Theorem:
    """The theorem of the kernel.

    Where all certificates are stored, facts that none of them uses are left out; `offered` has
    them.
    """
    plan.look_back(statement.relation)
    functions = tuple(functions)
    plan.let_gaps_vary(functions)
    scene = scene_of(statement, plan, functions)
    _require_told(scene, plan, statement.id)
    _require_nothing_drawn(scene, plan, statement.id)
    _require_own_ties(statement, plan, scene)
    full = _assembled(statement, plan, scene)
    less = _without_points(_without_unused(full, plan), scene)
    named = {call.func for one in less.steps for call in atoms(one.relation.gap, AppliedUndef)}
    meant = {one: v for one, v in less.sequences.items() if one in named | plan.sequences.keys()}
    slim = replace(less, sequences=meant).made()
    _require_ties(slim, full)
    _FULL[slim], MEANS[slim] = full, scene.means
    return slim


def _require_own_ties(statement: Statement, plan: Plan, scene: Scene) -> None:
    """What the author's lines tie to something random is random, or the author says `given`.

    That a mean is used with any vector ties nothing: the vectors that stand in its equations alone
    are given to other means unasked, and no line of the author's may rest on that.
    """
    if not scene.means:
        return
    own = replace(scene, still=scene.rest)
    lines = [own.hypothesis(one) for one in plan.assumed]
    lines += [Hypothesis(name, "", eq(one**2, 0)) for name, one in plan.equations.items()]
    lines += [Hypothesis(f"{one}", "", le(0, own.resolved(one))) for one in plan.meant]
    bare = _bare(statement, plan, own, tuple(lines))
    if scene.still != scene.rest:
        require_context(bare)
    moving = changing(bare) - constants(bare) - plan.fixed
    ties = [
        (names_in(own.resolved(plan.spelled(gap))) | plan.ahead(gap)) & moving
        for gap in (one.relation.gap for one in lines)
    ]
    require_random_since(bare, ties)


def _require_ties(slim: Theorem, full: _Sketch) -> None:
    """What an equation ties to something random is random, also where no certificate uses it."""
    kept = {*slim.hypotheses}
    ties = (h for h in full.hypotheses if isinstance(h, Hypothesis) and h.relation.kind == "==")
    more = tuple(h for h in ties if h not in kept and not atoms(h.relation.gap, Mean))
    if more and measures(slim):
        require_context(replace(full, hypotheses=(*slim.hypotheses, *more), steps=()))


_INDEXED: Final = re.compile(r"([^()∇]+)\[(\w+)( - .*)?\]")


def _require_told(scene: Scene, plan: Plan, where: str) -> None:
    """What is called like an older iterate is one, or one that is drawn and has no younger ones.

    A step is made of something that changes, and a delay is at most a constant. What is said for
    every k names no sequence at k − 1: at 0 that would be a member before the first.
    """
    for call in {one for form in plan.forms for one in atoms(form, AppliedUndef)}:
        if plan.index in call.free_symbols and len(call.args) == 1:
            require_begun(call, where)
    for now, then in plan.iterates:
        if now.names <= plan.fixed:
            raise TheoryError(
                f"{text(now)} is the same in every iteration, and T.iterate says that it moves",
                where,
                "T.constant, T.minimum and T.averaged are of vectors that stay where they are",
            )
        if then.names <= plan.fixed:
            raise TheoryError(
                f"the next {text(now)} is {text(then)} in every iteration: nothing iterates",
                where,
                f"leave T.iterate out, and write {text(then)} for it",
            )
    known = {name for _, old, *_ in plan.delays for name in old.names}
    members = {n: found for n in scene.names if (found := _INDEXED.fullmatch(n)) is not None}
    beyond = [n for n, one in members.items() if one[2] != str(plan.index) and not one[2].isdigit()]
    if beyond and plan.index is not None:
        raise TheoryError(
            f"{beyond[0]} stands outside of a sum over its index",
            where,
            f"name it by {plan.index}, or sum over the last iterations by window",
        )
    times = Counter(one[1] for one in members.values())
    drawn = {name for random, _ in plan.spreads for name in random.names}
    drawn |= {name for names in scene.randoms.values() for name in names}
    alone = {n for n, one in members.items() if n in drawn and times[one[1]] == 1}
    strange = [n for n, one in members.items() if one[3] and n not in known | alone]
    if strange:
        name, at, _ = members[strange[0]].groups()
        raise TheoryError(
            f"nothing says how {strange[0]} has moved since",
            where,
            "say it by T.iterate, of the iterates themselves; what is handed on from one iteration "
            f"to the next is a vector of its own, such as T.iterate(last, {name}[{at}], {at}) for "
            f"{name} of the iteration before; what is drawn is named by the one iteration in which "
            "it was, such as T.unbiased(E, g[k - tau], f.grad(x[k - tau])), and has no other "
            "members",
        )
    for _, late, near, delay in plan.delays:
        if not (delay.is_integer and delay.is_nonnegative) or delay.free_symbols & plan.varying:
            stale, here = text(late), text(near)
            raise TheoryError(
                f"{stale} is {here} of at most a constant number of iterations ago, found {delay}",
                where,
                f'write T.delayed({stale}, {here}, tau) with tau = index("tau"): the delay may be '
                "another one in each iteration, up to tau. How far away an own delay d leads is "
                f"assumed, such as T.assume(({here} - {stale}) ** 2 <= gamma**2 * d**2)",
            )


def _require_nothing_drawn(scene: Scene, plan: Plan, where: str) -> None:
    """A mean of iterates is the same at every outcome only if there is one outcome."""
    nodes = {node for form in plan.forms for node in atoms(form, Mean)}
    means = scene.means | {str(node.args[0]) for node in nodes if not is_average(node)}
    if plan.averages and means:
        raise TheoryError(
            f"{text(plan.averages[0])} depends on all that is drawn, and "
            f"{min(means)} is a mean over it",
            where,
            "bound the mean of the f(x_k) instead",
        )


def _assembled(statement: Statement, plan: Plan, scene: Scene) -> _Sketch:
    hypotheses = [scene.hypothesis(h) for h in plan.assumed]
    said = {h.relation for h in hypotheses}
    hypotheses += [h for h in _moduli(plan) if h.relation not in said]
    for template in plan.offered:
        taken = {h.name for h in hypotheses}
        fresh = [h for h in template(scene) if h.relation not in said]
        hypotheses += [replace(h, name=_another(h.name, taken)) for h in fresh]
    bare = _bare(statement, plan, scene, tuple(hypotheses))
    bare = replace(bare, sequences={**bare.sequences, **offers.starts(bare, plan.free)})
    lines = [scene.relation(written.relation) for written in plan.written]
    own = [h for h in hypotheses if isinstance(h, Hypothesis)]
    spoken = (bare.goal, *lines, *(h.relation for h in own))
    windows = offers.windows(spoken, bare, plan.index)
    general = _general(statement, plan)
    numbers = tuple(n for n in counts(statement, plan) if n not in general)
    run = offers.Run(plan.index, numbers, windows)
    means = _operators(statement, plan, scene)
    steps: list[Step | Offer] = []
    at = Residues()

    def follow(name: str, fact: Relation) -> None:
        under = [*offers.expected(name, fact, means)]
        for label, relation in ((name, fact), *((s.name, s.relation) for s in under)):
            under.extend(offers.swapped(label, relation, means))
        steps.extend(under)
        for label, relation in ((name, fact), *((s.name, s.relation) for s in under)):
            steps.extend(offers.along(label, relation, run, bare))

    sums = [total for form in (bare.lhs, *bare.terms.values()) for total in atoms(form, sympy.Sum)]
    steps += [step for total in dict.fromkeys(sums) for step in offers.ends(total)]
    for pair in plan.spreads:
        away = offers.spread(*pair)
        if any(step.name == away.name for step in steps):  # of a vector that has two means
            away = replace(away, name=f"{away.name} about {text(pair[1])}")
        steps.append(away)
        follow(away.name, away.relation)
    beside = {one.convex.name for one in scene.meetings}  # these meet the descent lemma alone
    for hypothesis in hypotheses:
        # what is cited has drawn its conclusions
        if hypothesis.relation not in plan.cited and hypothesis.name not in beside:
            follow(hypothesis.name, hypothesis.relation)
    entries = (one for value in bare.sequences.values() for one in atoms(value, Gram))
    meant = {name for one in entries for name in one.names}
    for assumed in plan.smooth:
        known = {step.name for step in steps}
        below = plan.index is None and all(f.name != assumed.function for f, _ in plan.convex)
        about = [one for one in scene.points if one not in scene.idle]
        for one in offers.smooth(assumed, about, below=below):
            other = f"{one.name}, of {assumed.function}"  # two functions at the same places
            offer = replace(one, name=other) if one.name in known else one
            more = bool(means or offer.sequences or offer.vectors <= meant)  # else nothing follows
            steps.append(offer.step() if more else offer)
            if more:
                follow(offer.name, offer.relation)
    for meeting in scene.meetings:
        down, between = meeting.steps()
        steps += [down, between]
        follow(between.name, between.relation)
    for step in (*offers.late(bare, run), *offers.twice(bare, run), *offers.sums(bare, run)):
        steps.append(step)
        follow(step.name, step.relation)
    for step in offers.least(bare, run, lines):
        steps.append(step)
        follow(step.name, step.relation)
    steps += offers.drifts(bare, run)
    formulas = [bare.goal, *(h.relation for h in hypotheses), *lines]
    looked = {w.name: scene.relation(w.relation) for w in plan.written if type(w.rule) is Found}
    within = {n: offers.spelled(one, run.index, bare, means) for n, one in looked.items()}
    nearer = [*formulas, *(one for one in within.values() if one is not None)]  # at the next x
    sized = (*norms.facts(nearer, means), *norms.turned(nearer, own, tuple(steps), means))
    for step in {one.name: one for one in sized}.values():
        steps.append(step)
        follow(step.name, step.relation)
    plain: tuple[Hypothesis | Step, ...] = (*own, *(s for s in steps if isinstance(s, Step)))
    for step in norms.products(nearer, plain, own):
        steps.append(step)
        follow(step.name, step.relation)
    powers = [*elementary.geometric(formulas, run.index, run.counts)]
    summed = [*powers, *elementary.sums(formulas, run.index, run.counts)]
    if run.index is not None and (summed or windows) and run.index not in bare.indices:
        # bound by a sum, if it is named
        bare = replace(bare, indices=(*bare.indices, run.index))
    steps += elementary.facts([*formulas, *(one.relation for one in powers)], hypotheses)
    steps += elementary.roots(formulas)
    steps += summed
    called = {
        name for rule in (*(w.rule for w in plan.written), statement.rule) for name in rule.uses
    }
    written_down = {*(h.name for h in own), *(one.name for one in plan.written)}

    def along(goal: Relation) -> list[Step]:
        """By which line so far a bound for every n follows by induction."""
        lines = {s.name: s.relation for s in (*own, *steps) if s.name in written_down}
        return [*offers.inductions(goal, bare, run, lines)]

    for written in plan.written:
        relation, rule = scene.relation(written.relation), written.rule
        found = type(rule) is Found
        for step in along(relation) if found else ():
            if all(one.name != step.name for one in steps):
                by = isinstance(step.rule, Induction)
                steps.append(replace(step, name=f"{written.name}, {step.name}") if by else step)
        place = offers.among(steps, relation, at) if found else None
        if place is not None:  # what is offered already needs no certificate
            rule = steps[place].rule
            if written.name not in called:
                steps[place] = replace(steps[place], says=written.says, where=written.where)
                continue
        before = within.get(written.name) if found else None
        if before is not None:
            inside = f"{written.name}{INSIDE}"
            steps.append(Step(inside, before, rule))
            follow(inside, before)
            if run.index is not None and is_zero(before.gap):  # two names of one thing
                steps.append(Step(f"{inside}, each", relation, Total(inside, run.index)))
                follow(steps[-1].name, relation)
        steps += norms.lines(written.name, relation, rule, own)
        steps += elementary.telescoped(relation, run.index, run.counts)
        steps.append(Step(written.name, relation, rule, written.says, written.where))
        follow(written.name, relation)
        if isinstance(rule, Induction) and rule.count in general:
            each = f"{written.name}{EACH}{run.index}"  # a bound for every n is one of x_k
            here = relation.replaced({rule.count: run.index})
            steps.append(Step(each, here, replace(rule, count=run.index)))
            follow(each, here)
        for stale in bare.hypotheses if run.index is not None else ():
            if isinstance(stale, Delayed):
                steps += offers.drift_by(written.name, relation, stale, run, bare)
    steps += norms.lines("statement", bare.goal, statement.rule, own)
    if not any(isinstance(one.rule, Induction) for one in plan.written):
        steps += along(bare.goal)
        told = [*offers.by_powers(bare.goal, run, lines)]
        for step in (step for one in told for step in along(one)):
            by = isinstance(step.rule, Induction)
            name = f"{step.name}, {step.relation.lhs}" if by else step.name
            steps += [replace(step, name=name)] if all(s.name != name for s in steps) else []
    return _certified(bare, steps, statement.rule, means)


def _another(name: str, taken: Set[str]) -> str:
    """A name that no hypothesis has: two functions may have bounded gradients at x."""
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return next(one for one in (name, *numbered) if one not in taken)


def _general(statement: Statement, plan: Plan) -> set[Scalar]:
    """The n of bounds by induction of which nothing else speaks."""
    counted = [one.rule.count for one in plan.written if isinstance(one.rule, Induction)]
    said = [statement.relation, *(one.relation for one in plan.assumed)]
    said += [one.relation for one in plan.written if not isinstance(one.rule, Induction)]
    return set(counted).difference(*(relation.gap.free_symbols for relation in said))


def _moduli(plan: Plan) -> Iterator[Hypothesis]:
    """That μ ≤ L where f is both, which no instance says if the statement names no value of f."""
    for f, modulus in plan.convex:
        for one in plan.smooth:
            if one.function == f.name and modulus.free_symbols:
                says = "no function is more strongly convex than smooth"
                yield Hypothesis(f"modulus of {f.name}", says, le(modulus, one.constant))


def _certified(
    bare: _Sketch, steps: Iterable[Step | Offer], conclude: Rule, means: Sequence[Operator]
) -> _Sketch:
    """The theorem with these steps, and what is stored for them."""
    known, found = _Known(), list[Any]()
    known.lines |= {h.name: h for h in bare.hypotheses if isinstance(h, Hypothesis)}

    def take(step: Step | Offer) -> None:
        found.append(step)
        known.lines[step.name] = step

    def filled(rule: Found, step: str, goal: Relation) -> Rule:
        for one in _squares(rule, bare, step, goal, known, means):
            take(one)
        return rule.filled(bare, step, goal, known)

    for step in steps:
        if type(step.rule) is Found:
            rule = filled(step.rule, step.name, step.relation)
            step = replace(step, rule=rule)
        take(step)
    if type(conclude) is Found:
        conclude = filled(conclude, "statement", bare.goal)
    return replace(bare, steps=tuple(found), conclude=conclude)


def _squares(
    rule: Found,
    bare: Theorem,
    step: str,
    goal: Relation,
    known: Mapping[str, Relation],
    means: Sequence[Operator],
) -> Iterator[Step]:
    """The squares of which a stored certificate uses a mean; none if it cannot be read."""
    called = {one.name: one for one in means}
    try:
        for entry in entries_of(rule.path, bare.id, step) if rule.file else ():
            used = [known[name] for name in entry["facts"] if name in known]
            names = {str(one): one for one in bare.symbols} | names_of((goal, *used))
            for under, terms in entry.get("means", ()):
                steps = offers.squared(vector_from(terms, names), [called[u] for u in under])
                yield from (one for one in steps if one.name not in known)
    except (TheoryError, ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return
    except (MemoryError, RecursionError, SyntaxError):
        return


def _bare(
    statement: Statement, plan: Plan, scene: Scene, hypotheses: tuple[Hypothesis, ...]
) -> _Sketch:
    """The theorem without a proof."""
    goal = scene.relation(statement.relation)
    terms = {name: scene.resolved(sympy.sympify(form)) for name, form in statement.terms.items()}
    sequences = {one: scene.resolved(value) for one, value in plan.sequences.items()}
    following = _following(plan, scene)
    forms = [part for h in hypotheses for part in (h.relation.lhs, h.relation.rhs)]
    forms += [scene.resolved(form) for form in plan.forms]
    forms += [goal.lhs, goal.rhs, *sequences.values(), *(s.constant for s in plan.smooth)]
    forms += [delay for *_, delay in plan.delays]
    points = (*scene.points, *(one.u for one in scene.meetings))
    forms += [factor for one in points for _, factor in one.position.terms]
    free = {symbol for form in forms for symbol in sympy.sympify(form).free_symbols}
    values = {one.value for one in points} - plan.constants
    indices = ({plan.index} | plan.cited_indices) & free
    beside = {i for i in indices if any(not _only_in_calls(i, form) for form in forms)}
    grams = {n for form in forms for entry in atoms(sympy.sympify(form), Gram) for n in entry.names}
    named = {n for one in points for v in (one.position, one.gradient) for n in v.names}
    vectors = sorted((grams - named) | plan.fixed)
    return _Sketch(
        id=statement.id,
        where=statement.where,
        statement=statement.says or f"{goal}",
        latex=statement.latex or _latex(goal),
        symbols=tuple(sorted(free - values - indices - plan.varying, key=str)),
        scalars=tuple(sorted(plan.varying & free, key=str)),
        indices=tuple(sorted(beside, key=str)),
        vectors=tuple(vector(name) for name in vectors),
        fixed=tuple(vector(name) for name in sorted(plan.fixed)),
        points=points,
        sequences=sequences,
        following=following,
        hypotheses=(*plan.smooth, *_delays(plan, scene), *hypotheses),
        cites=tuple(dict.fromkeys(lemma for lemma, _ in plan.cites)),
        assumes=tuple(plan.words),
        everywhere=tuple(plan.everywhere),
        lhs=goal.lhs,
        terms=terms,
        kind=goal.kind,
        conclude=Combine(),
    )


def _following(plan: Plan, scene: Scene) -> tuple[tuple[Point, Point], ...]:
    """For each function of an iterate, its point and the next one."""
    pairs = (
        (one, other)
        for now, then in plan.iterates
        for one in scene.points
        for other in scene.points
        if (one.position, other.position) == (now, plainly(then)) and one.function == other.function
    )
    return tuple(dict.fromkeys(pairs))


def _delays(plan: Plan, scene: Scene) -> Iterator[Delayed]:
    for name, old, now, delay in plan.delays:
        at = {(one.position, one.function): one for one in scene.points}
        for function in dict.fromkeys(one.function for one in scene.points):
            if (old, function) in at and (now, function) in at:
                exact = name in plan.exact
                ago = "of the iteration before" if delay == 1 else f"of {delay} iterations ago"
                late = ago if exact else f"of one of the last {delay}"
                says = f"{text(old)} is {text(now)} {late}{'' if exact else ' iterations'}"
                yield Delayed(name, says, at[old, function], at[now, function], delay, exact)
                break


def _operators(statement: Statement, plan: Plan, scene: Scene) -> tuple[Operator, ...]:
    """The means that formulas name, with all that is random to them."""
    found: dict[str, Operator] = {}
    for form in (*plan.forms, statement.relation.lhs, statement.relation.rhs):
        for node in sympy.preorder_traversal(form):
            if isinstance(node, Pending):
                name = str(node.args[1])
                found.setdefault(name, node.operator(scene.random(name), scene.still))
            elif isinstance(node, Mean):
                found.setdefault(str(node.args[0]), operator_of(node))
    return tuple(found.values())


def operator_of(mean: Any) -> Operator:
    """The operator that made a mean of the kernel."""
    kind = Average if is_average(mean) else Operator
    over = min(marked(mean, OVER), default="")
    law = min(marked(mean, LAW), default="")
    random, given = sorted(random_names(mean)), sorted(marked(mean, GIVEN))
    return kind(str(mean.args[0]), tuple(random), tuple(given), over, law)


def _only_in_calls(symbol: Scalar, form: Any) -> bool:
    rest = sympy.sympify(form).replace(
        lambda node: isinstance(node, AppliedUndef), lambda node: sympy.S.One
    )
    return symbol not in rest.free_symbols


def _latex(goal: Relation) -> str:
    sign = "=" if goal.kind == "==" else r"\le"
    return f"{sympy.latex(goal.lhs)} {sign} {sympy.latex(goal.rhs)}"


def _without_unused(full: _Sketch, plan: Plan) -> _Sketch:
    """Leave out offers that no certificate uses; all of them where a certificate is missing."""
    lines = {step.name: step for step in full.steps}
    written = {one.name for one in plan.written}
    searched = {name for name, step in lines.items() if type(step.rule) is Found}
    searched -= {name for name in searched if name.endswith((INSIDE, SQUARED))}
    rules = [*(lines[name].rule for name in searched), full.conclude]
    needs = {name: frozenset(step.rule.uses) for name, step in lines.items()}
    if any(type(rule) is Found and rule.problem for rule in rules):
        certified = frozenset(full.conclude.uses) | written | searched
        kept = closure(certified, needs)  # what is certified stays so
        return replace(full, steps=tuple(step for step in full.steps if step.name in kept))
    used = closure(frozenset(full.conclude.uses) | written, needs)  # what is cited assumes `own`
    own = {h.name for h in plan.assumed} | {h.name for h in plan.smooth}
    own |= {name for name, *_ in plan.delays}
    looked_at = replace(
        full, steps=tuple(step for step in full.steps if not isinstance(step, Offer))
    )
    random = measures(looked_at)  # an offer has no means of its own
    anew = drawn(looked_at)
    stay = tuple(
        h
        for h in full.hypotheses
        if h.name in used | own or (random and _is_zero_vector(h)) or _draws(h, anew)
    )
    return replace(
        full,
        hypotheses=stay,
        steps=tuple(step for step in full.steps if step.name in used),
        unused=tuple(h for h in full.hypotheses if isinstance(h, Hypothesis) and h not in stay),
    )


def _without_points(slim: _Sketch, scene: Scene) -> _Sketch:
    """Leave out points that only facts which were left out speak of."""
    forms = [h.relation.gap for h in slim.hypotheses if isinstance(h, Hypothesis)]
    forms += [step.relation.gap for step in slim.steps]
    named = {symbol for form in forms for symbol in form.free_symbols}
    idle = {one.u for one in scene.meetings if one.u.value not in named}
    gone = {one.value for one in idle}  # what is said there follows from what is said everywhere
    return replace(
        slim,
        points=tuple(one for one in slim.points if one not in idle),
        unused=tuple(h for h in slim.unused if not h.relation.gap.free_symbols & gone),
    )


def _draws(one: Assumption, anew: frozenset[str]) -> bool:
    """Whether an assumption says that a function is drawn: it then is another in each iteration."""
    means = atoms(one.relation.gap, Mean) if isinstance(one, Hypothesis) else ()
    return any(random_names(mean) & anew for mean in means)


def _is_zero_vector(one: Assumption) -> bool:
    """Whether an assumption says that a vector is 0, so that it is so at every outcome."""
    return isinstance(one, Hypothesis) and bool(vanishing(one.relation))
