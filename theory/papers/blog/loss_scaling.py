"""The loss of each microbatch divided by their number: the mean of the batch, if all are equal.

Problem    The code backpropagates (losses[m] / num_microbatches), each the mean of one piece; its
           comment says that this matches the full batch's mean, and so does the loss it returns.
Method     A sample of a piece of b has the weight 1/(M·b), in the full mean 1/B.
Guarantee  Equal where B = M·b, which 1F1B asserts. GPipe's code does not: 10 samples in 4 pieces
           are 3, 3, 3 and 1, and the last sample has 1/4 instead of 1/10.
Source     Blog, GPipe pipeline, backward pass; 1F1B pipeline, training step.
"""

from collections.abc import Iterator

import sympy

from theory.judging import prover
from theory.laws.static_orders.symbols import M
from theory.papers.blog.lemmas.chunks import B, sizes

b = sympy.Symbol("b", integer=True, positive=True)
"""Samples of one piece."""

_PRINTED = {"weight": 1 / (M * b)}
_SIZES = (10, 4)
_EQUAL = "num_microbatches divides the batch, as 1F1B asserts"
_GPIPE = "any batch, as GPipe's code takes it"


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    same = sympy.cancel(formulas["weight"] - (1 / B).subs(B, M * b)) == 0
    yield prover.Compared(
        "with B = M·b every sample has the weight 1/B", "sympy.cancel", bool(same)
    )


def _unequal(formulas: prover.Formulas) -> prover.Refutation:
    batch, pieces = _SIZES

    def of_the_last_sample() -> sympy.Rational:
        return sympy.sympify(formulas["weight"]).subs({M: pieces, b: sizes(*_SIZES)[-1]})

    found = {"pieces": sizes(*_SIZES), "weight of the last sample": "1/4"}
    at, supposed = {B: batch, M: pieces}, (prover.le(M, B),)
    violation = prover.Violation(of_the_last_sample, "==", 1 / B, at, supposed)
    return prover.Refutation({"B": batch, "M": pieces, **found}, violation)


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    holds = prover.Decision(tuple(_grounds(formulas)))
    fails = prover.Decision(fails=_unequal(formulas))
    return prover.cases({(_EQUAL, ""): holds, (_GPIPE, ""): fails})


def _finding() -> prover.Finding:
    holds = "Where M divides B, each sample has the weight 1/B of the full batch's mean."
    return prover.Finding(
        "missing-condition",
        "GPipe pipeline, training step",
        "GPipe's run_batch lacks the assertion of 1F1B's, that num_microbatches divides the batch; "
        "without it gradients and the returned loss weigh samples of the last piece more",
        _unequal(_PRINTED).witness,
        repaired=prover.Repair(holds, tuple(_grounds(_PRINTED))),
    )


CLAIM = prover.row(
    "blog.loss-scaling",
    "GPipe pipeline, backward pass",
    "The losses of the microbatches, each divided by num_microbatches, add up to the mean loss of "
    "the full batch, and so do their gradients.",
    r"\sum_m \frac{1}{M} \frac{1}{b_m} \sum_{i \in m} \ell_i = \frac1B \sum_i \ell_i",
    _PRINTED,
    _grounds,
    cases=_cases,
    holding=(_EQUAL,),
    findings=(_finding,),
    assumes=("loss_fn is the mean over its samples",),
)
