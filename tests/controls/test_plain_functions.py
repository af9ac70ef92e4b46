"""Rules that are one thing of numbers and another of symbols: none of them is read."""

import operator
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

import pytest
import z3

from schedules import policies, stamps
from schedules.actions import Kind
from schedules.errors import ScheduleError
from schedules.families import FAMILIES, Family, zbv
from schedules.families.gpipe import ORDER
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.stamps import LINE, At, Number, Stamp, StampedOrder
from theory.derive import derive_rule
from theory.errors import UnsupportedFormError
from theory.laws.own_orders import row_of
from theory.laws.plain_functions import require_plain, require_plain_family
from theory.laws.stamp_terms import Divisions, bound
from theory.verdicts import Verdict

FROM = 41
"""Ranks from which on rules here are others: more than small runs have."""

seen = 0


def in_front(test: Callable[[At], Any]) -> Family:
    """GPipe, last in, first out; on many ranks backwards come first unless a test holds."""

    def backward(at: At) -> Stamp:
        place = at.choose(at.p < FROM, 1, at.choose(test(at), 1, -1))
        return place, at.M - at.x + at.p - at.rank

    rule = StampedOrder(LINE, forward=lambda at: (0, at.x + at.rank), backward=backward, wide=True)
    return Family("mine", "ours", "ours", WeightPolicy("flush"), rule=rule)


def proved(own: Family) -> set[str]:
    found = {one.name for one in row_of(own).invariants if one.outcome.verdict is Verdict.PROVED}
    return found - {"exclusive"}  # which says nothing of stamps


def causal(own: Family, p: int) -> bool:
    """Whether the last rank begins with a forward."""
    return next(iter(own.build(p, 3).rank(p - 1))).kind is Kind.F


def test_the_rule_that_is_made_odd_is_proved() -> None:
    assert "causal" in proved(in_front(lambda at: at.p > 0))
    assert causal(in_front(lambda at: at.p > 0), FROM)


def is_number(at: At) -> Any:
    return at.p > 0 if not policies._whole(at.p) else at.p < 0


ODD: list[Callable[[At], Any]] = [
    is_number,
    lambda at: at.divide(7, 2)[0] > 3,
    # comparisons of arrays are of 64 bits, and so is what is calculated with them
    lambda at: (at.p + (at.x >= 0)) * 2**62 * 4 > 0,
    lambda at: (at.p - (at.x < 0)) * 2**62 * 4 > 0,
    lambda at: (at.p * (at.x >= 0)) * 2**62 * 4 > 0,
    lambda at: at.choose(at.p > 0, at.choose(at.p > 3, 1, 0) < 2, at.p) * 2**62 * 4 > 0,
]
"""Of symbols they hold, and of numbers they do not where p is large."""


@pytest.mark.filterwarnings("ignore:overflow")  # which is the fault
@pytest.mark.parametrize("odd", ODD)
def test_control_what_holds_of_symbols_alone_proves_nothing(odd: Callable[[At], Any]) -> None:
    own = in_front(odd)
    assert causal(own, FROM - 1)
    assert not causal(own, FROM)
    assert not proved(own)


def unused_remainder(at: At) -> Any:
    _ = 7 % (at.p - FROM)
    return at.p > 0


def unused_remainder_of_a_symbol(at: At) -> Any:
    _ = at.x % (at.p - FROM)
    return at.p > 0


def unused_quotient(at: At) -> Any:
    _ = at.divide(7, at.p - FROM)
    return at.p > 0


@pytest.mark.parametrize("odd", [unused_remainder, unused_remainder_of_a_symbol, unused_quotient])
def test_control_what_cannot_be_built_is_not_proved(odd: Callable[[At], Any]) -> None:
    with pytest.raises(ZeroDivisionError):
        in_front(odd).build(FROM, 3)
    assert not proved(in_front(odd))


def zeros(at: At) -> Number:
    """The number itself, but 0 on 30 to 40 ranks: where a divisor is below 0."""
    nothing = at.divide(at.x, at.p - FROM)[0]
    return at.choose(at.p > FROM, at.x, at.choose(at.p < 30, at.x, 0)) + nothing - nothing


def always(at: At) -> Any:
    part = at.divide(at.x, at.p - FROM)[0]
    return part == part


def test_control_quotients_of_every_function_are_defined() -> None:
    """Of a quotient by what is not positive anything can be shown."""
    for more in ({"microbatch": zeros}, {"weight": lambda at: (2, at.x), "split": always}):
        own = in_front(lambda at: at.p > 0)
        assert isinstance(own.rule, StampedOrder)
        own = replace(own, rule=replace(own.rule, **more))
        assert own.build(3, 3)
        assert not proved(own)


def test_numbers_are_divided_as_numbers() -> None:
    divide = Divisions()
    assert [divide(n, 2) for n in (7, -7)] == [divmod(n, 2) for n in (7, -7)]
    for number in (7, z3.IntVal(7), z3.Int("x")):
        for divisor in (0, -2):
            with pytest.raises(UnsupportedFormError, match="divides by"):
                divide(number, divisor)


def test_control_a_bound_that_knows_a_number_has_no_law() -> None:
    def admission(p: Any) -> Any:
        return 1 if policies._whole(p) and p >= FROM else p

    rule = GreedyRule(operator.lt, Kind.B, {Kind.B: Kind.F, Kind.F: Kind.B})
    own = Family("mine", "ours", "ours", WeightPolicy("stash"), rule=rule, admission=admission)
    found = derive_rule(own, "ascending", admission)
    assert found.verdict is Verdict.UNKNOWN
    assert "IS_OP" in found.to_json()["open"]


def test_control_sizes_do_not_ask_which_choice_they_are_given() -> None:
    def sizes(at: At) -> tuple[Any, ...]:
        return (at.p < FROM,) if at.choose == stamps._choose else ()

    own = in_front(lambda at: at.p > 0)
    assert isinstance(own.rule, StampedOrder)
    own = replace(own, rule=replace(own.rule, sizes=sizes))
    with pytest.raises(ScheduleError):
        own.build(FROM, 3)
    assert not proved(own)


def kept(at: At) -> Any:
    return at.p > seen


def test_control_what_is_called_beside_a_rule_does_not_change_it() -> None:
    """Functions that no proof reads set what those use that it reads."""

    def stages(ranks: int, values: Any) -> int:
        global seen
        seen = 0 if ranks < FROM else 99
        return ranks

    def closes(at: At) -> Any:
        return stages(at.p, at.values)

    try:
        for one in (replace(in_front(kept), stages=stages), in_front(kept)):
            assert isinstance(one.rule, StampedOrder)
            own = replace(one, rule=replace(one.rule, closes=closes))
            assert causal(own, FROM)
            assert not causal(own, FROM), "this has been seen"
            assert causal(own, 3)
            assert not proved(own)
            assert derive_rule(own, "ascending", None).verdict is Verdict.UNKNOWN
        with pytest.raises(UnsupportedFormError, match="STORE_GLOBAL"):
            require_plain_family(replace(in_front(kept), stages=stages))
    finally:
        globals()["seen"] = 0


def test_a_parameter_with_a_default_is_told_how_to_be_written() -> None:
    with pytest.raises(UnsupportedFormError, match=r"\.get .*; write values\['name'\], with its"):
        require_plain(lambda at: at.values.get("chunks", 2))


def test_functions_of_the_package_are_read_like_others() -> None:
    require_plain(ORDER.forward)
    for odd in (policies._whole, stamps._divided, stamps.place, stamps._choose_wide):
        with pytest.raises(UnsupportedFormError):
            require_plain(odd)


@pytest.mark.parametrize("family", ["zbv", "dualpipe", "dualpipev"])
def test_what_is_taken_as_it_is_is_known_by_its_code(family: str) -> None:
    rule = FAMILIES[family].rule
    assert isinstance(rule, StampedOrder)
    known: Any = rule.forward
    require_plain(known)
    code = (lambda at: (isinstance(at.p, int),)).__code__.replace(
        co_name=known.__code__.co_name,
        co_qualname=known.__code__.co_qualname,
        co_filename=known.__code__.co_filename,
    )
    with pytest.raises(UnsupportedFormError):
        require_plain(FunctionType(code, known.__globals__))


class Told(str):
    """A word that is another one each time."""


def test_control_words_are_words() -> None:
    with pytest.raises(UnsupportedFormError):
        require_plain(zbv._stamp(Told("F")))


def test_a_bound_that_asks_for_ever_is_refused() -> None:
    def fewer(p: Any) -> Any:
        return fewer(p - 1) + 1 if p > 3 else 2

    with pytest.raises(UnsupportedFormError, match="an order asks whether"):
        bound(fewer)(z3.Int("p"))
