"""Sums that are found unasked, and false ones beside them, which are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.edited_files import neighbours, searched
from theory.verdicts import Verdict

HEAD = """\
from sympy import sqrt
from theory.notation import count, function, index, iterates, mean, nonnegative, positive
from theory.notation import theorem, total, vectors, window

L, c, G, s = *positive("L c G"), nonnegative("s")
(k, j, tau), K = index("k j tau"), count("K")
f, X, (x, star, g) = function("f"), iterates("x", k), vectors("x x* g")
E = mean("E", g)
T = theorem("mine.sum", "ours", f)
"""

WINDOW = """
T.iterate(X, X[k] - f.grad(X[k]) / L)
N = T.sequence("N", f.grad(X[k]) ** 2)
{bound}
CLAIM = T.shows(window(N(j), j, k, tau) <= {most})
"""

CONSTANT = """
T.iterate(X, X[k] - f.grad(X[k]) / L)
C = T.sequence("C", c)
CLAIM = T.shows(window(C(j), j, k, tau) <= {most})
"""

FALLS = """
T.smooth(f, L)
T.iterate(x, x - f.grad(x) / L, k)
F = T.sequence("F", f(x))
falls = T.have({weight} * F(k + 1) <= {weight} * F(k))
{more}
CLAIM = T.shows({statement})
"""

ALWAYS, MEAN = "T.induction(F({at}) <= F(0), falls)", "total(F(k), k, K) / K <= F(0)"

DRAWN = """
E = mean("E", g, {more})
T.convex(f)
T.minimum(f, star)
T.unbiased(E, g, f.grad(x))
T.assume(E(g**2) <= G**2)
T.varying(s)
T.iterate(x, x - s * g, k)
D, A = T.sequence("D", (x - star) ** 2), T.sequence("A", s * (f(x) - f(star)))
B = T.sequence("B", s**2)
T.have(D(k + 1) <= D(k) - 2 * A(k) + G**2 * B(k))
CLAIM = T.shows(2 * total(s * (f(x) - f(star)), k, K) <= D(0) + {part} * G**2 * total(s**2, k, K))
"""

ROOTS = """
A = T.sequence("A", f(x))
T.assume(A(k) <= {term})
CLAIM = T.shows(total(A(k), k, K) <= {most} * sqrt(K))
"""


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        (WINDOW, {"bound": "T.assume(f.grad(X[k]) ** 2 <= c)", "most": "tau * c"}, {"most": "c"}),
        (WINDOW, {"bound": "T.bounded_gradient(f, c)", "most": "tau * c**2"}, {"most": "tau * c"}),
        (
            WINDOW,
            {
                "bound": "T.bounded_gradient(f, c); T.have(N(k) <= c**2)",
                "most": "tau * c**2",
            },
            {"bound": "T.have(N(k) <= c**2)"},
        ),
        (CONSTANT, {"most": "tau * c"}, {"most": "(tau - 1) * c"}),
        (
            FALLS,
            {"weight": "1", "more": "", "statement": "F(K - 1) <= F(0)"},
            {"statement": "F(0) <= F(K)"},
        ),
        (
            FALLS,
            {"weight": "1", "more": ALWAYS.format(at="k"), "statement": MEAN},
            {"statement": f"{MEAN} - c"},
        ),
        (FALLS, {"weight": "1", "more": ALWAYS.format(at="tau"), "statement": MEAN}, {"more": ""}),
        (
            FALLS,
            {"weight": "(k + 1)", "more": "", "statement": "K * F(K) <= total(F(k), k, K)"},
            {"statement": "(K + 1) * F(K) <= total(F(k), k, K)"},
        ),
        (DRAWN, {"more": "given=(s,)", "part": "1"}, {"part": "0"}),
        (DRAWN, {"more": "given=(s,)", "part": "1"}, {"more": "s"}),
        (ROOTS, {"term": "c / sqrt(k + 1)", "most": "2 * c"}, {"most": "c"}),
        (ROOTS, {"term": "c / sqrt(k + 1)", "most": "2 * c"}, {"term": "c / sqrt(k + 2) + 1"}),
        (ROOTS, {"term": "c * (sqrt(k + 1) - sqrt(k))", "most": "c"}, {"most": "c / 2"}),
    ],
)
def test_a_sum_is_found_and_a_smaller_one_is_not(
    text: str, true: dict[str, str], false: dict[str, str], tmp_path: Path
) -> None:
    right, wrong = text.format(**true), text.format(**{**true, **false})
    with neighbours(tmp_path, {"right": HEAD + right, "wrong": HEAD + wrong}):
        assert searched(tmp_path / "right.py") is Verdict.PROVED
        assert searched(tmp_path / "wrong.py") is Verdict.UNKNOWN
