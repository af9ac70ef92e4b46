"""``staleproof check``: decide whether schedules are right, and say where they are not."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from staleproof.arguments import Parser, add_json, as_mapping, positive
from staleproof.checking.options import FORMATS, READERS, UNLIMITED, Options, read_format
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.family_options import add_parameters, add_size
from staleproof.output import one_line, put, put_json
from staleproof.sources import FILE_POLICY, POLICIES, WINDOWED, refuse_family_options

if TYPE_CHECKING:
    from staleproof.checking.outcome import Outcome
    from staleproof.settings import Settings

Target = tuple[str, Options]


def configure(parser: Parser) -> None:
    """Add the arguments of ``check``."""
    parser.add_argument(
        "targets",
        metavar="FILE|FAMILY",
        nargs="*",
        help="schedule files of any format, or families with their -p (default: the targets in "
        "pyproject.toml)",
    )
    add_size(parser)
    add_parameters(parser)
    parser.add_argument(
        "--require",
        metavar="TERMS",
        action="append",
        help="what has to hold besides, as in stash,staleness<=3,memory<=60GiB; may be repeated",
    )
    parser.add_argument(
        "--queues",
        metavar="KEY",
        help="messages of a rank queue up per rank, peer or direction (default rank)",
    )
    parser.add_argument(
        "--buffer",
        metavar="K",
        help=f"messages that a channel holds without a receive, or {UNLIMITED} (default 0)",
    )
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
    parser.add_argument("--sizes", metavar="FILE.toml", help="bytes of each stage")
    parser.add_argument("--linearization", metavar="L", help="how delay<=K counts")
    parser.add_argument(
        "--lower",
        metavar="PLACEMENT",
        help="add sends and receives first: as-soon-as-possible (PyTorch's) or just-in-time",
    )
    parser.add_argument(
        "--diff", nargs=2, metavar=("OLD", "NEW"), help="say what changed; NEW decides"
    )
    parser.add_argument("--picture", metavar="DIR", help="draw what is wrong into this folder")
    parser.add_argument("--smt", metavar="DIR", help="write deadlock-freedom as SMT-LIB 2 there")
    parser.add_argument(
        "--format", metavar="FORM", help=f"{', '.join(FORMATS)} (default {FORMATS[0]})"
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Check every target; 1 if something required does not hold of one of them."""
    from staleproof.ledgers import require_writable
    from staleproof.settings import find_settings

    settings = find_settings()
    form = _form(arguments, settings)
    targets = _targets(arguments, settings)
    for folder in (arguments.picture, arguments.smt):
        if folder is not None:
            require_writable(folder)
    outcomes = list(_outcomes(targets, arguments, excerpts=form != "json"))
    if arguments.diff is not None:
        return _put_difference(outcomes[0], outcomes[1], form)
    _put(outcomes, form)
    return 0 if all(outcome.ok for outcome in outcomes) else 1


def _form(arguments: Namespace, settings: Settings) -> str:
    """The form of the result."""
    asked = None if arguments.format is None else read_format(arguments.format, "--format")
    if arguments.json and asked not in (None, "json"):
        raise UsageError(
            f"--json is --format json, found --format {asked} as well", "--format", "drop one"
        )
    form = "json" if arguments.json else asked or settings.format
    if arguments.diff is not None and form == "junit":
        raise UsageError(
            "a difference is no list of test cases, so it has no such form",
            "--format",
            "take text, json or github, or check NEW alone",
        )
    return form


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
        else [(target, settings.of(target)[0]) for target in named]
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


def _given(arguments: Namespace) -> Iterator[tuple[str, Any]]:
    """Fields of `Options` that the command line sets."""
    for name, (field, read) in READERS.items():
        value = getattr(arguments, name)
        if value is not None:
            yield field, read(value, f"--{name}")
    same = {"window": "window", "sizes": "sizes", "p": "ranks", "m": "microbatches"}
    for name, field in same.items():
        if getattr(arguments, name) is not None:
            yield field, getattr(arguments, name)
    if arguments.set:
        yield "parameters", as_mapping(arguments.set, "--set")


def _outcomes(targets: list[Target], arguments: Namespace, *, excerpts: bool) -> Iterator[Outcome]:
    from staleproof.checking.run import checked, extras_of, summed_up

    names = [target for target, _ in targets]
    extras = extras_of(names, excerpts, arguments.picture, arguments.smt)
    for (target, options), extra in zip(targets, extras, strict=True):
        yield summed_up(checked(target, options, target), extra)


def _put(outcomes: list[Outcome], form: str) -> None:
    from staleproof.checking.github import github_lines
    from staleproof.checking.junit import junit
    from staleproof.checking.outcome import plain_results
    from staleproof.checking.text import lines

    if form == "json":
        put_json(plain_results(outcomes))
    elif form == "junit":
        put(junit(outcomes))
    elif form == "github":
        put(*(line for outcome in outcomes for line in github_lines(outcome)))
    else:
        put(*(one_line(line) for outcome in outcomes for line in lines(outcome)))


def _put_difference(old: Outcome, new: Outcome, form: str) -> int:
    from staleproof.checking.changes import Comparison, compared, comparison_lines
    from staleproof.checking.github import annotation, github_lines
    from staleproof.checking.text import summary

    comparison = Comparison(old, new)
    told = [one_line(line) for line in comparison_lines(comparison)]
    if form == "json":
        put_json(compared(comparison))
    elif form == "github":
        put(*github_lines(new), annotation("notice", "what changed", "\n".join(told)))
    else:
        put(*told, *map(one_line, summary(new)))
    return 0 if new.ok else 1


COMMAND: Final = Command(
    name="check",
    summary="decide whether a schedule is right",
    description=(
        "Decides whether schedules are complete, causal and exclusive, whether their messages\n"
        "match and cannot deadlock, and whatever --require asks for. Exit code 1 if something\n"
        "does not hold or is undecided: then the place is named and drawn. Settings are read from\n"
        "[tool.staleproof] in pyproject.toml; see docs/checking.md."
    ),
    configure=configure,
    run=run,
)
