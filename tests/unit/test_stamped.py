"""Orders by stamps: as they are written out, and what is proved of them against brute force."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
import z3

from schedules.actions import Action, Kind
from schedules.dependencies import edges
from schedules.errors import FamilyFileError, ParameterError
from schedules.families import get_family, localsgd
from schedules.families.family import Family
from schedules.families.zb_h1 import ORDER
from schedules.formats import Document
from schedules.invariants import check, parse_requirements
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule
from schedules.stamps import At, Stamp, StampedOrder, run_stamped
from schedules.validate import validate
from schedules.validation.facts import in_flight
from tests import written_out
from theory.errors import UnsupportedFormError
from theory.laws import stamped_families
from theory.laws.stamp_terms import bound
from theory.laws.stamped_families import COLUMNS, STAMPED, proof, prove, spoiled
from theory.papers.schedules.matrix.rows import stated

ONE_PIPELINE: Mapping[str, Callable[..., list[Action]]] = {
    "zb-h1": lambda r, p, M: written_out.lagged_order(r, M, p - 1 - r, p - 1),
    "zb-h2": lambda r, p, M: written_out.lagged_order(r, M, 2 * (p - 1 - r), 2 * (p - 1)),
    "zbv": written_out.zbv,
    "chimera": written_out.chimera,
    "dualpipe": lambda r, p, M: written_out.dualpipe(r, p, M)[0],
    "dualpipev": lambda r, p, M: written_out.dualpipev(r, p, M)[0],
    "looped-bfs": written_out.looped,
    "interleaved-1f1b": lambda r, p, M, v: written_out.interleaved(r, p, M, v, 2, False),
    "interleaved-zero-bubble": lambda r, p, M, v: written_out.interleaved(r, p, M, v, 1, True),
    "pipesgd": lambda r, p, M, n: written_out.data_parallel(r, written_out.worker(M // p, n, n), p),
    "sapipe": lambda r, p, M, n, k: written_out.data_parallel(
        r, written_out.worker(M // p, n, k), p
    ),
}
"""The order of a rank, by family, p, M and the family's parameters."""


@pytest.mark.parametrize("family", ONE_PIPELINE)
def test_orders_are_those_written_out(family: str) -> None:
    known = get_family(family)
    sizes = 0
    for p, M, *more in product(range(1, 7), range(1, 20), *[range(4)] * len(known.parameters)):
        try:
            schedule = known.build(p, M, *more)
        except ParameterError:
            continue
        sizes += 1
        for rank in range(p):
            assert list(schedule.rank(rank)) == ONE_PIPELINE[family](rank, p, M, *more)
    assert sizes > 10


@pytest.mark.parametrize("family", ["dualpipe", "dualpipev"])
def test_overlapped_pairs_are_those_written_out(family: str) -> None:
    p, M = 4, 18
    schedule, order = get_family(family).build(p, M), getattr(written_out, family)
    firsts = [[g.first for g in schedule.groups if g.rank == rank] for rank in range(p)]
    assert firsts == [order(rank, p, M)[1] for rank in range(p)]
    assert {(g.count, g.kind) for g in schedule.groups} == {(2, "overlap")}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("family", STAMPED)
def test_proved_for_all_sizes(family: str) -> None:
    for column in COLUMNS:
        expected = "UNKNOWN" if (family, column) == ("pipemare", "stash") else "PROVED"  # by design
        assert prove(family, column, stated(family, column)).verdict.name == expected, column


@pytest.mark.parametrize(("family", "column"), [("dualpipe", "causal"), ("chimera", "in-flight")])
def test_control_spoiled_orders_lose_their_proof(family: str, column: str) -> None:
    found = spoiled(family, column)
    assert len(found) >= 3
    for without, proofs in found.items():
        assert {outcome.verdict.name for outcome in proofs()} == {"UNKNOWN"}, without


def test_control_a_family_built_by_something_else_is_not_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = get_family("zb-h1")
    monkeypatch.setattr(stamped_families, "get_family", lambda name: changed)
    for more in ({"build": known.build.func}, {"policy": WeightPolicy("stash")}):  # type: ignore[attr-defined]
        changed: Family = replace(known, **more)
        assert prove("zb-h1", "stash", {}).verdict.name == "UNKNOWN"
    assert "stash" in prove("zb-h1", "stash", {}).note


@pytest.mark.parametrize(
    ("family", "bound"),
    [("zb-h1", "p - 1"), ("zb-h1", "p + 1"), ("zbv", "2*p - s"), ("chimera", "p - s")],
)
def test_control_other_bounds_are_not_proved(family: str, bound: str) -> None:
    form = sympy.sympify(bound)
    assert prove(family, "in-flight", {"bound": form}).verdict.name == "UNKNOWN"


def shifted(of: Callable[[At], Stamp], by: int, stage_too: int) -> Callable[[At], Stamp]:
    def stamp(at: At) -> Stamp:
        first, *rest = of(at)
        return (first + by + stage_too * at.rank, *rest)

    return stamp


SHIFTS = [
    (kind, by, slope)
    for kind, by, slope in product(("forward", "backward", "weight"), (-4, -1, 1, 4), (-2, 0, 2))
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("kind", "by", "slope"), SHIFTS)
def test_whatever_is_proved_of_changed_stamps_holds_in_runs(kind: str, by: int, slope: int) -> None:
    """Stamps that are moved lose their proof, or give other orders that are as proved."""
    moved: Any = {kind: shifted(getattr(ORDER, kind), by, slope)}
    order = replace(ORDER, **moved)
    columns = [
        c for c in COLUMNS if proof(order, "zb-h1", c, stated("zb-h1", c)).verdict.name == "PROVED"
    ]
    for p, more in product(range(1, 5), range(5)):
        schedule = run_stamped("changed", WeightPolicy("flush"), order, p, p + more, {})
        if "causal" in columns:
            assert not validate(schedule)
            assert stamps_grow(order, schedule)
        if "in-flight" in columns:
            assert set(in_flight(schedule)) == {p}


def stamps_grow(order: StampedOrder, schedule: Schedule) -> bool:
    """Whether they do along every dependency, from the stamps alone."""
    found, p = edges(schedule), schedule.ranks
    of = (order.forward, None, order.backward, order.weight)

    def stamp(index: int) -> int:
        action = schedule.action(index)
        at = At(
            p,
            schedule.microbatches,
            {},
            0,
            action.stage,
            action.stage,
            action.microbatch,
            np.where,
            divmod,
        )
        by_kind = {"F": of[0], "I": of[2], "W": of[3]}[action.kind.name]
        assert by_kind is not None
        return int(by_kind(at)[0])

    pairs = zip(found.source.tolist(), found.target.tolist(), strict=True)
    return all(stamp(source) < stamp(target) for source, target in pairs)


def test_control_a_quotient_by_what_may_be_0_is_not_proved() -> None:
    """At p = 1 what is said of quotients by p − 1 would contradict itself, and prove anything."""
    p, M = sympy.symbols("p M", integer=True)
    for divisor, verdict in ((p, "PROVED"), (p - 1, "UNKNOWN")):
        rest = sympy.Mod(M, divisor, evaluate=False)
        found = prove("zb-h1", "in-flight", {"c": rest, "bound": p})
        assert (found.verdict.name, "divisors" in found.note) == (verdict, divisor != p)


def test_control_an_order_says_of_symbols_what_it_says_of_numbers() -> None:
    def at_four(at: At) -> Stamp:
        return (100 - at.rank,) if at.p == 4 else ORDER.forward(at)

    def by_sign(at: At) -> Stamp:
        return (ORDER.forward(at)[0] + (at.x % -3) - (at.x % -3),)

    def halves(at: At) -> Stamp:
        return ((2 * ORDER.forward(at)[0] + 1) / 2,)

    assert proof(ORDER, "zb-h1", "causal", {}).verdict.name == "PROVED"
    late = replace(ORDER, forward=at_four)
    run = run_stamped("late", WeightPolicy("flush"), late, 4, 6, {})
    violated = check(Document(run), parse_requirements("causal")).violations
    assert {one.invariant for one in violated} == {"causal"}
    for odd, note in ((late, "asks whether p == 4"), (replace(ORDER, forward=by_sign), "by -3")):
        found = proof(odd, "zb-h1", "causal", {})
        assert found.verdict.name == "UNKNOWN"
        assert note in found.note
    with pytest.raises(FamilyFileError, match="stamps are whole numbers"):
        run_stamped("halves", WeightPolicy("flush"), replace(ORDER, forward=halves), 4, 6, {})


_OTHER = "1 if isinstance(p, int) and p > 9 else p"
_NUMBER = f"(int):\n    __str__ = lambda s: '0'\n    __radd__ = lambda s, p: {_OTHER}\n"
_RULES = {
    "plain": ("n = 2\ndef f(p): return p\nrule = lambda p: max(f(p), n)", ""),
    "quotient": ("rule = lambda p: 1 if p % (19 - 2 * p) < 0 else p", "divides by"),
    "object": (f"class A:\n    __call__ = lambda s, p: {_OTHER}\nrule = A()", "A is"),
    "enum": (
        f"import enum\nclass E{_NUMBER[:-1]}\nclass D(E, enum.Enum): Z = 0\n"
        "z = D.Z\nrule = lambda p: p + z",
        "D is",
    ),
    "attribute": (
        f"class E{_NUMBER}def f(p): return p\nf.x = E()\nrule = lambda p: p + f.x",
        "E is",
    ),
    "builtins": (
        f"s = {{'__builtins__': {{'max': lambda p, q: {_OTHER}}}}}\n"
        "rule = eval('lambda p: max(p, 0)', s)",
        "names of its own",
    ),
    "names": (
        f"class S(dict):\n    __getitem__ = lambda s, n: lambda p: {_OTHER}\n"
        "rule = eval('lambda p: f(p)', S(f=abs))",
        "names of its own",
    ),
    "module": (
        "import sys, types\no = types.ModuleType('o')\ndef get(name):\n"
        "    p = sys._getframe(1).f_locals['p']\n"
        f"    return ({_OTHER}) - p\n"
        "o.__getattr__ = get\nrule = lambda p: p + o.zero",
        "zero of o",
    ),
    "handed on": (
        "import types\no = types.ModuleType('o')\nf = lambda p, o: p + o.x\n"
        "rule = lambda p: f(p, o)",
        " of o is",
    ),
    "file": (
        "import schedules.stamps as s\n"
        f"rule = eval(compile('lambda p: {_OTHER}', s.__file__, 'eval'), vars(s))",
        "isinstance",
    ),
}


@pytest.mark.parametrize("rule", _RULES)
def test_control_a_rule_of_symbols_is_that_of_numbers(rule: str) -> None:
    """Those beside `plain` are p up to p = 9, or 10, and 1 from there on, where p is a number."""
    space: dict[str, Any] = {"__name__": "mine"}
    exec(_RULES[rule][0], space)
    found = bound(space["rule"])
    if rule == "plain":
        assert z3.is_true(z3.simplify(found(z3.IntVal(5)) == 5))
        return
    with pytest.raises(UnsupportedFormError, match=_RULES[rule][1]):
        found(z3.Int("p"))


def test_control_stamps_of_arrays_are_those_of_symbols(tmp_path: Path) -> None:
    """In 64 bits 2^56 times the microbatch is least for microbatch 128, and proved to grow."""
    text = (Path(__file__).parents[2] / "examples/families/last_in_first_out.py").read_text(
        encoding="utf-8"
    )
    file = tmp_path / "mine.py"
    file.write_text(text.replace("at.x + at.rank)", "(at.x + at.rank) * 2**56)"), encoding="utf-8")
    assert next(get_family(str(file)).build(1, 300).rank(0)).microbatch == 0
    file.write_text(
        f"{text.replace('LINE,  #', 'Mine(*vars(LINE).values()),  #')}".replace(
            "\nFAMILY", "\nfrom schedules.stamps import Shape\nclass Mine(Shape): pass\nFAMILY"
        ),
        encoding="utf-8",
    )
    with pytest.raises(FamilyFileError, match="found Mine"):
        get_family(str(file))


def test_stamps_of_localsgd_are_the_slots_in_which_its_rule_plays() -> None:
    sizes = 0
    for p, n, H in product(range(1, 6), range(1, 13), range(1, 4)):
        for M in sorted({n + 1, n * H + 1, 2 * n * H + n // 2 + 1}):
            if p * M <= 120:
                sizes += 1
                built, rule = localsgd.build(p, M, replicas=n, local_steps=H), localsgd.played
                for rank, play in enumerate(map(rule(p, M, n, H).rank, range(p))):
                    own = [a for a in built.rank(rank) if a.kind is not Kind.REDUCE]
                    assert [str(a).split(":")[-1] for a in own] == [str(a) for a in play]
                    assert {a.pipeline == a.microbatch % n for a in own} == {True}
    assert sizes > 200
