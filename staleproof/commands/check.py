"""``staleproof check``: decide whether a schedule is right.

Decides whether schedules are complete, causal and exclusive, whether their messages match and
cannot deadlock, and whatever --require asks for. Exit code 1 if something does not hold or is
undecided: then the place is named and drawn. Settings are read from [tool.staleproof] in
pyproject.toml; see docs/how-to/checking.md.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from staleproof.arguments import Parser, add_json, as_mapping, positive
from staleproof.checking.options import FORMATS, READERS, UNLIMITED, Options, read_format
from staleproof.commands.command import Command
from staleproof.errors import Explained, StandardOutputError, UsageError
from staleproof.family_options import add_parameters, add_size
from staleproof.layer_options import BOTH, add_layers
from staleproof.output import json_text, note, one_line, put, put_error, put_json
from staleproof.sources import FILE_POLICY, POLICIES, WINDOWED, is_file, refuse_family_options

if TYPE_CHECKING:
    from staleproof.checking.changes import Comparison
    from staleproof.checking.outcome import Outcome, Result
    from staleproof.settings import Settings

Target = tuple[str, Options]


def configure(parser: Parser) -> None:
    """Add the arguments of ``check``."""
    parser.takes(
        """
        targets* FILE|FAMILY  schedule files of any format, or families with their -p (default: the
            targets in pyproject.toml)
        """
    )
    add_size(parser)
    add_parameters(parser)
    parser.add_argument(
        "--require",
        metavar="TERMS",
        action="append",
        help="what has to hold besides, as in stash,staleness<=3,memory<=60GiB; may be repeated",
    )
    parser.takes(
        f"""
        --queues KEY  messages of a rank queue up per rank, peer or direction (default rank)
        --buffer K  messages that a channel holds without a receive, or {UNLIMITED} (default 0)
        --policy NAME  weight policy: {", ".join(POLICIES)} (default: what a file states, else
            {FILE_POLICY}; a family's own for families)
        --window K  microbatches per update of --policy {WINDOWED} (default: all M of them; for a
            schedule that has this policy, what it states)
        --sizes FILE.toml  bytes of each stage
        """,
        window=positive("--window"),
    )
    add_layers(parser)
    parser.takes(
        """
        --linearization L  how delay<=K counts
        --lower PLACEMENT  add sends and receives first: as-soon-as-possible (PyTorch's),
            just-in-time or with-waits (PyTorch 2.15's)
        """
    )
    parser.add_argument(
        "--diff", nargs=2, metavar=("OLD", "NEW"), help="say what changed; NEW decides"
    )
    parser.takes(
        f"""
        --skip-others  pass over JSON files that hold no schedule
        --picture DIR  draw what is wrong into this folder
        --smt DIR  write deadlock-freedom as SMT-LIB 2 there
        --format FORM  {", ".join(FORMATS)} (default {FORMATS[0]})
        """
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Check every target; 1 if something required does not hold of one of them."""
    from staleproof.settings import find_settings

    settings = find_settings()
    form = _form(arguments, settings)
    try:
        return _checked(arguments, settings, form)
    except StandardOutputError:
        raise
    except Exception as error:
        if form != "json" or not isinstance(error, Explained):
            raise
        put_error(error, as_json=True)  # also where only the settings ask for it
        return 2


def _checked(arguments: Namespace, settings: Settings, form: str) -> int:
    from staleproof.ledgers import require_writable

    if arguments.layers is not None and arguments.sizes is not None:
        raise UsageError(BOTH, "--sizes", "drop one of them")
    targets = _targets(arguments, settings)
    if arguments.skip_others and arguments.targets:
        targets = _without_others(targets)
    for folder in (arguments.picture, arguments.smt):
        if folder is not None:
            require_writable(folder)
    from staleproof.checking.outcome import Outcome

    # A single target that cannot be read is bad input as everywhere; a report still is a file.
    goes_on = arguments.diff is None and (len(targets) > 1 or form in ("junit", "github", "sarif"))
    results = list(_results(targets, arguments, excerpts=form != "json", goes_on=goes_on))
    outcomes = [each for each in results if isinstance(each, Outcome)]
    if arguments.diff is not None:
        return _put_differences(outcomes, form)
    _put(results, form)
    if len(outcomes) < len(results):
        return 2
    return 0 if all(outcome.ok for outcome in outcomes) else 1


def _form(arguments: Namespace, settings: Settings) -> str:
    """The form of the result."""
    asked = None if arguments.format is None else read_format(arguments.format, "--format")
    if arguments.json and asked not in (None, "json"):
        raise UsageError(
            f"--json is --format json, found --format {asked} as well", "--format", "drop one"
        )
    return "json" if arguments.json else asked or settings.format


def _targets(arguments: Namespace, settings: Settings) -> list[Target]:
    """What to check, and against what: the command line, over the settings."""
    named = arguments.targets if arguments.diff is None else arguments.diff
    if arguments.diff is not None and arguments.targets:
        raise UsageError(
            f"--diff compares two schedules, found {len(arguments.targets)} more",
            "--diff",
            "drop them",
        )
    given = "-p" if arguments.p is not None else "--set" if arguments.set else None
    if named:
        refuse_family_options(given, named)
    chosen = (
        [(target, options) for target in named for options in settings.of(target)]
        if arguments.diff is None
        else list(settings.compared(*named))
    )
    found = chosen or settings.configured()
    if not found:
        raise UsageError(
            "there is nothing to check: no FILE or FAMILY is named, and pyproject.toml has no "
            "targets",
            "check",
            "name one, or see `staleproof check --help`",
        )
    values = dict(_given(arguments))
    result = [(target, options.overlaid(values)) for target, options in found]
    for _, options in result:
        options.require_window_used()
    return result


def _without_others(targets: list[Target]) -> list[Target]:
    """The targets without JSON files that hold no schedule, which a pattern may have caught."""
    from schedules.formats.reading import is_other_json

    kept = []
    for target, options in targets:
        if is_file(target) and is_other_json(target):
            note(f"skipped, no schedule: {target}")
        else:
            kept.append((target, options))
    return kept


def _given(arguments: Namespace) -> Iterator[tuple[str, Any]]:
    """Fields of `Options` that the command line sets."""
    for name, (field, read) in READERS.items():
        value = getattr(arguments, name)
        if value is not None:
            yield field, read(value, f"--{name}")
    same = {"window": "window", "sizes": "sizes", "layers": "layers", "p": "ranks"}
    for name, field in (same | {"m": "microbatches"}).items():
        if getattr(arguments, name) is not None:
            yield field, getattr(arguments, name)
    if arguments.set:
        yield "parameters", as_mapping(arguments.set, "--set")


def _results(
    targets: list[Target], arguments: Namespace, *, excerpts: bool, goes_on: bool
) -> list[Result]:
    """What each target came to; nothing is written before all of them were looked at.

    With `goes_on`, one that cannot be read does not keep the others from being checked.
    """
    from staleproof.checking.outcome import Unreadable
    from staleproof.checking.run import checked, extras_of, summed_up, written

    names = [target for target, _ in targets]
    results: list[Result] = []
    postponed = []
    for index, extras in enumerate(extras_of(names, arguments.picture, arguments.smt)):
        target, options = targets[index]
        try:
            found = checked(target, options, target)
        except Exception as error:
            if not goes_on or not isinstance(error, Explained):
                raise
            results.append(Unreadable(target, error.what, error.where, error.fix))
            continue
        outcome = summed_up(found, excerpts=excerpts)
        results.append(outcome)
        if extras.wanted(outcome):
            postponed.append((index, outcome, found, extras))
    for index, outcome, found, extras in postponed:
        results[index] = written(outcome, found, extras)
    return results


def _put(results: list[Result], form: str) -> None:
    from staleproof.checking.github import github_lines
    from staleproof.checking.junit import junit
    from staleproof.checking.outcome import Outcome, plain_results
    from staleproof.checking.sarif import sarif
    from staleproof.checking.text import lines

    if form == "json":
        put_json(plain_results(results))
    elif form == "junit":
        put(junit(results))
    elif form == "sarif":
        put(json_text(sarif(results)))
    elif form == "github":
        put(*(line for each in results for line in github_lines(each)))
    else:
        read = [each for each in results if isinstance(each, Outcome)]
        put(*(one_line(line) for outcome in read for line in lines(outcome)))
    if form != "json":
        for each in results:
            if not isinstance(each, Outcome):
                note(f"staleproof: {each.message}")


def _put_differences(outcomes: list[Outcome], form: str) -> int:
    """Print what changed from each OLD to the NEW behind it."""
    from staleproof.checking.changes import Comparison, compared_results, comparison_lines
    from staleproof.checking.junit import junit
    from staleproof.checking.sarif import sarif

    found = [Comparison(old, new) for old, new in zip(outcomes[::2], outcomes[1::2], strict=True)]
    if form == "json":
        put_json(compared_results(found))
    elif form == "sarif":
        put(json_text(sarif([each.new for each in found])))
    elif form == "junit":
        notes = ["\n".join(map(one_line, comparison_lines(each))) for each in found]
        put(junit([each.new for each in found], notes))
    else:
        put(*(line for comparison in found for line in _difference(comparison, form)))
    return 0 if all(comparison.new.ok for comparison in found) else 1


def _difference(comparison: Comparison, form: str) -> Iterator[str]:
    from staleproof.checking.changes import comparison_lines
    from staleproof.checking.github import annotation, github_lines
    from staleproof.checking.text import summary

    told = [one_line(line) for line in comparison_lines(comparison)]
    if form == "github":
        yield from github_lines(comparison.new)
        yield annotation("notice", "what changed", "\n".join(told))
    else:
        yield from (*told, *map(one_line, summary(comparison.new)))


COMMAND: Final = Command.of(__doc__, configure, run)
