"""GPipe's order: all forwards, then all backwards from the last microbatch on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import sympy

from schedules.actions import Action, Kind
from schedules.families import blog_gpipe, gpipe
from schedules.timeline import timeline
from theory.account import Account, Case, Decision, Refutation, Violation
from theory.claims import Claim, Formulas
from theory.judging.outcomes import in_turn, lines
from theory.kernel import le
from theory.laws.static_orders.program import SIZES, View
from theory.laws.static_orders.proofs import positions
from theory.laws.static_orders.symbols import M, m, p, term
from theory.ledger import Evidence
from theory.papers.blog.lemmas.laws import ASSUMES, SUPPOSED, compared, proof
from theory.papers.blog.lemmas.programs import GPIPE
from theory.smt.solver import Outcome, Statement, Term, decide, merge


def _order(formulas: Formulas) -> list[Statement]:
    """The computations of a stage stand at the given positions."""

    def place(form: sympy.Expr) -> Any:
        def position(view: View, label: Term) -> Term:
            return term(form, {m: label, M: view.M})

        return position

    places = {Kind.F: place(formulas["forward"]), Kind.B: place(formulas["backward"])}
    return list(positions(GPIPE, places))


def _holds(formulas: Formulas) -> Iterator[Outcome]:
    yield from proof(["blog-gpipe"])
    yield from in_turn(_order(formulas))


def _computations(stages: int, size: int, s: int) -> list[Action]:
    """What a stage of a run computes, in its order."""
    actions = blog_gpipe.FAMILY.build(stages, size).rank(s)
    return [action for action in actions if action.kind in (Kind.F, Kind.B)]


def _elsewhere(formulas: Formulas) -> Refutation | None:
    """The first computation of a run that stands elsewhere than stated."""
    for stages, size in SIZES:
        for s in range(stages):
            for place, action in enumerate(_computations(stages, size, s)):
                form = formulas["forward" if action.kind is Kind.F else "backward"]
                stated = int(form.subs({m: action.microbatch, M: size}))
                if stated != place:
                    at = {"p": stages, "M": size, "action": str(action)}
                    return Refutation(
                        {**at, "position": place, "stated": stated},
                        _misplaced(form, stages, size, s, action),
                    )
    return None


def _misplaced(form: sympy.Expr, stages: int, size: int, s: int, action: Action) -> Violation:
    return Violation(
        lambda: _computations(stages, size, s).index(action),
        "==",
        form,
        {p: stages, M: size, m: action.microbatch},
        (*SUPPOSED, le(m, M - 1)),
    )


def _cost() -> Evidence:
    """Makespans beside those of GPipe in microbatch order."""
    for stages, size in SIZES:
        lengths = [
            timeline(family.build(stages, size)).length
            for family in (blog_gpipe.FAMILY, gpipe.FAMILY)
        ]
        if len(set(lengths)) > 1:
            found = {"p": stages, "M": size, "reverse": lengths[0], "in order": lengths[1]}
            return Evidence("neither", "the order changes the makespan", found)
    says = "makespans of p ≤ 6 and M ≤ 9 are those of backwards in microbatch order"
    return Evidence("neither", says, {"formula": "2*(M + p - 1)"})


def _account(formulas: Formulas) -> Account:
    found = [decide(statement) for statement in _order(formulas)]
    order = merge("order", "forward m and backward m stand at the stated positions", found)
    program = proof(["blog-gpipe"], "channels", "waits")
    same, differs = compared()
    elsewhere = None if differs else _elsewhere(formulas)
    return Account(
        Decision((order, *program), elsewhere),
        cases=(
            Case("each stage by itself", Decision((order, *proof(["blog-gpipe"])), elsewhere)),
            Case(
                "messages",
                Decision(program),
                "gradients leave and arrive in reverse order too, and nothing waits in a circle",
            ),
        ),
        assumes=ASSUMES,
        steps=(*lines((order, *program)), *same),
        evidence=(*differs, _cost()),
    )


_PRINTED: Final = {"forward": m, "backward": 2 * M - 1 - m}

CLAIM: Final = Claim(
    id="blog.gpipe-order",
    where="GPipe pipeline, backward pass",
    statement="GPipe runs a stage's backwards in reverse microbatch order, after all its forwards.",
    latex=r"\mathrm{pos}(F_m) = m,\quad \mathrm{pos}(B_m) = 2M - 1 - m",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
