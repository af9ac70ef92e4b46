"""``staleproof check``: decides whether schedules are complete, causal and exclusive."""

from __future__ import annotations

import dataclasses
import os
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, get_args

from schedules import FAMILIES, Schedule, WeightPolicy
from schedules.policies import PolicyName
from staleproof.arguments import Parser, add_json, positive, suggestion
from staleproof.commands.command import Command
from staleproof.errors import InputError, UsageError
from staleproof.family_options import add_parameters, add_size, built
from staleproof.output import put, put_json, shown

if TYPE_CHECKING:
    from schedules.validate import Violation

POLICIES: Final[tuple[str, ...]] = get_args(PolicyName)
FILE_POLICY: Final = "flush"
WINDOWED: Final = "double-buffer"
"""The policy that takes ``--window``."""

REACH: Final = (
    "complete, causal, exclusive; no messages in the {source}, so matching and deadlock were "
    "not decided"
)


def configure(parser: Parser) -> None:
    """Add the arguments of ``check``."""
    parser.add_argument(
        "targets",
        metavar="FILE|FAMILY",
        nargs="+",
        help="compute-only schedule files (PyTorch CSV, our JSON, Megatron orders, traces), or a "
        "family with its -p",
    )
    add_size(parser)
    add_parameters(parser)
    parser.add_argument(
        "--policy",
        metavar="NAME",
        help=f"weight policy: {', '.join(POLICIES)} (default: what a file states, else "
        f"{FILE_POLICY}; a family's own for families)",
    )
    parser.add_argument(
        "--window",
        metavar="K",
        type=positive("--window"),
        help=f"microbatches per update of --policy {WINDOWED} (default: all M of them)",
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Check every target; 1 if one of them breaks an invariant."""
    policy = read_policy(arguments.policy)
    refuse_stray_window(arguments)
    refuse_family_options_for_files(arguments)
    results = [checked(load(target, arguments, policy), target) for target in arguments.targets]
    ok = all(result["ok"] for result in results)
    if arguments.json:
        put_json(results[0] if len(results) == 1 else {"ok": ok, "results": results})
    else:
        put(*(line for result in results for line in _lines(result)))
    return 0 if ok else 1


def read_policy(name: str | None) -> WeightPolicy | None:
    """Read ``--policy``.

    Raises
    ------
    UsageError
        No such policy.
    """
    for known in get_args(PolicyName):
        if known == name:
            return WeightPolicy(known)
    if name is None:
        return None
    raise UsageError(
        f"a weight policy is one of {', '.join(POLICIES)}, not {shown(name)}",
        "--policy",
        suggestion(name, POLICIES) or "name one of them",
    )


def refuse_stray_window(arguments: Namespace) -> None:
    """Refuse ``--window`` where it would be ignored.

    Raises
    ------
    UsageError
        The policy is not `WINDOWED`.
    """
    if arguments.window is not None and arguments.policy != WINDOWED:
        found = "no --policy" if arguments.policy is None else f"--policy {arguments.policy}"
        raise UsageError(
            f"only --policy {WINDOWED} has a window, found {found}",
            "--window",
            f"drop it, or add --policy {WINDOWED}",
        )


def windowed(policy: WeightPolicy, window: int | None, microbatches: int) -> WeightPolicy:
    """A policy with its window; without one, `WINDOWED` updates once per M microbatches.

    Double buffering keeps two versions only if a window outlasts the microbatches in flight.

    Examples
    --------
    >>> windowed(WeightPolicy("double-buffer"), None, 16).interval
    16
    """
    if policy.name != WINDOWED:
        return policy
    return dataclasses.replace(policy, interval=window or max(microbatches, 1))


def is_file(target: str) -> bool:
    """Whether a target names a file; anything else is taken for a family.

    Examples
    --------
    >>> is_file("step.csv"), is_file("run.jsonl"), is_file("runs/step"), is_file("pipedream")
    (True, True, True, False)
    """
    from schedules.formats import format_of_name

    named_like_one = os.sep in target or format_of_name(target) is not None
    looks_like_one = named_like_one or os.path.isfile(target)
    return looks_like_one or (os.path.exists(target) and target not in FAMILIES)


def refuse_family_options_for_files(arguments: Namespace) -> None:
    """Refuse ``-p`` and ``--set`` where they would be ignored.

    Raises
    ------
    UsageError
        Every target is a file.
    """
    given = "-p" if arguments.p is not None else "--set" if arguments.set else None
    if given and all(is_file(target) for target in arguments.targets):
        raise UsageError("it describes a family, and these targets are files", given, "drop it")


def load(target: str, arguments: Namespace, policy: WeightPolicy | None) -> Schedule:
    """Read a file or generate a family.

    Raises
    ------
    InputError
        The schedule holds messages, which this version does not decide.
    UsageError, schedules.errors.ScheduleError
        No such family, or the file cannot be read.
    """
    if is_file(target):
        from schedules.formats import read_document

        schedule = read_document(target, None, arguments.m, policy).schedule
    else:
        schedule = built(arguments, target)
    if policy is not None:
        chosen = windowed(policy, arguments.window, schedule.microbatches)
        schedule = dataclasses.replace(schedule, policy=chosen)
    refuse_messages(schedule)
    return schedule


def refuse_messages(schedule: Schedule) -> None:
    """Raise for the first send or receive of a schedule."""
    from schedules.validate import has_messages

    first = has_messages(schedule)
    if first is not None:
        raise InputError(
            f"{schedule.action(first)} is a message; this version decides compute-only schedules, "
            "not matching and deadlock",
            schedule.place(first),
            "check a compute-only form of the same schedule",
        )


def checked(schedule: Schedule, target: str) -> dict[str, Any]:
    """What validation says of one schedule, as plain data; only a right one has facts."""
    from schedules.validate import facts, validate

    violations = validate(schedule)
    return {
        "target": target,
        "ok": not violations,
        "actions": len(schedule),
        "violations": [_described(violation) for violation in violations],
        "facts": {} if violations else facts(schedule),
    }


def _described(violation: Violation) -> dict[str, Any]:
    return {
        "invariant": violation.invariant,
        "message": violation.message,
        "place": violation.place,
        "witness": violation.witness,
    }


def _lines(result: dict[str, Any]) -> Iterator[str]:
    if result["ok"]:
        source = "file" if is_file(result["target"]) else "schedule"
        yield f"ok: {result['target']}: {result['actions']} actions; {REACH.format(source=source)}"
    else:
        yield f"not ok: {result['target']}: {result['actions']} actions"
    for violation in result["violations"]:
        yield f"  {violation['invariant']}: {violation['message']}"
    for name, value in result["facts"].items():
        yield f"  {name.replace('_', ' ')}: {value}"


COMMAND: Final = Command(
    name="check",
    summary="decide whether a schedule is right",
    description=(
        "Decides whether schedules are complete, causal and exclusive, and lists everything that\n"
        "is wrong with them. Exit code 1 if anything is. Schedules with messages (DeepSpeed\n"
        "files, CSV with communication, the blog-* families) are refused with exit code 2:\n"
        "matching and deadlock are not decided in this version."
    ),
    configure=configure,
    run=run,
)
