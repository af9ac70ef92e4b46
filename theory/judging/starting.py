"""How processes of their own start: as copies of one that has imported the judge, and some papers.

That one imports while the program that asks for it does, and never runs what a user wrote. This
module is small, so that it can be asked first.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, SpawnContext
from typing import Final

from theory.judging.signals import interrupts_held_back

FIRST: Final = "theory.judging.first"

SERVING: Final = "theory.judging.serving"
"""What a process imports before it is one of somebody's."""

_FOLDERS: Final = "theory.papers"

_SAFE_PATH: Final = "PYTHONSAFEPATH"


def every_paper() -> list[str]:
    """The modules of all papers, by name; none is imported.

    Examples
    --------
    >>> {name.rpartition(".")[0] for name in every_paper()}
    {'theory.papers'}
    """
    return [f"{_FOLDERS}.{name}" for name in import_module(_FOLDERS).PAPERS]


def get_ready(modules: Iterable[str] = ()) -> ForkServerContext | SpawnContext:
    """Start the process that is copied, unless it runs already.

    Parameters
    ----------
    modules : iterable of str
        What it is to import besides, such as a paper: that is then imported once for all copies.

    Returns
    -------
    ForkServerContext or SpawnContext
        Where a system cannot copy processes, one by which each starts from nothing.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([FIRST, SERVING, *modules])
    before = dict(os.environ)
    os.environ[_SAFE_PATH] = "1"  # or a user's sympy.py in this folder would take sympy's place
    try:
        with interrupts_held_back():
            forkserver.ensure_running()
    finally:
        replace_environment(before)
    return context


def replace_environment(wanted: Mapping[str, str]) -> None:
    """Give this process the environment of the program that asked for it."""
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    os.environ.update(wanted)
