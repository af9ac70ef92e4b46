"""How long it takes to find the fewest stale layers, against trying every k as the paper does.

Run with ``python -m benchmarks.partial_staleness``.
"""

from __future__ import annotations

import random
from typing import Final

import numpy as np

from benchmarks.measure import CELLS, Sample, main, table, timed
from schedules.partial_staleness import Model, fewest_stale, printed_fewest_stale, sequential

LAYERS: Final = 100_000
SMALLER: Final = (12_500, 25_000, 50_000, 100_000)
RUNS: Final = 5


def model_of(layers: int) -> Model:
    """Random durations; communications are so long that about half of the layers are stale."""
    draw = random.Random(0)
    b, u = ([draw.randint(1, 1000) for _ in range(layers)] for _ in range(2))
    v = [draw.randint(1, 10 if i < layers // 4 else 2200) for i in range(layers)]
    return sequential(b, u, v)


def enumeration(model: Model) -> int | None:
    """Solve the printed program by trying every k and summing anew for each, O(m²), in numpy."""
    b, u, v = (np.array(row, dtype=np.int64) for row in (model.b, model.u, model.v))
    if v.sum() > b.sum() + u.sum():
        return None
    every_k = range(model.count + 1)
    return next(k for k in every_k if v[k:].sum() <= b[:-1].sum() + u[:k].sum())


def fewest() -> str:
    """The solver against the enumeration, on the same model."""
    model = model_of(LAYERS)
    k, printed = fewest_stale(model), enumeration(model)
    assert printed == printed_fewest_stale(model)
    ours, program = timed(lambda: _solved(model), RUNS), timed(lambda: _program(model), RUNS)
    theirs = timed(lambda: enumeration(model), 1)
    rows = [
        ("`fewest_stale`, O(m)", *ours.cells()),
        ("`printed_fewest_stale`, O(m)", *program.cells()),
        ("the program, every k tried, numpy", *theirs.cells()),
    ]
    return (
        f"{LAYERS} layers; {k} stale ones are needed, the printed program says {printed}. Trying "
        f"every k takes {theirs.median / ours.median:.0f} times as long.\n\n"
        f"{table(('', *CELLS), rows)}"
    )


def growth() -> str:
    """Time a layer for growing models, and the ratio to trying every k."""
    rows = []
    for layers in SMALLER:
        model = model_of(layers)
        sample: Sample = timed(lambda model=model: _solved(model), RUNS)  # type: ignore[misc]
        every_k = timed(lambda model=model: enumeration(model), 1)  # type: ignore[misc]
        each = f"{sample.median / layers * 1e6:.2f}"
        ratio = f"{every_k.median / sample.median:.1f}"
        rows.append((str(layers), *sample.cells(), each, ratio))
    return table(("layers", *CELLS, "µs/layer", "every k / this"), rows)


def _solved(model: Model) -> int | None:
    # A fresh model, as the durations in ticks are kept by the old one.
    return fewest_stale(Model(model.layers))


def _program(model: Model) -> int | None:
    return printed_fewest_stale(Model(model.layers))


if __name__ == "__main__":
    main("Times the search for the fewest stale layers.", lambda: [fewest(), growth()])
