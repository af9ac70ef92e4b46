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
import z3

from theory.account import Decision, Exhausted, Finding, Ground, Line
from theory.claims import Formulas
from theory.judging.plain_rows import row
from theory.laws.static_orders.symbols import term
from theory.smt.instances import decide_from
from theory.smt.solver import Statement

r, base, rem = sympy.symbols("r base rem", integer=True, nonnegative=True)


def bounds(layers: int, stages: int, rank: int) -> tuple[int, int]:
    """The blog's function.

    Examples
    --------
    >>> [bounds(6, 4, rank) for rank in range(4)]
    [(0, 2), (2, 4), (4, 5), (5, 6)]
    """
    start = rank * (layers // stages) + min(rank, layers % stages)
    return start, start + layers // stages + int(rank < layers % stages)


def _grounds(formulas: Formulas) -> Iterator[Ground]:
    n, stages, rank, each, left = z3.Ints("n P r base rem")

    def start(of: z3.ArithRef) -> z3.ArithRef:
        return term(formulas["start"], {r: of, base: each, rem: left})

    size = each + z3.If(rank < left, 1, 0)
    inside = (stages >= 1, each >= 0, left >= 0, left < stages, n == stages * each + left)
    says = "stages 0 … P − 1 follow each other, from 0 to n, with base layers or one more"
    follows = z3.Implies(z3.And(rank >= 0, rank < stages), start(rank + 1) == start(rank) + size)
    goal = z3.And(start(z3.IntVal(0)) == 0, follows, start(stages) == n)
    yield decide_from(Statement("partition", says, inside, goal), {"P": 1, "n": 1})


def _as_coded() -> tuple[Line]:
    grid = [(n, p, k) for n in range(1, 13) for p in range(1, 8) for k in range(p)]
    same = all(
        _PRINTED["start"].subs({r: k, base: n // p, rem: n % p}) == bounds(n, p, k)[0]
        for n, p, k in grid
    )
    found = Exhausted("the formula is what the code computes, n ≤ 12, P ≤ 7", len(grid), same)
    return (Line("ours", found.says, "all of them", Decision((found,))),)


def _all_stages() -> Finding:
    return Finding(
        "typo",
        "splitting the model, third rule",
        "the blocks are split across all stages, the first and the last included, and not across "
        "the remaining ones; with more stages than layers the last ones get none",
        {
            "layers": 6,
            "P": 3,
            "stage 0 (with the embeddings)": list(bounds(6, 3, 0)),
            "P = 7, stage 6": list(bounds(6, 7, 6)),
        },
    )


_PRINTED = {"start": r * base + sympy.Min(r, rem)}

CLAIM = row(
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
