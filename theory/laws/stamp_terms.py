"""Stamps as solver terms: how they are compared, what is divided, and what may not be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import chain, combinations, product
from typing import Any

import z3

from schedules.stamps import At, Number, Stamp, StampedOrder
from theory.errors import UnsupportedFormError
from theory.laws.plain_functions import require_plain
from theory.smt.solver import Term

_SUMS = "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__".split()

MOST_DEEP = 16
"""How often one way through a bound may ask."""

MOST_QUESTIONS = 8
"""How many answers a bound may leave open while it is read."""


LONGEST = 8
"""Period of an order of which a bound that grows with M is proved."""


def higher(one: Number | tuple[Number, ...], other: Number | tuple[Number, ...]) -> Term:
    """Whether a rank is above another; tuples are compared from their first numbers on.

    Examples
    --------
    >>> z3.simplify(higher((z3.IntVal(1), z3.IntVal(5)), (z3.IntVal(1), z3.IntVal(4))))
    True
    """
    first, *rest = one if isinstance(one, tuple) else (one,)
    second, *others = other if isinstance(other, tuple) else (other,)
    if len(rest) != len(others) or z3.is_bool(first) or z3.is_bool(second):
        raise UnsupportedFormError(
            "stamps are compared number by number", "stamps", "give all as many numbers"
        )
    if not rest:
        return first > second
    below = higher(tuple(rest), tuple(others))
    return z3.Or(first > second, z3.And(first == second, below))


def divisors(*terms: Number | tuple[Number, ...]) -> set[int]:
    """The numbers by which terms are divided, or of which they take remainders.

    Examples
    --------
    >>> x = z3.Int("x")
    >>> sorted(divisors(x / 2 + x % 3, 4, x / x))
    [2, 3]
    """
    found, seen = set[int](), set[int]()
    parts = (one if isinstance(one, tuple) else (one,) for one in terms)
    waiting = [term for term in chain.from_iterable(parts) if z3.is_expr(term)]
    while waiting:
        term = waiting.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        waiting += term.children()
        if z3.is_idiv(term) or z3.is_mod(term):
            by = z3.simplify(term.arg(1))
            found |= {by.as_long()} if z3.is_int_value(by) else set()
    return found


def divisors_at(order: StampedOrder, at: At) -> Sequence[int]:
    """The numbers up to `LONGEST` by which an order divides; none if not written for symbols."""
    own = readable(order)
    ends = (own.backward,) if own.weight is None else (own.backward, own.weight)
    try:
        found = divisors(*(of(at) for of in (own.forward, *ends)))
    except Exception:  # what an order of one's own does with symbols can be anything
        return ()
    return sorted(d for d in found if d <= LONGEST)


def last_period(*terms: Number | tuple[Number, ...]) -> range:
    """1, 2, … for the last numbers of an order with these stamps, one period of them or fewer.

    Where forwards and backwards come in blocks of several, a bound that grows with M is attained at
    one of these.
    """
    return range(1, min(max(divisors(*terms), default=0), LONGEST) + 1)


class Divisions:
    """Quotients and remainders as symbols, with what is true of them by positive divisors.

    Parameters
    ----------
    whole : tuple of (number, divisor, quotient)
        Divisions without a remainder, by their terms.
    factors : tuple of (factor, divisor)
        What quotients by that divisor are compared with.
    near : bool
        Whether products of neighbouring quotients are compared by one and two divisors too.
    """

    def __init__(
        self,
        whole: tuple[tuple[Term, Number, Term], ...] = (),
        factors: tuple[tuple[Term, Term], ...] = (),
        *,
        near: bool = False,
    ) -> None:
        self._near = near
        self._known: dict[tuple[str, str], tuple[Term, Term]] = {}
        self._factors = [(factor, _key(by)) for factor, by in factors]
        self.facts: list[Term] = []
        self.divisors: list[Term] = []
        for number, divisor, quotient in whole:
            rest = z3.simplify(number - quotient * divisor, som=True)
            assert z3.eq(rest, z3.IntVal(0)), "this leaves a remainder"
            self._known[_key(number), _key(divisor)] = quotient, z3.IntVal(0)

    def __call__(self, number: Number, divisor: Number) -> tuple[Number, Number]:
        """Divide by what is positive; see `defined`."""
        key = _key(number), _key(divisor)
        if key not in self._known:
            if isinstance(divisor, int):
                _require_positive(divisor)
                whole = number // divisor if isinstance(number, int) else number / divisor
                return whole, number % divisor
            self.divisors.append(divisor)
            quotient, rest = z3.Ints(f"quotient_{len(self._known)} rest_{len(self._known)}")
            same = [one for (_, by), (one, _) in self._known.items() if by == key[1]]
            same += [factor for factor, by in self._factors if by == key[1]]
            self.facts += [rest >= 0, rest < divisor, number == quotient * divisor + rest]
            self.facts += products([quotient, *same, z3.IntVal(0)], divisor)
            self.facts += neighbours([quotient, *same], divisor) if self._near else []
            self._known[key] = quotient, rest
        return self._known[key]


def _key(number: Number) -> str:
    return str(number) if isinstance(number, int) else str(z3.simplify(number, som=True).sexpr())


def products(factors: list[Term], by: Term) -> list[Term]:
    """What is true of products with one positive number: a larger factor gives as much more.

    Examples
    --------
    >>> a, b, n = z3.Ints("a b n")
    >>> z3.prove(z3.Implies(n >= 1, z3.And(products([a, b], n))))
    proved
    """
    return [
        z3.Implies(less < more, less * by + by <= more * by)
        for pair in combinations(factors, 2)
        for less, more in (pair, pair[::-1])
    ]


def neighbours(factors: list[Term], by: Term) -> list[Term]:
    """What is true of products with one positive number of factors that are one apart, or more.

    Examples
    --------
    >>> a, b, n = z3.Ints("a b n")
    >>> z3.prove(z3.Implies(n >= 1, z3.And(neighbours([a, b], n))))
    proved
    """
    near = [
        z3.Implies(one == other + step, one * by == other * by + step * by)
        for one, other in combinations(factors, 2)
        for step in (-1, 0, 1)
    ]
    return near + [
        z3.Implies(less + 1 < more, less * by + 2 * by <= more * by)
        for pair in combinations(factors, 2)
        for less, more in (pair, pair[::-1])
    ]


def _refuse(test: Term) -> bool:
    raise UnsupportedFormError(
        f"an order asks whether {test}", "stamps", "write at.choose(test, yes, no)"
    )


@contextmanager
def _instead(*others: tuple[type, str, Callable[..., Any]]) -> Iterator[None]:
    """Let methods of z3 be others for a while."""
    kept = [(of, name, vars(of).get(name)) for of, name, _ in others]
    for of, name, other in others:
        setattr(of, name, other)
    try:
        yield
    finally:
        for of, name, own in kept:
            if own is None:
                delattr(of, name)  # it is what another class has, or nothing
            else:
                setattr(of, name, own)


def _asking(answer: Callable[[Term], bool] = _refuse) -> AbstractContextManager[None]:
    """Let z3 answer no `if at.p == 4`: of a symbol it would say no, though p may be 4.

    Remainders are refused where they are taken, used or not: of a divisor that may be 0 an array
    has none.
    """

    def decided(test: Term) -> bool:
        form = z3.simplify(test)
        if z3.is_true(form) or z3.is_false(form):
            return bool(z3.is_true(form))
        return answer(test)

    def not_looked_up(term: Term) -> int:
        raise UnsupportedFormError(
            f"an order looks {term} up in a table", "stamps", "write at.choose(test, yes, no)"
        )

    def rest(number: Term, divisor: Number) -> Term:
        _require_positive(divisor)
        return of(number, divisor)

    def rest_of(divisor: Term, number: Number) -> Term:
        _require_positive(divisor)
        return by(divisor, number)

    def whole(number: Term, divisor: Number) -> Term:
        _require_positive(divisor)
        return over(number, divisor)

    def whole_of(divisor: Term, number: Number) -> Term:
        return whole(z3.IntVal(number), divisor)

    of, by, over = z3.ArithRef.__mod__, z3.ArithRef.__rmod__, z3.ArithRef.__div__
    return _instead(
        (z3.BoolRef, "__bool__", decided),
        (z3.AstRef, "__hash__", not_looked_up),
        (z3.ArithRef, "__mod__", rest),
        (z3.ArithRef, "__rmod__", rest_of),
        (z3.ArithRef, "__floordiv__", whole),
        (z3.ArithRef, "__rfloordiv__", whole_of),
    )


def _require_positive(divisor: Number) -> None:
    """Refuse quotients that are others of symbols than of arrays: of a divisor that may be < 1."""
    form = z3.simplify(divisor) if z3.is_expr(divisor) else z3.IntVal(divisor)
    if not (z3.is_int_value(form) and form.as_long() >= 1):
        raise UnsupportedFormError(
            f"an order divides by {form}", "stamps", "write at.divide(number, divisor)"
        )


def _comparisons_are_no_numbers() -> AbstractContextManager[None]:
    """Two that hold add up to 2, and of arrays to 1; with a number they wrap at 64 bits there."""

    def guarded(own: Callable[..., Term]) -> Callable[..., Term]:
        def checked(one: Term, other: Any) -> Term:
            if isinstance(one, z3.BoolRef) or isinstance(other, z3.BoolRef):
                raise UnsupportedFormError(
                    "an order calculates with a comparison",
                    "stamps",
                    "write at.choose(test, yes, no)",
                )
            return own(one, other)

        return checked

    every = [(z3.ArithSortRef, "cast"), *product((z3.ArithRef, z3.BoolRef), _SUMS)]
    known = [(of, name, getattr(of, name)) for of, name in every if hasattr(of, name)]
    return _instead(*((of, name, guarded(own)) for of, name, own in known))


def _numbers(given: Any) -> Any:
    """What a rule gives, if it is a number or several."""
    for one in given if isinstance(given, tuple) else (given,):
        if not (z3.is_expr(one) or type(one) in (int, bool)):
            raise UnsupportedFormError(
                f"a rule gives numbers, found {one!r:.60}", "rule", "write a formula"
            )
    return given


def reading(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers that says of terms what it says of these, or fails."""
    plain = cache(partial(require_plain, function))

    def read(*given: Any) -> Any:
        plain()
        with _asking(), _comparisons_are_no_numbers():
            return _numbers(function(*given))

    return read


def bound(function: Callable[..., Any]) -> Callable[..., Term]:
    """A bound of a rule for terms: where it asks (`if`, `min`, `max`), both answers are followed.

    Examples
    --------
    >>> bound(lambda s, p: max(2, p - s))(*z3.Ints("s p"))
    If(And(p - s > 2), p - s, 2)
    """
    plain = cache(partial(require_plain, function))

    def read(*given: Any) -> Term:
        plain()
        waiting: list[list[bool]] = [[]]
        found: Term = None
        while waiting:
            answers, asked = waiting.pop(), list[Term]()

            def answer(
                test: Term, answers: list[bool] = answers, asked: list[Term] = asked
            ) -> bool:
                if len(asked) == len(answers):
                    waiting.append([*answers, True])
                    answers.append(False)
                yes = answers[len(asked)]
                asked.append(test if yes else z3.Not(test))
                if len(asked) > MOST_DEEP:  # as one that calls itself may ask for ever
                    _refuse(test)
                return yes

            with _asking(answer):
                value = _whole(_called(function, given))
            if len(waiting) > MOST_QUESTIONS:
                _refuse(asked[-1])
            found = value if found is None else z3.If(z3.And(asked), value, found)
        return found

    return read


def _called(function: Callable[..., Any], given: Sequence[Term]) -> Any:
    try:
        return function(*given)
    except TypeError as error:  # z3's, of an operation that numbers have
        raise UnsupportedFormError(str(error), "rule", "write `if` for a comparison") from error


def _whole(value: Any) -> Term:
    """A number of microbatches."""
    term = z3.IntVal(value) if type(value) is int else value
    if not z3.is_int(term):
        raise UnsupportedFormError(
            f"a bound is a whole number, found {value}", "rule", "write it without fractions"
        )
    return term


def untied(order: StampedOrder) -> StampedOrder:
    """The same schedules by stamps of which no two on a rank are equal.

    What ties is run in the order in which `schedules.stamps.run_stamped` lays it out: F before B or
    I, these before W; of one kind by lane, and then by x.
    """

    def apart(of: Callable[[At], Stamp], turn: int) -> Callable[[At], Any]:
        def stamp(at: At) -> Any:
            own = of(at)
            return (*own, turn, at.lane, at.x) if isinstance(own, tuple) else own

        return stamp

    return replace(
        order,
        forward=apart(order.forward, 0),
        backward=apart(order.backward, 1),
        weight=order.weight and apart(order.weight, 2),
    )


def readable(order: StampedOrder) -> StampedOrder:
    """An order whose functions say of terms what they say of arrays, or fail.

    Raises
    ------
    UnsupportedFormError
        Later, where a function asks what a symbol is, or divides by what may be 0 or less.
    """
    return order.mapped(reading)
