"""Running what is missing, on all cores, and keeping every result as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from staleproof.errors import UsageError
from staleproof.experiments.protocol import Cell, Experiment, Finished, Result
from staleproof.experiments.registry import SHARED, found
from staleproof.experiments.store import Store, code_digest, opened

Progress = Callable[[str], None]

STORE: Final = "cells.sqlite"


def finished_cells(
    name: str, quick: bool, jobs: int, folder: Path | None, progress: Progress
) -> tuple[Experiment, Finished]:
    """All cells of an experiment: those that are kept in the folder, and the others run now.

    Parameters
    ----------
    name : str
        Of ours, or a file that defines ``EXPERIMENT``.
    quick : bool
    jobs : int
        Processes; each computes with one thread.
    folder : Path, optional
        Where results are kept; without it they are not.
    progress : callable
    """
    experiment, file = found(name)
    cells = list(experiment.cells(quick))
    where = ":memory:" if folder is None else folder / STORE
    with opened(where, code_digest(file, *SHARED)) as store:
        missing = [cell for cell in cells if store.get(experiment.name, cell) is None]
        if len(missing) < len(cells):
            progress(
                f"{experiment.name}: {len(cells) - len(missing)} of {len(cells)} runs are kept"
            )
        for number, (cell, result, left) in enumerate(_computed(name, missing, jobs), 1):
            store.put(experiment.name, cell, result)
            progress(f"{experiment.name}: {number} of {len(missing)} runs, about {left:.0f} s left")
        return experiment, [(cell, _kept(store, experiment, cell)) for cell in cells]


def _kept(store: Store, experiment: Experiment, cell: Cell) -> Result:
    kept = store.get(experiment.name, cell)
    assert kept is not None, "a result that was put is there"
    return kept[0]


def _computed(name: str, cells: Sequence[Cell], jobs: int) -> Any:
    """Cells with their results as they come, and seconds that are left."""
    if not cells:
        return
    try:
        from joblib import Parallel, delayed, parallel_config
    except ImportError:
        raise UsageError(
            "experiments run by joblib, which is not installed", name,
            "pip install 'staleproof[experiments]'",
        ) from None  # fmt: skip
    begun = time.monotonic()
    with parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
        results = Parallel(return_as="generator_unordered")(
            delayed(compute)(name, cell) for cell in cells
        )
        for number, (cell, result, problem) in enumerate(results, 1):
            if problem:
                raise UsageError(problem, name, "correct the file")
            took = time.monotonic() - begun
            yield cell, result, took / number * (len(cells) - number)


def compute(name: str, cell: Cell) -> tuple[Cell, Result, str]:
    """One cell, in a process of its own; and why there is no result, if its code failed."""
    try:
        return cell, found(name)[0].compute(cell), ""
    except Exception as error:
        return cell, None, f"the run {dict(cell)} stopped with {type(error).__name__}: {error}"
