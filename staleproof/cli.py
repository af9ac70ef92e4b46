"""The command line: builds the parser, dispatches, and turns errors into exit codes.

Exit codes: 0 ran and all that was required holds, 1 something required does not, 2 bad input,
130 interrupted, 141 the reader of a pipe has gone.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Final

from staleproof import __version__
from staleproof.arguments import Parser, suggestion, wants_json
from staleproof.commands import COMMANDS, Command
from staleproof.errors import BAD_INPUT, Explained, StandardOutputError, UsageError
from staleproof.interrupts import again, watched
from staleproof.output import abandon_stdout, accept_every_character, begin, flush, put_error, shown

INTERRUPTED: Final = 130
OURS: Final = ("schedules", "theory", "gpu_validation", "reports", "staleproof")
READER_GONE: Final = 141

_DESCRIPTION: Final = """\
Proves, derives and measures what a pipeline-parallel training schedule does to the weights.

examples:
  staleproof verify                          prove, refute every published claim
  staleproof show kernel.descent             a claim: statement, proof, witness
  staleproof list --verdict REFUTED          what does not hold
  staleproof verify my_lemma.py              your own; exit 1 unless PROVED
  staleproof check step.csv --require stash  can it hang, or lose a version?
  staleproof delays pipedream -p 8 -m 64     how stale is every gradient
  staleproof draw zbv -p 4 -m 12 -o zbv.svg  a picture

Exit codes: 0 ran and all that was required holds; 1 something required does not hold;
2 bad input, explained in one line."""


def build_parser() -> tuple[Parser, dict[str, Parser]]:
    """Return the parser and, by name, those of its commands."""
    parser = Parser(prog="staleproof", description=_DESCRIPTION)
    version = f"staleproof {__version__}"
    parser.add_argument("-V", "--version", action="version", version=version)
    adder = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    parsers = {}
    for command in COMMANDS.values():
        parsers[command.name] = adder.add_parser(
            command.name, help=command.summary, description=command.description
        )
        command.configure(parsers[command.name])
        parsers[command.name].add_argument(
            "-q", "--quiet", action="store_true", help="no progress on stderr"
        )
    return parser, parsers


def parse(arguments: Sequence[str]) -> tuple[Command, Namespace]:
    """Find the command and read its arguments.

    Raises
    ------
    UsageError
        No or an unknown command, an unknown option, or a malformed argument.
    SystemExit
        Help or the version was asked for and printed.
    """
    parser, parsers = build_parser()
    # No option before the command takes a value, so the first word is the command.
    words = [index for index, word in enumerate(arguments) if not word.startswith("-")]
    before = arguments[: words[0]] if words else arguments
    known = f"the commands are {', '.join(COMMANDS)}"
    parser.refuse_unknown_options(before)
    if before:
        parser.parse_args(before)  # prints help or the version, and ends there
    if not words:
        parser.print_help()
        raise SystemExit(BAD_INPUT)  # a script that lost its command must not pass
    name = arguments[words[0]]
    if name not in COMMANDS:
        remedy = suggestion(name, COMMANDS) or "see `staleproof --help`"
        raise UsageError(f"there is no command {shown(name)}; {known}", parser.place, remedy)
    after = arguments[words[0] + 1 :]
    parsers[name].refuse_unknown_options(after)
    return COMMANDS[name], parsers[name].parse_args(after)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; `sys.argv` by default.

    Returns
    -------
    int
        The exit code.

    Examples
    --------
    >>> main(["--version"])
    staleproof ...
    0
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    accept_every_character()
    with watched():
        try:
            return _explained(given, from_shell=arguments is None)
        except BrokenPipeError:
            abandon_stdout()
            return READER_GONE
        except KeyboardInterrupt:
            print("staleproof: interrupted", file=sys.stderr)
            return INTERRUPTED


def _explained(arguments: Sequence[str], from_shell: bool) -> int:
    """Run the command; an error that says what to do about it becomes exit code 2."""
    try:
        return _run(arguments, from_shell)
    except StandardOutputError as error:
        abandon_stdout()
        put_error(error, as_json=False)
    except Exception as error:
        again()  # ctypes turns an interruption into an error of its own
        told = _lacking(error) if isinstance(error, ModuleNotFoundError) else error
        if not isinstance(told, Explained):
            raise
        put_error(told, as_json=wants_json(arguments))
    return BAD_INPUT


def _lacking(error: ModuleNotFoundError) -> Exception:
    """A library that this installation was made without; our own modules are never lacking."""
    name = str(error.name).partition(".")[0]
    if name in OURS:
        return error
    return UsageError(
        f"it needs the library {name}, which is not installed",
        "installation",
        "pip install 'staleproof[torch]'"
        if name == "torch"
        else "install staleproof whole: staleproof-gate has what `check` needs",
    )


def _run(arguments: Sequence[str], from_shell: bool) -> int:
    try:
        command, chosen = parse(arguments)
        begin(command.name, chosen.quiet)
        chosen.from_shell = from_shell  # else this process may hold other code than the sources
        code = command.run(chosen)
    except SystemExit as printed:
        code = int(printed.code or 0)
    flush()
    return code
