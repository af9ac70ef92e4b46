"""The arguments of a measurement: what there is, and how each is read."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Final, Literal, get_args

from schedules.errors import ParameterError
from schedules.policies import POLICY_NAMES

TRANSPORTS: Final = ("threads", "gloo", "nccl", "torch")
DEVICES: Final = ("cpu", "cuda")
MODELS: Final = ("mlp", "transformer")

OptimizerName = Literal["sgd", "momentum", "adamw", "nadam"]
OrderPolicy = Literal["static", "free-running"]
Hashing = Literal["off", "sampled", "full"]

OPTIMIZERS: Final[tuple[OptimizerName, ...]] = get_args(OptimizerName)
ORDERS: Final[tuple[OrderPolicy, ...]] = get_args(OrderPolicy)
HASHINGS: Final[tuple[Hashing, ...]] = get_args(Hashing)


def add_schedule(parser: argparse.ArgumentParser) -> None:
    """Add FAMILY and what describes it."""
    about = "a schedule family with its -p, or a schedule file"
    parser.add_argument("schedule", metavar="FAMILY|FILE", nargs="?", help=about)
    _count(parser, "-p --ranks", "RANKS", "number of ranks")
    _count(
        parser,
        "-m --microbatches",
        "MICROBATCHES",
        "number (for a family 4 times the ranks unless given)",
    )
    about = "a parameter of the family, see `staleproof families`; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], help=about)
    _name(parser, "--policy", POLICY_NAMES, "the family's", "weight policy")
    _count(parser, "--interval", "K", "gradients an update, of --policy")
    _count(parser, "--horizon", "K", "updates ahead, of --policy predict", least=0)


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add how to run it."""
    _name(parser, "--transport", TRANSPORTS, "threads", "how ranks run")
    _name(parser, "--device", DEVICES, "cpu", "where")
    _name(parser, "--order", ORDERS, "static", "that of the schedule, or by the family's rule")
    _name(parser, "--hashing", HASHINGS, "sampled", "of weights; controls always hash all")
    _count(parser, "--repeats", "N", "runs (1)")
    _flag(parser, "--profile", "run once more under torch.profiler: communication share, overlap")
    about = "with nccl and torch: let ranks share a GPU, and travel over TCP; times say nothing"
    _flag(parser, "--share-gpus", about)
    _flag(parser, "--no-replay", "do not compare final weights with a replay in a single thread")
    _flag(parser, "--no-broken-runs", "controls change the log instead of running with faults")
    _number(parser, "--jitter", "SECONDS", "longest random pause before a computation (0)")
    _number(parser, "--timeout", "SECONDS", "give up after so long without progress (60)")
    about = "relative distance of final weights from the replay (0: the same bits)"
    _number(parser, "--tolerance", "REL", about)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add what is trained."""
    _name(parser, "--model", MODELS, MODELS[0], "what is trained")
    about = "a model of your own: a function that returns an nn.Sequential"
    parser.add_argument("--module", metavar="PATH:FACTORY", help=about)
    _count(parser, "--width", "N", "features")
    _count(parser, "--depth", "N", "blocks of a stage")
    _count(parser, "--batch", "N", "samples of a microbatch")
    _count(parser, "--length", "N", "tokens of a sequence")
    _name(parser, "--optimizer", OPTIMIZERS, OPTIMIZERS[0], "which updates weights")
    _number(parser, "--lr", "X", "step size")
    _number(parser, "--momentum", "X", "of --optimizer momentum")
    _number(parser, "--weight-decay", "X", "decoupled decay")
    _count(parser, "--seed", "N", "of weights, data and pauses (0)", least=0)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add where results go."""
    parser.add_argument("-o", metavar="LOG", help="write the log of the first run (.jsonl)")
    about = "write the first run for Perfetto (.trace.json)"
    parser.add_argument("--chrome", metavar="FILE", help=about)
    about = "write what the stages took, for plan and --layers (.csv)"
    parser.add_argument("--write-layers", metavar="FILE", help=about)
    about = "run nothing: judge this log, the logs of all ranks, or a folder of them"
    parser.add_argument("--check", metavar="LOG", nargs="+", help=about)
    about = "with --check: the schedule, if not named first"
    parser.add_argument("--against", metavar="FAMILY|FILE", help=about)
    about = "with --check: checks that must be decided too, such as lamport,messages"
    parser.add_argument("--require", metavar="CHECK,…", type=lambda t: t.split(","), help=about)
    _flag(parser, "--replay", "with --check: also compare final weights with a replay here")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def _name(
    parser: argparse.ArgumentParser, option: str, names: Sequence[str], usual: str, about: str
) -> None:
    says = f"{about}: {', '.join(names)} ({usual})"
    parser.add_argument(option, metavar="NAME", help=says)


def _flag(parser: argparse.ArgumentParser, option: str, about: str) -> None:
    # None where it is not given, as of every other option.
    parser.add_argument(option, action="store_true", default=None, help=about)


def _count(
    parser: argparse.ArgumentParser, options: str, metavar: str, about: str, least: int = 1
) -> None:
    """Add an option by its names, the first of which is that of the attribute and of errors."""
    first, *others = options.split()
    name = first.strip("-").replace("-", "_")
    kind = whole(first, least)
    parser.add_argument(first, *others, dest=name, metavar=metavar, type=kind, help=about)


def _number(parser: argparse.ArgumentParser, option: str, metavar: str, about: str) -> None:
    parser.add_argument(option, metavar=metavar, type=number(option), help=about)


def whole(option: str, least: int = 1) -> Callable[[str], int]:
    """Read a whole number of at least `least`, in plain digits.

    Examples
    --------
    >>> whole("-p")("4")
    4
    """

    def read(text: str) -> int:
        if re.fullmatch(r"[0-9]{1,18}", text) and int(text) >= least:
            return int(text)
        raise ParameterError(
            f"a whole number of {least} or more is needed, found {shown(text)}",
            option,
            "write it in plain digits, such as 8",
        )

    return read


def number(option: str) -> Callable[[str], float]:
    """Read a number of 0 or more.

    Examples
    --------
    >>> number("--lr")("1e-3")
    0.001
    """

    def read(text: str) -> float:
        if re.fullmatch(r"[0-9]{0,18}\.?[0-9]{0,18}(e-?[0-9]{1,2})?", text) and text[:1] not in "e":
            try:
                return float(text)
            except ValueError:
                pass
        raise ParameterError(
            f"a number of 0 or more is needed, found {shown(text)}", option, "write 0.01 or 1e-2"
        )

    return read


def shown(text: str) -> str:
    """Quote an argument, shortened."""
    return repr(text) if len(text) <= 40 else f"{text[:40] + '…'!r} ({len(text)} characters)"
