"""GPipe's pieces: ``chunk(num_microbatches)`` may give fewer, and the next line then fails.

Problem    "A full batch is split along the batch dimension into num_microbatches smaller pieces."
Method     Pieces have ⌈B/M⌉ samples; there are n of them with (n − 1)⌈B/M⌉ < B ≤ n⌈B/M⌉.
Guarantee  n = M if and only if (M − 1)⌈B/M⌉ < B, as where M divides B. 5 samples in 4 pieces are
           2, 2 and 1, and the code asks for a fourth: IndexError.
Source     Blog, GPipe pipeline, "Chunk batch into microbatches".
"""

from collections.abc import Iterator

import sympy
import z3

from theory.account import Case, Decision, Finding, Ground, Refutation, Repair, Violation
from theory.claims import Formulas
from theory.judging.plain_rows import row
from theory.kernel import le
from theory.laws.static_orders.symbols import M, term
from theory.papers.blog.lemmas.chunks import B, sizes
from theory.smt.instances import decide_from
from theory.smt.solver import Statement

c = sympy.Symbol("c", integer=True, positive=True)
"""⌈B/M⌉."""

_SIZES = (5, 4)


def _grounds(formulas: Formulas) -> Iterator[Ground]:
    batch, asked, size, made = z3.Ints("B M c n")
    needed = term(formulas["needed"], {M: asked, c: size})
    hypotheses = (
        asked >= 1,
        size >= 1,
        made >= 1,
        asked * (size - 1) < batch,
        batch <= asked * size,
        (made - 1) * size < batch,
        batch <= made * size,
    )
    says = "n pieces of c = ⌈B/M⌉, the last one smaller, are M iff (M − 1)c < B"
    statement = Statement("pieces", says, hypotheses, (made == asked) == (needed < batch))
    yield decide_from(statement, {"B": 5, "M": 4, "c": 2, "n": 3})


def _fewer() -> Refutation:
    batch, asked = _SIZES

    def made() -> int:
        return len(sizes(batch, asked))

    witness = {"B": batch, "M": asked, "pieces": sizes(batch, asked), "asked for": asked}
    return Refutation(witness, Violation(made, "==", M, {B: batch, M: asked}, (le(M, B),)))


_ENOUGH = "(M − 1)⌈B/M⌉ < B, as where M divides B"
_FEWER = "(M − 1)⌈B/M⌉ ≥ B"
_CORE = {"needed": (M - 1) * c}


def _cases(formulas: Formulas) -> tuple[Case, ...]:
    return (
        Case(_ENOUGH, Decision(tuple(_grounds(formulas)))),
        Case(_FEWER, Decision(fails=_fewer()), "and the code's next line is an IndexError"),
    )


def _finding() -> Finding:
    return Finding(
        "missing-condition",
        "GPipe pipeline, training step",
        "GPipe's run_batch does not assert that num_microbatches divides the batch, as 1F1B's "
        "does; pieces of ⌈B/M⌉ samples may use the batch up before there are M",
        _fewer().witness,
        repaired=Repair(f"There are M pieces if and only if {_ENOUGH}.", tuple(_grounds(_CORE))),
    )


CLAIM = row(
    "blog.chunks",
    "GPipe pipeline, chunk batch into microbatches",
    "chunk(num_microbatches, dim=0) splits a batch into num_microbatches pieces.",
    r"n = M",
    _CORE,
    _grounds,
    cases=_cases,
    holding=(_ENOUGH,),
    findings=(_finding,),
)
