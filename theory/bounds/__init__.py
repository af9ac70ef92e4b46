"""Convergence bounds of RPD, PipeDream as an RPD, and LocalSGD: evaluate, tune and compare.

Examples
--------
>>> import sympy
>>> from theory.bounds import SYMBOLS, bounds_of, tune
>>> given = {"p": 8, "K": 10**6, "L": 1, "G": 1, "Delta": 1, "tau": 60}
>>> values = {SYMBOLS[name]: sympy.Integer(number) for name, number in given.items()}
>>> [round(float(tune(bound, values).total), 4) for bound in bounds_of("rpd")]
[0.0276, 0.0236]
"""

from __future__ import annotations

from theory.bounds.catalog import METHODS, SYMBOLS, bounds_of
from theory.bounds.crossover import Crossover, crossover
from theory.bounds.errors import BoundError
from theory.bounds.evaluation import Evaluation, evaluate
from theory.bounds.model import FORMS, Bound
from theory.bounds.period import best_period
from theory.bounds.rpd import PIPEDREAM_DELAYS
from theory.bounds.series import points, series
from theory.bounds.tuning import Tuned, tune

__all__ = [
    "FORMS",
    "METHODS",
    "PIPEDREAM_DELAYS",
    "SYMBOLS",
    "Bound",
    "BoundError",
    "Crossover",
    "Evaluation",
    "Tuned",
    "best_period",
    "bounds_of",
    "crossover",
    "evaluate",
    "points",
    "series",
    "tune",
]
