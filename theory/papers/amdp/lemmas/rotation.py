"""No order keeps d ranks busy with d/2 pipelines in both directions and n = 2, unless F = B.

Stage s is on rank s in even pipelines and on rank d − 1 − s in odd ones; no F or B is
interrupted. At most d minibatches are under way and each is on one rank at a time. So if all d
ranks work from some time on, all d minibatches do so without ever waiting, and where one ends
the next of its pipeline begins at once: each is a token on a fixed round of length P = d(F +
B), and only its phase is free. On the ranks of an even pipeline F of stage s starts at phase +
s·F and B at phase + d·F + (d − 1 − s)·B, all modulo P; an odd pipeline runs stage s on rank d −
1 − s. Let F < B; time reversed, F > B is the same.
1. Two tokens of one direction are whole multiples of F + B apart, or a forward of one meets a
   backward of the other on some rank.
2. Tokens of opposite directions are at most (d − 1)F apart, for the same reason.
3. And they are whole multiples of 2F and of 2B apart, or forwards, or backwards, meet.
4. So any two upward tokens are 2F·y = 2B·x = (F + B)·z apart with integers x < y and z; then
   2xy = (x + y)z, which needs y ≥ 6.
5. There are at least 2⌊d/4⌋ ≥ 2 of them within 2(d − 1)F: too little room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

import sympy
import z3

from theory.judging import prover
from theory.papers.amdp.symbols import d

s = sympy.Symbol("s", integer=True, nonnegative=True)
F, B = sympy.symbols("F B", positive=True)

FORMS = {
    "forward": s * F,
    "backward": d * F + (d - 1 - s) * B,
    "round": d * (F + B),
    "apart": 12 * F,
}
"""When a token's actions start after its phase, how long its round is, and step 4's distance."""

_rho = sympy.Symbol("rho", real=True)
_times, _r, _x = sympy.symbols("q r x", integer=True)

Forms = Mapping[str, sympy.Expr]


def _gap(forms: Forms, kinds: tuple[str, str], stages: tuple[Any, Any], phase: Any) -> sympy.Expr:
    """How much later the second token's action starts than the first's; that one has phase 0."""
    first, second = (forms[kind].subs(s, at) for kind, at in zip(kinds, stages, strict=True))
    return sympy.expand(phase + second - first)


def least_apart() -> int:
    """Step 4: the least y for which 2xy = (x + y)z has integers 1 ≤ x < y and z.

    Examples
    --------
    >>> least_apart()
    6
    """
    return next(y for y in count(2) if any(2 * x * y % (x + y) == 0 for x in range(1, y)))


def identities(forms: Forms) -> dict[str, tuple[sympy.Expr, ...]]:
    """What the argument says of a round, each as differences that have to vanish.

    On the named rank of a meeting the second action starts ρ − B, or ρ − F, later than the first:
    less than either takes. On rank r a forward of one token and a backward of the other meet if the
    phase lies between `low` and `high`; these fall as r grows, and rank r + 1 begins 2F above where
    rank r ends.

    Examples
    --------
    >>> wrong = {"backward": FORMS["backward"] + B}
    >>> [says for says, gaps in identities(FORMS | wrong).items() if vanish(gaps)]
    ['upward tokens are at least twice the least y apart']
    """
    forward, backward, length = forms["forward"], forms["backward"], forms["round"]
    swapped = [form.subs({F: B, B: F}, simultaneous=True) for form in (forward, backward)]
    half, both = d / 2, ("forward", "backward")
    same = _gap(forms, both, (_times, _times), _times * (F + B) + _rho)
    onward = _gap(forms, ("forward",) * 2, (half + _x, d - 1 - half - _x), 2 * F * _x + _rho)
    back = half - 1 - _x
    backwards = _gap(forms, ("backward",) * 2, (back, d - 1 - back), 2 * B * _x + _rho)
    rest = _gap(forms, both, (_r, d - 1 - _r), 0) - length
    low, high = -B - rest, F - rest
    return {
        "every action starts where the one before it ends": (
            forward.subs(s, 0),
            forward.subs(s, s + 1) - forward - F,
            backward.subs(s, d - 1) - forward.subs(s, d - 1) - F,
            backward.subs(s, s - 1) - backward - B,
            length - backward.subs(s, 0) - B,
        ),
        "time reversed F and B change places": (
            length - backward - B - swapped[0],
            length - forward - F - swapped[1],
        ),
        "the meetings are as far apart as is said": (
            same - length - (_rho - B),
            onward - (_rho - F),
            backwards - (_rho - B),
        ),
        "the intervals of step 2 leave no hole": (
            low.subs(_r, d - 1) - (d - 1) * F,
            high.subs(_r, 0) - length + (d - 1) * F,
            high.subs(_r, _r + 1) - low - 2 * F,
        ),
        "upward tokens are at least twice the least y apart": (
            forms["apart"] - 2 * least_apart() * F,
        ),
    }


def vanish(gaps: Iterable[sympy.Expr]) -> bool:
    """Whether all differences are 0."""
    return all(sympy.expand(gap) == 0 for gap in gaps)


def is_round(forms: Forms) -> bool:
    """Whether every action starts where the one before it ends, and the round ends with the last.

    Examples
    --------
    >>> is_round(FORMS), is_round(FORMS | {"forward": s * F + 1})
    (True, False)
    """
    return vanish(next(iter(identities(forms).values())))


def statements(room: int) -> Iterator[prover.Statement]:
    """What is left to inequalities; two upward tokens are at least `room` times F apart."""
    names = ("F", "B", "rho", "low", "high", "delta")
    reals = dict(zip(names, z3.Reals(" ".join(names)), strict=True))
    yield prover.stated(
        "all move",
        "if all d = 2e ranks work, all minibatches under way do and there are d",
        "e >= 1, ranks == 2*e, ranks <= executing, executing <= under_way, under_way <= 2*e",
        "executing == 2*e, under_way == 2*e",
    )
    yield prover.stated(
        "one direction",
        "ρ − B is more than −B and less than F, so that the two actions meet",
        "F > 0, B > 0, rho > 0, rho < F + B",
        "-B < rho - B < F",
        **reals,
    )
    yield prover.stated(
        "no hole",
        "a phase below the interval of rank r is in that of rank r + 1 or below it",
        "F > 0, high == low + 2*F, delta <= low",
        "delta < high",
        **reals,
    )
    yield prover.stated(
        "rank exists",
        "a phase 2x + ρ with 0 < ρ < 2, at most d − 1 in size, has its rank: both d/2 + x and "
        "d/2 − 1 − x are ranks",
        "e >= 1, 0 < rho < 2, 1 - 2*e <= 2*x + rho <= 2*e - 1",
        "0 <= e + x <= 2*e - 1, 0 <= e - 1 - x <= 2*e - 1",
        **reals,
    )
    yield prover.stated(
        "opposite directions",
        "ρ − 1 lies between −1 and 1, so that the two actions meet",
        "0 < rho < 2",
        "-1 < rho - 1 < 1",
        **reals,
    )
    yield prover.stated(
        "no room",
        "for d = 2e ≥ 4 the 2⌊e/2⌋ upward tokens need more than 2(d − 1)F",
        "e >= 2, 2*h <= e <= 2*h + 1",
        "room * (2*h - 1) > 2 * (2*e - 1)",
        room=room,
    )


def proof() -> prover.Outcome:
    """The inequalities of the argument, for every even d ≥ 4 and all F ≠ B.

    Examples
    --------
    >>> proof().verdict.name
    'PROVED'
    """
    says = "every step of the argument holds, for every even d ≥ 4 and all F ≠ B"
    return prover.merge(
        "rotation", says, [prover.decide(one) for one in statements(2 * least_apart())]
    )


def grounds(forms: Forms) -> Iterator[prover.Compared | prover.Outcome]:
    """That no order fills the ranks: identities of the round, and what is left to inequalities.

    Examples
    --------
    >>> prover.proves(*grounds(FORMS)), prover.proves(*grounds(FORMS | {"apart": 13 * F}))
    (True, False)
    """
    for says, gaps in identities(forms).items():
        yield prover.Compared(says, "theory.papers.amdp.lemmas.rotation", vanish(gaps))
    yield proof()


def fills_if_equal(forms: Forms) -> bool:
    """Whether, with F = B and phases as above, no two tokens are on a rank at once.

    Let F = B, and let a token that never waits be on a round of 2d slots of length F. Give the
    downward tokens phases 2F·a with a in a set A of residues modulo d, as many as there are, and
    the upward ones those with a in the complement of A + d/2; so many are left. On a rank two
    actions meet only if the gap of their starts is a multiple of 2d slots. A forward and a backward
    of one direction, two forwards of opposite directions, and two backwards, are an odd number of
    slots apart, d being even. Two forwards, or two backwards, of one direction are 2(a − a') apart
    with different residues a and a'. A forward and a backward of opposite directions are 2(a − a' ±
    d/2) apart, and no residue of the upward tokens is one of A + d/2. So no two meet, and d tokens
    with two actions a rank fill its 2d slots. Any order of the actions is allowed, so that a
    start-up may wait until these phases are reached.

    Examples
    --------
    >>> fills_if_equal(FORMS), fills_if_equal(FORMS | {"forward": 2 * s * F})
    (True, False)
    """

    def slots(first: str, second: str, stage: Any) -> sympy.Expr:
        apart = _gap(forms, (first, second), (_r, stage), 2 * F * _x)
        return sympy.expand(apart.subs(B, F) / F)

    ahead, back, opposite = "forward", "backward", d - 1 - _r
    odd = (slots(ahead, back, _r), slots(ahead, ahead, opposite), slots(back, back, opposite))
    even = (
        forms["round"].subs(B, F) / F - 2 * d,
        slots(ahead, ahead, _r) - 2 * _x,
        slots(back, back, _r) - 2 * _x,
        slots(ahead, back, opposite) - 2 * (_x + d / 2),
    )
    return vanish(even) and all(map(_is_odd, odd))


def _is_odd(form: sympy.Expr) -> bool:
    """Whether a polynomial is odd at all integers, d being even."""
    half = sympy.Symbol("e", integer=True)
    return bool(sympy.expand((form.subs(d, 2 * half) - 1) / 2).is_integer)
