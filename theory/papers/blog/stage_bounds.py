"""``stage_bounds``: the layers are split without gap or overlap, as evenly as possible.

Problem    Stage r of P takes layers from r·base + min(r, rem), base and rem being n // P and n % P.
Method     n = P·base + rem; a stage ends where the next one begins, the first begins at 0, and
           after the last n layers are taken. A stage has base layers, or one more.
Guarantee  As the comment says. The text splits the blocks "across the remaining stages", the code
           across all of them, and with P > n stages some get no layer.
Source     Blog, splitting the model.
"""

from collections.abc import Iterator

import sympy

from theory.judging import prover

r, base, rem = sympy.symbols("r base rem", integer=True, nonnegative=True)

_PRINTED = {"start": r * base + sympy.Min(r, rem)}


def bounds(layers: int, stages: int, rank: int) -> tuple[int, int]:
    """The blog's function.

    Examples
    --------
    >>> [bounds(6, 4, rank) for rank in range(4)]
    [(0, 2), (2, 4), (4, 5), (5, 6)]
    """
    start = rank * (layers // stages) + min(rank, layers % stages)
    return start, start + layers // stages + int(rank < layers % stages)


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    each, left = prover.terms("base, rem")
    statement = prover.stated(
        "partition",
        "stages 0 … P − 1 follow each other, from 0 to n, with base layers or one more",
        "P >= 1, base >= 0, rem >= 0, rem < P, n == P*base + rem",
        "start(0) == 0, start(P) == n, "
        "implies(0 <= r < P, start(r + 1) == start(r) + base + (1 if r < rem else 0))",
        start=lambda of: prover.term(formulas["start"], {r: of, base: each, rem: left}),
    )
    yield prover.decide_from(statement, {"P": 1, "n": 1})


def _as_coded() -> tuple[prover.Ground]:
    grid = [(n, p, k) for n in range(1, 13) for p in range(1, 8) for k in range(p)]
    same = all(
        _PRINTED["start"].subs({r: k, base: n // p, rem: n % p}) == bounds(n, p, k)[0]
        for n, p, k in grid
    )
    says = "the formula is what the code computes, n ≤ 12, P ≤ 7"
    return (prover.Exhausted(says, len(grid), same),)


def _all_stages() -> prover.Finding:
    first, last = list(bounds(6, 3, 0)), list(bounds(6, 7, 6))
    return prover.Finding(
        "typo",
        "splitting the model, third rule",
        "the blocks are split across all stages, the first and the last included, and not across "
        "the remaining ones; with more stages than layers the last ones get none",
        {"layers": 6, "P": 3, "stage 0 (with the embeddings)": first, "P = 7, stage 6": last},
    )


CLAIM = prover.row(
    "blog.stage-bounds",
    "splitting the model",
    "stage_bounds splits n layers into P stages that follow each other, of n // P layers or one "
    "more, the larger ones first.",
    r"\mathrm{start}(r) = r \lfloor n/P \rfloor + \min(r, n \bmod P)",
    _PRINTED,
    _grounds,
    steps=_as_coded,
    findings=(_all_stages,),
)
