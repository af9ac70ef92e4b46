"""GPipe's order: all forwards, then all backwards from the last microbatch on.

Problem    p ≥ 2 stages and M ≥ 2 microbatches.
Method     the blog's GPipe: a loop of M forwards, and one of M backwards from M − 1 down.
Guarantee  F of m is the m-th computation of its stage, B of m the (2M − 1 − m)-th; nothing hangs.
Source     GPipe pipeline, backward pass.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import sympy

from schedules.actions import Action, Kind
from schedules.families import blog_gpipe, gpipe
from schedules.timeline import timeline
from theory.judging import prover
from theory.laws.static_orders import program, proofs
from theory.laws.static_orders.symbols import M, m, p
from theory.papers.blog.lemmas import laws
from theory.papers.blog.lemmas.programs import GPIPE

_NAMES = {Kind.F: "forward", Kind.B: "backward"}


def _order(formulas: prover.Formulas) -> list[prover.Statement]:
    """The computations of a stage stand at the given positions."""

    def place(form: sympy.Expr) -> program.Of:
        return lambda view, label: prover.term(form, {m: label, M: view.M})

    places = {kind: place(formulas[name]) for kind, name in _NAMES.items()}
    return list(proofs.positions(GPIPE, places))


def _holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    yield from laws.proof(["blog-gpipe"])
    yield from prover.in_turn(_order(formulas))


def _position(kind: Kind, stages: int, size: int, s: int, label: int) -> int:
    """Which of a stage's computations a run has there."""
    actions = [one for one in blog_gpipe.FAMILY.build(stages, size).rank(s) if one.kind in _NAMES]
    return actions.index(Action(kind, s, label))


def _elsewhere(formulas: prover.Formulas, kind: Kind) -> prover.Refutation | None:
    """The first computation of a run that stands elsewhere than stated."""
    cells: Iterator[dict[Any, int]] = (
        {p: stages, M: size, "s": s, m: label}
        for stages, size in program.SIZES
        for s in range(stages)
        for label in range(size)
    )
    supposed = (*laws.SUPPOSED, prover.le(m, M - 1))
    measured, form = partial(_position, kind), formulas[_NAMES[kind]]
    return prover.first_violation(measured, "==", form, cells, supposed, "position")


def _cost() -> prover.Evidence:
    """Makespans beside those of GPipe in microbatch order."""
    for at in program.SIZES:
        reverse, straight = (timeline(one.FAMILY.build(*at)).length for one in (blog_gpipe, gpipe))
        if reverse != straight:
            found = {"p": at[0], "M": at[1], "reverse": reverse, "in order": straight}
            return prover.Evidence("neither", "the order changes the makespan", found)
    says = "makespans of p ≤ 6 and M ≤ 9 are those of backwards in microbatch order"
    return prover.Evidence("neither", says, {"formula": "2*(M + p - 1)"})


def _account(formulas: prover.Formulas) -> prover.Account:
    found = [prover.decide(statement) for statement in _order(formulas)]
    says = "forward m and backward m stand at the stated positions"
    order = prover.merge("order", says, found)
    whole = laws.proof(["blog-gpipe"], "channels", "waits")
    elsewhere = laws.unless_other(
        lambda: _elsewhere(formulas, Kind.F) or _elsewhere(formulas, Kind.B)
    )
    alone = prover.Decision((order, *laws.proof(["blog-gpipe"])), elsewhere)
    messages = "gradients leave and arrive in reverse order too, and nothing waits in a circle"
    return laws.with_links(
        prover.Decision((order, *whole), elsewhere),
        cases=(
            prover.Case("each stage by itself", alone),
            prover.Case("messages", prover.Decision(whole), messages),
        ),
        steps=prover.lines((order, *whole)),
        evidence=(_cost(),),
    )


_PRINTED = {"forward": m, "backward": 2 * M - 1 - m}

CLAIM = prover.Claim(
    id="blog.gpipe-order",
    where="GPipe pipeline, backward pass",
    statement="GPipe runs a stage's backwards in reverse microbatch order, after all its forwards.",
    latex=r"\mathrm{pos}(F_m) = m,\quad \mathrm{pos}(B_m) = 2M - 1 - m",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
