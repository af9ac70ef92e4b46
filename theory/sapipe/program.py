"""The program for the fewest stale layers (section 3.1): its constraints against no stall.

Its second constraint is the right condition of `theory.sapipe.no_stall` for j = m alone. It lets
the channel run without a gap from the end of backward m on, though gradients m − 1, …, 1 do not
exist yet then. So it is necessary, and for k < m − 1 not sufficient.
"""

from __future__ import annotations

from typing import Any, Final

from schedules.partial_staleness import (
    Model,
    fewest_stale,
    printed_fewest_stale,
    sequential,
    simulate,
)
from theory.claims import Claim, Formulas
from theory.ledger import Case, Evidence, Finding, Judgement, Repair, Step
from theory.outcomes import steps
from theory.sapipe import no_stall
from theory.sapipe.chain_replays import WORDS, chains, never_stalls, shown
from theory.sapipe.conditions import IN_TIME, PROGRAM, RIGHT, at_least, holds_for, j, k, m
from theory.sapipe.layer_induction import always_fails, never_below, same
from theory.solver import Outcome, decide
from theory.verdicts import Verdict, weakest

MOST: Final = 8
"""Layers up to which the gap between the two answers is shown."""


def _members(formulas: Formulas) -> list[Outcome]:
    """Its constraints are among the right ones: that on the channel, and that of j = m."""
    first = "the first constraint is the condition on the channel"
    second = "the second constraint is the condition of layer j = m"
    return [
        decide(same(first, formulas["channel"], RIGHT["channel"])),
        decide(same(second, formulas["second"], IN_TIME.subs(j, m))),
    ]


def _necessary(formulas: Formulas) -> Verdict:
    """As members of the right conditions they hold where nothing stalls."""
    found = weakest(one.verdict for one in _members(formulas))
    return min(found, no_stall.proved()) if found is Verdict.PROVED else Verdict.UNKNOWN


def _nearly_all_stale(formulas: Formulas) -> Verdict:
    """For k ≥ m − 1 there is no layer j > k but m, and for k = m the second one always holds."""
    none = decide(never_below("k = m", formulas["second"].subs(k, m)))
    return min(_necessary(formulas), none.verdict)


def witness(formulas: Formulas) -> dict[str, Any] | None:
    """The smallest model and k for which the constraints hold and the simulation stalls."""
    for model in chains():
        for stale in range(model.count + 1):
            if not holds_for(formulas, model, stale) or never_stalls(model, stale):
                continue
            run = simulate(model, range(stale))
            return {
                **shown(model),
                "k": stale,
                "room in its constraints": _room(formulas, model, stale),
                "room in the right ones": _room(RIGHT, model, stale),
                "communications start": run.iterations[0].communication,
                "forwards start": run.iterations[0].forward,
                "stall of every iteration": run.stall,
                "right k": fewest_stale(model),
            }
    return None


def _room(formulas: Formulas, model: Model, stale: int) -> dict[str, int]:
    return {name: at_least(form, model, stale) for name, form in formulas.items()}


def _wide(count: int) -> Model:
    """All durations are 1, but b_{m−1} = 3m and v_{m−1} = 2m."""
    b, u, v = ([1] * count for _ in range(3))
    b[count - 2], v[count - 2] = 3 * count, 2 * count
    return sequential(b, u, v)


def _gap() -> Evidence:
    models = {count: _wide(count) for count in range(2, MOST + 1)}
    return Evidence(
        "against",
        "how far the answer can be off: b = u = v = 1 but b_{m−1} = 3m and v_{m−1} = 2m",
        {
            "m": list(models),
            "printed k": [printed_fewest_stale(model) for model in models.values()],
            "right k": [fewest_stale(model) for model in models.values()],
        },
    )


def _replayed(formulas: Formulas) -> Step:
    """Where the constraints hold and something stalls, the right ones name the reason."""
    wrong = [
        (model, stale)
        for model in chains()
        for stale in range(model.count + 1)
        if holds_for(formulas, model, stale) and not never_stalls(model, stale)
    ]
    named = all(at_least(IN_TIME, *case) < 0 and case[1] < case[0].count - 1 for case in wrong)
    says = f"of {WORDS}, {len(wrong)} with their k satisfy them and stall, all with k < m − 1"
    verdict = Verdict.CHECKED if named else Verdict.UNKNOWN
    return Step("ours", says, "event simulation against the right conditions", verdict)


def _judge(formulas: Formulas) -> Judgement:
    found, members = witness(formulas), _members(formulas)
    return Judgement(
        verdict=Verdict.REFUTED if found else Verdict.UNKNOWN,
        printed_proof="none",
        cases=(
            Case(
                "k < m − 1: constraints hold ⟹ no stall",
                Verdict.REFUTED if found else Verdict.UNKNOWN,
                "a gradient has to exist before it is sent",
            ),
            Case(
                "k ≥ m − 1, so also m = 1: constraints hold ⟺ no stall",
                _nearly_all_stale(formulas),
            ),
            Case(
                "every m and k: no stall ⟹ constraints hold",
                _necessary(formulas),
                "its k is never too large",
            ),
        ),
        assumes=no_stall.ASSUMES,
        steps=(*steps(members), _replayed(formulas)),
        findings=_findings(found),
        counterexample=found,
        evidence=(_gap(),),
    )


def _findings(found: dict[str, Any] | None) -> tuple[Finding, ...]:
    if found is None:
        return ()
    no_room = IN_TIME.subs({k: 0, j: 1})
    return (
        Finding(
            "missing-condition",
            "section 3.1, second constraint",
            "it is the condition of j = m alone: the channel is taken to run without a gap from "
            "the end of the first backward, whatever backwards it still has to wait for",
            found,
            Repair(no_stall.CLAIM.statement, no_stall.proved()),
        ),
        Finding(
            "loose",
            "section 3.1, 0 ≤ k",
            "k = 0 is never enough: forward 1 follows backward 1 at once, with no time left to "
            "send gradient 1",
            {"room for k = 0, j = 1": no_room.doit()},
            Repair(
                "A sequential model that never stalls has k ≥ 1 stale layers.",
                min(decide(always_fails("k = 0", no_room)).verdict, no_stall.proved()),
            ),
        ),
        Finding(
            "loose",
            "section 3.1, O(m²)",
            "enumerating k takes O(m) with running sums, for the right conditions too: only layer "
            "k + 1 matters, and k + 1 is enough where k is (schedules/partial_staleness/chain.py)",
        ),
        Finding(
            "typo",
            "section 3.1, the program",
            "i = 1, …, m stands behind constraints in which i is the index of sums; and k, the "
            "limit of sums, is a whole number, so that this is a search and no convex program",
        ),
    )


CLAIM: Final = Claim(
    id="sapipe.program",
    where="section 3.1",
    statement=(
        "A sequential model never stalls with its first k layers stale if and only if "
        "Σ_i v_i ≤ Σ_i b_i + Σ_i u_i and Σ_{i>k} v_i ≤ Σ_{i<m} b_i + Σ_{i≤k} u_i, the constraints "
        "of the program for the fewest stale layers."
    ),
    latex=(
        r"\sum_i v_i \le \sum_i b_i + \sum_i u_i,\quad "
        r"\sum_{i=k+1}^m v_i \le \sum_{i=1}^{m-1} b_i + \sum_{i=1}^k u_i"
    ),
    judge=_judge,
    printed=PROGRAM,
    core=PROGRAM,
    holds=_necessary,
    depends=("sapipe.no-stall",),
)
