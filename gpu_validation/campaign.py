"""Everything that ``reports/measured`` holds, measured on the machine at hand by one command.

``python -m gpu_validation.campaign -o DIR --budget MINUTES`` runs what this machine can run, one
program after the other, and keeps what each prints as ``DIR/NAME.json`` as soon as it is over. What
fails is a result too: its file says why. Called again, it makes what is not there yet, so that a
time budget, Ctrl-C or a crash loses one job at most. Without a GPU it measures the CPU; with
one, ranks as threads on it, and NCCL and PyTorch's runtime, whose ranks share it if need be.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpu_validation.files import ERROR, json_text, mark, write_text
from gpu_validation.options import number

JOB_SECONDS: Final = 900.0
"""After so long a single job has failed."""

WHOLE: Final = 0
LEFT: Final = 1

LAST_LINES: Final = 3
"""Of what a program says that fails without a result."""

FAMILIES: Final = ("1f1b", "gpipe", "pipedream", "interleaved-1f1b", "localsgd", "zbv", "chimera")
BETWEEN_PROCESSES: Final = {
    "nccl": ("1f1b", "gpipe", "pipedream", "interleaved-1f1b", "localsgd"),
    "torch": ("1f1b", "pipedream", "interleaved-1f1b", "zbv"),
}
"""What processes run, by transport; on CPUs gloo takes the place of NCCL."""


@dataclass(frozen=True)
class Job:
    """One program and the file that it fills.

    - `name`: of the file, without its suffix.
    """

    name: str
    module: str
    arguments: tuple[str, ...]

    @property
    def command(self) -> list[str]:
        """How it is started."""
        return [sys.executable, "-m", self.module, *self.arguments]


def _run(name: str, *arguments: str) -> Job:
    return Job(name, "gpu_validation", (*arguments, "--model", "transformer", "--json"))


def jobs(gpus: Sequence[str] = ()) -> list[Job]:
    """What a machine with these GPUs is to measure, its GPUs first."""
    return [*(_on_gpus(gpus) if gpus else []), *_on_cpu()]


def _on_cpu() -> list[Job]:
    """Threads, processes, PyTorch's runtime, and the published table."""
    found = [_run(f"cpu-threads-{family}-p4", family, "-p", "4") for family in FAMILIES]
    found += [_run(f"cpu-threads-pipedream-p{p}", "pipedream", "-p", str(p)) for p in (2, 3, 8, 16)]
    found += _variants("cpu")
    for transport, families in BETWEEN_PROCESSES.items():
        carrier = "gloo" if transport == "nccl" else transport
        more = ("-p", "4", "--transport", carrier, "--profile")
        found += [_run(f"cpu-{carrier}-{family}-p4", family, *more) for family in families]
    return [*found, Job("cpu-seed-table", "gpu_validation.seed_table", ("-p", "4", "-m", "8"))]


def _variants(machine: str, *more: str) -> list[Job]:
    """Another optimizer, repeats, and an order that ranks choose."""
    base = ("pipedream", "-p", "4", *more)
    free = ("--order", "free-running", "--jitter", "0.002")
    name = f"{machine}-threads-pipedream-p4"
    return [
        _run(f"{name}-adamw", *base, "--optimizer", "adamw", "--repeats", "5"),
        _run(f"{name}-free", *base, *free),
    ]


def _on_gpus(gpus: Sequence[str]) -> list[Job]:
    """Threads with streams on the first; NCCL and PyTorch's runtime on all of them."""
    machine = re.sub("[^a-z0-9]+", "-", gpus[0].lower()).strip("-")
    cuda, large = ("--device", "cuda"), ("--width", "512", "--length", "128")
    found = [
        _run(f"{machine}-threads-{family}-p4", family, "-p", "4", *cuda, *large)
        for family in FAMILIES
    ]
    found += _variants(machine, *cuda, *large)
    # Nothing but the run itself, so that the allocator's peak is that of training.
    bare = ("--hashing", "off", "--no-replay", "--no-broken-runs")
    found += [
        _run(f"{machine}-threads-{family}-p4-memory", family, "-p", "4", *cuda, *large, *bare)
        for family in ("gpipe", "1f1b", "pipedream")
    ]
    alone = len(gpus) == 1
    ranks = "4" if alone else str(min(4, len(gpus)))
    # Times of ranks that take turns say nothing, so one run of them is enough.
    timed = ("--share-gpus",) if alone else ("--profile", "--repeats", "5")
    more = ("-p", ranks, *cuda, *large, *timed, "--transport")
    found += [
        _run(f"{machine}-{transport}-{family}-p{ranks}", family, *more, transport)
        for transport, families in BETWEEN_PROCESSES.items()
        for family in families
    ]
    table = ("-p", "4", "-m", "8", "--width", "512", *cuda)
    return [*found, Job(f"{machine}-seed-table", "gpu_validation.seed_table", table)]


def gpus_here() -> list[str]:
    """Names of the GPUs that torch can use."""
    from gpu_validation.devices import prepare_cuda

    prepare_cuda()
    import torch

    return [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]


def carried_out(job: Job, seconds: float) -> str | None:
    """What a job prints; if it fails, an error as ``measure --json`` has it.

    None where it was still running after `seconds`, fewer than a job may take: nobody knows how it
    would have ended.
    """
    limit = min(seconds, JOB_SECONDS)
    try:
        done = subprocess.run(
            job.command, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        if limit < JOB_SECONDS:
            return None
        return _error(job, f"it did not end within {JOB_SECONDS:g} s")
    lines = done.stdout.strip().splitlines()
    try:
        if isinstance(json.loads(lines[-1] if lines else ""), dict):
            return lines[-1]
    except ValueError:
        pass
    said = " | ".join(done.stderr.strip().splitlines()[-LAST_LINES:]) or "nothing"
    return _error(job, f"it left no result and exit code {done.returncode}, and said: {said}")


def _error(job: Job, what: str) -> str:
    where = " ".join(["python", *job.command[1:]])
    return json_text(
        {**mark(ERROR),
         "error": {"what": what, "where": where, "fix": "run it by hand"}}
    )  # fmt: skip


def campaign(
    todo: Sequence[Job], folder: Path, minutes: float, progress: Callable[[str], None]
) -> list[str]:
    """Do what is not done yet; returns the names of what is left."""
    folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60 * minutes
    left = [job for job in todo if not (folder / f"{job.name}.json").exists()]
    progress(f"{len(todo) - len(left)} of {len(todo)} results are there")
    while left:
        began = time.monotonic()
        text = carried_out(left[0], until - began) if until > began else None
        if text is None:
            break
        job = left.pop(0)
        write_text(str(folder / f"{job.name}.json"), text + "\n")
        progress(f"{job.name}: {_outcome(text)}, {time.monotonic() - began:.0f} s")
    return [job.name for job in left]


def _outcome(text: str) -> str:
    """A result in a few words.

    Examples
    --------
    >>> _outcome('{"agree": true}'), _outcome('{"error": {"what": "no GPU"}}')
    ('agree', 'failed: no GPU')
    """
    found = json.loads(text)
    if "error" in found:
        return f"failed: {found['error']['what']}"
    if "agree" not in found:
        return "written"
    return "agree" if found["agree"] else "does not agree"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line: 0 if every result is there, 1 if some are left for the next call."""
    parser = argparse.ArgumentParser(
        prog="python -m gpu_validation.campaign", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("-o", metavar="DIR", type=Path, required=True, help="where results go")
    parser.add_argument(
        "--budget", metavar="MINUTES", type=number("--budget"), default=30.0, help="stop then (30)"
    )
    chosen = parser.parse_args(arguments)
    left = campaign(jobs(gpus_here()), chosen.o, chosen.budget, _progress)
    if left:
        _progress(f"{len(left)} left for want of time, call again: {', '.join(left)}")
    _progress(f"`python -m reports.measured_page {chosen.o}` makes their page")
    return LEFT if left else WHOLE


def _progress(text: str) -> None:
    print(f"campaign: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
