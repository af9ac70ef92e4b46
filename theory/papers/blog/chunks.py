"""GPipe's pieces: ``chunk(num_microbatches)`` may give fewer, and the next line then fails.

Problem    "A full batch is split along the batch dimension into num_microbatches smaller pieces."
Method     Pieces have ⌈B/M⌉ samples; there are n of them with (n − 1)⌈B/M⌉ < B ≤ n⌈B/M⌉.
Guarantee  n = M if and only if (M − 1)⌈B/M⌉ < B, as where M divides B. 5 samples in 4 pieces are
           2, 2 and 1, and the code asks for a fourth: IndexError.
Source     Blog, GPipe pipeline, "Chunk batch into microbatches".
"""

from collections.abc import Iterator

import sympy

from theory.judging import prover
from theory.laws.static_orders.symbols import M
from theory.papers.blog.lemmas.chunks import B, sizes

c = sympy.Symbol("c", integer=True, positive=True)
"""⌈B/M⌉."""

_SIZES = (5, 4)
_ENOUGH = "(M − 1)⌈B/M⌉ < B, as where M divides B"
_CORE = {"needed": (M - 1) * c}


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    asked, size = prover.terms("M, c")
    statement = prover.stated(
        "pieces",
        "n pieces of c = ⌈B/M⌉, the last one smaller, are M iff (M − 1)c < B",
        "M >= 1, c >= 1, n >= 1, M*(c - 1) < B, B <= M*c, (n - 1)*c < B, B <= n*c",
        "(n == M) == (needed < B)",
        needed=prover.term(formulas["needed"], {M: asked, c: size}),
    )
    yield prover.decide_from(statement, {"B": 5, "M": 4, "c": 2, "n": 3})


def _fewer() -> prover.Refutation:
    batch, asked = _SIZES
    witness = {"B": batch, "M": asked, "pieces": sizes(*_SIZES), "asked for": asked}
    at, supposed = {B: batch, M: asked}, (prover.le(M, B),)
    made = prover.Violation(lambda: len(sizes(*_SIZES)), "==", M, at, supposed)
    return prover.Refutation(witness, made)


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    fewer = "(M − 1)⌈B/M⌉ ≥ B", "and the code's next line is an IndexError"
    holds, fails = prover.Decision(tuple(_grounds(formulas))), prover.Decision(fails=_fewer())
    return prover.cases({(_ENOUGH, ""): holds, fewer: fails})


def _finding() -> prover.Finding:
    holds = f"There are M pieces if and only if {_ENOUGH}."
    return prover.Finding(
        "missing-condition",
        "GPipe pipeline, training step",
        "GPipe's run_batch does not assert that num_microbatches divides the batch, as 1F1B's "
        "does; pieces of ⌈B/M⌉ samples may use the batch up before there are M",
        _fewer().witness,
        repaired=prover.Repair(holds, tuple(_grounds(_CORE))),
    )


CLAIM = prover.row(
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
