"""GPipe's order: all forwards, then all backwards from the last microbatch on.

Problem    p ≥ 2 stages and M ≥ 2 microbatches.
Method     the blog's GPipe: a loop of M forwards, and one of M backwards from M − 1 down.
Guarantee  F of m is the m-th computation of its stage, B of m the (2M − 1 − m)-th; nothing hangs.
Source     GPipe pipeline, backward pass.
"""

from functools import partial

from schedules.actions import Action, Kind
from schedules.families import blog_gpipe, gpipe
from schedules.programs import Of
from schedules.timeline import timeline
from theory.judging import prover
from theory.laws.static_orders.proofs import positions
from theory.laws.static_orders.symbols import M, m
from theory.papers.blog.lemmas import laws
from theory.papers.blog.lemmas.programs import GPIPE

_NAMES = {Kind.F: "forward", Kind.B: "backward"}


def _order(formulas: prover.Formulas) -> list[prover.Statement]:
    """The computations of a stage stand at the given positions."""

    def place(name: str) -> Of:
        return lambda view, label: prover.term(formulas[name], {m: label, M: view.M})

    return list(positions(GPIPE, {kind: place(name) for kind, name in _NAMES.items()}))


def _holds(formulas: prover.Formulas) -> prover.Grounds:
    yield from laws.proof(["blog-gpipe"])
    yield from prover.in_turn(_order(formulas))


def _position(kind: Kind, stages: int, size: int, s: int, label: int) -> int:
    """Which of a stage's computations a run has there."""
    actions = [one for one in blog_gpipe.FAMILY.build(stages, size).rank(s) if one.kind in _NAMES]
    return actions.index(Action(kind, s, label))


def _elsewhere(formulas: prover.Formulas, kind: Kind) -> prover.Refutation | None:
    """The first computation of a run that stands elsewhere than stated."""
    cells = ({**at, m: label} for at in laws.stages("s") for label in range(at[M]))
    supposed, form = (*laws.SUPPOSED, prover.le(m, M - 1)), formulas[_NAMES[kind]]
    return prover.first_violation(partial(_position, kind), "==", form, cells, supposed, "position")


def _cost() -> prover.Evidence:
    """Makespans beside those of GPipe in microbatch order."""
    for at in laws.SIZES:
        reverse, straight = (timeline(one.FAMILY.build(*at)).length for one in (blog_gpipe, gpipe))
        if reverse != straight:
            found = {"p": at[0], "M": at[1], "reverse": reverse, "in order": straight}
            return prover.Evidence("neither", "the order changes the makespan", found)
    says = "makespans of p ≤ 6 and M ≤ 9 are those of backwards in microbatch order"
    return prover.Evidence("neither", says, {"formula": "2*(M + p - 1)"})


def _account(formulas: prover.Formulas) -> prover.Account:
    found = [prover.decide(statement) for statement in _order(formulas)]
    order = prover.merge("order", "forward m and backward m stand at the stated positions", found)
    whole = laws.proof(["blog-gpipe"], "channels", "waits")
    elsewhere = laws.unless_other(
        lambda: _elsewhere(formulas, Kind.F) or _elsewhere(formulas, Kind.B)
    )
    messages = "gradients leave and arrive in reverse order too, and nothing waits in a circle"
    cases = {
        ("each stage by itself", ""): prover.Decision(
            (order, *laws.proof(["blog-gpipe"])), elsewhere
        ),
        ("messages", messages): prover.Decision(whole),
    }
    return laws.account(
        prover.Decision((order, *whole), elsewhere),
        cases=prover.cases(cases),
        steps=prover.lines((order, *whole)),
        evidence=(_cost(),),
    )


CLAIM = prover.row(
    "blog.gpipe-order",
    "GPipe pipeline, backward pass",
    "GPipe runs a stage's backwards in reverse microbatch order, after all its forwards.",
    r"\mathrm{pos}(F_m) = m,\quad \mathrm{pos}(B_m) = 2M - 1 - m",
    {"forward": m, "backward": 2 * M - 1 - m},
    _holds,
    account=_account,
)
