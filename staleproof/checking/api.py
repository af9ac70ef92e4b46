"""`check` for tests: raises an `AssertionError` that says what is wrong and where."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from schedules import Schedule, WeightPolicy
from schedules.invariants import Report
from staleproof.checking.options import READERS, Options
from staleproof.checking.run import Extras, checked, summed_up
from staleproof.checking.text import summary
from staleproof.errors import Explained

if TYPE_CHECKING:
    from schedules.formats import Document

AS_THEY_ARE: Final = ("window", "ranks", "microbatches", "parameters")
"""Arguments that are fields of `Options`."""


class CheckFailed(AssertionError):  # noqa: N818 - what a test runner prints reads like it
    """A schedule does not keep what is required of it, or that could not be decided.

    Attributes
    ----------
    report : Report
        What was found.
    """

    def __init__(self, message: str, report: Report) -> None:
        self.report = report
        super().__init__(message)


# Where users meet the class, and what a test runner prints.
CheckFailed.__module__ = "staleproof"


def check(
    subject: str | os.PathLike[str] | Schedule | Document,
    require: str = "",
    *,
    queues: str = "rank",
    buffer: int | float | str | None = 0,
    policy: str | WeightPolicy | None = None,
    window: int | None = None,
    sizes: str | os.PathLike[str] | None = None,
    linearization: str | None = None,
    lower: str | None = None,
    ranks: int | None = None,
    microbatches: int | None = None,
    parameters: Mapping[str, int] | None = None,
    picture: str | os.PathLike[str] | None = None,
) -> Report:
    """Check a schedule as ``staleproof check`` does.

    Parameters
    ----------
    subject : str, path-like, Schedule or Document
        A schedule, a schedule file, or the name of a family.
    require : str
        Requirements, such as ``"stash, staleness<=3"``, beyond what is always decided.
    queues : str
        What a rank has communication queues for: ``rank``, ``peer`` or ``direction``.
    buffer : int, "inf" or None
        Messages that a channel holds without a receive; None and ``"inf"`` are without limit.
    policy : str or WeightPolicy, optional
        Replaces the schedule's own.
    window : int, optional
        Microbatches per update of the policy ``double-buffer``.
    sizes : path-like, optional
        Sizes file.
    linearization : str, optional
        How global delays are counted.
    lower : str, optional
        Where to place the messages of a schedule that has none.
    ranks, microbatches : int, optional
        Size of a family; microbatches also of a file that does not state them.
    parameters : mapping of str to int, optional
        Of a family.
    picture : path-like, optional
        Folder to draw into what is wrong.

    Returns
    -------
    Report

    Raises
    ------
    CheckFailed
        Something required does not hold, or is undecided.
    UsageError, schedules.errors.ScheduleError
        An argument is none of those it can be, or the schedule cannot be read.
    reports.errors.ReportError
        A picture cannot be written.

    Examples
    --------
    >>> check("pipedream", ranks=3).facts["stash_holds"]
    True
    >>> check("pipedream", "staleness<=1", ranks=3)
    Traceback (most recent call last):
    staleproof.CheckFailed: not ok: pipedream: ...
    """
    __tracebackhide__ = True
    given = {
        "require": require,
        "queues": queues,
        "buffer": buffer,
        "policy": policy,
        "window": window,
        "sizes": sizes,
        "linearization": linearization,
        "lower": lower,
        "ranks": ranks,
        "microbatches": microbatches,
        "parameters": parameters,
    }
    said = {name: value for name, value in given.items() if value is not None or name == "buffer"}
    return held(subject, Options(), said, picture)


def held(
    subject: str | os.PathLike[str] | Schedule | Document,
    base: Options,
    given: Mapping[str, Any],
    picture: str | os.PathLike[str] | None = None,
) -> Report:
    """The report of a check that everything passes.

    Parameters
    ----------
    subject, picture
        As for `check`.
    base : Options
        What holds where nothing is given.
    given : mapping
        Arguments of `check` by their names.

    Raises
    ------
    TypeError
        An argument that `check` does not have.
    CheckFailed, UsageError, schedules.errors.ScheduleError, reports.errors.ReportError
        As `check`.
    """
    __tracebackhide__ = True
    name = os.fspath(subject) if isinstance(subject, (str, os.PathLike)) else None
    try:
        options = base.overlaid(dict(_values(given)))
        options.require_window_used("window")
        found = checked(subject, options, name)
    except Exception as error:
        if isinstance(error, Explained):  # it says all there is to say, without the way there
            raise error.with_traceback(None) from None
        raise
    if not found.report.ok:
        extras = Extras(pictures=None if picture is None else os.fspath(picture))
        raise CheckFailed("\n".join(summary(summed_up(found, extras))), found.report)
    return found.report


def _values(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        if name == "sizes":
            yield name, os.fspath(value)
        elif name in AS_THEY_ARE:
            yield name, value
        elif name not in READERS:
            raise TypeError(f"check has no argument {name!r}")
        elif isinstance(value, WeightPolicy):
            yield "policy", value
        else:
            field, read = READERS[name]
            yield field, None if value is None else read(value, name)
