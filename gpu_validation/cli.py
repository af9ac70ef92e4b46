"""``python -m gpu_validation`` and ``staleproof measure``: the same arguments, the same result.

Exit codes: 0 machine and model agree, 1 they do not or a rank failed, 2 bad input in one clear
line, 130 interrupted, 141 the reader of a pipe has gone.
"""

from __future__ import annotations

import argparse
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gpu_validation import options, request
from gpu_validation.files import ERROR, json_text, mark, require_writable, write_text
from gpu_validation.interruption import termination_as_interruption

if TYPE_CHECKING:
    from gpu_validation.errors import MeasureError, RankError
    from schedules.formats.trace import Trace
    from schedules.schedule import Schedule

BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
READER_GONE: Final = 141

DESCRIPTION: Final = """\
Runs a schedule for real, records which weights every forward and backward used, and compares the
record with the prediction. Then runs it again with faults that the checks have to catch. Exit code
1 if a check fails or is undecided, or if a fault goes unnoticed.

With --check LOG nothing is run: a log that was written elsewhere is judged."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    options.add_schedule(parser)
    options.add_run(parser)
    options.add_model(parser)
    options.add_output(parser)


@termination_as_interruption()
def run(arguments: Namespace) -> int:
    """Measure, or judge a log; returns the exit code.

    - raises `ScheduleError`: bad input, with what is wrong, where and what to do.
    - raises `KeyboardInterrupt`: the log has been written by then.
    """
    request.refuse_what_would_be_ignored(arguments)
    request.require_torch()
    from gpu_validation.steps import by_policy

    schedule = by_policy(request.schedule_of(arguments))
    if arguments.check is not None:
        return _finish(arguments, *_judged(arguments, schedule), None)
    spec = request.spec_of(arguments, schedule)
    _require_places(arguments)

    from gpu_validation.environment import command_line, environment
    from gpu_validation.errors import RankError
    from gpu_validation.measure import measure
    from gpu_validation.report import of_measurement

    leads = is_leader()
    try:
        found = measure(
            spec,
            repeats=arguments.repeats or 1,
            tolerance=arguments.tolerance or 0.0,
            log=arguments.o if leads else None,
            progress=_progress if leads else lambda _: None,
            profile=bool(arguments.profile),
            replaying=not arguments.no_replay,
            broken_runs=not arguments.no_broken_runs,
        )
    except RankError as error:
        return _left(_failed(arguments, error))
    except KeyboardInterrupt as stop:
        for said in (*stop.args, stop.__cause__) if leads else ():
            if said is not None:
                _progress(str(said))
        _left(INTERRUPTED)
        raise
    if not leads:
        return 0 if found.agree else 1
    first = found.results[0]
    result = of_measurement(found)
    result |= {"log": arguments.o if first.unwritten is None else None}
    result |= {"environment": environment(spec.device), "command": command_line()}
    return _finish(arguments, result, first.trace, first.unwritten)


def _left(code: int) -> int:
    """Leave at once where a launcher has started this process, and other ranks may be gone.

    Threads that wait for them inside a library would abort the interpreter's end.
    """
    if "MASTER_ADDR" in os.environ:
        print(f"measure: rank {os.environ.get('RANK')} ends with exit code {code}", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def is_leader() -> bool:
    """Whether this process writes and prints: one of several that a launcher has started does."""
    return "MASTER_ADDR" not in os.environ or os.environ.get("RANK", "0") == "0"


def _judged(arguments: Namespace, schedule: Schedule) -> tuple[dict[str, Any], Trace]:
    """Judge a log; with ``--replay`` its final weights too. Returns the result and the log."""
    from gpu_validation.checks import observed
    from gpu_validation.communication import described
    from gpu_validation.judging import judge_log, required_of
    from gpu_validation.logs import final_digests, read_log
    from gpu_validation.merging import files_of, steps_of
    from gpu_validation.profiler_trace import is_profile, rank_profiles
    from gpu_validation.report import of_judged_log

    free = arguments.order == "free-running"
    trace = read_log(arguments.check, schedule)
    required = required_of(trace, arguments.require or ())
    predicted, findings, controls = judge_log(trace, schedule, free)
    if arguments.replay:
        from gpu_validation.checks import final_weights
        from gpu_validation.measure import replayed
        from gpu_validation.run import digest

        spec = request.spec_of(arguments, predicted.schedule)
        expected = {copy: digest(weights) for copy, weights in replayed(spec).items()}
        findings.append(final_weights.check_digests(final_digests(trace), expected))
    first = steps_of(trace)[0]
    result = of_judged_log(
        first, observed(first), schedule, predicted, findings, controls, free, required
    )
    traces = files_of(arguments.check)
    if all(map(is_profile, traces)):
        device, seen = rank_profiles(traces)
        transport = "torch" if device == "cpu" else "nccl"
        shares = described(seen, schedule.ranks, transport, device, "its trace has no ranges")
        result["measured"]["communication"] = shares
    log = arguments.check[0] if len(arguments.check) == 1 else arguments.check
    return result | {"log": log}, trace


def _finish(
    arguments: Namespace, result: dict[str, Any], trace: Trace, unwritten: MeasureError | None
) -> int:
    """Print the result, and only then say which files could not be written."""
    from gpu_validation.errors import MeasureError
    from gpu_validation.report import lines

    text = json_text(result) if arguments.json else "\n".join(lines(result))
    code = _put(text, 0 if result["agree"] else 1)
    failures = [] if unwritten is None else [unwritten]
    for path, write in ((arguments.chrome, _write_chrome), (arguments.write_layers, _write_layers)):
        try:
            _ = path is None or write(path, trace)
        except MeasureError as error:
            failures.append(error)
    for failure in failures:
        _progress(str(failure))
    return code or (BAD_INPUT if failures else 0)


def _put(text: str, code: int) -> int:
    """Print the result; returns `code`, or 2 where standard output takes nothing more.

    Raises `BrokenPipeError`: the reader has gone.
    """
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        _abandon_stdout()
        _progress(
            f"standard output: it cannot be written to ({error.strerror or error}); send it where "
            "there is room"
        )
        return BAD_INPUT
    return code


def _abandon_stdout() -> None:
    """Send what is still buffered nowhere: the interpreter would complain when it flushes it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _failed(arguments: Namespace, error: RankError) -> int:
    """Say which rank failed; what was recorded until then is in the log."""
    if arguments.json:
        from gpu_validation.report import SCHEMA

        parts = {"what": error.what, "where": error.where, "fix": error.fix}
        nothing: dict[str, Any] = {
            "predicted": None,
            "measured": None,
            "checks": [],
            "controls": [],
        }
        return _put(
            json_text(
                {**mark(SCHEMA), "error": parts, "log": arguments.o, **nothing, "agree": False}
            ),
            1,
        )
    _progress(str(error))
    if error.partial is not None and error.partial.unwritten is not None:
        _progress(str(error.partial.unwritten))
    elif arguments.o is not None and Path(arguments.o).exists():
        _progress(f"the log until then is in {arguments.o}, marked as partial")
    return 1


def _progress(text: str) -> None:
    print(f"measure: {text}", file=sys.stderr, flush=True)


def _require_places(arguments: Namespace) -> None:
    """Refuse files that cannot be written before a run is made for nothing."""
    for option in ("o", "chrome", "write_layers"):
        path = getattr(arguments, option)
        if path is not None:
            require_writable(path)


def _write_chrome(path: str, trace: Trace) -> None:
    from schedules.formats.chrome import write_chrome

    write_text(path, write_chrome(trace))


def _write_layers(path: str, trace: Trace) -> None:
    from gpu_validation.timing import layer_table

    write_text(path, layer_table(trace))
    _progress(f"{path} has a row a stage; a log knows no bytes, so they are 0 there")


class Parser(argparse.ArgumentParser):
    """An `argparse.ArgumentParser` that explains itself as the rest of the project does."""

    def error(self, message: str) -> Any:
        """Turn argparse's message into an error with a place and a remedy."""
        from gpu_validation.errors import SpecError

        raise SpecError(message, "arguments", "see `python -m gpu_validation --help`")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Examples
    --------
    >>> main(["gpipe", "-p", "2", "-m", "2", "--device", "tpu"])
    2
    """
    given = sys.argv[1:] if arguments is None else arguments
    parser = Parser(
        prog="python -m gpu_validation",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    configure(parser)
    return _explained(lambda: run(parser.parse_args(given)), "--json" in given)


def _explained(work: Callable[[], int], as_json: bool) -> int:
    """Run; an error that says what to do about it becomes exit code 2 and one line."""
    from schedules.errors import ScheduleError

    try:
        return work()
    except ScheduleError as error:
        if as_json:
            parts = {"what": error.what, "where": error.where, "fix": error.fix}
            return _put(json_text({**mark(ERROR), "error": parts}), BAD_INPUT)
        print(f"gpu_validation: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("gpu_validation: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        return READER_GONE
