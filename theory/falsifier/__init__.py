"""Runs the exact method of a theorem, and compares with its bound.

`falsify(CHALLENGES[name], bound)` looks for an instance on which the measured quantity exceeds the
bound; a violation is shrunk, and replayed exactly by a second method.
"""

from __future__ import annotations

from theory.falsifier.challenges import CHALLENGES
from theory.falsifier.model import Attempt, Challenge, Instance
from theory.falsifier.search import falsify

__all__ = ["CHALLENGES", "Attempt", "Challenge", "Instance", "falsify"]
