"""What once broke the search or the attack down, or was refused without its cause being named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theory.errors import ProverError, TheoryError
from theory.judging import as_claim as attacking
from theory.judging.as_claim import as_claim
from theory.judging.judge import judge, judged
from theory.kernel import Theorem
from theory.kernel.vectors import Scalar
from theory.notation import equal, function, index, mean, nonnegative, positive, theorem, vectors
from theory.proving.certify import certify
from theory.verdicts import Verdict

k, c, L = index("k"), positive("c"), positive("L")
d, W, s = nonnegative("d W s")
x, y, star = vectors("x y x*")
f, f_i = function("f"), function("f_i")


def weighted() -> Theorem:
    """Its next state names the index."""
    T = theorem("mine.weighted")
    A = T.sequence("A", nonnegative=True)
    T.assume((k + 1) * A(k + 1) >= (k + 1) * A(k) + d)
    T.assume(A(k) <= W)
    return T.shows(d <= 0)


@pytest.mark.parametrize(
    "stated",
    [
        weighted,
        lambda: theorem("mine.large").shows(c**1000 <= (c + 1) ** 1000),
        lambda: theorem("mine.tower").shows(2 ** (2**k) <= 2 ** (2 ** (k + 1))),
    ],
)
def test_the_attack_ends_in_a_verdict(stated: object) -> None:
    made = stated() if callable(stated) else None
    assert isinstance(made, Theorem)
    assert judged(as_claim(made)).verdict is Verdict.UNKNOWN


def test_a_number_that_no_float_holds_is_no_defect() -> None:
    made = theorem("mine.large").shows(c**1000 <= (c + 1) ** 1000)
    (found,) = certify([as_claim(made)])
    assert "too large for the search" in found.why


def test_what_fails_in_the_tool_is_not_to_be_corrected_in_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(stated: Theorem) -> None:
        raise TypeError("so it is")

    monkeypatch.setattr(attacking, "_attacked", fails)
    with pytest.raises(ProverError) as caught:
        judge(replace(as_claim(weighted()), source="mine.py"))
    assert caught.value.fix == "please report it"


@pytest.mark.parametrize("constant", [0, s, 2 * s])
@pytest.mark.parametrize("modulus", [0, c])
def test_a_convex_function_is_not_smooth_with_a_constant_that_may_be_0(
    constant: Scalar, modulus: Scalar
) -> None:
    T = theorem("mine.smooth")
    T.smooth(f, constant)
    T.strongly_convex(f, modulus)
    with pytest.raises(TheoryError, match=f"{constant!s} may be 0".replace("*", r"\*")) as caught:
        T.shows(f(x) <= f(y) + f.grad(x) @ (x - y))
    assert "positive" in caught.value.fix


def test_what_is_random_in_an_equation_is_named() -> None:
    E = mean("E", f_i(x), f_i.grad(x), f_i(star), f_i.grad(star))
    T = theorem("mine.interpolated")
    T.convex(f_i)
    T.minimum(f_i, star)
    T.convex(f)
    T.assume(equal(E(f_i(star)), f(star)))
    T.unbiased(E, f_i.grad(x), f.grad(x))
    T.iterate(x, x - c * f_i.grad(x), k)
    with pytest.raises(TheoryError, match=r"listed so, as ∇f_i\(x\*\) is") as caught:
        T.shows(E(f_i(star)) <= E(f_i(x)))
    assert "given=(x,)" in caught.value.fix
