"""How many updates of each block a steady PipeDream gradient misses, in closed form for all p.

Between F(j, m) and B(i, m) stage j makes n_ij = (what B(i, m) counts) − (what F(j, m) counts)
updates. With block gradients of norm at most G, ‖x − x̂‖² is at most γ²G² Σ_j n_ij² by
`rpd.drift-by-counts`, and equal to it where all block gradients are one vector of norm G.
"""

import numpy as np
import sympy
import z3

from schedules.actions import Kind
from schedules.closed_forms.counts import Region
from schedules.closed_forms.floor_sums import (
    FloorTerm,
    K,
    P,
    X,
    antidifference,
    floor_terms,
    p_,
    x_,
)
from theory.laws.delays.counts import equals, in_region, relative_count
from theory.laws.delays.matrix import ByResidue
from theory.papers.rpd.lemmas.laws import closed, replay
from theory.smt.solver import Outcome, Statement, Term, decide, merge

SAYS = "stage 0 misses the most updates of every block"


def worst_squares() -> ByResidue:
    """Σ_j n_0j², by the residue of p; the sums are taken over proved ranges of proved floors.

    Examples
    --------
    >>> from theory.laws.delays.polynomials import readable
    >>> readable(sympy.factor(worst_squares()[0]))
    'p*(p − 1)*(7p − 2)/12'
    """
    counts = closed().counts
    numerators = tuple(counts.numerator[Kind.B].items())
    table = {}
    for a in range(counts.period):
        total = sympy.Integer(0)
        for term in floor_terms(numerators, counts.period, a, 0):
            summed = antidifference(sympy.expand(_missed(term, a) ** 2), K)
            total += summed.subs(K, term.stop) - summed.subs(K, term.first)
        at_stage_0 = {X: 0, P: (p_ - a) / sympy.Integer(counts.period)}
        table[a] = sympy.expand(total.subs(at_stage_0, simultaneous=True))
    return table


def _missed(term: FloorTerm, a: int) -> sympy.Expr:
    """n_0j for j = qk + e: what B counts, and the local staleness that F leaves to come."""
    q, e = term.period, term.residues[2]
    own = closed().staleness.steady[a, e]
    return term.value + own.subs({p_: q * P + a, x_: q * K + e}, simultaneous=True)


def prove_worst() -> Outcome:
    """Prove 0 ≤ n_ij ≤ n_0j for all p, i and j."""
    counts = closed().counts
    p, i, j = z3.Ints("p i j")
    q = counts.period
    outcomes = []
    for region in Region:
        for a in range(q):
            for e in range(q):
                own = closed().staleness.steady[a, e]
                staleness = z3.Int("staleness")
                here = relative_count(counts, Kind.B, region, j, i, p) + staleness
                outcomes.append(
                    decide(
                        Statement(
                            f"{SAYS}, {region.name.lower()}, {a}{e}",
                            "0 ≤ n_ij ≤ n_0j",
                            (
                                p >= 2,
                                *_stages(p, i, j),
                                in_region(region, j, i),
                                p % q == a,
                                j % q == e,
                                equals(staleness, own, {p_: p, x_: j}),
                            ),
                            z3.And(here >= 0, here <= _at_stage_0(j, p) + staleness),
                        )
                    )
                )
    return merge("missed", f"0 ≤ n_ij ≤ n_0j: {SAYS}", outcomes)


def _stages(p: Term, *stages: Term) -> tuple[Term, ...]:
    return tuple(fact for stage in stages for fact in (stage >= 0, stage < p))


def _at_stage_0(j: Term, p: Term) -> Term:
    counts, first = closed().counts, z3.IntVal(0)
    at = relative_count(counts, Kind.B, Region.AT, j, first, p)
    above = relative_count(counts, Kind.B, Region.ABOVE, j, first, p)
    return z3.If(j == 0, at, above)


def replayed(p: int, i: int) -> tuple[int, ...]:
    """n_ij for every j from a run of PipeDream, microbatch 2p of M = 4p, counted update by update.

    Examples
    --------
    >>> replayed(4, 0)
    (3, 3, 2, 2)
    """
    run = replay(p, 4 * p)
    row = int(np.flatnonzero((run.stage == i) & (run.microbatch == 2 * p))[0])
    return tuple(
        int((run.stage[row - int(late) : row] == j).sum()) for j, late in enumerate(run.matrix[row])
    )
