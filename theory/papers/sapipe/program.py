"""The program for the fewest stale layers (section 3.1): its constraints against no stall.

Problem    the constraints of the program for the fewest stale layers, said to be met if and only if
           a sequential model never stalls.
Method     the second is the right condition of `no_stall` for j = m alone. It lets the channel run
           without a gap from the end of backward m on, though gradients m − 1, …, 1 do not exist
           yet then.
Guarantee  It is necessary, and for k < m − 1 not sufficient.
Source     SAPipe paper, section 3.1.
"""

from collections.abc import Iterator

import sympy

from schedules.partial_staleness import (
    Model,
    fewest_stale,
    printed_fewest_stale,
    sequential,
    simulate,
)
from theory.judging import prover
from theory.papers.sapipe.lemmas import no_stall
from theory.papers.sapipe.lemmas.conditions import (
    IN_TIME,
    PROGRAM,
    RIGHT,
    at_least,
    holds_for,
    j,
    k,
    m,
)
from theory.papers.sapipe.lemmas.layer_induction import always_fails, never_below, same
from theory.papers.sapipe.pieces import lines
from theory.papers.sapipe.witnesses.chain_replays import WORDS, chains, never_stalls, shown
from theory.papers.sapipe.witnesses.refuting import of

MOST = 8
"""Layers up to which the gap between the two answers is shown."""


def _members(formulas: prover.Formulas) -> tuple[prover.Outcome, prover.Outcome]:
    """Its constraints are among the right ones: that on the channel, and that of j = m."""
    first = "the first constraint is the condition on the channel"
    second = "the second constraint is the condition of layer j = m"
    return (
        prover.decide(same(first, formulas["channel"], RIGHT["channel"])),
        prover.decide(same(second, formulas["second"], IN_TIME.subs(j, m))),
    )


def _necessary(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    """As members of the right conditions they hold where nothing stalls."""
    yield from _members(formulas)
    yield from no_stall.shown()


def _nearly_all_stale(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    """For k ≥ m − 1 there is no layer j > k but m, and for k = m the second one always holds."""
    yield from _necessary(formulas)
    yield prover.decide(never_below("k = m", formulas["second"].subs(k, m)))


def refutation(formulas: prover.Formulas) -> prover.Refutation | None:
    """The smallest model and k for which the constraints hold and the simulation stalls."""
    for model in chains():
        for stale in range(model.count + 1):
            if not holds_for(formulas, model, stale) or never_stalls(model, stale):
                continue
            run = simulate(model, range(stale))
            room = _room(formulas, model, stale)
            witness = {
                **shown(model),
                "k": stale,
                "room in its constraints": room,
                "room in the right ones": _room(RIGHT, model, stale),
                "communications start": run.iterations[0].communication,
                "forwards start": run.iterations[0].forward,
                "stall of every iteration": run.stall,
                "right k": fewest_stale(model),
            }
            return prover.Refutation(witness, _stalls(model, stale, room))
    return None


def _stalls(model: Model, stale: int, room: dict[str, int]) -> prover.Violation:
    """No stall is stated wherever each constraint leaves room of at least 0."""
    at = {sympy.Symbol(name, integer=True): left for name, left in room.items()}
    waits = of(lambda run: sum(one.stall for one in run.iterations), simulate, model, range(stale))
    return prover.Violation(waits, "==", sympy.S.Zero, at, tuple(prover.le(0, left) for left in at))


def _room(formulas: prover.Formulas, model: Model, stale: int) -> dict[str, int]:
    return {name: at_least(form, model, stale) for name, form in formulas.items()}


def _wide(count: int) -> Model:
    """All durations are 1, but b_{m−1} = 3m and v_{m−1} = 2m."""
    b, u, v = ([1] * count for _ in range(3))
    b[count - 2], v[count - 2] = 3 * count, 2 * count
    return sequential(b, u, v)


def _gap() -> prover.Evidence:
    models = {count: _wide(count) for count in range(2, MOST + 1)}
    return prover.Evidence(
        "against",
        "how far the answer can be off: b = u = v = 1 but b_{m−1} = 3m and v_{m−1} = 2m",
        {
            "m": list(models),
            "printed k": [printed_fewest_stale(model) for model in models.values()],
            "right k": [fewest_stale(model) for model in models.values()],
        },
    )


def _replayed(formulas: prover.Formulas) -> prover.Line:
    """Where the constraints hold and something stalls, the right ones name the reason."""
    wrong = [
        (model, stale)
        for model in chains()
        for stale in range(model.count + 1)
        if holds_for(formulas, model, stale) and not never_stalls(model, stale)
    ]
    named = all(at_least(IN_TIME, *case) < 0 and case[1] < case[0].count - 1 for case in wrong)
    says = f"of {WORDS}, {len(wrong)} with their k satisfy them and stall, all with k < m − 1"
    tried = prover.Exhausted(says, len(wrong), named)
    return prover.Line(
        "ours", says, "event simulation against the right conditions", prover.Decision((tried,))
    )


def _account(formulas: prover.Formulas) -> prover.Account:
    found = refutation(formulas)
    return prover.Account(
        prover.Decision(fails=found),
        cases=(
            prover.Case(
                "k < m − 1: constraints hold ⟹ no stall",
                prover.Decision(fails=found),
                "a gradient has to exist before it is sent",
            ),
            prover.Case(
                "k ≥ m − 1, so also m = 1: constraints hold ⟺ no stall",
                prover.Decision(tuple(_nearly_all_stale(formulas))),
            ),
            prover.Case(
                "every m and k: no stall ⟹ constraints hold",
                prover.Decision(tuple(_necessary(formulas))),
                "its k is never too large",
            ),
        ),
        assumes=no_stall.ASSUMES,
        steps=(*lines(*_members(formulas)), _replayed(formulas)),
        findings=tuple(_findings(found)),
        evidence=(_gap(),),
    )


def _findings(found: prover.Refutation | None) -> Iterator[prover.Finding]:
    if found is None:
        return
    no_room = IN_TIME.subs({k: 0, j: 1})
    never = (prover.decide(always_fails("k = 0", no_room)), *no_stall.shown())
    yield prover.Finding(
        "missing-condition",
        "section 3.1, second constraint",
        "it is the condition of j = m alone: the channel is taken to run without a gap from "
        "the end of the first backward, whatever backwards it still has to wait for",
        found.witness,
        repaired=prover.Repair(no_stall.CLAIM.statement, no_stall.shown()),
    )
    yield prover.Finding(
        "loose",
        "section 3.1, 0 ≤ k",
        "k = 0 is never enough: forward 1 follows backward 1 at once, with no time left to "
        "send gradient 1",
        {"room for k = 0, j = 1": no_room.doit()},
        repaired=prover.Repair(
            "A sequential model that never stalls has k ≥ 1 stale layers.", never
        ),
    )
    yield prover.Finding(
        "loose",
        "section 3.1, O(m²)",
        "enumerating k takes O(m) with running sums, for the right conditions too: only layer "
        "k + 1 matters, and k + 1 is enough where k is (schedules/partial_staleness/chain.py)",
        shown=(_linear(),),
    )
    yield prover.Finding(
        "typo",
        "section 3.1, the program",
        "i = 1, …, m stands behind constraints in which i is the index of sums; and k, the "
        "limit of sums, is a whole number, so that this is a search and no convex program",
        {"printed": "i = 1, …, m", "constraints": [str(form) for form in PROGRAM.values()]},
    )


def _linear() -> prover.Exhausted:
    """The search with running sums finds the least k that never stalls."""
    models = chains()
    same_k = all(fewest_stale(model) == _least(model) for model in models)
    return prover.Exhausted(
        f"the search in O(m) finds the least k for {WORDS}", len(models), same_k
    )


def _least(model: Model) -> int | None:
    return next((k for k in range(model.count + 1) if never_stalls(model, k)), None)


CLAIM = prover.Claim(
    "sapipe.program",
    "section 3.1",
    "A sequential model never stalls with its first k layers stale if and only if "
    "Σ_i v_i ≤ Σ_i b_i + Σ_i u_i and Σ_{i>k} v_i ≤ Σ_{i<m} b_i + Σ_{i≤k} u_i, the constraints "
    "of the program for the fewest stale layers.",
    r"\sum_i v_i \le \sum_i b_i + \sum_i u_i,\quad "
    r"\sum_{i=k+1}^m v_i \le \sum_{i=1}^{m-1} b_i + \sum_{i=1}^k u_i",
    account=_account,
    printed=PROGRAM,
    core=PROGRAM,
    holds=_necessary,
    depends=("sapipe.no-stall",),
)
