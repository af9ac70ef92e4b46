"""Where a measurement was made: enough to tell whether two of them can be compared."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Any, Final

import numpy as np

from gpu_validation.repeatable import one_torch_thread

FLAGS: Final = (
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_VISIBLE_DEVICES",
    "MKL_NUM_THREADS",
    "NCCL_ALGO",
    "NCCL_P2P_DISABLE",
    "NCCL_PROTO",
    "NCCL_SOCKET_IFNAME",
    "OMP_NUM_THREADS",
    "TORCH_NCCL_ASYNC_ERROR_HANDLING",
)
"""Environment variables that change how a run behaves."""


def environment(device: str) -> dict[str, Any]:
    """Host, processor, library versions, flags, revision; GPUs where the device is ``cuda``.

    What cannot be found out is null.
    """
    return {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": processor(),
        "cores": cores(),
        "python": platform.python_version(),
        "libraries": _libraries(),
        "torch_settings": _settings(),
        "gpus": _gpus() if device == "cuda" else [],
        "topology": _output("nvidia-smi", "topo", "-m") if device == "cuda" else None,
        "flags": {name: os.environ[name] for name in FLAGS if name in os.environ},
        "revision": _revision(),
    }


def processor() -> str | None:
    """What it is called, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            names = [line.partition(":")[2].strip() for line in file if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or None


def cores() -> int | None:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count()


def _libraries() -> dict[str, str | None]:
    import torch

    nccl = None
    if torch.cuda.is_available() and torch.distributed.is_nccl_available():
        nccl = ".".join(map(str, torch.cuda.nccl.version()))  # type: ignore[no-untyped-call]
    return {
        "torch": torch.__version__,
        "numpy": np.__version__,
        "cuda": torch.version.cuda,
        "driver": _output(
            "nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "-i", "0"
        )
        if torch.cuda.is_available()
        else None,
        "nccl": nccl,
    }


def _settings() -> dict[str, Any]:
    import torch

    # Every rank keeps to that number; this process may have kept another one.
    with one_torch_thread():
        threads = torch.get_num_threads()
    return {
        "threads_per_rank": threads,
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "float32_matmul_precision": torch.get_float32_matmul_precision(),
    }


def _gpus() -> list[dict[str, Any]]:
    import torch

    return [
        {
            "name": properties.name,
            "memory_bytes": properties.total_memory,
            "multiprocessors": properties.multi_processor_count,
            "capability": f"{properties.major}.{properties.minor}",
        }
        for properties in map(torch.cuda.get_device_properties, range(torch.cuda.device_count()))
    ]


def _revision() -> str | None:
    """The commit of this source tree, with a mark if it was changed since."""
    folder = os.path.dirname(os.path.abspath(__file__))
    commit = _output("git", "-C", folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    changed = _output("git", "-C", folder, "status", "--porcelain", "--untracked-files=no")
    return f"{commit}, changed since" if changed else commit


def _output(*command: str) -> str | None:
    """What a program prints, or None where it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.stdout.isprintable() else done.stdout.rstrip("\n")


def command_line() -> str:
    """How this measurement was started."""
    return " ".join(["python", "-m", "gpu_validation", *sys.argv[1:]])
