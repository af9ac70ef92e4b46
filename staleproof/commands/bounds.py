"""``staleproof bounds``: evaluate, tune, compare and plot convergence bounds."""

from __future__ import annotations

from argparse import Namespace
from typing import Any, Final

from staleproof.arguments import Parser, add_json
from staleproof.commands.command import Command
from staleproof.output import put, put_json
from staleproof.quantities import named_quantity, named_range


def configure(parser: Parser) -> None:
    """Add the arguments of ``bounds``."""
    parser.add_argument("methods", metavar="METHOD", nargs="+", help="see above")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=lambda text: named_quantity(text, "--set"),
        help="an exact number, such as gamma=1e-3 or beta=2/3; may be repeated",
    )
    parser.add_argument("--form", metavar="FORM", help="printed, pathwise or sharpened (all)")
    parser.add_argument(
        "--delay",
        metavar="DELAY",
        help="tau of pd: whole-run, sound for a run from its start (default), or steady",
    )
    parser.add_argument("--tune", metavar="WHAT", help="stepsize, or H")
    parser.add_argument(
        "--crossover",
        metavar="NAME",
        help="which bound is smaller at which value of this parameter, such as p, K, H or sigma",
    )
    parser.add_argument(
        "--over",
        metavar="NAME=LOW..HIGH",
        type=lambda text: named_range(text, "--over"),
        help="the bounds over a range of one parameter",
    )
    parser.add_argument("--plot", metavar="OUT", help="draw --over: an .svg, .png or .pdf file")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Answer, draw and print; 0, since nothing is required of a bound."""
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


def _draw(result: dict[str, Any], path: str) -> None:
    from reports.drawing import save_picture
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
    picture = Curves(
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
    save_picture(picture, path)


COMMAND: Final = Command(
    name="bounds",
    summary="convergence bounds: evaluate, tune, compare, plot",
    description=(
        "Evaluates convergence bounds exactly, as printed in the paper and as sharpened here.\n"
        "METHOD is rpd, pd (RPD with PipeDream's delays), rpd-pl, nag-rpd or localsgd; parameters\n"
        "are p, K, gamma, L, G, Delta, tau, mu, beta, N, H, sigma and Gtilde. Numbers outside the\n"
        "domain of a bound are refused with the condition that fails."
    ),
    configure=configure,
    run=run,
)
