"""Section 5.2: what SAPipe gains over PipeSGD, beside the table that it describes.

Problem    2.6 %, 3.5 %, 13.7 % and 2.13 are given for VGG16, ResNet50, Transformer and GPT-2.
Method     The means of Table 2, under every reading: each data set, each option, in points or
           relative to PipeSGD, rounded to one decimal.
Guarantee  13.7 and 2.13 are Table 2's. 2.6 and 3.5 are under none of the readings: its last row has
           2 and 0.9 points for VGG16, 3.9 and 0.5 for ResNet50.
Source     SAPipe paper, section 5.2 and Table 2.
"""

from collections.abc import Iterator
from itertools import product

import sympy

from theory.judging import prover

Q = sympy.Rational
PIPESGD = {
    ("VGG16", "CIFAR-10"): "0.906",
    ("VGG16", "ImageNet"): "0.726",
    ("ResNet50", "CIFAR-10"): "0.893",
    ("ResNet50", "ImageNet"): "0.753",
    ("GPT-2", "WikiText-2"): "22.36",
    ("Transformer", "Multi30K"): "0.531",
}
OPTIONS = {
    "DC": ("0.908", "0.734", "0.894", "0.758", "22.50", "0.526"),
    "WP-1": ("0.926", "0.718", "0.932", "0.757", "21.80", "0.663"),
    "WP-2": ("0.902", "0.729", "0.908", "0.751", "22.60", "0.662"),
    "WP-3": ("0.914", "0.735", "0.897", "0.758", "20.23", "0.668"),
}
"""Means of Table 2, in the order of `PIPESGD`; perplexity for GPT-2, else accuracy."""

BYTEPS_TRANSFORMER = "0.673"

SETS = {"VGG16": 0, "VGG16, ImageNet": 1, "ResNet50": 2, "ResNet50, ImageNet": 3}
COLUMNS = {**SETS, "GPT-2": 4, "Transformer": 5}
_CODE = "theory.papers.sapipe.improvements.gain"


def gain(column: int, option: str) -> sympy.Rational:
    """Over PipeSGD: points of accuracy in percent, or of perplexity.

    Examples
    --------
    >>> gain(5, "WP-3"), gain(4, "WP-3")
    (137/10, 213/100)
    """
    before, after = Q(list(PIPESGD.values())[column]), Q(OPTIONS[option][column])
    return before - after if column == COLUMNS["GPT-2"] else 100 * (after - before)


def _best(column: int) -> sympy.Rational:
    return max(gain(column, option) for option in OPTIONS)


def readings(model: str) -> set[sympy.Rational]:
    """What the gain of a model with two data sets may be: any option, in points or relative."""
    first, last = SETS[model], SETS[f"{model}, ImageNet"]
    points = [gain(column, option) for column, option in product((first, last), OPTIONS)]
    start = [Q(one) for one in PIPESGD.values()]
    relative = [
        gain(column, option) / start[column] for column, option in product((first, last), OPTIONS)
    ]
    means = [(_best(first) + _best(last)) / 2, _best(first) + _best(last)]
    return {sympy.floor(10 * one + Q(1, 2)) / 10 for one in (*points, *relative, *means)}


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Compared]:
    for name, column in COLUMNS.items():
        yield prover.Compared(
            f"Table 2 over PipeSGD, {name}", _CODE, formulas[name] == _best(column)
        )


def _fails(formulas: prover.Formulas) -> prover.Refutation | None:
    wrong = {m: formulas[m] for m in ("VGG16", "ResNet50") if formulas[m] not in readings(m)}
    if not wrong:
        return None
    witness = {
        model: {
            "said": str(said),
            "Table 2, CIFAR-10 and ImageNet": [
                str(_best(SETS[one])) for one in (model, f"{model}, ImageNet")
            ],
        }
        for model, said in wrong.items()
    }
    because = tuple(
        prover.Compared(
            f"no reading of Table 2 gives {said}: {model}", _CODE, said not in readings(model)
        )
        for model, said in wrong.items()
    )
    return prover.Refutation(witness, because)


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    def same(name: str) -> prover.Compared:
        return prover.Compared(f"Table 2, {name}", _CODE, formulas[name] == _best(COLUMNS[name]))

    return (
        prover.Case("Transformer and GPT-2", prover.Decision((same("Transformer"), same("GPT-2")))),
        prover.Case("VGG16 and ResNet50", prover.Decision(fails=_fails(formulas))),
    )


def _speedup() -> prover.Finding:
    return prover.Finding(
        "not-reproducible",
        "abstract and section 5.2",
        "the abstract has speedups of up to 157 % over BytePS, section 5.2 of up to 57 % in all "
        "settings; 157 % of BytePS's speed would be a speedup of 57 %",
        {"abstract": "157 %", "section 5.2": "57 %"},
    )


def _drop() -> prover.Finding:
    before, after = Q(BYTEPS_TRANSFORMER), Q(PIPESGD["Transformer", "Multi30K"])
    return prover.Finding(
        "not-reproducible",
        "section 5.2, convergence",
        "PipeSGD is said to decrease the final accuracy of Transformer by 13 %; Table 2 has it "
        "14.2 points below BytePS, 21 % of its accuracy, and "
        f"{float(_TABLE['Transformer'])} points below SAPipe",
        {"BytePS": "0.673", "PipeSGD": "0.531", "points": str(100 * (before - after))},
    )


_TABLE = {name: _best(column) for name, column in COLUMNS.items()}

CLAIM = prover.row(
    "sapipe.improvements",
    "section 5.2, staleness mitigation",
    "By Table 2 SAPipe improves over PipeSGD by 2.6 % for VGG16, 3.5 % for ResNet50, 13.7 % for "
    "Transformer and 2.13 for GPT-2.",
    r"2.6\,\%,\ 3.5\,\%,\ 13.7\,\%,\ 2.13",
    _TABLE,
    _grounds,
    printed={
        "VGG16": Q(26, 10),
        "ResNet50": Q(35, 10),
        "Transformer": Q(137, 10),
        "GPT-2": Q(213, 100),
    },
    fails=_fails,
    kind="not-reproducible",
    says="2.6 and 3.5 are in no reading of Table 2, neither in points nor relative to PipeSGD",
    repaired="2 and 0.9 points for VGG16, 3.9 and 0.5 for ResNet50, 13.7 and 2.13, as its last row",
    cases=_cases,
    findings=(_speedup, _drop),
)
