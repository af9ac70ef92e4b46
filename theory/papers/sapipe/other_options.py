"""Section 5.2: whether the options of SAPipe that are not the best one improve on PipeSGD too.

Problem    Options other than the best one are said to improve on PipeSGD to some extent. Read of
           the final performance that Table 2 lists: in all columns, or each in some; "to some
           extent" leaves that open, so that the first reading alone refutes nothing.
Method     The means of Table 2, option by option.
Guarantee  6 of 24 entries are worse than PipeSGD's, such as VGG16 on ImageNet with option 1, 0.718
           ± 0.0020 against 0.726 ± 0.0019. In every column one option is better, and every option
           is better in three columns or more.
Source     SAPipe paper, section 5.2 and Table 2.
"""

from collections.abc import Iterator
from functools import partial

import sympy

from theory.judging import prover
from theory.papers.sapipe.improvements import COLUMNS, OPTIONS, PIPESGD, gain

_CODE = "theory.papers.sapipe.improvements.gain"
_VGG16 = (COLUMNS["VGG16, ImageNet"], "WP-1")
_SOMEWHERE = "each option in some columns"


def worse() -> list[str]:
    """The entries of Table 2 that are worse than PipeSGD's.

    Examples
    --------
    >>> len(worse()), worse()[0]
    (6, 'VGG16 on CIFAR-10, WP-2')
    """
    return [
        f"{model} on {data}, {option}"
        for column, (model, data) in enumerate(PIPESGD)
        for option in OPTIONS
        if gain(column, option) < 0
    ]


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Compared]:
    yield prover.Compared("worse entries", _CODE, len(worse()) == formulas["worse"])
    best = all(max(gain(column, one) for one in OPTIONS) > 0 for column in range(len(PIPESGD)))
    yield prover.Compared("one option is better in every column", _CODE, best)


def _fails(formulas: prover.Formulas) -> prover.Refutation | None:
    witness = {"VGG16 on ImageNet, WP-1": "0.718", "PipeSGD": "0.726", "worse entries": worse()}
    return prover.Refutation(
        witness, prover.Violation(partial(gain, *_VGG16), ">=", formulas["least gain"], {})
    )


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    better = {
        one: sum(bool(gain(column, one) > 0) for column in range(len(PIPESGD))) for one in OPTIONS
    }
    least = min(better.values())
    somewhere = prover.Compared("every option is better in some column", _CODE, least > 0)
    return (
        prover.Case("in every column of Table 2", prover.Decision(fails=_fails(formulas))),
        prover.Case(
            _SOMEWHERE,
            prover.Decision((somewhere,)),
            f"in {least} of {len(PIPESGD)} at the least",
        ),
    )


CLAIM = prover.row(
    "sapipe.other-options",
    "section 5.2, staleness mitigation",
    "In Table 2 the options of SAPipe that are not the best one improve on PipeSGD too.",
    r"\mathrm{SAPipe}_{o} \ge \mathrm{PipeSGD}",
    {"worse": sympy.Integer(6)},
    _grounds,
    printed={"least gain": sympy.S.Zero},
    fails=_fails,
    cases=_cases,
    holding=(_SOMEWHERE,),
    kind="missing-condition",
    says="6 of 24 entries are worse than PipeSGD's; one of them by more than both deviations",
    repaired="In every column of Table 2 at least one option is better; 6 of 24 entries are worse.",
)
