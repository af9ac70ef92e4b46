"""`staleproof bounds sapipe` on bad input."""

from collections.abc import Callable

import pytest

from tests.cli.test_sapipe_bounds import sets

Problem = Callable[..., dict[str, str]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["sapipe", *sets(eta="1.5")], "needs eta <= 1/L"),
        (["sapipe", *sets(eta="0.1", kappa="1.5")], "needs kappa <= 1"),
        (["sapipe", *sets(eta="0.1", V1="2")], "needs V1 <= V2"),
        (
            [
                "sapipe-wp-2",
                "--form",
                "printed",
                *sets(eta="0.8", rho=None, M=None, Delta=None, lambda_=None),
            ],
            "2*L**2*eta**2 < 1",
        ),
        (
            [
                "sapipe-wp-1",
                "--form",
                "printed",
                *sets(eta="0.1", rho="0.1", M=None, Delta=None, lambda_=None),
            ],
            "1 <= n*rho",
        ),
        (
            ["sapipe-dc", "--form", "printed", *sets(eta="0.9", rho=None)],
            "V2*eta*lambda <= 1 - sqrt(2)/2",
        ),
        (["sapipe", *sets(eta="nan")], "a number is needed, found 'nan'"),
        (["sapipe", *sets(eta="-0.1")], "eta is a number above 0, found -1/10"),
        (["sapipe", *sets(eta="0.1", V1="-1")], "V1 is a number of 0 or more"),
        (["sapipe", *sets(eta="0.1", n="2.5")], "n is a whole number above 0"),
        (["sapipe", *sets(eta="0.1", T="0")], "T is a whole number above 0"),
        (["sapipe", *sets(eta="0.1", R0="0"), "--tune", "stepsize"], "R0 = 0"),
        (["sapipe", *sets()], "needs a value for eta"),
        (["sapipe", *sets(eta="0.1", L=None)], "needs a value for L"),
        (["sapipe", *sets(eta="0.1", gamma="1")], "not 'gamma'"),
        (["sapipe", "sapipe-dc", *sets(eta="0.1")], "'sapipe-dc' is named twice"),
        (["sapipe", "rpd", *sets(eta="0.1")], "papers whose letters mean different things"),
        (["sapip", *sets(eta="0.1")], "did you mean 'sapipe'?"),
        (["sapipe", "--form", "pathwise", *sets(eta="0.1")], "only"),
        (["sapipe", "--form", "fixed", *sets(eta="0.1")], "a form is one of"),
        (["sapipe", "--over", "eta=0.1..1", "--over", "eta=0.2..1", *sets()], "eta has two ranges"),
        (
            [
                "sapipe",
                "--over",
                "eta=0.1..1",
                "--over",
                "V1=1..2",
                "--over",
                "V2=1..2",
                *sets(V1=None, V2=None),
            ],
            "at most two ranges",
        ),
        (
            ["sapipe", "--over", "eta=0.1..1", "--over", "V1=1..2", *sets()],
            "V1 has a value already",
        ),
        (
            ["sapipe", "--over", "eta=0.1..1", "--over", "V1=2..1", *sets(V1=None)],
            "the smaller first",
        ),
        (
            [
                "sapipe",
                "--over",
                "eta=0.1..1",
                "--over",
                "V1=1..2",
                "--tune",
                "stepsize",
                *sets(V1=None),
            ],
            "at given numbers",
        ),
        (["sapipe", "--plot", "x.svg", *sets(eta="0.1")], "add --over NAME=LOW..HIGH"),
        (
            [
                "sapipe",
                "--over",
                "eta=0.1..1",
                "--over",
                "V1=0.1..1",
                "--plot",
                "x.gif",
                *sets(V1=None),
            ],
            ".svg",
        ),
        (["sapipe", "--crossover", "eta", *sets(V1="3")], "needs V1 <= V2"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[str], expected: str) -> None:
    error = problem("bounds", *arguments)
    assert expected in f"{error['where']} {error['what']}; {error['fix']}"
