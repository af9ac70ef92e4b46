"""What one iteration gains is read off the statement: nobody writes the line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sympy

from staleproof.cli import main
from tests.certified import certified, claim_of, data_of, edited, written
from theory.kernel.elementary import Log
from theory.kernel.prove import prove
from theory.kernel.relations import eq, le
from theory.notation import count, index, positive, real, theorem, total, vector
from theory.notation.gains import distances_of, gains, ratios_of
from theory.notation.stating import LINE, LONGER
from theory.verdicts import Verdict

k, K, n = index("k"), count("K"), index("n")
a, q, L, gamma, sigma = positive("a q L gamma sigma")
low = real("f_low")
S, X, Y = (sympy.Function(name, real=True) for name in "SXY")
Z = sympy.Function("Z", nonnegative=True)

HEAD = """\
from theory.notation import *

L, gamma, mu, sigma, rho = positive("L gamma mu sigma rho")
low = real("f_low")
k, n, K = index("k"), index("n"), count("K")
f, (x, g, u, z, star) = function("f"), vectors("x g u z x*")
E = mean("E", g)
T = theorem("mine.{}")
"""
FOUND = {
    "mean": """
T.smooth(f, L)
T.convex(f)
T.minimum(f, star)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.assume(gamma <= 1 / (2 * L))
T.iterate(x, x - gamma * g, k)
D, F = T.sequence("D", (x - star) ** 2), T.sequence("F", f(x) - f(star))
CLAIM = T.shows(total(F(k), k, K) / K <= D(0) / (gamma * K) + gamma * sigma**2)
""",
    "sgd": """
T.smooth(f, L)
T.strongly_convex(f, mu)
T.minimum(f, star)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.assume(mu < L)
T.assume(gamma <= 1 / L)
T.iterate(x, x - gamma * g, k)
D = T.sequence("D", (x - star) ** 2)
CLAIM = T.shows(D(n) <= (1 - gamma * mu) ** n * D(0) + gamma * sigma**2 / mu)
""",
    "proximal": """
T.convex(f)
T.minimum(f, star)
T.assume(equal(z, x - gamma * f.grad(z)))
T.iterate(x, z, k)
D, F = T.sequence("D", (x - star) ** 2), T.sequence("F", f(x) - f(star))
CLAIM = T.shows(total(F(k + 1), k, K) / K <= D(0) / (2 * gamma * K))
""",
    "ascent": """
T.smooth(f, L)
T.lower_bound(f, low)
T.assume(gamma <= 1 / L)
T.assume(norm(u) <= 1)
T.iterate(x, x - gamma * f.grad(x + rho * u), k)
F = T.sequence("F", f(x))
CLAIM = T.shows(
    total(f.grad(x) ** 2, k, K) / K <= 2 * (F(0) - low) / (gamma * K) + L**2 * rho**2
)
""",
    "last": """
T.smooth(f, L)
T.convex(f)
T.minimum(f, star)
T.assume(gamma <= 1 / L)
T.iterate(x, x - gamma * f.grad(x), k)
D, F = T.sequence("D", (x - star) ** 2), T.sequence("F", f(x) - f(star))
CLAIM = T.shows(F(K) <= D(0) / (2 * gamma * K))
""",
    "drawn": """
T.strongly_convex(f, mu)
T.minimum(f, star)
T.unbiased(E, g, f.grad(x))
T.assume(E(g**2) <= sigma**2)
T.iterate(x, x - 2 / (mu * (k + 2)) * g, k)
D = T.sequence("D", (x - star) ** 2)
CLAIM = T.shows((K + 1) * D(K) <= 4 * sigma**2 / mu**2)
""",
    "rakhlin": """
T.strongly_convex(f, mu)
T.minimum(f, star)
T.unbiased(E, g, f.grad(x))
T.assume(E(g**2) <= sigma**2)
T.iterate(x, x - 1 / (mu * (k + 1)) * g, k)
D = T.sequence("D", (x - star) ** 2)
CLAIM = T.shows(D(K) <= 4 * sigma**2 / (mu**2 * K))
""",
    "weighted": """
T.strongly_convex(f, mu)
T.unbiased(E, g, f.grad(x))
T.assume(E(g**2) <= sigma**2)
T.constant(star)
T.iterate(x, x - 2 / (mu * (k + 2)) * g, k)
F = T.sequence("F", f(x) - f(star))
CLAIM = T.shows(2 * total((k + 1) * F(k), k, K) / (K * (K + 1)) <= 2 * sigma**2 / (mu * (K + 1)))
""",
    "falling": """
T.convex(f)
T.constant(star)
T.assume(g**2 <= sigma**2)
T.unbiased(E, g, f.grad(x))
T.assume((x - star) ** 2 <= rho**2)
T.iterate(x, x - rho / (sigma * sqrt(k + 1)) * g, k)
F = T.sequence("F", f(x) - f(star))
CLAIM = T.shows(total(F(k), k, K) / K <= 3 * rho * sigma / (2 * sqrt(K)))
""",
    "residual": """
T.constant(star)
T.assume((z - star) ** 2 + (z - x) ** 2 <= (x - star) ** 2)
T.assume((u - z) ** 2 <= (z - x) ** 2)
T.iterate(x, z, k)
T.iterate(z, u, k)
D, R = T.sequence("D", (x - star) ** 2), T.sequence("R", (z - x) ** 2)
CLAIM = T.shows(R(K) <= D(0) / (K + 1))
""",
    "away": """
T.assume(E(g**2) <= sigma**2)
T.constant(star)
T.iterate(x, x - gamma * g, k)
A = T.sequence("A", norm(x - star))
T.assume(A(0) <= 0)
CLAIM = T.shows(A(n) <= gamma * n * sigma)
""",
    "kept": """
T.assume(mu <= 1)
T.assume(g**2 <= sigma**2)
T.iterate(x, (1 - mu) * x + mu * g, k)
A = T.sequence("A", x**2)
T.assume(A(0) <= sigma**2)
CLAIM = T.shows(A(n) <= sigma**2)
""",
    "outer": """
T.assume(mu < 1)
T.assume(norm(g) <= sigma)
T.iterate(x, mu * x + g, k)
T.iterate(z, z - gamma * (mu * (mu * x + g) + g), k)
A = T.sequence("A", norm(x))
T.assume(equal(A(0), 0))
CLAIM = T.shows(A(n) <= sigma / (1 - mu))
""",
    "late": """
tau = index("tau")
T.constant(star)
T.assume(g**2 <= sigma**2)
T.iterate(x, x - gamma * g, k)
T.delayed(u, x, tau)
D, A = T.sequence("D", (x - star) ** 2), T.sequence("A", g @ (u - star))
CLAIM = T.shows(
    total(A(k), k, K) <= D(0) / (2 * gamma) + gamma * sigma**2 * (tau + Rational(1, 2)) * K
)
""",
    "page": """
M = mean("M", u)
T.smooth(f, L)
T.lower_bound(f, low)
T.assume(rho <= 1)
T.assume(gamma * L * (1 + sigma) <= 1)
y = x - gamma * g
T.assume(
    M((u - f.grad(y)) ** 2)
    <= (1 - rho) * (g - f.grad(x)) ** 2 + rho * sigma**2 * L**2 * (y - x) ** 2
)
T.iterate(x, y, k)
T.iterate(g, u, k)
F, S = T.sequence("F", f(x)), T.sequence("S", f.grad(x) ** 2)
V = T.sequence("V", (g - f.grad(x)) ** 2)
T.assume(equal(V(0), 0))
CLAIM = T.shows(total(S(k), k, K) / K <= 2 * (F(0) - low) / (gamma * K))
""",
    "stashing": """
x = iterates("x", k)
T.smooth(f, L)
T.lower_bound(f, low)
T.assume((u - f.grad(x[k])) ** 2 <= (f.grad(x[k - 1]) - f.grad(x[k])) ** 2)
T.assume(L * gamma + L**2 * gamma**2 <= 1)
T.iterate(x, x[k] - gamma * u)
F, S = T.sequence("F", f(x[k])), T.sequence("S", f.grad(x[k]) ** 2)
CLAIM = T.shows(total(S(k), k, K) / K <= 2 * (F(0) - low) / (gamma * K))
""",
    "gossip": """
(w, h), avg = vectors("w_i h_i"), average("avg", x, *vectors("w_i h_i"), over="worker")
T.assume(rho < 1)
T.assume(avg(w**2) <= rho**2 * avg(x**2))
T.assume(avg(h**2) <= sigma**2)
T.iterate(x, w - gamma * h, k)
X = T.sequence("X", avg(x**2))
T.assume(equal(X(0), 0))
CLAIM = T.shows(X(n) <= gamma**2 * sigma**2 / (1 - rho) ** 2)
""",
    "powers": """
A, S = T.sequence("A", nonnegative=True), T.sequence("S", nonnegative=True)
T.assume(rho > 1)
T.assume(A(k + 1) <= rho * A(k) - S(k) + sigma)
CLAIM = T.shows(
    total(S(k) / rho ** (k + 1), k, K) <= A(0) + sigma / (rho - 1) * (1 - rho ** (-K))
)
""",
    "mirror": """
h = function("h")
T.convex(f)
T.strongly_convex(h, 1)
T.bounded_gradient(f, sigma)
T.constant(star)
T.assume(equal(h.grad(z), h.grad(x) - gamma * f.grad(x)))
T.iterate(x, z, k)
F = T.sequence("F", f(x) - f(star))
B = T.sequence("B", h(star) - h(x) - h.grad(x) @ (star - x))
CLAIM = T.shows(total(F(k), k, K) / K <= B(0) / (gamma * K) + gamma * sigma**2 / 2)
""",
    "past": """
p = vector("p")
y = x - gamma * u
T.constant(star)
T.assume(g @ (y - star) >= 0)
T.assume((u - g) ** 2 <= L**2 * (p - y) ** 2)
T.assume(4 * gamma * L <= 1)
T.iterate(x, x - gamma * g, k)
T.iterate(u, g, k)
T.iterate(p, y, k)
D, Q = T.sequence("D", (x - star) ** 2 + (p - x) ** 2), T.sequence("Q", (g - u) ** 2)
CLAIM = T.shows(gamma**2 * total(Q(k), k, K) <= D(0))
""",
    "sharp": """
T.smooth(f, L)
T.strongly_convex(f, mu)
T.minimum(f, star)
T.assume(mu < L)
T.iterate(x, x - 2 / (mu + L) * f.grad(x), k)
D = T.sequence("D", (x - star) ** 2)
CLAIM = T.shows(D(n) <= ((L - mu) / (L + mu)) ** (2 * n) * D(0))
""",
    "growing": """
A, B = T.sequence("A", nonnegative=True), T.sequence("B", positive=True)
T.assume(equal(B(k + 1) ** 2, B(k) ** 2 + A(k)))
CLAIM = T.shows(total(A(k) / B(k + 1), k, K) <= 2 * B(K))
""",
}
FALSE = {
    "sharp": ("2 * n", "3 * n"),
    "growing": ("2 * B(K)", "B(K)"),
    "away": ("gamma * n", "gamma / 2 * n"),
    "kept": ("CLAIM = T.shows(A(n) <= sigma**2", "CLAIM = T.shows(A(n) <= sigma**2 / 2"),
    "outer": ("sigma / (1 - mu)", "sigma"),
    "page": ("<= 2 *", "<= 1 *"),
    "stashing": ("<= 2 *", "<= 1 *"),
    "gossip": ("(1 - rho) ** 2", "(1 - rho)"),
    "late": ("(tau + Rational(1, 2))", "tau"),
    "powers": ("<= A(0) +", "<= A(0) / 2 +"),
    "mirror": ("gamma * sigma**2 / 2", "gamma * sigma**2 / 4"),
    "past": ("shows(gamma**2", "shows(9 * gamma**2"),
    "rakhlin": ("4 * sigma**2", "sigma**2 / 2"),
    "residual": ("(K + 1)", "(3 * K + 1)"),
    "weighted": ("<= 2 * sigma", "<= sigma"),
    "falling": ("<= 3 * rho", "<= rho"),
    "last": ("(2 * gamma * K)", "(5 * gamma * K)"),
    "drawn": ("4 * sigma**2", "sigma**2"),
    "sgd": ("* sigma**2 / mu", "* sigma**2 / mu / 3"),
    "mean": ("/ K <= D(0) / (gamma * K)", "/ K <= D(0) / (3 * gamma * K)"),
    "proximal": ("(2 * gamma * K)", "(3 * gamma * K)"),
    "ascent": ("* rho**2", "* rho**2 / 2"),
}


@pytest.mark.parametrize(
    ("goal", "line"),
    [
        (le(total(X(k), k, K) / K, S(0) / (a * K) + q), "X(k) <= q + (S(k) - S(k + 1))/a"),
        (le(total(X(k), k, K), 2 * (S(0) - low) / a), "X(k) <= 2*(S(k) - S(k + 1))/a"),
        (le(total(X(k), k, K), S(0) - S(K)), "X(k) <= S(k) - S(k + 1)"),
        (
            le(2 * total(X(k), k, K), S(0) + q * total(Y(k), k, K)),
            "X(k) <= q*Y(k)/2 + S(k)/2 - S(k + 1)/2",
        ),
        (le((1 - q) * total(X(k), k, K) / K, a), "(1 - q)*X(k) <= a"),
        (le(S(n), q**n * S(0) + a / (1 - q)), "S(k + 1) <= a + q*S(k)"),
        (le(S(n), q**n * S(0)), "S(k + 1) <= q*S(k)"),
        (le(S(n), (q / a) ** (2 * n) * S(0)), "S(k + 1) <= q**2*S(k)/a**2"),
        (le(total(X(k), k, K), 2 * Z(K)), "X(k) <= -2*Z(k) + 2*Z(k + 1)"),
        (le(total(X(k), k, K), Z(0) - Z(K)), "X(k) <= Z(k) - Z(k + 1)"),
        (le(S(n), S(0) + n * a), "S(k + 1) <= a + S(k)"),
        (le(S(n), S(0)), "S(k + 1) <= S(k)"),
        (le(X(n), a * S(0) / (n + 1)), "a*S(k + 1) + (k + 2)*X(k + 1) <= a*S(k) + (k + 1)*X(k)"),
        (le(n * X(n), X(0) + q * n), "(k + 1)*X(k + 1) <= k*X(k) + q"),
        (
            le(X(n), (a * S(0) + Y(0) + X(0) + q * n) / (3 * n + 1)),
            "a*S(k + 1) + (3*k + 4)*X(k + 1) + Y(k + 1) <= a*S(k) + q + (3*k + 1)*X(k) + Y(k)",
        ),
    ],
)
def test_the_line_sums_to_the_statement(goal: sympy.Basic, line: str) -> None:
    *others, last = [str(one) for one in gains(goal, k, {low})]
    assert last == line
    assert len(others) == ("(k + 2)*X(k + 1)" in line)  # w(k) − w(0) is tried before


@pytest.mark.parametrize(
    "goal",
    [
        le(total(X(k), k, K), S(1)),  # of a start that is no start
        le(total(X(k), k, K), S(0) * Y(0)),
        le(total(X(k), k, K), sympy.sqrt(K) * S(0)),  # a line about k names no K
        le(S(n), q ** (n**2) * S(0)),
        le(S(n), q**n * S(0) + n),
        le(S(k), q**k * S(0)),
        le(S(n), a / n),
        le(n * X(n), S(0) * Y(0)),
        le(n * X(n), n**2 * S(0)),
        le(n * X(n), S(0) + n**2),
        le(n * X(n), S(1)),
        le(X(n) ** 2, S(0)),
        le(X(n) + Y(n), S(0)),
        le(a, q),
    ],
)
def test_where_the_statement_does_not_tell_it_nothing_is_tried(goal: sympy.Basic) -> None:
    assert gains(goal, k) == ()


def test_what_an_iteration_leaves_is_told_by_the_step() -> None:
    """Of c(n) by what multiplies an iterate, or by a modulus and the length of a step."""
    x, g = vector("x"), vector("g")
    steps = [(x, k / (k + 2) * x + g), (g, g - 1 / (a * (k + 3)) * x), (x, x - gamma * g)]
    ratios = ratios_of(steps, [a, sympy.S.Zero])
    slow = [1 - a * gamma, 1 - 2 * a * gamma]
    assert ratios == [k / (k + 2), (k + 2) / (k + 3), (k + 1) / (k + 3), *slow]
    lines = gains(le(S(n), q), k, ratios=ratios)
    assert [str(one) for one in lines] == [
        "S(k + 1) <= a*gamma*q + (-a*gamma + 1)*S(k)",
        "S(k + 1) <= 2*a*gamma*q + (-2*a*gamma + 1)*S(k)",
    ]
    lines = gains(le(S(n), q / (n + 2)), k, ratios=ratios[:2])
    assert [str(one) for one in lines] == [
        "S(k + 1) <= k*S(k)/(k + 2) + q*(k + 4)/((k + 2)**2*(k + 3))",
        "S(k + 1) <= (k + 2)*S(k)/(k + 3)",
    ]
    assert gains(le(S(n), q * S(1) / (n + 2)), k, ratios=ratios) == ()


def test_what_a_distance_weighs_is_told_by_the_step() -> None:
    x, star, g, h = (vector(name) for name in ("x", "x*", "g", "h"))
    near = {S: (x - star) ** 2, X: x @ star, Y: 2 * x**2}
    falls, stays = a / (k + 1), gamma
    assert distances_of([(x, x - falls * (g + h))], near, k) == [(S, falls)]
    for then in (x - stays * g, (1 - falls) * x - falls * g, x - falls * g - stays * h):
        assert distances_of([(x, then)], near, k) == []
    said = [(S, falls)]
    F = sympy.Function("F", real=True)
    for goal, line in (
        (le(total(F(k), k, K), q * sympy.sqrt(K) + q), "q*(-sqrt(k) + sqrt(k + 1))"),
        (le(total(F(k), k, K), q * Log(K) + K + q), "q/(k + 1) + 1"),
    ):
        (one, *_) = gains(goal, k, distances=said)
        assert sympy.expand(one.rhs - k * S(k) / (2 * a) + (k + 1) * S(k + 1) / (2 * a)) == (
            sympy.expand(sympy.sympify(line, {"k": k, "q": q}))
        )
    for goal in (
        le(total(F(k), k, K), q * K * Log(K)),
        le(total(F(k), k, K), q * S(1)),
        le(total(F(k), k, n + K), q),
    ):
        assert gains(goal, k, distances=said) == ()
    assert (
        gains(le(total(F(k), k, K), q), k, distances=[(S, a / (k + 2))]) == (le(F(k), q / K),)[:0]
    )


def test_a_count_in_a_stepsize_is_said_by_the_stepsize() -> None:
    """A line about iteration k names no K; of γ = 1/(L√K) it names γ."""
    goal = le(total(X(k), k, K) / K, (2 * L * (S(0) - low) + sigma**2) / sympy.sqrt(K))
    assert gains(goal, k, {low}) == ()
    (line,) = gains(goal, k, {low}, [eq(gamma, 1 / (L * sympy.sqrt(K)))])
    assert str(line) == "X(k) <= L*gamma*sigma**2 + 2*S(k)/gamma - 2*S(k + 1)/gamma"
    assert gains(goal, k, {low}, [eq(gamma, 1 / (L * K**2 + sympy.sqrt(K)))]) == ()


def test_what_is_assumed_later_is_no_part_of_the_theorem_with_the_line() -> None:
    draft, x = theorem("mine.first"), vector("x")
    draft.iterate(x, x - gamma * x, k)
    D = draft.sequence("D", x**2)
    made = draft.shows(total(D(k), k, K) <= D(0) + K * a)
    draft.assume(gamma <= 1, "later")
    ((_, make),) = LONGER[made]
    longer = make()
    assert LINE in {one.name for one in longer.steps}
    assert "later" not in {one.name for one in longer.hypotheses}
    assert LINE not in {one.name for one in made.steps}


def file(folder: Path, name: str, change: tuple[str, str] = ("", "")) -> Path:
    """A file without lines, with an edit."""
    assert FOUND[name].count(change[0]) == 1 or not change[0]
    return written(folder, HEAD.format(name) + FOUND[name].replace(*change, 1), f"{name}.py")


def proved(path: Path) -> Verdict:
    """What the kernel makes of a file; nothing attacks it."""
    made = claim_of(path).theorem
    assert made is not None
    return prove(made).verdict


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FOUND)
def test_a_rate_is_found_without_a_line_and_a_smaller_one_is_not(name: str, tmp_path: Path) -> None:
    path = file(tmp_path, name)
    found = certified(path)
    assert {one.outcome for one in found} == {"found"}
    assert any(one.step.startswith(LINE) for one in found)
    assert proved(path) is Verdict.PROVED
    wrong = file(tmp_path, name, FALSE[name])
    (lost,) = [one for one in certified(wrong) if one.step == "statement"]
    assert lost.outcome == "not found"
    assert "would do" in lost.why
    assert "and is not found: " in lost.why
    assert proved(wrong) is Verdict.UNKNOWN


def test_without_the_certificate_of_the_line_nothing_is_proved(tmp_path: Path) -> None:
    path = file(tmp_path, "proximal")
    certified(path)

    def emptied(data: Any) -> None:
        own = [one for one in data["certificates"] if one["step"].startswith(LINE)]
        assert len(own) == 2
        for one in own:
            one["facts"] = {}

    edited(path, emptied)
    assert proved(path) is Verdict.UNKNOWN
    data_of(path).unlink()
    assert proved(path) is Verdict.UNKNOWN


def test_of_a_line_that_is_written_no_other_is_tried(tmp_path: Path) -> None:
    text = FOUND["proximal"].replace("CLAIM =", "T.have(F(k + 1) <= D(k))\nCLAIM =")
    path = written(tmp_path, HEAD.format("own") + text, "own.py")
    found = certified(path)
    assert "not found" in {one.outcome for one in found}
    assert not any(one.step == LINE or "would do" in one.why for one in found)


def test_a_line_that_holds_is_not_proposed(tmp_path: Path) -> None:
    """Nothing says that r is at least 0, so that the line cannot be multiplied by it."""
    lines = (
        "from theory.notation import index, positive, real, theorem",
        "k, n, b, r = *index('k n'), positive('b'), real('r')",
        "T = theorem('own.factor')",
        "A = T.sequence('A')",
        "T.assume(A(k + 1) <= r * A(k) + b)",
        "CLAIM = T.shows(A(n) <= r**n * A(0) + b / (1 - r))",
    )
    *_, lost = certified(written(tmp_path, "\n".join(lines), "own.py"))
    assert "; A(k + 1) <= b + r*A(k) holds, and the statement does not follow" in lost.why
    assert lost.outcome == "not found"
    assert "would do" not in lost.why


def test_a_bound_that_is_meant_from_one_on_is_asked_for(tmp_path: Path) -> None:
    text = HEAD.format("one") + FOUND["drawn"].replace("(K", "(n")
    *_, lost = certified(written(tmp_path, text, "own.py"))
    assert 'if it is meant for n >= 1, write n = count("n")' in lost.why


@pytest.mark.parametrize(
    ("bound", "is_squared"), [("sigma**2", "sigma**4"), ("sigma**2/L", "sigma**4/L**2")]
)
def test_a_squared_bound_of_a_length_is_refused(
    bound: str, is_squared: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """σ² in the place of σ would be σ⁴, which no reader of the file expects."""
    path = file(tmp_path, "mean", ("f.grad(x), sigma)", f"f.grad(x), {bound})"))
    assert main(["verify", str(path)]) == 2
    said = capsys.readouterr().err
    assert f"{bound} would give {is_squared}; write sigma" in said
    assert "or T.assume(E((g - ∇f(x)) ** 2) <= …)" in said


@pytest.mark.parametrize("text", ["(", "1/0", "__import__('os')", "x**10**9", 7])
def test_a_stored_weight_that_cannot_be_read_is_no_weight(text: Any, tmp_path: Path) -> None:
    path = file(tmp_path, "stashing")
    certified(path)
    data = data_of(path)
    kept = json.loads(data.read_text())
    weighed = [one for one in kept["certificates"] if "weights" in one]
    assert len(weighed) == 1
    weighed[0]["weights"] = dict.fromkeys(weighed[0]["weights"], text)
    data.write_text(json.dumps(kept))
    assert proved(path) is Verdict.UNKNOWN
