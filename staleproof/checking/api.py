"""`check` for tests: raises an `AssertionError` that says what is wrong and where."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from schedules import Schedule, WeightPolicy
from schedules.invariants import Report
from staleproof.checking.arguments import read_arguments, read_path, read_subject
from staleproof.checking.options import Options
from staleproof.checking.run import Extras, checked, summed_up, written
from staleproof.checking.text import summary
from staleproof.errors import Explained

if TYPE_CHECKING:
    from schedules.formats import Document


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
    require: str | Iterable[str] = "",
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
    layers: str | os.PathLike[str] | None = None,
) -> Report:
    """Check a schedule as ``staleproof check`` does.

    Parameters
    ----------
    subject : str, path-like, Schedule or Document
        A schedule, a schedule file, or the name of a family.
    require : str or list of str
        Requirements, such as ``"stash, staleness<=3"``, beyond what is always decided.
    queues : str
        What a rank has communication queues for: ``rank``, ``peer`` or ``direction``.
    buffer : int, "inf" or None
        Messages that a channel holds without a receive; None and ``"inf"`` are without limit.
    policy : str or WeightPolicy, optional
        Replaces the schedule's own; the name of its own keeps the interval.
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
    layers : path-like, optional
        File of measured layers, in place of sizes and unit times.

    Returns
    -------
    Report

    Raises
    ------
    CheckFailed
        Something required does not hold, or is undecided.
    UsageError, schedules.errors.ScheduleError
        An argument is none of those it can be or would be ignored, or the schedule cannot be
        read.
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
        "layers": layers,
        "linearization": linearization,
        "lower": lower,
        "ranks": ranks,
        "microbatches": microbatches,
        "parameters": parameters,
    }
    return held(subject, Options(), given, picture)


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
        Arguments of `check` by their names; None says nothing, but that a buffer is unlimited.

    Raises
    ------
    TypeError
        An argument that `check` does not have.
    CheckFailed, UsageError, schedules.errors.ScheduleError, reports.errors.ReportError
        As `check`.
    """
    __tracebackhide__ = True
    try:
        name = read_subject(subject, given)
        folder = None if picture is None else read_path(picture, "picture")
        options = base.overlaid(dict(read_arguments(given)))
        options.require_window_used("window")
        found = checked(subject, options, name)
    except Exception as error:
        if isinstance(error, Explained):  # it says all there is to say, without the way there
            raise error.with_traceback(None) from None
        raise
    if not found.report.ok:
        outcome = written(summed_up(found), found, Extras(folder))
        raise CheckFailed("\n".join(summary(outcome)), found.report)
    return found.report
