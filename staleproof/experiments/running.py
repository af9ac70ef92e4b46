"""Running what is missing, on all cores, and keeping every result as it comes."""

import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from schedules.user_code import reason
from staleproof.errors import UsageError
from staleproof.experiments.cells import Cell, Finished, Result
from staleproof.experiments.protocol import Experiment, Outcome
from staleproof.experiments.registry import NAMES, SHARED, found, told_of
from staleproof.experiments.store import alone, code_digest, key_of, opened

Progress = Callable[[str], None]

STORE: Final = "cells.sqlite"

REACH: Final = "60s"
"""How long a cluster has to answer."""


@dataclass(frozen=True)
class Run:
    """An experiment with the results of all its cells.

    Attributes
    ----------
    experiment : Experiment
    finished : Finished
    peak : int or None
        Mebibytes of the largest process that computed a cell, kept cells included; None if not
        known of any.
    """

    experiment: Experiment
    finished: Finished
    peak: int | None


def finished_cells(
    name: str,
    quick: bool,
    jobs: int,
    folder: Path | None,
    progress: Progress,
    cluster: str | None = None,
    data: str | None = None,
) -> Run:
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
    cluster : str, optional
        Address of a Dask scheduler, whose workers compute instead of processes here.
    data : str, optional
        A file to take instead of data that packages ship.

    Raises
    ------
    UnknownClaimError
        A prediction is no claim of its paper.
    UsageError
        There is none of this name; it takes no data; what it needs is not installed; no cluster
        answers; its code fails, or a process that runs it.
    DestinationError
        Results cannot be kept in the folder.
    """
    experiment, file = found(name)
    if name not in NAMES:
        name = str(file.resolve())  # workers have folders of their own
        _require_rows(experiment, name, progress)
    cells, read = _declared(experiment, name, quick), _data_of(experiment, data)
    if read is not None:
        cells = [{**cell, "data": str(read)} for cell in cells]
    code = code_digest(file, *SHARED, *([] if read is None else [read]))
    with ExitStack() as held:
        if folder is not None:
            wait = partial(progress, f"{experiment.name}: waits for another run in {folder}")
            held.enter_context(alone(folder / f".{experiment.name}.lock", wait))
        where = ":memory:" if folder is None else folder / STORE
        store = held.enter_context(opened(where, code))
        get = partial(store.get, experiment.name)
        missing = [cell for cell in cells if get(cell) is None]
        if len(missing) < len(cells):
            progress(
                f"{experiment.name}: {len(cells) - len(missing)} of {len(cells)} runs are kept"
            )
        problems, computed = [], enumerate(_computed(name, missing, jobs, cluster), 1)
        for number, ((cell, result, peak, problem), left) in computed:
            if problem:  # it costs no other run
                problems.append(problem)
                progress(problem)
            else:
                store.put(experiment.name, cell, result, peak)
            progress(f"{experiment.name}: {number} of {len(missing)} runs, about {left:.0f} s left")
        if problems:
            more = f", and {len(problems) - 1} more did" if problems[1:] else ""
            raise UsageError(problems[0] + more, name, "correct the file")
        kept = [(cell, *one) for cell in cells if (one := get(cell))]
        peak = max((peak for *_, peak in kept if peak is not None), default=None)
        return Run(experiment, [(cell, result) for cell, result, _ in kept], peak)


def concluded(run: Run, name: str) -> Outcome:
    """What all runs together say.

    Raises
    ------
    UsageError
        The experiment's own code fails, or says what is no outcome.
    """
    with told_of(name, "what it concludes"):
        outcome = run.experiment.conclude(run.finished)
        if not isinstance(outcome, Outcome):
            raise TypeError(f"it returns an Outcome, found {outcome!r:.60}")
        return outcome


def _require_rows(experiment: Experiment, name: str, progress: Progress) -> None:
    """Predictions are claims of the papers here, or of a ledger of one's own."""
    from theory.judging.catalogue import CLAIMS, PAPERS, unknown

    for row in experiment.predictions:
        if row.partition(".")[0] not in PAPERS:
            progress(f"{experiment.name}: {row} is of no paper here, so a claim of your own")
        elif row not in CLAIMS:
            raise unknown(row, name)


def _declared(experiment: Experiment, name: str, quick: bool) -> list[Cell]:
    """The cells of an experiment, each of them plain JSON and there once."""
    with told_of(name, "the list of its cells"):
        cells = list(experiment.cells(quick))
        alien = [cell for cell in cells if not isinstance(cell, Mapping)]
        if alien or not cells:
            raise TypeError(f"cells are mappings of parameters, found {(alien or cells)!r:.60}")
        count, most = Counter(map(key_of, cells)).most_common(1)[0]
        if most > 1:
            raise ValueError(f"a cell stands there once, found {most} times {count}")
        return cells


def _data_of(experiment: Experiment, data: str | None) -> Path | None:
    if data is None:
        return None
    if not experiment.takes_data:
        raise UsageError(
            f"{experiment.name} makes its data and reads none", "--data", "leave it out"
        )
    if not Path(data).is_file():
        raise UsageError("there is no such file", data, "name one")
    return Path(data).resolve()


@contextmanager
def _results(
    name: str, cells: Sequence[Cell], jobs: int, cluster: str | None
) -> Iterator[Iterator[Any]]:
    """What `compute` gives, as it comes, from processes here or the workers of a cluster."""
    if cluster is not None:
        with _client(cluster) as client:
            import distributed

            ended: Any = distributed.as_completed
            sent = client.map(partial(compute, name), cells, pure=False)
            yield (one.result() for one in ended(sent))
        return
    try:
        from joblib import Parallel, delayed, parallel_config
    except ImportError:
        raise UsageError(
            "experiments run by joblib, which is not installed", name,
            "pip install 'staleproof[experiments]'",
        ) from None  # fmt: skip
    with parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
        every = (delayed(compute)(name, cell) for cell in cells)
        yield Parallel(return_as="generator_unordered")(every)


def _client(cluster: str) -> Any:
    """Of the scheduler at an address."""
    try:
        from distributed import Client

        make: Any = Client
    except ImportError:
        raise UsageError(
            "a cluster needs distributed, which is not installed", "--cluster",
            "pip install 'staleproof[cluster]'",
        ) from None  # fmt: skip
    try:
        return make(cluster, timeout=REACH)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no scheduler answers ({error})",
            f"--cluster {cluster}",
            "start one with dask-scheduler",
        ) from None


def _computed(name: str, cells: Sequence[Cell], jobs: int, cluster: str | None) -> Any:
    """What `compute` gives, as it comes, and seconds that are left."""
    if not cells:
        return
    with _results(name, cells, jobs, cluster) as results:
        begun = time.monotonic()
        for number in range(1, len(cells) + 1):
            computed = _next(results, name)
            took = time.monotonic() - begun
            yield computed, took / number * (len(cells) - number)


def _next(results: Any, name: str) -> Any:
    """The run that ends next; `compute` catches what its code raises, so others fail by workers."""
    try:
        return next(results)
    except ModuleNotFoundError:  # the command line says what to install
        raise
    except Exception as error:
        raise UsageError(
            f"a process that computes is gone ({type(error).__name__})", name,
            "run it again: it goes on with what is kept",
        ) from error  # fmt: skip


def compute(name: str, cell: Cell) -> tuple[Cell, Result, int | None, str]:
    """One cell, by one thread; its peak; and why there is no result, if its code failed."""
    try:
        # Ranks that a run starts learn how from their parent, and know nothing of joblib's way.
        if multiprocessing.get_start_method() == "loky":
            multiprocessing.set_start_method("spawn", force=True)
        with _one_thread():
            result = found(name)[0].compute(cell)
            json.dumps(result)  # what the store cannot keep is said here, with its cell
            return cell, result, peak_memory(), ""
    except (Exception, SystemExit) as error:
        if name in NAMES and isinstance(error, ModuleNotFoundError):
            raise
        problem = f"the run {dict(cell)} stopped with {reason(error)}"
        return cell, None, None, problem


def peak_memory() -> int | None:
    """Mebibytes that this process, or one that it started and that ended, has held at most.

    Examples
    --------
    >>> (peak_memory() or 1) > 0
    True
    """
    try:
        import resource
    except ImportError:  # Windows
        return None
    whose = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return max(resource.getrusage(one).ru_maxrss for one in whose) // unit


@contextmanager
def _one_thread() -> Iterator[None]:
    """Keep BLAS to one thread, on a worker of a cluster as well."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # joblib's own processes are told by their environment
        yield
        return
    with threadpool_limits(1):
        yield
