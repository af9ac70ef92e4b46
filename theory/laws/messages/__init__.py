"""A second opinion on deadlock: the queue model as constraints on times, for a solver.

========== ================================================================================
module     holds
========== ================================================================================
`times`    the constraints: which event may not come before which other one
`opinion`  z3's answer; where no times exist, the waits that make it so
`smtlib`   the same question as SMT-LIB 2 text, for any solver
========== ================================================================================

`schedules.messages.progress` decides the same question in linear time. Only the pairing of
sends and receives (`schedules.messages.channels`) is shared with it.
"""

from theory.laws.messages.opinion import Opinion, second_opinion
from theory.laws.messages.smtlib import smtlib, smtlib_lines
from theory.laws.messages.times import Constraint, Event, constraints

__all__ = [
    "Constraint",
    "Event",
    "Opinion",
    "constraints",
    "second_opinion",
    "smtlib",
    "smtlib_lines",
]
