"""FILE|FAMILY arguments: which of the two one is, and the weight policy it is given."""

import os
from collections.abc import Sequence
from typing import Final, cast, get_args

from schedules import FAMILIES, WeightPolicy
from schedules.families import is_family_file
from schedules.policies import PolicyName
from staleproof.arguments import one_of
from staleproof.errors import UsageError

POLICIES: Final[tuple[str, ...]] = get_args(PolicyName)
FILE_POLICY: Final = "flush"
WINDOWED: Final = "double-buffer"
"""The policy that has a window."""


def is_file(target: str) -> bool:
    """Whether a target names a schedule file, or standard input (``-``).

    Others are taken for families: of the registry, or of a Python file.

    Examples
    --------
    >>> [is_file(name) for name in ("step.csv", "run.jsonl", "runs/step")]
    [True, True, True]
    >>> is_file("pipedream"), is_file("rules/mine.py")
    (False, False)
    """
    from schedules.formats import format_of_name

    if target == "-":
        return True
    if is_family_file(target):
        return False
    named_like_one = os.sep in target or format_of_name(target) is not None
    looks_like_one = named_like_one or os.path.isfile(target)
    return looks_like_one or (os.path.exists(target) and target not in FAMILIES)


def refuse_family_options(given: str | None, targets: Sequence[str]) -> None:
    """Refuse an option that describes families where every target is a file.

    Raises
    ------
    UsageError
        It would be ignored.
    """
    if given and all(is_file(target) for target in targets):
        raise UsageError("it describes a family, and these targets are files", given, "drop it")


def read_policy(name: str | None, where: str = "--policy") -> WeightPolicy | None:
    """Read the name of a weight policy.

    Raises
    ------
    UsageError
        No such policy.
    """
    return None if name is None else WeightPolicy(policy_name(name, where))


def policy_name(name: str, where: str) -> PolicyName:
    """Read the name of a weight policy that takes the rest from elsewhere: see `given_policy`.

    Raises
    ------
    UsageError
        No such policy.
    """
    return cast(PolicyName, one_of(name, POLICIES, "a weight policy is one of", where))


def given_policy(
    asked: PolicyName | WeightPolicy, window: int | None, stated: WeightPolicy, microbatches: int
) -> WeightPolicy:
    """The policy that replaces the stated one.

    A name alone keeps the interval and horizon of a schedule that states this very policy. Of
    any other it says one update per gradient; of `WINDOWED` one per M microbatches, as double
    buffering keeps two versions only if a window outlasts the microbatches in flight.

    Examples
    --------
    >>> given_policy("stash", None, WeightPolicy("stash", 4), 16).interval
    4
    >>> given_policy("double-buffer", None, WeightPolicy("stash", 4), 16).interval
    16
    """
    if isinstance(asked, WeightPolicy):
        return asked
    if window is None and asked == stated.name:
        return stated
    return WeightPolicy(asked, (window or max(microbatches, 1)) if asked == WINDOWED else 1)
