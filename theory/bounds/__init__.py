"""Convergence bounds: evaluate, tune and compare what papers supply.

Examples
--------
>>> import sympy
>>> from theory.bounds.model import gamma
>>> one = Bound("one", "printed", "", "error", "", ({"start": 4 / gamma, "noise": gamma},))
>>> evaluate(one, {gamma: sympy.Integer(1)}).total.text, tune(one, {}).total.text
('5', '4')
"""

from theory.bounds.catalog import METHODS, SYMBOLS, bounds_of, named, supplied
from theory.bounds.crossover import Crossover, crossover
from theory.bounds.errors import BoundError
from theory.bounds.evaluation import Evaluation, evaluate
from theory.bounds.maps import smallest_over
from theory.bounds.model import FORMS, Bound
from theory.bounds.period import best_period
from theory.bounds.regions import Border, Region, regions
from theory.bounds.series import points, series
from theory.bounds.standing import Standing, smallest, standings
from theory.bounds.supply import Preference, Supply, by_method
from theory.bounds.tuning import Tuned, tune

__all__ = [
    "FORMS",
    "METHODS",
    "SYMBOLS",
    "Border",
    "Bound",
    "BoundError",
    "Crossover",
    "Evaluation",
    "Preference",
    "Region",
    "Standing",
    "Supply",
    "Tuned",
    "best_period",
    "bounds_of",
    "by_method",
    "crossover",
    "evaluate",
    "named",
    "points",
    "regions",
    "series",
    "smallest",
    "smallest_over",
    "standings",
    "supplied",
    "tune",
]
