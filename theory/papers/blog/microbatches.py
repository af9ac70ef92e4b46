"""GPipe's bubble: smaller with every microbatch more, and the naive pipeline's with a single one.

Problem    Stages of the naive pipeline are said to idle most of the time, and more microbatches to
           reduce GPipe's bubble.
Method     1 − 2M/makespan, from the proved start times (`bubble`).
Guarantee  (p − 1)/p of the naive pipeline, which is half or more; (p − 1)/(M + p − 1) of GPipe,
           which falls with M.
Source     Blog, naive pipeline; GPipe pipeline, chunk batch into microbatches.
"""

from collections.abc import Iterator

import sympy

from theory.judging import prover
from theory.laws.static_orders.symbols import M, p
from theory.papers.blog.bubble import holds
from theory.papers.blog.lemmas import laws

_PRINTED = {"naive": (p - 1) / p, "gpipe": (p - 1) / (M + p - 1)}


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield from holds(formulas)
    sizes = (prover.le(2, p), prover.le(1, M))
    naive, gpipe = formulas["naive"], formulas["gpipe"]
    yield prover.nonnegative(sympy.factor(naive - sympy.Rational(1, 2)), sizes)
    yield prover.nonnegative(sympy.factor(gpipe - gpipe.subs(M, M + 1)), sizes, strict=True)


CLAIM = prover.row(
    "blog.microbatches",
    "naive pipeline; GPipe pipeline, chunk batch into microbatches",
    "In the naive pipeline every one of p ≥ 2 stages idles (p − 1)/p of the time, half of it or "
    "more; in GPipe (p − 1)/(M + p − 1), which every microbatch more reduces.",
    r"\frac{p - 1}{M + p - 1}",
    _PRINTED,
    _grounds,
    assumes=(laws.UNIT,),
)
