"""Places divided by what a strict inequality keeps from 0, or the domain of a symbol."""

import pytest

from theory.errors import TheoryError
from theory.kernel.prove import prove
from theory.notation import function, positive, theorem, vectors
from theory.verdicts import Verdict


@pytest.mark.parametrize(
    ("by", "there"), [("1 + q", 1), ("1 - q", 1), ("1 - q**2", 0), ("1 - 2*q", 0)]
)
def test_a_place_is_defined_where_it_is_seen_to_be(by: str, there: int) -> None:
    q, f, (x, z) = positive("q"), function("f"), vectors("x z")
    T = theorem("mine.place")
    T.convex(f)
    T.assume(q < 1)
    at = (x + q * z) / eval(by, {"q": q})
    if there:
        claim = T.shows(f(at) + f.grad(at) @ (x - at) <= f(x))
        assert prove(claim).verdict is Verdict.UNKNOWN  # no certificate is stored
    else:
        with pytest.raises(TheoryError, match="!= 0 is not shown"):
            T.shows(f(at) + f.grad(at) @ (x - at) <= f(x))
