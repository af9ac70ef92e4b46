"""``staleproof completion``: a shell's completion of commands, options and files."""

from argparse import Namespace
from typing import Final

from staleproof.arguments import Parser, one_of
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.output import put

SHELLS: Final = ("bash", "zsh", "fish")


def configure(parser: Parser) -> None:
    """Add the arguments of ``completion``."""
    parser.add_argument("shell", metavar="SHELL", help=", ".join(SHELLS))


def run(arguments: Namespace) -> int:
    """Print the script.

    Raises
    ------
    UsageError
        It is another shell, or shtab is not installed.
    """
    one_of(arguments.shell, SHELLS, "shells are", "completion")
    try:
        import shtab
    except ImportError as error:
        raise UsageError(
            "scripts are written by shtab, which is not installed",
            "completion",
            "run `pip install shtab`",
        ) from error
    from staleproof.cli import build_parser

    parser, parsers = build_parser()
    for action in (one for command in parsers.values() for one in command.of_files):
        vars(action)["complete"] = shtab.FILE
    put(shtab.complete(parser, shell=arguments.shell).rstrip("\n"))
    return 0


COMMAND: Final = Command(
    name="completion",
    summary="print the script by which a shell completes commands, options and files",
    description=(
        "Prints what a shell needs to complete commands, options and files.\n\n"
        "examples:\n"
        '  eval "$(staleproof completion bash)"                  in ~/.bashrc\n'
        "  staleproof completion zsh > DIR/_staleproof           DIR in $fpath\n"
        "  staleproof completion fish > ~/.config/fish/completions/staleproof.fish"
    ),
    configure=configure,
    run=run,
)
