"""Runs the exact method of a theorem, and compares with its bound.

`falsify(challenge, bound)` looks for an instance on which the measured quantity exceeds the bound;
a violation is shrunk, and replayed exactly by a second method. Challenges come from whoever has a
method: `theory.falsifier.challenges.challenge` makes one.
"""

from __future__ import annotations

from theory.falsifier.model import Attempt, Challenge, Instance
from theory.falsifier.search import falsify

__all__ = ["Attempt", "Challenge", "Instance", "falsify"]
