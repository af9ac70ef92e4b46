"""G.4, the stashing invariant: B(s, m) uses the version that F(s, m) read.

Problem    the stash is a map: F(s, m) stores the version it read under its key, B(s, m) loads by
           its key.
Method     queries for all p, stages and microbatches: the entry is there when B loads it, and
           whatever was last stored under that key is the version F(s, m) read. Loading by another
           key is a mutant.
Guarantee  B(s, m) uses exactly the version that F(s, m) read.
Source     RPD paper, appendix G.4.
"""

from functools import partial
from itertools import product

import sympy
import z3

from schedules.families import build
from schedules.families.pipedream import FAMILY
from schedules.versions import versions
from theory.judging import prover
from theory.laws.delays.counts import equals
from theory.laws.delays.domains import a_microbatch, a_stage, domain
from theory.laws.delays.symbols import Microbatch, Times, affine_term
from theory.papers.rpd.lemmas.laws import ASSUMES, closed, start_time_steps, times

m_ = sympy.Symbol("m", integer=True)
SMALLEST = {"p": 2, "M": 1, "m": 0, "s": 0}
"""What the proved statements have to be about at least."""

REPLAYED = (2, 3, 4, 8)

_READ = sympy.Symbol("v_F", integer=True)
"""The version that F(s, m) read."""


def _reads(at: Times, s: prover.Term, m: Microbatch, version: prover.Term) -> prover.Term:
    """F(s, m) reads `version`: so many backwards of the stage start before it."""
    before, after = (Microbatch(version - 1, z3.Int("-")), Microbatch(version, z3.Int("-")))
    return z3.And(
        version >= 0,
        z3.Or(version == 0, at.backward(s, before) < at.forward(s, m)),
        at.backward(s, after) >= at.forward(s, m),
    )


def _statement(key: sympy.Expr) -> prover.Statement:
    """What B(s, m) loads under `key` is there and is the version that F(s, m) read."""
    at, m, n = times(), Microbatch.named("m"), Microbatch.named("n")
    s, read, stored = z3.Int("s"), z3.Int("read"), z3.Int("stored")
    return prover.Statement(
        "stash",
        "the stashed version is the one the forward read",
        (
            *domain(at.size),
            a_stage(at.size, s),
            a_microbatch(at.size, m),
            equals(n.index, key, {m_: m.index}),
            _reads(at, s, m, read),
            _reads(at, s, n, stored),
        ),
        z3.And(
            n.index >= 0,
            n.index < at.size.microbatches,
            at.forward(s, n) < at.backward(s, m),
            stored == read,
        ),
    )


def _newest_at_backward() -> prover.Statement:
    """Without a stash B(s, m) would use the newest version: the negative control."""
    at, m, s, read = times(), Microbatch.named("m"), z3.Int("s"), z3.Int("read")
    return prover.Statement(
        "no-stash",
        "the newest version at B(s, m) is the one F(s, m) read",
        (*domain(at.size), a_stage(at.size, s), a_microbatch(at.size, m), _reads(at, s, m, read)),
        read == m.index,
    )


def _ring(slack: int) -> prover.Statement:
    """A ring of (largest staleness + 1 + slack) versions is never overwritten too early."""
    at, m, s = times(), Microbatch.named("m"), z3.Int("s")
    form = closed().staleness.largest
    assert form is not None, "a proved law has one"
    slots = affine_term(form, at.size.values(s, m)) + 1 + slack
    overwriting = Microbatch(m.index + slots, z3.Int("-"))
    # A run that shows what a shorter ring loses has the forward that overwrites.
    has = (overwriting.index < at.size.microbatches,) if slack < 0 else ()
    return prover.Statement(
        "ring",
        "the forward that reuses the slot of m comes after B(s, m)",
        (*domain(at.size), a_stage(at.size, s), a_microbatch(at.size, m), slots >= 1, *has),
        at.forward(s, overwriting) > at.backward(s, m),
    )


def _proof(formulas: prover.Formulas) -> prover.Outcome:
    """What the family's own policy lets a backward use, against what its forward read."""
    if not FAMILY.policy.keeps_forward_version:
        return prover.decide(_newest_at_backward())
    return prover.decide_from(_statement(formulas["key"]), SMALLEST)


def _holds(formulas: prover.Formulas) -> tuple[prover.Outcome]:
    return (_proof(formulas),)


def _violation(key: sympy.Expr) -> prover.Refutation | None:
    """The first (p, s, m) of a replay whose backward uses another version."""
    for p in REPLAYED:
        found = versions(build(FAMILY.name, p, 4 * p))
        for s, m in product(range(p), range(4 * p)):
            used = partial(_used, p, s, m, key)
            read = int(found.read[s, m])
            if used() != read:
                witness = {"p": p, "s": s, "m": m, "read": read, "used": used()}
                return prover.Refutation(
                    witness, prover.Violation(used, "==", _READ, {_READ: read})
                )
    return None


def _used(p: int, s: int, m: int, key: sympy.Expr) -> int:
    """What B(s, m) of a replay uses: by the family's policy, and out of the stash by this key.

    It is −1 where nothing was stored under the key.
    """
    found = versions(build(FAMILY.name, p, 4 * p))
    stored = int(key.subs(m_, m))
    if not FAMILY.policy.keeps_forward_version or stored == m:
        return int(found.used[s, m])
    return int(found.read[s, stored]) if 0 <= stored < 4 * p else -1


def _account(formulas: prover.Formulas) -> prover.Account:
    proof, ring, shorter = (
        _proof(formulas),
        prover.decide_from(_ring(0), SMALLEST),
        prover.decide(_ring(-1)),
    )
    unstashed, violation = prover.decide(_newest_at_backward()), _violation(formulas["key"])
    negative, short = (_refuted_by_solver(one) for one in (unstashed, shorter))
    rule = "z3 on proved start times"
    steps = (
        ("the entry is there and holds what F(s, m) read", proof),
        (f"without a stash it fails: {unstashed.witness}", negative),
        ("a ring of min(p, 2p − 1 − 2s) versions suffices at every stage s", ring),
        (f"one fewer does not: {shorter.witness}", short),
    )
    return prover.Account(
        prover.Decision((proof, negative), violation),
        assumes=(*ASSUMES[1:], "the runtime stores and loads under the microbatch's own key"),
        steps=(
            *(prover.Line("ours", says, rule, prover.Decision((one,))) for says, one in steps),
            *start_time_steps(),
        ),
        evidence=(
            prover.Evidence(
                "against" if violation else "for",
                f"replays of p = {', '.join(map(str, REPLAYED))} with M = 4p: used = read",
                violation.witness if violation else {"p": list(REPLAYED)},
            ),
        ),
    )


def _refuted_by_solver(outcome: prover.Outcome) -> prover.Compared:
    """That a statement is false, as a counterexample of the solver shows."""
    return prover.Compared(
        f"not: {outcome.says}", "theory.smt.solver.decide", bool(outcome.witness)
    )


CLAIM = prover.Claim(
    "rpd.stash-invariant",
    "appendix G.4",
    "Under PipeDream's weight stashing every backward uses exactly the version that the "
    "forward of its microbatch read at that stage.",
    r"v_B(s, m) = v_F(s, m)",
    account=_account,
    printed={"key": m_},
    core={"key": m_},
    holds=_holds,
    shares="delay laws",
)
