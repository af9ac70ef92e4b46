"""ZeRO: one GPU keeps the optimizer state of a stage, and no state is kept twice.

Problem    Every stage has two weight copies, on GPU s and on GPU d − 1 − s; "stage i optimizers
           reside only on GPU i".
Method     Whose copy updates: with ZeRO that on GPU s alone, else both. Runs are counted.
Guarantee  With ZeRO each GPU has the optimizer state of one stage, without it of two, for even d.
Source     AMDP, overall architecture; key designs, 3.
"""

from collections.abc import Iterator

from schedules.families.amdp import FAMILY
from theory.judging import prover
from theory.papers.amdp.symbols import d, i

_SIZES = (2, 4, 6, 8)
_PRINTED = {"owner": i, "other copy": d - 1 - i}


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    [depth] = prover.terms("d")
    at = {
        name: lambda stage, form=formulas[key]: prover.term(form, {d: depth, i: stage})
        for name, key in {"owner": "owner", "other": "other copy"}.items()
    }
    yield prover.decide_from(
        prover.stated(
            "owners",
            "both copies of a stage are on a GPU, not the same, and no GPU owns two stages",
            "h >= 1, d == 2*h, 0 <= i, i < d, 0 <= k, k < d",
            "0 <= owner(i) < d, 0 <= other(i) < d, owner(i) != other(i), "
            "implies(owner(i) == owner(k), i == k)",
            **at,
        ),
        {"d": 2, "i": 0},
    )
    yield prover.decide_from(
        prover.stated(
            "GPU i",
            "GPU i owns stage i, and has the other copy of stage d − 1 − i",
            "h >= 1, d == 2*h, 0 <= g, g < d",
            "owner(g) == g, other(d - 1 - g) == g",
            **at,
        ),
        {"d": 2, "g": 0},
    )


def states(depth: int, zero: int) -> list[int]:
    """How many stages' optimizer states each GPU has, by the placement that schedules carry.

    Examples
    --------
    >>> states(4, 1), states(4, 0)
    ([1, 1, 1, 1], [2, 2, 2, 2])
    """
    made = FAMILY.build(depth, 4 * depth, pipelines=max(2, depth // 2), zero=zero).placement
    keeps = [0] * depth
    for stage in range(depth):
        for copy in made.owners[stage : stage + 1] if made.owners else (0, 1):
            keeps[made.ranks[copy][stage]] += 1
    return keeps


def _runs() -> tuple[prover.Line, ...]:
    same = all(states(k, 1) == [1] * k and states(k, 0) == [2] * k for k in _SIZES)
    says = "stages whose state each GPU has, d ≤ 8, with and without"
    found = prover.Exhausted(says, len(_SIZES), same)
    return prover.found_by({(says, "schedules of the family"): (found,)})


CLAIM = prover.row(
    "amdp.zero",
    "Overall Architecture; Key Designs, 3",
    "With ZeRO the optimizer state of stage i is on GPU i alone and on no GPU twice, where without "
    "it each of the d GPUs has the state of two stages, i and d − 1 − i.",
    r"\mathrm{owner}(i) = i",
    _PRINTED,
    _grounds,
    steps=_runs,
    assumes=("two directions: stage s on rank s, and on rank d − 1 − s; d is even",),
)
