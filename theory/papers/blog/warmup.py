"""The warm-up of 1F1B: min(p − s − 1, M) forwards, and what follows from starting with a backward.

Problem    how many forwards a stage does before its rounds of a backward and a forward begin.
Method     the blog's 1F1B: a round is a backward and then a forward, so the warm-up is all that a
           stage does before its first backward; only the last stage, whose warm-up is empty, does
           its first forward in between. Published 1F1B has the same number, but a round is a
           forward and then a backward, which makes one forward more before the first backward.
Guarantee  the number is as stated. Without the one more the pipeline is not full: stages wait for
           microbatches, the last one too. What else the text says of it is a case of its own.
Source     1F1B pipeline, warm-up phase.
"""

from collections.abc import Iterator

import sympy
import z3

from schedules import programs as orders
from schedules.actions import Kind
from schedules.families import blog_1f1b, one_f_one_b
from schedules.families.blog_1f1b import one_more
from schedules.families.family import Family
from schedules.timeline import timeline
from theory.judging import prover
from theory.laws.static_orders import proofs
from theory.laws.static_orders.order import of_program
from theory.laws.static_orders.symbols import M, p, s, symbolic
from theory.papers.blog.lemmas import laws, loops, programs
from theory.papers.blog.pairing import fault
from theory.papers.blog.witnesses import runs

PUBLISHED = programs.one_f_one_b(count=one_more)
"""1F1B with one forward more ahead."""

RUN = (2, 8)
"""p and M of the run that shows that stages wait."""

_BOTH = (blog_1f1b, one_f_one_b)


def counted(program: orders.Program, form: sympy.Expr, last: int) -> prover.Outcome:
    """Exactly the first `form` forwards stand before the first backward, `last` more at the last.

    Parameters
    ----------
    program : Program
    form : sympy expression in p, s and M
    last : int
        Forwards of the last stage beyond these.
    """
    view, x = symbolic(), z3.Int("x")
    number = laws.number(form, view) + z3.If(view.s == view.p - 1, last, 0)
    before = of_program(program).stands_before(view, x, z3.IntVal(0))
    says = "exactly the stated forwards stand before the first backward"
    inside = (*proofs.domain(program, view), x >= 0, x < view.M)
    goal = z3.And(number >= 0, number <= view.M, before == (x < number))
    return prover.decide(prover.Statement("warm-up", says, inside, goal))


def _holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    """With so many iterations of the warm-up loop the code runs the program, which has as many."""
    yield from laws.proof(["blog-1f1b"])
    view, says = (symbolic(), "with the stated warm-up the code's loops run these entries")
    run = loops.one_f_one_b_statements(laws.number(formulas["warmup"], view), view)
    yield prover.merge("loops", says, [prover.decide(one) for one in run])
    yield counted(programs.ONE_F_ONE_B, formulas["warmup"], 1)


def falls(form: sympy.Expr) -> prover.Outcome:
    """Whether every stage has fewer than the one before it, and the last none, if M ≥ p − 1."""
    view = symbolic()
    here, behind = (laws.number(form, at) for at in (view, view.beside(1)))
    says = (
        "with M ≥ p − 1 every stage warms up with fewer forwards than the one before, the last "
        "with none"
    )
    inside = (*proofs.domain(programs.ONE_F_ONE_B, view), view.p - 1 <= view.M)
    goal = z3.If(view.s < view.p - 1, behind < here, here == 0)
    return prover.decide(prover.Statement("falls", says, inside, goal))


def _otherwise(form: sympy.Expr, family: Family, last: int) -> prover.Refutation | None:
    """The first stage of a run that does another number of forwards before its first backward."""

    def beyond(stages: int, size: int, stage: int) -> int:
        """How many, those of the last stage beyond the stated ones left out."""
        return runs.forwards_first(family.build(stages, size), stage) - last * (stage == stages - 1)

    return prover.first_violation(beyond, "==", form, laws.stages(), laws.OF_A_STAGE, "forwards")


def _fills() -> prover.Decision:
    """Whether the warm-up fills the pipeline, so that no stage starves."""
    waiting = prover.first_violation(
        lambda *at: len(runs.waits(blog_1f1b.FAMILY, *at)),
        "==",
        sympy.Integer(0),
        [dict(zip((p, M), RUN, strict=True))],
        laws.SUPPOSED,
        named="",
        also=lambda *at: {"slots": runs.waits(blog_1f1b.FAMILY, *at)},
    )
    return prover.Decision(fails=None if runs.waits(one_f_one_b.FAMILY, *RUN) else waiting)


def _readings(
    form: sympy.Expr, exact: prover.Decision, repaired: tuple[prover.Outcome, ...]
) -> tuple[prover.Case, ...]:
    every, published = (_otherwise(form, one.FAMILY, 0) for one in _BOTH)
    ahead = (*laws.proof(["blog-1f1b"]), counted(programs.ONE_F_ONE_B, form, 0))
    of_published = (*repaired, counted(PUBLISHED, form, 0))
    slots = ", ".join(map(str, runs.waits(blog_1f1b.FAMILY, *RUN)))
    cases = {
        ("iterations of the warm-up loop", "the last stage's own forward stands behind"): exact,
        (
            "the first backward follows them",
            "at the last stage, which has none, it follows the first forward",
        ): exact,
        (
            "fewer at every later stage, none at the last",
            "if M ≥ p − 1; with fewer microbatches the first stages have M each",
        ): prover.Decision((*exact.grounds, falls(form))),
        (
            "it fills the pipeline: the last stage does not wait once it has begun",
            f"with a slot for each forward and backward, p = {RUN[0]} and M = {RUN[1]}, the last "
            f"stage waits in slots {slots}, in published 1F1B in none",
        ): _fills(),
        (
            "all forwards before the first backward",
            f"the last stage does one, not none{prover.witnessed(every)}",
        ): prover.Decision(ahead, every),
        (
            "all forwards before the first backward in published 1F1B",
            f"there they are min(p − s, M){prover.witnessed(published)}",
        ): prover.Decision(of_published, published),
    }
    return prover.cases(cases)


def _repaired() -> tuple[prover.Outcome, ...]:
    """With one forward more ahead the computations are in DAPPLE's order."""

    def stamp(kind: Kind) -> orders.Of:
        of = one_f_one_b.ORDER.stamp
        return lambda view, label: of(kind, view.s, label, view.p, view.M, view.choose)[0]

    order = proofs.in_order_of(PUBLISHED, {kind: stamp(kind) for kind in (Kind.F, Kind.B)})
    parts = laws.parts_hold(PUBLISHED, "places", "actions", "channels")
    return (*parts, *prover.in_turn(order))


def _runs() -> tuple[prover.Line, ...]:
    """With one forward more ahead nothing hangs."""
    says = "with min(p − s, M) the same pairs do not hang either, p ≤ 6 and M ≤ 9"
    holds = all(fault(orders.as_schedule(PUBLISHED, *at)) is None for at in laws.SIZES)
    tried = prover.Exhausted(says, len(laws.SIZES), holds)
    return prover.found_by({(says, "runs in the strictest model"): (tried,)})


def _finding(repaired: tuple[prover.Outcome, ...]) -> prover.Finding:
    slow, published = (str(timeline(one.FAMILY.build(*RUN)).idle_fraction) for one in _BOTH)
    return prover.Finding(
        "false",
        "1F1B pipeline, warm-up phase",
        "the warm-up is said to fill the pipeline so that no stage starves; since a round "
        "begins with the backward, it is one forward short of that at every stage but the last",
        {"p": RUN[0], "M": RUN[1], "bubble": slow, "bubble of published 1F1B": published},
        repaired=prover.Repair(
            "With a warm-up of min(p − s, M) forwards and the same rounds, every stage runs its "
            "computations in the order of DAPPLE's and PyTorch's 1F1B.",
            repaired,
        ),
    )


def _account(formulas: prover.Formulas) -> prover.Account:
    found, repaired, form = tuple(_holds(formulas)), _repaired(), formulas["warmup"]
    otherwise = laws.unless_other(lambda: _otherwise(form, blog_1f1b.FAMILY, 1))
    exact = prover.Decision(found, otherwise)
    return laws.account(
        exact,
        cases=_readings(form, exact, repaired),
        steps=(*prover.lines(found), *_runs()),
        findings=(_finding(repaired),),
    )


CLAIM = prover.row(
    "blog.warmup",
    "1F1B pipeline, warm-up phase",
    "The number of warm-up steps, forwards only, of stage s (from 0) of 1F1B is min(p − s − 1, M).",
    r"w(s) = \min(p - s - 1, M)",
    {"warmup": sympy.Min(p - s - 1, M)},
    _holds,
    account=_account,
)
