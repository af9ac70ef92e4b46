"""Theorems as a paper states them, that were found with another assumption or another name only."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.certified import certified, claim_of, written
from theory.judging.judge import judge
from theory.verdicts import Verdict

HEAD: Final = """\
from theory.notation import *

L, gamma, rho = positive("L gamma rho")
beta, s = nonnegative("beta s")
b = real("b")
(k, j), (K, n, tau) = index("k j"), count("K n tau")
f, (x, y, p, q, u, d, star) = function("f"), vectors("x y p q u d x*")
T = theorem("mine.nearer", "ours", f)
"""
CASES: Final = {
    # of a sign only what a strict assumption says, of a product of two letters
    "strictly": (
        """
T.assume(gamma * rho < 1)
T.assume(equal(x - p, gamma * f.grad(p)))
T.assume(equal(y - q, gamma * f.grad(q)))
T.assume((f.grad(p) - f.grad(q)) @ (p - q) >= -rho * (p - q) ** 2)
CLAIM = T.shows((1 - gamma * rho) ** 2 * (p - q) ** 2 <= (x - y) ** 2)
""",
        ("(1 - gamma * rho) ** 2 *", "(1 - gamma * rho / 2) ** 2 *"),
    ),
    # ‖p⁺ − x⁺‖² is γ²‖u − d‖², and both are sequences
    "multiples": (
        """
z = x - gamma * u
T.constant(star)
T.assume(d @ (z - star) >= 0)
T.assume((u - d) ** 2 <= L**2 * (p - z) ** 2)
T.assume(4 * gamma * L <= 1)
T.iterate(x, x - gamma * d, k)
T.iterate(u, d, k)
T.iterate(p, z, k)
D, P = T.sequence("D", (x - star) ** 2), T.sequence("P", (p - x) ** 2)
Q = T.sequence("Q", (d - u) ** 2)
CLAIM = T.shows(D(k + 1) + 2 * gamma**2 * Q(k) <= D(k) + P(k))
""",
        ("2 * gamma**2", "9 * gamma**2"),
    ),
    # FedProx: what is left of a gradient, and no norm is of one letter
    "inexact": (
        """
T.strongly_convex(f, rho)
T.assume(norm(f.grad(y) + y - x) <= beta * norm(f.grad(x)))
CLAIM = T.shows((1 + rho) * norm(y - x) <= (1 + beta) * norm(f.grad(x)))
""",
        ("(1 + rho)", "(2 + rho)"),
    ),
    # AdaGrad's sum: by a sequence that is positive one may divide
    "divided": (
        """
A, B = T.sequence("A", nonnegative=True), T.sequence("B", positive=True)
T.assume(equal(B(k + 1) ** 2, B(k) ** 2 + A(k)))
CLAIM = T.shows(total(A(k) / B(k + 1), k, K) <= 2 * B(K) - 2 * B(0))
""",
        ("2 * B(K)", "B(K)"),
    ),
    # a bound for every n on the way, by what one iteration gains of it
    "on the way": (
        """
T.assume(beta <= 1)
T.assume(d**2 <= L**2)
T.iterate(u, beta * u + (1 - beta) * d, k)
V, P = T.sequence("V", u**2), T.sequence("P", (gamma * (1 - beta) * (d - u)) ** 2)
T.assume(equal(V(0), 0))
T.have(V(n) <= L**2)
T.have(P(k) <= 2 * gamma**2 * (1 - beta) ** 2 * (V(k) + L**2))
CLAIM = T.shows(P(n) <= 4 * gamma**2 * (1 - beta) ** 2 * L**2)
""",
        ("<= 4 *", "<= (1 - beta) *"),
    ),
    # PipeMare's stability at a delay of 1: at the start x[−1] is x[0], so V(0) = γX(0)
    "older than the start": (
        """
x = iterates("x", k)
T.iterate(x, x[k] - gamma * x[k - 1])
X = T.sequence("X", x[k] ** 2)
V = T.sequence("V", x[k] ** 2 - x[k] @ x[k - 1] + gamma * x[k - 1] ** 2)
T.have(V(k + 1) <= gamma * V(k))
T.have((4 * gamma - 1) * X(k) <= 4 * gamma * V(k))
T.have(V(n) <= gamma**n * V(0))
CLAIM = T.shows((4 * gamma - 1) * X(n) <= 4 * gamma**2 * gamma**n * X(0))
""",
        ("4 * gamma**2", "gamma**2"),
    ),
    # one step of FedAvg: without ∇f(x*) = 0, which no certificate uses, it is no theorem
    "average": (
        """
f_i = function("f_i")
avg = average("avg", y, f_i(x), f_i.grad(x), f_i(star), f_i.grad(star), over="worker")
T.smooth(f_i, L)
T.convex(f_i)
T.minimum(f, star)
for at in (x, star):
    T.unbiased(avg, f_i.grad(at), f.grad(at))
    T.assume(equal(avg(f_i(at)), f(at)))
T.unbiased(avg, f_i.grad(y), d)
T.assume(4 * L * gamma <= 1)
T.have((d - f.grad(x)) ** 2 <= L**2 * avg((x - y) ** 2))
T.have(f.grad(x) ** 2 <= 2 * L * (f(x) - f(star)))
CLAIM = T.shows(
    (x - gamma * d - star) ** 2
    <= (x - star) ** 2 - gamma * (f(x) - f(star)) + 2 * gamma * L * avg((x - y) ** 2)
)
""",
        ("<= (x - star) ** 2 -", "<= (x - star) ** 2 / 2 -"),
    ),
    # a root of what comes after the last term
    "later root": (
        "CLAIM = T.shows(2 * sqrt(K + 1) - 2 <= total(1 / sqrt(k + 1), k, K))",
        ("- 2", "- 1"),
    ),
    # a square of which no coefficient is one letter
    "triangle": (
        "CLAIM = T.shows(norm(beta**2 * u + (1 + beta) * d)"
        " <= beta**2 * norm(u) + (1 + beta) * norm(d))",
        ("(1 + beta) * norm(d)", "beta * norm(d)"),
    ),
    # a factor before the norm
    "factor": (
        """
T.assume(L**2 * u**2 <= d**2)
CLAIM = T.shows(L * norm(u) <= norm(d))
""",
        ("L * norm", "2 * L * norm"),
    ),
    # a window that only an assumption names
    "windows": (
        """
A, W = T.sequence("A", nonnegative=True), T.sequence("W", nonnegative=True)
T.along(k)
T.assume(W(k) <= window(A(j), j, k, tau))
CLAIM = T.shows(total(W(k), k, K) <= tau * total(A(k), k, K))
""",
        ("<= tau *", "<= tau / 2 *"),
    ),
    # a window that says by itself along what lines hold
    "a window": (
        """
A = T.sequence("A", nonnegative=True)
T.assume(A(k) <= 1)
CLAIM = T.shows(window(A(j), j, k, tau) <= tau)
""",
        ("<= tau)", "<= tau - 1)"),
    ),
    # a bound that is assumed at the start, and a line that somebody wrote
    "from the start": (
        """
T.iterate(x, (1 - rho) * x + rho * u, k)
T.assume(rho <= 1)
T.assume(u**2 <= L**2)
M = T.sequence("M", x**2)
first = T.assume(M(0) <= L**2)
T.induction(M(n) <= L**2, T.have(M(k + 1) <= (1 - rho) * M(k) + rho * L**2))
CLAIM = T.shows(M(n) <= L**2)
""",
        ("M(0) <= L**2", "M(0) <= 2 * L**2"),
    ),
    # no square mixes u − ∇f(y), of which the mean is 0, with what is not random
    "variance": (
        """
E = mean("E", u, q)
T.unbiased(E, u, f.grad(y))
T.unbiased(E, q, f.grad(x))
T.bounded_variance(E, u, f.grad(y), s)
T.assume(E((u - q) ** 2) <= L**2 * (y - x) ** 2)
T.assume(beta <= 1)
new = beta**2 * s**2 + (1 - beta) ** 2 * L**2 * (y - x) ** 2
error = (1 - beta) ** 2 * (d - f.grad(x)) ** 2
CLAIM = T.shows(E((u + (1 - beta) * (d - q) - f.grad(y)) ** 2) <= error + 2 * new)
""",
        ("2 * new", "new"),
    ),
    # how large the last residual is says the first one, of every iterate
    "residual": (
        """
z = (1 - beta) * x + beta * p
T.constant(star)
T.assume(beta <= 1)
T.assume((p - star) ** 2 <= (x - star) ** 2)
T.assume((q - p) ** 2 <= (z - x) ** 2)
T.iterate(x, z, k)
T.iterate(p, q, k)
D, R = T.sequence("D", (x - star) ** 2), T.sequence("R", (x - p) ** 2)
CLAIM = T.shows((n + 1) * beta * (1 - beta) * R(n) <= D(0))
""",
        ("(n + 1)", "(4 * n + 9)"),
    ),
    # half of what gossip leaves is for what disturbs it
    "gossip": (
        """
avg = average("avg", d, u, q, over="worker")
T.assume(rho <= 1)
T.assume(avg(u**2) <= L**2)
T.assume(avg(q**2) <= (1 - rho) * avg((d - gamma * u) ** 2))
T.iterate(d, q, k)
R = T.sequence("R", avg(d**2))
T.assume(equal(R(0), 0))
CLAIM = T.shows(R(n) <= 4 * (1 - rho) * gamma**2 * L**2 / rho**2)
""",
        ("4 * (1", "(1"),
    ),
    # a bound that starts with two sequences, and what is assumed of the next one of them
    "Lyapunov": (
        """
E = mean("E", u, given=(s,))
T.strongly_convex(f, rho)
T.minimum(f, star)
T.unbiased(E, u, f.grad(x))
T.varying(s)
T.assume(E(u**2) <= 4 * L * (f(x) - f(star)) + 2 * s)
T.assume(6 * L * gamma <= 1)
T.assume(2 * gamma * rho <= 1 / tau)
T.iterate(x, x - gamma * u, k)
D, F, A = T.sequence("D", (x - star) ** 2), T.sequence("F", f(x) - f(star)), T.sequence("A", s)
T.assume(A(k + 1) <= (1 - 1 / tau) * A(k) + 2 / tau * L * F(k))
c = 4 * gamma**2 * tau
CLAIM = T.shows(D(n) + c * A(n) <= (1 - gamma * rho) ** n * (D(0) + c * A(0)))
""",
        ("(1 - gamma * rho) ** n", "(1 - 3 * gamma * rho) ** n"),
    ),
    # two sequences at the start, one in the end
    "momentum": (
        """
T.smooth(f, L)
T.pl(f, rho, b)
T.assume(s <= 1)
T.assume(4 * L * gamma <= s)
T.assume(2 * gamma * rho <= s)
T.iterate(x, x - gamma * u, k)
T.iterate(u, (1 - s) * u + s * f.grad(x - gamma * u), k)
F, M = T.sequence("F", f(x) - b), T.sequence("M", (u - f.grad(x)) ** 2)
CLAIM = T.shows(s * F(n) <= (1 - gamma * rho) ** n * (s * F(0) + gamma * M(0)))
""",
        ("(1 - gamma * rho) ** n", "(1 - 3 * gamma * rho) ** n"),
    ),
    # what is assumed of every x, of the next one
    "growth": (
        """
T.convex(f)
T.minimum(f, star)
T.assume(equal(x - p, gamma * f.grad(p)))
T.iterate(x, p, k)
D, F = T.sequence("D", (x - star) ** 2), T.sequence("F", f(x) - f(star))
T.assume(rho * (x - star) ** 2 <= 2 * (f(x) - f(star)))
CLAIM = T.shows(D(n) <= (1 / (1 + gamma * rho)) ** n * D(0))
""",
        ("1 + gamma", "1 + 3 * gamma"),
    ),
    # exp(−cn) is more than (1 − c)ⁿ, and what is left in the end more than at the start
    "discounted": (
        """
A = T.sequence("A", nonnegative=True)
T.assume(s <= 1)
T.assume(s > 0)
T.assume(A(k + 1) <= (1 - s) * A(k) + L)
CLAIM = T.shows(A(n) <= exp(-s * n) * A(0) + L / s)
""",
        ("+ L / s", "+ L"),
    ),
    # the norm of a part that an assumption bounds, and a start that is 0
    "from rest": (
        """
T.assume(beta < 1)
T.assume(u**2 <= L**2)
T.iterate(d, beta * d + (1 - beta) * u, k)
D = T.sequence("D", norm(d))
T.assume(equal(D(0), 0))
CLAIM = T.shows(D(n) <= (1 - beta**n) * L)
""",
        ("beta**n", "beta ** (2 * n)"),
    ),
    # Σ 1/√(k + 1) is at least √K
    "best": (
        """
T.convex(f)
T.minimum(f, star)
T.bounded_gradient(f, L)
T.iterate(x, x - gamma / sqrt(k + 1) * f.grad(x), k)
D, F = T.sequence("D", (x - star) ** 2), T.sequence("F", f(x) - f(star))
T.assume(F(k) >= s)
T.have(D(k + 1) <= D(k) - 2 * gamma / sqrt(k + 1) * F(k) + gamma**2 * L**2 / (k + 1))
T.have(D(k + 1) <= D(k) - 2 * gamma / sqrt(k + 1) * s + gamma**2 * L**2 / (k + 1))
CLAIM = T.shows(2 * gamma * sqrt(K) * s <= D(0) + gamma**2 * L**2 * (1 + log(K)))
""",
        ("2 * gamma * sqrt(K)", "9 * gamma * sqrt(K)"),
    ),
    # two functions of which the same is said at the same places
    "incremental": (
        """
h = function("h")
T.convex(f)
T.convex(h)
T.bounded_gradient(f, L)
T.bounded_gradient(h, L)
T.constant(star)
z = x - gamma * f.grad(x)
T.iterate(x, z - gamma * h.grad(z), k)
D, F = T.sequence("D", (x - star) ** 2), T.sequence("F", f(x) + h(x) - f(star) - h(star))
CLAIM = T.shows(total(F(k), k, K) / K <= D(0) / (2 * gamma * K) + 2 * gamma * L**2)
""",
        ("+ 2 * gamma", "+ gamma / 2"),
    ),
    # what cancels only in part: K·G(0)/(K − Kβ)
    "cancelled": (
        """
T.smooth(f, L)
T.lower_bound(f, b)
T.assume(beta < 1)
T.assume(L * gamma <= 1 - beta)
z = x - gamma * u
T.assume((f.grad(z) - u - d) ** 2 <= beta**2 * (f.grad(z) - u) ** 2)
T.iterate(x, z, k)
T.iterate(u, u + d, k)
F, S = T.sequence("F", f(x)), T.sequence("S", f.grad(x) ** 2)
G = T.sequence("G", (u - f.grad(x)) ** 2)
CLAIM = T.shows(total(S(k), k, K) / K <= 2 * (F(0) - b) / (gamma * K) + G(0) / ((1 - beta) * K))
""",
        ("2 * (F(0)", "(F(0)"),
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", CASES)
def test_it_is_found_and_its_false_twin_is_not(name: str, tmp_path: Path) -> None:
    text, change = CASES[name]
    path = written(tmp_path, HEAD + text, "nearer.py")
    certified(path)
    assert judge(claim_of(path)).verdict is Verdict.PROVED
    assert text.count(change[0]) == 1
    false = written(tmp_path, HEAD + text.replace(*change), "false.py")
    certified(false)
    assert judge(claim_of(false)).verdict is not Verdict.PROVED


@pytest.mark.parametrize("part", ["tau", "tau / 2", "(tau - 1)"])
def test_windows_begin_with_nothing_in_them(part: str, tmp_path: Path) -> None:
    """Before iteration 0 there are no terms: W(0) ≤ 0, and that of τ windows is attained later."""
    text = CASES["windows"][0].replace("<= tau *", f"<= {part} *")
    row = judge(claim_of(written(tmp_path, HEAD + text, "windows.py")))
    assert row.verdict is (Verdict.UNKNOWN if part == "tau" else Verdict.REFUTED)


@pytest.mark.parametrize("term", ["j**2", "(A(j) + 1)", "(j + 1) * (1 - A(j))"])
def test_what_does_not_vanish_before_the_start_is_not_run(term: str, tmp_path: Path) -> None:
    """At k = 0 a window is empty, whatever the term: W(0) is 0, and not that of A(−1)."""
    text = f"""
A, W = T.sequence("A", nonnegative=True), T.sequence("W", nonnegative=True)
T.along(k)
T.assume(W(k) >= window({term}, j, k, 2))
T.assume(W(k) <= window({term}, j, k, 2))
T.assume(A(k) <= 1)
CLAIM = T.shows(W(0) <= 0)
"""
    row = judge(claim_of(written(tmp_path, HEAD + text, "before.py")))
    assert row.verdict is not Verdict.REFUTED


def test_where_a_small_model_divides_by_zero_others_are_tried(tmp_path: Path) -> None:
    text = """
T.assume(n >= 2)
T.assume(equal((n - 1) * b, -s))
CLAIM = T.shows(equal(s + b, (n - 2) * s / (2 * (n - 1))))
"""
    row = judge(claim_of(written(tmp_path, HEAD + text, "divided.py")))
    assert row.verdict is Verdict.REFUTED


def test_a_run_whose_numbers_grow_without_end_is_given_up(tmp_path: Path) -> None:
    """S⁺ = 1/(1 + ‖x‖) and the like: each iteration doubles the digits."""
    text = """
r = positive("r")
T.varying(r)
T.assume(equal(r * (L + norm(f.grad(x))), 1))
z = x - r * f.grad(x)
T.assume(f(z) <= f(x) + f.grad(x) @ (z - x) + (L + norm(f.grad(x))) / 2 * (z - x) ** 2)
T.iterate(x, z, k)
F, A = T.sequence("F", f(x)), T.sequence("A", r * f.grad(x) ** 2)
CLAIM = T.shows(total(A(k), k, K) <= F(0) - b)
"""
    row = judge(claim_of(written(tmp_path, HEAD + text, "grows.py")))
    assert row.verdict is not Verdict.PROVED


def test_a_positive_sequence_of_a_counterexample_is_positive(tmp_path: Path) -> None:
    """A(k) = 0 would satisfy A² ≥ A, and not the statement."""
    text = """
A = T.sequence("A", {})
T.along(k)
T.assume(A(k) ** 2 >= A(k))
CLAIM = T.shows(A(n) >= 1)
"""
    for sign, verdict in (("positive", Verdict.UNKNOWN), ("nonnegative", Verdict.REFUTED)):
        path = written(tmp_path, HEAD + text.format(f"{sign}=True"), f"{sign}.py")
        assert judge(claim_of(path)).verdict is verdict
