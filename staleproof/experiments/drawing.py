"""The figure of an experiment, as SVG, and as PDF for documents in LaTeX."""

import os
from pathlib import Path
from typing import Final

from staleproof.experiments.protocol import Experiment, Figure

DASHES: Final = "--"


def write_figure(experiment: Experiment, figure: Figure, file: Path) -> None:
    """Draw curves with their spread; written whole or not at all."""
    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = experiment.name  # the same file for the same numbers
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(6.4, 4.2), layout="constrained")
    axes = canvas.subplots()
    for line in figure.lines:
        (drawn,) = axes.plot(
            line.x,
            line.y,
            label=line.label,
            linestyle=DASHES if line.dashed else "-",
            linewidth=1.4,
        )
        if line.low is not None and line.high is not None:
            axes.fill_between(line.x, line.low, line.high, alpha=0.2, color=drawn.get_color())
    axes.set(xlabel=figure.x, ylabel=figure.y, title=f"{experiment.name}: {experiment.source}")
    if figure.log_x:
        axes.set_xscale("log", base=2)
    if figure.log_y:
        axes.set_yscale("log")
        axes.set_ylim(*_limits(figure))
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    part = file.with_suffix(f".{os.getpid()}.part")  # another run may draw the same
    for suffix, date in (("pdf", "CreationDate"), ("svg", "Date")):
        canvas.savefig(part, format=suffix, metadata={date: None})
        part.replace(file.with_suffix(f".{suffix}"))


def _limits(figure: Figure) -> tuple[float, float]:
    """What is finite and positive; a run that diverges leaves the picture at the top."""
    every = [y for line in figure.lines for y in line.y if 0 < y < float("inf")]
    starts = [line.y[0] for line in figure.lines if 0 < line.y[0] < float("inf")]
    low, high = min(every, default=0.1), max(every, default=1.0)
    return low / 2, min(high, 1e6 * max(starts, default=high)) * 2
