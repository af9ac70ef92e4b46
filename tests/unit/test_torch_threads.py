"""One torch thread a rank: also where OpenMP counts for every thread anew."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from gpu_validation import executor
from gpu_validation.errors import RankError
from gpu_validation.event_log import EventLog
from gpu_validation.faults import Fault
from gpu_validation.messages import Endpoint
from gpu_validation.repeatable import keep_to_one_torch_thread, one_torch_thread
from gpu_validation.run import RunSpec, run
from gpu_validation.spec import RankOutcome
from gpu_validation.transports import threads
from schedules import build

OPENMP = ("libgomp", "libomp", "libiomp")
"""How the libraries of OpenMP are called."""


def openmp_threads() -> int:
    """How many threads OpenMP would use in the present thread; asks nothing of torch."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    paths = {line.split()[-1] for line in lines if ".so" in line}
    names = {path for path in paths if Path(path).name.startswith(OPENMP)}
    names = {name for name in names if "/torch/" in name} or names  # not that of another library
    if not names:
        pytest.skip("this torch has no OpenMP")
    return int(ctypes.CDLL(min(names)).omp_get_max_threads())


def in_a_new_thread(work: Callable[[], object]) -> int:
    """What OpenMP would use there after `work`."""
    with ThreadPoolExecutor(1, initializer=work) as pool:
        return pool.submit(openmp_threads).result()


@pytest.fixture
def _two_torch_threads() -> Iterator[None]:
    """More than one thread in this process; afterwards as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("_two_torch_threads")
def test_every_rank_keeps_to_one_thread_and_the_process_gets_its_own_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with one_torch_thread():
        if in_a_new_thread(lambda: None) == 1:
            pytest.skip("on this machine OpenMP uses one thread anyway")
    seen: list[int] = []

    def run_rank(spec: RunSpec, endpoint: Endpoint, recorder: EventLog) -> RankOutcome:
        seen.append(openmp_threads())
        return executor.run_rank(spec, endpoint, recorder)

    monkeypatch.setattr(threads, "run_rank", run_rank)
    run(RunSpec(build("gpipe", 3, 2)))
    assert seen == [1, 1, 1]
    assert (torch.get_num_threads(), openmp_threads()) == (2, 2)


@pytest.mark.usefixtures("_two_torch_threads")
def test_also_after_a_run_that_fails() -> None:
    with pytest.raises(RankError):
        run(RunSpec(build("gpipe", 2, 2), fault=Fault("error", 1, 1)))
    assert (torch.get_num_threads(), openmp_threads()) == (2, 2)


@pytest.mark.usefixtures("_two_torch_threads")
def test_a_thread_that_keeps_to_one_does() -> None:
    with one_torch_thread():
        assert in_a_new_thread(keep_to_one_torch_thread) == 1
