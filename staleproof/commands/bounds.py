"""``staleproof bounds``: convergence bounds: evaluate, tune, compare, plot.

Evaluates convergence bounds exactly, as printed in the paper, and as sharpened or repaired here.
Numbers outside the domain of a bound are refused with the condition that fails. Without METHOD the
methods are listed with their parameters; one name may stand for several methods, which are put side
by side, with the smallest one. The bounds of a folder are those that its bounds.py names, or else
those that its theorems state by constants alone; without METHOD, all that have their parameters.
"""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING, Any, Final

from staleproof.arguments import Parser, add_json
from staleproof.commands.command import Command
from staleproof.output import put, put_json
from staleproof.quantities import named_quantity, named_range

if TYPE_CHECKING:
    from reports.figures import Picture


def configure(parser: Parser) -> None:
    """Add the arguments of ``bounds``."""
    parser.takes(
        """
        methods* METHOD|DIR  methods of the papers, or a folder of claim files and methods of it;
            with no more than that they are listed
        --set NAME=VALUE...  an exact number, such as gamma=1e-3 or beta=2/3; may be repeated
        --form FORM  printed, pathwise, sharpened or repaired (all)
        --delay DELAY  which delays are meant, of a method that can be read with several:
            whole-run, sound for a run from its start (default), or steady
        --tune WHAT  stepsize, or a whole number, such as H
        --crossover NAME  which bound is smaller at which value of this parameter, such as p, K, H
            or sigma
        --over NAME=LOW..HIGH...  the bounds over a range of one parameter; given twice, which one
            is smallest where
        --plot OUT  draw --over: an .svg, .png or .pdf file
        """,
        set=lambda text: named_quantity(text, "--set"),
        over=lambda text: named_range(text, "--over"),
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Answer, draw and print; 0, since nothing is required of a bound."""
    asked = arguments.set or arguments.over or arguments.crossover
    if not asked and all(map(os.path.isdir, arguments.methods)):
        return _list(arguments.methods, arguments.json)
    from staleproof.bounding.answers import answer
    from staleproof.bounding.question import read
    from staleproof.bounding.text import lines

    question = read(arguments)
    if arguments.plot is not None:
        from reports.drawing import require_destination

        require_destination(arguments.plot)
    result = answer(question) | {"plot": arguments.plot}
    if arguments.plot is not None:
        _draw(result, arguments.plot)
    if arguments.json:
        put_json(result)
    else:
        put(*lines(result))
    return 0


def _list(folders: list[str], as_json: bool) -> int:
    """Say which methods folders, or else the papers, have, with their parameters."""
    from staleproof.bounding.question import supply_of

    supply, _ = supply_of(folders)
    listed = [
        {
            "method": method,
            "readings": [name for name in readings if name],
            "quantity": bounds[0].quantity,
            "forms": list(dict.fromkeys(bound.form for bound in bounds)),
            "parameters": sorted({str(symbol) for one in bounds for symbol in one.letters}),
        }
        for method, readings in supply.methods.items()
        for bounds in (next(iter(readings.values())),)
    ]
    if as_json:
        put_json({"methods": listed})
    else:
        words = ((one["method"], one["quantity"], ", ".join(one["parameters"])) for one in listed)
        put(*(f"{method}: {quantity}; {parameters}" for method, quantity, parameters in words))
    return 0


def _draw(result: dict[str, Any], path: str) -> None:
    from reports.drawing import save_picture

    save_picture(_curves(result) if result["map"] is None else _regions(result), path)


def _curves(result: dict[str, Any]) -> Picture:
    from reports.figures.curves import Curve, Curves

    found = result["series"]
    symbol, places = found["symbol"], tuple(found["at"])
    marks = {
        point["float"]
        for entry in result["crossovers"]
        if entry["symbol"] == symbol
        for point in entry["points"]
        if places[0] <= point["float"] <= places[-1]
    }
    fixed = ", ".join(f"{name} = {value}" for name, value in result["parameters"].items())
    return Curves(
        title="Convergence bounds" + (", each at its best stepsize" if found["tuned"] else ""),
        note=fixed + ("; dotted: a crossover" if marks else ""),
        across=symbol,
        up=" / ".join(dict.fromkeys(curve["quantity"] for curve in found["curves"])),
        places=places,
        curves=tuple(
            Curve(f"{curve['method']}, {curve['form']}", curve["method"], tuple(curve["values"]))
            for curve in found["curves"]
        ),
        marks=tuple(sorted(marks)),
    )


_DOTTED: Final = "dotted: not proved"


def _doubtful(found: dict[str, Any]) -> bool:
    return any(cell is False for row in found["printed"]["given"] for cell in row)


def _regions(result: dict[str, Any]) -> Picture:
    from reports.figures.regions import Panel, Regions

    found = result["map"]
    names = list(dict.fromkeys(entry["method"] for entry in found["printed"]["regions"]))
    fixed = ", ".join(f"{name} = {value}" for name, value in result["parameters"].items())
    return Regions(
        title="The method with the smallest bound",
        note=fixed + (f"; {_DOTTED}" if _doubtful(found) else ""),
        across=found["symbols"][0],
        up=found["symbols"][1],
        places=(tuple(found["at"][0]), tuple(found["at"][1])),
        names=tuple(names),
        panels=tuple(
            Panel(
                words,
                tuple(
                    tuple(None if cell is None else names.index(cell["method"]) for cell in row)
                    for row in found[kind]["smallest"]
                ),
                tuple(tuple(cell is False for cell in row) for row in found[kind]["given"]),
            )
            for kind, words in (("printed", "bounds as printed"), ("proved", "bounds proved"))
        ),
    )


COMMAND: Final = Command.of(__doc__, configure, run)
