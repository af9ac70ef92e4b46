"""GPipe's order: all forwards, then all backwards from the last microbatch on."""

from __future__ import annotations

from typing import Any, Final

import sympy

from schedules.actions import Kind
from schedules.families import blog_gpipe, gpipe
from schedules.timeline import timeline
from theory.blog.laws import ASSUMES, compared, proof
from theory.blog.programs import GPIPE
from theory.claims import Claim, Formulas
from theory.ledger import Case, Evidence, Judgement
from theory.outcomes import lazily, steps, verdict_of
from theory.programs.program import SIZES, View
from theory.programs.proofs import positions
from theory.programs.symbols import M, m, term
from theory.solver import Statement, Term, decide, merge
from theory.verdicts import Verdict, weakest


def _order(formulas: Formulas) -> list[Statement]:
    """The computations of a stage stand at the given positions."""

    def place(form: sympy.Expr) -> Any:
        def position(view: View, label: Term) -> Term:
            return term(form, {m: label, M: view.M})

        return position

    places = {Kind.F: place(formulas["forward"]), Kind.B: place(formulas["backward"])}
    return list(positions(GPIPE, places))


def _holds(formulas: Formulas) -> Verdict:
    program = weakest(found.verdict for found in proof(["blog-gpipe"]))
    return min(program, lazily(_order(formulas)))


def _witness(formulas: Formulas) -> dict[str, int | str] | None:
    """The first computation of a run that stands elsewhere than stated."""
    for p, size in SIZES:
        schedule = blog_gpipe.FAMILY.build(p, size)
        for s in range(p):
            order = [x for x in schedule.rank(s) if x.kind in (Kind.F, Kind.B)]
            for place, action in enumerate(order):
                form = formulas["forward" if action.kind is Kind.F else "backward"]
                stated = int(form.subs({m: action.microbatch, M: size}))
                if stated != place:
                    at: dict[str, int | str] = {"p": p, "M": size, "action": str(action)}
                    return {**at, "position": place, "stated": stated}
    return None


def _cost() -> Evidence:
    """Makespans beside those of GPipe in microbatch order."""
    for p, size in SIZES:
        lengths = [
            timeline(family.build(p, size)).length for family in (blog_gpipe.FAMILY, gpipe.FAMILY)
        ]
        if len(set(lengths)) > 1:
            found = {"p": p, "M": size, "reverse": lengths[0], "in order": lengths[1]}
            return Evidence("neither", "the order changes the makespan", found)
    says = "makespans of p ≤ 6 and M ≤ 9 are those of backwards in microbatch order"
    return Evidence("neither", says, {"formula": "2*(M + p - 1)"})


def _judge(formulas: Formulas) -> Judgement:
    found = [decide(statement) for statement in _order(formulas)]
    order = merge("order", "forward m and backward m stand at the stated positions", found)
    program = proof(["blog-gpipe"], "channels", "waits")
    witness = _witness(formulas)
    same, differs = compared()
    verdict = verdict_of((order, *program), witness)
    return Judgement(
        verdict=verdict if not differs else Verdict.UNKNOWN,
        printed_proof="none",
        cases=(
            Case("each stage by itself", verdict_of((order, *program[:3]), witness)),
            Case(
                "messages",
                verdict_of(program, None),
                "gradients leave and arrive in reverse order too, and nothing waits in a circle",
            ),
        ),
        assumes=ASSUMES,
        steps=(*steps((order, *program)), same),
        counterexample=witness,
        evidence=(*differs, _cost()),
    )


_PRINTED: Final = {"forward": m, "backward": 2 * M - 1 - m}

CLAIM: Final = Claim(
    id="blog.gpipe-order",
    where="GPipe pipeline, backward pass",
    statement="GPipe runs a stage's backwards in reverse microbatch order, after all its forwards.",
    latex=r"\mathrm{pos}(F_m) = m,\quad \mathrm{pos}(B_m) = 2M - 1 - m",
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
