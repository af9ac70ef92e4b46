"""(13), momentum: γ_i = 0.9 + 0.09(P − i)/P is said to reach 0.99 at the first stage.

Problem    The text: linearly increased from 0.9 at the last stage to 0.99 at the first.
Method     None: the formula at i = P and at i = 1.
Guarantee  It is 0.9 at i = P, and 0.99 − 0.09/P at i = 1, below 0.99 for every P; (P − i)/(P − 1)
           in place of (P − i)/P reaches both.
Source     Nesterov paper, section 3.2, (13).
"""

from collections.abc import Iterator

import sympy

from theory.judging import prover
from theory.papers.nesterov.lemmas.interval_delays import P, i

_LAST, _FIRST = sympy.Rational(9, 10), sympy.Rational(99, 100)
_STAGES = 8
"""Those of the paper's experiments."""


def _ends(formulas: prover.Formulas) -> Iterator[prover.Compared]:
    momentum = formulas["momentum"]
    ends = {"γ_P = 0.9": (P, _LAST), "γ_1 = 0.99 for P ≥ 2": (1, _FIRST)}
    for says, (stage, value) in ends.items():
        same = sympy.cancel(momentum.subs(i, stage) - value) == 0
        yield prover.Compared(says, "sympy.cancel", bool(same))
    yield prover.Compared("linear in i", "sympy.diff", sympy.diff(momentum, i, 2) == 0)


def _first_stage(formulas: prover.Formulas) -> prover.Refutation | None:
    at = {P: _STAGES, i: 1}
    found = formulas["momentum"].subs(at)
    if found == _FIRST:
        return None
    witness = {"P": _STAGES, "i": 1, "gamma_1": str(found), "said": str(_FIRST)}
    return prover.Refutation(
        witness,
        prover.Violation(lambda: found, "==", _FIRST, at, (prover.le(2, P), prover.le(i, P))),
    )


_CORE = {"momentum": _LAST + (P - i) / (P - 1) * (_FIRST - _LAST)}

CLAIM = prover.row(
    "nesterov.eq-13-momentum",
    "section 3.2, (13)",
    "γ_i = 0.9 + 0.09(P − i)/P increases linearly from 0.9 at the last stage to 0.99 at the first.",
    r"\gamma_i = 0.9 + \tfrac{P - i}{P} \cdot 0.09,\quad \gamma_P = 0.9,\ \gamma_1 = 0.99",
    _CORE,
    _ends,
    printed={"momentum": _LAST + (P - i) / P * (_FIRST - _LAST)},
    fails=_first_stage,
    says="at the first stage it is 0.99 − 0.09/P, 0.97875 for the eight stages of the runs",
    repaired="0.9 + 0.09(P − i)/(P − 1) is 0.9 at i = P and 0.99 at i = 1, for every P ≥ 2.",
)
