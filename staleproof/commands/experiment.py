"""``staleproof experiment``: a paper's experiment, rerun beside what the ledger predicts.

Runs an experiment of the papers, or one of your own from a file that defines EXPERIMENT
(docs/how-to/experiments.md). Each says before it runs what would refute it. With -o every run is
kept as it ends, and none is repeated. Exit code 1: not reproduced.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from staleproof.arguments import Parser, add_json, positive
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.output import progress, put, put_json, put_table

if TYPE_CHECKING:
    from staleproof.experiments.protocol import Experiment, Outcome


def configure(parser: Parser) -> None:
    """Add the arguments of ``experiment``."""
    parser.takes(
        """
        name NAME|FILE.py|list  which; list names them
        --quick  fewer seeds and sizes: minutes
        """
    )
    parser.add_argument(
        "--jobs", metavar="N", type=positive("--jobs"), default=-1, help="processes (all cores)"
    )
    parser.takes(
        """
        --cluster ADDRESS  compute on the workers of this Dask scheduler
        --data PATH  a text, or an .npz of x and y, instead of what packages ship
        -o DIR  keep results, the figure and numbers here; goes on where it stopped
        """
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Run what is missing, and say what came of it; 1 if it is not reproduced."""
    from staleproof.experiments.registry import NAMES, found, told_of
    from staleproof.experiments.running import concluded, finished_cells

    if arguments.name == "list":
        known = [found(name)[0] for name in NAMES]
        if arguments.json:
            put_json({"experiments": [{"name": e.name, "source": e.source} for e in known]})
        else:
            put(*(f"{e.name:<20}{e.source}: {e.question}" for e in known))
        return 0
    folder = None if arguments.o is None else _folder(arguments.o)
    made = finished_cells(
        arguments.name,
        arguments.quick,
        arguments.jobs,
        folder,
        progress,
        arguments.cluster,
        arguments.data,
    )
    experiment, outcome = made.experiment, concluded(made, arguments.name)
    with told_of(arguments.name, "its figure"):
        figures = [] if folder is None else [_drawn(experiment, outcome, folder)]
    data = _data(experiment, outcome, arguments.quick, figures)
    data["peak_memory_mib"] = made.peak
    if folder is not None:
        _write(folder / f"{experiment.name}.json", data)
    if arguments.json:
        put_json(data)
    else:
        _print(experiment, outcome, figures)
        if made.peak is not None:
            put(f"the largest process held {made.peak} MiB")
    return 0 if outcome.verdict != "not reproduced" else 1


def _folder(name: str) -> Path:
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot be made ({error.strerror})", name, "name a folder") from None
    return folder


def _drawn(experiment: Experiment, outcome: Outcome, folder: Path) -> str:
    from staleproof.experiments.drawing import write_figure
    from staleproof.experiments.store import written_to

    file = folder / f"{experiment.name}.svg"
    with written_to(file):
        write_figure(experiment, outcome.figure, file)
    return str(file)


def _data(
    experiment: Experiment, outcome: Outcome, quick: bool, figures: list[str]
) -> dict[str, Any]:
    return {
        "name": experiment.name,
        "source": experiment.source,
        "question": experiment.question,
        "protocol": experiment.protocol,
        "predictions": list(experiment.predictions),
        "refuted_by": experiment.refuted_by,
        "quick": quick,
        "verdict": outcome.verdict,
        "says": outcome.says,
        "numbers": [
            {"what": n.what, "paper": n.paper, "ours": _finite(n.ours)} for n in outcome.numbers
        ],
        "figures": figures,
    }


def _finite(value: float) -> float | None:
    """A number of JSON; a run that diverged has none."""
    return value if abs(value) < float("inf") else None


def _write(file: Path, data: dict[str, Any]) -> None:
    import json
    import os

    from staleproof.experiments.store import written_to

    part = file.with_suffix(f".{os.getpid()}.part")
    kept = {**data, "figures": [Path(figure).name for figure in data["figures"]]}
    with written_to(file):
        part.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        part.replace(file)


def _print(experiment: Experiment, outcome: Outcome, figures: list[str]) -> None:
    put(f"{experiment.name} ({experiment.source})", experiment.question, experiment.protocol)
    rows = [
        [n.what, "" if n.paper is None else f"{n.paper:.6g}", f"{n.ours:.6g}"]
        for n in outcome.numbers
    ]
    put_table("", ["what", "paper", "ours"], rows)
    put(
        f"predicted by {', '.join(experiment.predictions)}; refuted by: {experiment.refuted_by}",
        f"{outcome.verdict}: {outcome.says}",
        *figures,
    )


COMMAND: Final = Command.of(__doc__, configure, run)
