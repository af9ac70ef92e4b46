"""Ranks of computations and messages from the round in which a computation is issued.

In a round the ranks take turns in ascending order; in its turn a rank computes, then sends, and a
receive belongs to the turn of its send (see `schedules.lowering.rounds`). What meets at one rank
comes from it and its two neighbours, so 6·round + 2·stage, with 1 more for a message, grows along
these turns, and is affine where the round is.
"""

from __future__ import annotations

from theory.laws.static_orders.program import Number, Of, View


def made(round_: Of, view: View, m: Number) -> Number:
    """Rank of the computation of microbatch m at the view's stage."""
    return 6 * round_(view, m) + 2 * view.s


def message(round_: Of, sender: View, m: Number) -> Number:
    """Rank of the message with its result, at both ends."""
    return made(round_, sender, m) + 1
