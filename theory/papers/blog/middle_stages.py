"""Messages of a stage: those in the middle have twice as many as the first and the last.

Problem    The middle stage of three is said to have the heaviest communication burden, as it talks
           to both neighbours in both directions.
Method     Messages are counted in the program of the naive pipeline (M = 1) and GPipe.
Guarantee  2M for every neighbour: 4M at stages 1, …, p − 2 and 2M at both ends.
Source     Blog, naive pipeline, result.
"""

from collections.abc import Iterator

import z3

from theory.judging import prover
from theory.laws.static_orders.proofs import domain
from theory.laws.static_orders.symbols import M, symbolic
from theory.papers.blog.lemmas import laws
from theory.papers.blog.lemmas.programs import GPIPE


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield from laws.proof(["blog-gpipe"])
    view = symbolic()
    n, messages = z3.Int("n"), [entry for entry in GPIPE.entries if not entry.duration]
    there = [z3.And(*part.conditions(view, n)) for entry in messages for part in entry.parts]
    counted = sum(z3.If(one, view.M, 0) for one in there)
    middle, end = (prover.term(formulas[name], {M: view.M}) for name in ("middle", "end"))
    inside = z3.And(view.s > 0, view.s < view.p - 1)
    domains = (*domain(GPIPE, view), n >= 0, n < view.M)
    says = "a stage has a message of each kind for all microbatches, or for none: so many in all"
    goal = z3.And(
        counted == z3.If(inside, middle, end), *(e.count(view) == view.M for e in messages)
    )
    yield prover.decide_from(
        prover.Statement("messages", says, domains, goal), {"p": 2, "M": 1, "s": 0}
    )


CLAIM = prover.row(
    "blog.middle-stages",
    "naive pipeline, result",
    "Of p ≥ 2 stages those in the middle, which talk to both neighbours in both directions, send "
    "and receive 4M messages a step, the first and the last 2M each; M = 1 in the naive pipeline.",
    r"4M > 2M",
    {"middle": 4 * M, "end": 2 * M},
    _grounds,
)
