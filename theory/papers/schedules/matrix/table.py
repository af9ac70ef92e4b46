"""What is stated of each family: a row of the matrix as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import sympy

from theory.claims import Formulas
from theory.laws.static_orders.symbols import K, M, p, s
from theory.papers.schedules.matrix.forms import bounded
from theory.papers.schedules.matrix.grid import Grid, Limit, Size

FRESH: Final = bounded(0)
"""Staleness of what is flushed, or waits for its own update."""


@dataclass(frozen=True)
class Design:
    """Why a family does without something, and what has it.

    Attributes
    ----------
    says, instead : str
        The reason; the beginning of a statement that holds in place of the cell's.
    family : str
        Of which that speaks.
    grid : Grid or None
        Sizes of which it speaks; None for those that the family is run on.
    """

    says: str
    instead: str
    family: str
    grid: Grid | None = None


@dataclass(frozen=True)
class Stated:
    """A family's row.

    Attributes
    ----------
    in_flight, staleness : mapping of str to sympy expression
        The most at stage s, exactly, over p (ranks), M, s and the family's parameters; see
        `theory.papers.schedules.matrix.forms`.
    source : str
        Where these come from.
    grid : Grid
        Sizes on which the family is run.
    limits : mapping of str to Limit
        By column: the part of the grid of which it speaks.
    by_design : mapping of str to Design
        By column: why it does not hold, where that is meant.
    seconds : float
        About how long a cell takes.
    """

    in_flight: Formulas
    staleness: Formulas
    source: str
    grid: Grid
    limits: Mapping[str, Limit] = field(default_factory=dict)
    by_design: Mapping[str, Design] = field(default_factory=dict)
    seconds: float = 0.2


_V, _REPLICAS, _ADMISSION, _PIPELINES, _CAP, _STALE = sympy.symbols(
    "chunks replicas admission pipelines stage_cap stale", integer=True
)
_k, _c, _r, _x = sympy.symbols("k c r x", integer=True)


def _every(name: str) -> Mapping[str, Limit]:
    """The sizes at which no gradient is left over."""
    whole = Limit(f"M a multiple of {name}", lambda size: size["M"] % size[name] == 0)
    # What is proved of staleness holds for every M; the checker counts gradients left over, too.
    return {"update-once": whole, "staleness": whole}


def _plain(
    in_flight: sympy.Expr | int,
    staleness: sympy.Expr | int,
    grid: Grid,
    interval: str = "",
    by_design: Mapping[str, Design] | None = None,
) -> Stated:
    """One stage a rank, with bounds that are ours; an update every K gradients."""
    names = {"K": sympy.Symbol(interval, integer=True)} if interval else {}
    values = ((interval, range(1, 4)),) if interval else ()
    return Stated(
        bounded(in_flight),
        bounded(staleness, **names),
        "ours; the order is the family's",
        Grid(grid.ranks, grid.microbatches, values),
        _every(interval) if interval else {},
        by_design or {},
        seconds=0.5,
    )


_BEHIND: Final = p - 1 - s
_IN_TURN: Final = sympy.Min(p - s, M)
"""In flight in 1F1B's order."""

_LATE: Final = sympy.Min(sympy.ceiling(_BEHIND / K), sympy.floor(M / K) - 1)
"""1F1B without a flush, an update every K backwards; ⌊M/K⌋ windows come to their ends."""


def _rounds(last: sympy.Expr, **names: sympy.Expr) -> Formulas:
    """Rounds of k microbatches through the chunks, `last` forwards ahead on the last chunk.

    Before its first backward, chunk c = ⌊s/p⌋ has seen x forwards of its rank, which take the
    chunks in turn; so many of these are its own.
    """
    ahead = (2 * _V - 2 - _c) * _k + last
    begun = sympy.Min(_k, sympy.Max(0, sympy.Mod(_x, _V * _k) - _c * _k))
    return bounded(
        _k * sympy.floor(_x / (_V * _k)) + begun,
        k=M / sympy.Max(1, sympy.floor(M / p)),
        c=sympy.floor(s / p),
        **names,
        x=sympy.Min(_V * M, ahead),
    )


def _one_pipeline_a_copy(size: Size) -> bool:
    both = size["pipelines"] == 2 and size["p"] % 2 == 0 and size["stage_cap"] == 1
    return size["pipelines"] == 1 or both


def _amdp(ranks: int, microbatches: int, stash: int) -> Grid:
    values = (
        ("admission", range(1, 5)),
        ("pipelines", range(1, 4)),
        ("stage_cap", range(2)),
        ("window", range(1, 2)),
        ("stash", range(stash, stash + 1)),
    )
    return Grid(ranks, microbatches, values)


_CHUNKS: Final = (("chunks", range(1, 4)),)
_ROUNDS: Final = "ours; the rounds are those of schedules/families/interleaving.py"
_AMDP: Final = sympy.Min(
    _ADMISSION, sympy.ceiling(M / _PIPELINES), p - s + (1 - _CAP) * (p - s - 1)
)
_ONE_A_COPY: Final = Limit(
    "pipelines = 1, or pipelines = 2, p even and stage_cap = 1", _one_pipeline_a_copy
)
_DATA_PARALLEL: Final = "schedules/families/data_parallel.py"
_ITERATION_LATE: Final = sympy.Min(1, M / p - 1)
_LATEST: Final = "by design: one weight version is kept, so a backward uses the newest"

STATED: Final[Mapping[str, Stated]] = {
    "naive": _plain(1, 0, Grid(5, 6)),
    "gpipe": _plain(M, 0, Grid(5, 6)),
    "1f1b": _plain(_IN_TURN, 0, Grid(5, 6)),
    "pipedream": _plain(
        sympy.Min(p, 2 * _BEHIND + 1, M), sympy.Min(p - 1, 2 * _BEHIND, M - 1), Grid(5, 6)
    ),
    "pipedream-runtime": _plain(_IN_TURN, sympy.Min(_BEHIND, M - 1), Grid(5, 6)),
    "pipedream-2bw": _plain(_IN_TURN, sympy.Min(1, sympy.floor(M / K) - 1), Grid(3, 6), "window"),
    "pipemare": _plain(
        _IN_TURN,
        _LATE,
        Grid(4, 6),
        "update_interval",
        {
            "stash": Design(
                _LATEST,
                "In the same order with weights that are stashed (asyncpp) every backward uses "
                "the weight version that its forward read",
                "asyncpp",
            )
        },
    ),
    "xpipe": _plain(_IN_TURN, _LATE, Grid(4, 6), "update_interval"),
    "asyncpp": _plain(_IN_TURN, _LATE, Grid(4, 6), "update_interval"),
    "blog-naive": Stated(bounded(M), FRESH, "schedules/families/blog_naive.py", Grid(6, 1)),
    "blog-gpipe": Stated(bounded(M), FRESH, "schedules/families/blog_gpipe.py", Grid(5, 6)),
    "blog-1f1b": Stated(
        bounded(sympy.Min(sympy.Max(p - 1 - s, 1), M)),
        FRESH,
        "schedules/families/blog_1f1b.py",
        Grid(5, 6),
    ),
    "localsgd": Stated(
        bounded(sympy.Min(_REPLICAS, M, 2 * (p - 1 - s) + 1)),
        FRESH,
        "ours; the stage rule is PipeDream's, and replicas stand for its NOAM",
        Grid(5, 6, (("replicas", range(1, 5)), ("local_steps", range(1, 3)))),
        seconds=0.5,
    ),
    "zb-h1": Stated(
        bounded(p), FRESH, "schedules/families/zb_h1.py, after Qi et al. 2023", Grid(6, 12)
    ),
    "zb-h2": Stated(
        bounded(2 * p - 1), FRESH, "schedules/families/zb_h2.py, after Qi et al. 2023", Grid(6, 14)
    ),
    "zbv": Stated(
        bounded(sympy.Min(2 * p - s, M)), FRESH, "ours; the order is PyTorch's", Grid(5, 12)
    ),
    "dualpipe": Stated(bounded(p - s), FRESH, "ours; the order is DeepSeek's", Grid(6, 20)),
    "dualpipev": Stated(bounded(2 * p - s), FRESH, "ours; the order is PyTorch's", Grid(5, 14)),
    "chimera": Stated(
        bounded(sympy.Min(p - s, p / 2)), FRESH, "ours; the timetable is the paper's", Grid(8, 24)
    ),
    "interleaved-1f1b": Stated(
        _rounds(2 * (p - 1 - _r) + 1, r=sympy.Mod(s, p)),
        FRESH,
        _ROUNDS,
        Grid(4, 12, _CHUNKS),
        seconds=0.6,
    ),
    "interleaved-zero-bubble": Stated(
        _rounds(p), FRESH, _ROUNDS, Grid(4, 12, _CHUNKS), seconds=0.6
    ),
    "looped-bfs": Stated(
        bounded(M), FRESH, "schedules/families/looped_bfs.py", Grid(4, 8, _CHUNKS)
    ),
    "amdp": Stated(
        bounded(_AMDP),
        bounded(_AMDP - 1),
        "schedules/families/amdp.py",
        _amdp(4, 6, stash=0),
        {"in-flight": _ONE_A_COPY, "staleness": _ONE_A_COPY},
        {
            "stash": Design(
                _LATEST,
                "Every backward of amdp uses the weight version that its forward read",
                "amdp",
                _amdp(4, 4, stash=1),
            )
        },
        seconds=0.9,
    ),
    "pipesgd": Stated(
        bounded(1), bounded(_ITERATION_LATE), _DATA_PARALLEL, Grid(4, 8, (("layers", range(1, 4)),))
    ),
    "sapipe": Stated(
        bounded(1),
        bounded(sympy.Min(_ITERATION_LATE, sympy.Max(0, _STALE - s))),
        _DATA_PARALLEL,
        Grid(4, 8, (("layers", range(1, 4)), ("stale", range(4)))),
        seconds=0.5,
    ),
}
