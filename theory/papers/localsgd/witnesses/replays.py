"""Exact runs beside the theorems about LocalSGD: a bound attained, or a condition needed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import sympy

from schedules.actions import Kind
from schedules.families.localsgd import build
from theory.account import Account
from theory.claims import Claim, Formulas
from theory.falsifier.model import Instance
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import Piecewise, huber
from theory.ledger import Evidence
from theory.papers.localsgd.runs import local
from theory.papers.localsgd.runs.replica_moments import Totals
from theory.papers.localsgd.runs.replicas import Local

SIZES = tuple(product((1, 2, 3), (1, 2, 3), (1, 2, 3, 4, 5, 6), (1, 2, 3)))
"""(p, N, T, H) of the schedules that are counted."""

ONE = Fraction(1)


Gather = Callable[[Formulas], Evidence]
"""Evidence about the printed terms."""


def beside(claim: Claim, *gather: Gather) -> Claim:
    """The same claim with more evidence, gathered when it is judged."""
    if claim.account is None:
        raise TypeError(f"{claim.id} has no account")
    return replace(claim, account=partial(_beside, claim.account, gather))


def _beside(
    account: Callable[[Formulas], Account], gather: tuple[Gather, ...], printed: Formulas
) -> Account:
    known = account(printed)
    return replace(known, evidence=(*known.evidence, *(one(printed) for one in gather)))


def descent_on_huber(start: int | Fraction, gamma: int = 1, H: int = 1) -> Instance:
    """One step, N = T = 1 and no noise, on Huber's function with L = G̃ = 1."""
    problem = Problem("huber", ((huber(1, 1),),), (Fraction(start),), (0,))
    return local.local_instance(local.LocalSetting(problem, Local(1, 1, H, Fraction(gamma))))


def gradient(one: Instance) -> Fraction:
    """(1/T) Σ E‖∇f(x̄^t)‖² of an instance, exactly."""
    return _totals(one).gradient


def drift(one: Instance) -> Fraction:
    """The largest mean over replicas of E‖x_r − x̄‖², exactly."""
    return _totals(one).drift


def value(form: sympy.Expr, one: Instance) -> sympy.Expr:
    """A formula on an instance, exactly."""
    return form.xreplace({s: one.parameters[s.name] for s in form.free_symbols})


def _bound(printed: Formulas, one: Instance) -> sympy.Expr:
    return value(sympy.Add(*printed.values()), one)


def stepsize(printed: Formulas) -> Evidence:
    """At H = T = 1 the sharper bound fails for every γ > 1/L: L²‖x⁰‖² against L‖x⁰‖²/γ."""
    one = descent_on_huber(1, gamma=2)
    measured, bound = gradient(one), _bound(printed, one)
    return Evidence(
        "for" if measured > bound else "neither",
        f"beyond γ = 1/L: with γ = 2/L, T = N = H = 1 and no noise the terms add up to {bound}, "
        f"and the squared gradient is {measured}",
        {**one.describe(), "measured": measured, "bound": bound},
    )


def alike(printed: Formulas) -> Evidence:
    """Two replicas of one nonconvex f whose first draws decide to which side they leave."""
    runs = {str(H): hilltop(H) for H in (2, 3, 4)}
    measured = {H: drift(one) for H, one in runs.items()}
    bounds = {H: _bound(printed, one) for H, one in runs.items()}
    attained = measured == bounds
    return Evidence(
        "for" if attained else "neither",
        "the bound is attained exactly, at γ = 1/L, N = 2 and H = 2, 3, 4"
        if attained
        else "the bound is not attained at γ = 1/L, N = 2 and H = 2, 3, 4",
        {"measured": measured, "bound": bounds, "closest": runs["3"].describe()},
    )


def budget(printed: Formulas) -> Evidence:
    """Block updates and averages of E.2's own schedule, counted."""
    wrong: list[Mapping[str, int]] = []
    for p, N, T, H in SIZES:
        schedule = build(p, N * T, replicas=N, local_steps=H)
        kinds = [action.kind for rank in range(p) for action in schedule.rank(rank)]
        updates, averages = kinds.count(Kind.B), kinds.count(Kind.REDUCE)
        if updates != p * N * T or averages != p * (T // H):
            wrong.append({"p": p, "N": N, "T": T, "H": H, "B": updates, "REDUCE": averages})
    return Evidence(
        "against" if wrong else "for",
        "N·T jobs of E.2's schedule are K = pNT block updates, and every stage averages ⌊T/H⌋ "
        "times: where H does not divide T, the last T mod H local steps are never averaged, and x̄ "
        "after them is no model that a machine holds (the bound is about x̄ all the same)",
        {"schedules": len(SIZES), "wrong": wrong[:1]},
    )


def hilltop(H: int) -> Instance:
    """F' = −x near 0, then ∓1 as far as H − 1 steps go, then 0; at 0 the two draws are ±1."""
    far = Fraction(H)
    up = {-far: 0, 1 - far: 1, Fraction(0): 1, ONE: -1, far - 1: -1, far: 0}
    down = {-far: 0, 1 - far: 1, -ONE: 1, Fraction(0): -1, far - 1: -1, far: 0}
    draws = tuple((_by_derivative(values),) for values in (up, down))
    problem = Problem("hilltop", draws * 2, (Fraction(0),), (0,))
    return local.local_instance(local.LocalSetting(problem, Local(2, H, H, ONE)))


def _by_derivative(values: Mapping[Fraction, int]) -> Piecewise:
    knots = tuple(sorted(values))
    return Piecewise(knots, tuple(Fraction(values[x]) for x in knots))


def _totals(one: Instance) -> Totals:
    return local.local_totals(local.local_setting_of(one))
