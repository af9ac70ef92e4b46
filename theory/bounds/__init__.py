"""Convergence bounds of RPD, PipeDream, LocalSGD and SAPipe: evaluate, tune and compare.

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

from theory.bounds.catalog import GROUPS, METHODS, SYMBOLS, bounds_of, named
from theory.bounds.crossover import Crossover, crossover
from theory.bounds.errors import BoundError
from theory.bounds.evaluation import Evaluation, evaluate
from theory.bounds.maps import smallest_over
from theory.bounds.model import FORMS, Bound
from theory.bounds.period import best_period
from theory.bounds.regions import Border, Region, regions
from theory.bounds.rpd import PIPEDREAM_DELAYS
from theory.bounds.series import points, series
from theory.bounds.standing import Standing, smallest, standings
from theory.bounds.tuning import Tuned, tune

__all__ = [
    "FORMS",
    "GROUPS",
    "METHODS",
    "PIPEDREAM_DELAYS",
    "SYMBOLS",
    "Border",
    "Bound",
    "BoundError",
    "Crossover",
    "Evaluation",
    "Region",
    "Standing",
    "Tuned",
    "best_period",
    "bounds_of",
    "crossover",
    "evaluate",
    "named",
    "points",
    "regions",
    "series",
    "smallest",
    "smallest_over",
    "standings",
    "tune",
]
