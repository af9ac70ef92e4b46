"""Recursions that feed one another, and stale gradients: what an iteration gains is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sympy

from tests.certified import certified, claim_of, data_of, written
from theory.kernel.prove import prove
from theory.kernel.relations import le
from theory.notation import count, index, total
from theory.notation.building import offered
from theory.notation.stating import WEIGHED
from theory.notation.weighed import WEIGHTS
from theory.proving.missing import missing_line
from theory.proving.search import Searched
from theory.proving.weights import weights_of
from theory.verdicts import Verdict

HEAD = """\
from theory.notation import *

L, gamma, mu, A, rho = positive("L gamma mu A rho")
B, C, M, sigma = nonnegative("B C M sigma")
low = real("f_low")
k, n = index("k n")
f, (x, g) = function("f"), vectors("x g")
T = theorem("mine.{}")
"""
UNIFIED = """
D, S, F = (T.sequence(name, nonnegative=True) for name in "DSF")
T.assume(
    D(k + 1)
    <= (1 - gamma * mu) * D(k) - 2 * gamma * F(k) + gamma**2 * (2 * A * F(k) + B * S(k) + sigma)
)
T.assume(S(k + 1) <= (1 - rho) * S(k) + 2 * C * F(k))
T.assume(gamma * (A + C * M) <= 1)
T.assume(B <= M * (rho - gamma * mu))
T.assume(gamma * mu <= 1)
c, noise = M * gamma**2, gamma * sigma / mu
"""
MISSED = """
T.smooth(f, L)
T.pl(f, mu, low)
T.iterate(x, x - gamma * g, k)
F, R, V = T.sequence("F", f(x) - low), T.sequence("R", g**2), T.sequence("V", (g - f.grad(x)) ** 2)
T.assume(V(k + 1) <= (1 - rho) * V(k) + A * gamma**2 * R(k) + rho**2 * sigma**2)
T.assume(rho <= 1)
T.assume(2 * gamma * mu <= rho)
T.assume(L * gamma + 2 * A * gamma**2 / rho <= 1)
"""
STALE = """
x = iterates("x", k)
T.smooth(f, L)
T.pl(f, mu, low)
T.assume(4 * L * gamma <= 1)
T.assume(mu <= L)
T.iterate(x, x[k] - gamma * f.grad(x[k - 1]))
F = T.sequence("F", f(x[k]) - low)
"""
FOUND = {
    "unified": f"""{UNIFIED}
CLAIM = T.shows(D(n) + c * S(n) <= (1 - gamma * mu) ** n * (D(0) + c * S(0)) + noise)
""",
    "untold": f"""{UNIFIED}
T.assume(S(0) <= 0)
CLAIM = T.shows(D(n) <= (1 - gamma * mu) ** n * D(0) + noise)
""",
    "missed": f"""{MISSED}
CLAIM = T.shows(F(n) <= (1 - gamma * mu) ** n * (F(0) + gamma / rho * V(0)) + rho * sigma**2 / mu)
""",
    "estimated": f"""{MISSED.replace(" + rho**2 * sigma**2", "")}
T.assume(V(0) <= 0)
CLAIM = T.shows(F(n) <= (1 - gamma * mu) ** n * F(0))
""",
    "stale": f"""{STALE}
CLAIM = T.shows(F(n) <= (1 - gamma * mu) ** n * F(0))
""",
    "below": """
T.smooth(f, L)
T.lower_bound(f, low)
CLAIM = T.shows(f.grad(x) ** 2 <= 2 * L * (f(x) - low))
""",
    "late": """
tau, K, E = index("tau"), count("K"), mean("E", g)
old = vector("x̂")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(old))
T.bounded_variance(E, g, f.grad(old), sigma)
T.assume(2 * L * gamma * (tau + 1) <= 1)
T.iterate(x, x - gamma * g, k)
T.delayed(old, x, tau)
F = T.sequence("F", f(x))
noise = L * gamma * sigma**2 + L**2 * gamma**2 * tau**2 * sigma**2
CLAIM = T.shows(total(f.grad(x) ** 2, k, K) / K <= 2 * (F(0) - low) / (gamma * K) + noise)
""",
    "copies": """
K, tau, (p, q) = count("K"), index("tau"), vectors("p̂ q̂")
T.smooth(f, L)
T.lower_bound(f, low)
T.assume(4 * L * gamma * (tau + 1) <= 1)
T.iterate(x, x - gamma * (f.grad(p) + f.grad(q)) / 2, k)
T.delayed(p, x, tau)
T.delayed(q, x, tau)
F = T.sequence("F", f(x))
CLAIM = T.shows(total(f.grad(x) ** 2, k, K) / K <= 2 * (F(0) - low) / (gamma * K))
""",
    "bounded": """
K, tau, old, E = count("K"), index("tau"), vector("x̂"), mean("E", g)
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(old))
T.assume(E(g**2) <= A**2)
T.iterate(x, x - gamma * g, k)
T.delayed(old, x, tau)
F = T.sequence("F", f(x))
late = L * gamma * A**2 + L**2 * gamma**2 * tau**2 * A**2
CLAIM = T.shows(total(f.grad(x) ** 2, k, K) / K <= 2 * (F(0) - low) / (gamma * K) + late)
""",
    "two": """
K, x = count("K"), iterates("x", k)
T.smooth(f, L)
T.lower_bound(f, low)
T.assume(5 * L * gamma <= 1)
T.iterate(x, x[k] - gamma * f.grad(x[k - 2]))
F = T.sequence("F", f(x[k]))
CLAIM = T.shows(total(f.grad(x[k]) ** 2, k, K) / K <= 2 * (F(0) - low) / (gamma * K))
""",
    "flight": """
K, E, v = count("K"), mean("E", g), vector("v")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.assume(2 * L * gamma <= 1)
T.iterate(v, v - gamma * g, k)
F, N = T.sequence("F", f(v)), T.sequence("N", (x - v) ** 2)
T.assume(N(k) <= gamma**2 * A**2)
noise = 2 * L * gamma * sigma**2 + 2 * L**2 * gamma**2 * A**2
CLAIM = T.shows(total(f.grad(x) ** 2, k, K) / K <= 4 * (F(0) - low) / (gamma * K) + noise)
""",
    "unit": """
K, (m, u) = count("K"), vectors("m u")
T.smooth(f, L)
T.lower_bound(f, low)
T.assume(norm(u) <= 1)
T.assume(equal(u @ m, norm(m)))
T.iterate(x, x - gamma * u, k)
F = T.sequence("F", f(x))
errors = total(norm(m - f.grad(x)), k, K)
CLAIM = T.shows(
    total(norm(f.grad(x)), k, K) / K
    <= (F(0) - low) / (gamma * K) + L * gamma / 2 + 2 * errors / K
)
""",
    "drifting": """
D, F, X = (T.sequence(name, nonnegative=True) for name in "DFX")
T.assume(D(k + 1) <= (1 - gamma * mu) * D(k) - gamma * F(k) + 2 * gamma * L * X(k))
T.assume(X(k + 1) <= (1 - rho / 2) * X(k) + gamma**2 * (12 * L / rho * F(k) + 2 * sigma**2))
T.assume(X(0) <= 0)
T.assume(12 * gamma * L <= rho)
T.assume(mu <= L)
T.assume(rho <= 1)
CLAIM = T.shows(
    D(n) <= (1 - gamma * mu) ** n * D(0) + 16 * gamma**2 * L * sigma**2 / (rho * mu)
)
""",
    "feedback": """
K, E, (v, e, c), delta = count("K"), mean("E", g, vector("c")), vectors("v e c"), positive("delta")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(v + e))
T.bounded_variance(E, g, f.grad(v + e), sigma)
T.assume(E((e + gamma * g - c) ** 2) <= (1 - delta) * E((e + gamma * g) ** 2))
T.assume(delta <= 1)
T.assume(8 * L * gamma <= delta)
T.iterate(v, v - gamma * g, k)
T.iterate(e, e + gamma * g - c, k)
F, R = T.sequence("F", f(v)), T.sequence("R", e**2)
T.assume(equal(R(0), 0))
noise = 4 * L * gamma * sigma**2 + 8 * L**2 * gamma**2 * sigma**2 / delta
CLAIM = T.shows(total(f.grad(v + e) ** 2, k, K) / K <= 8 * (F(0) - low) / (gamma * K) + noise)
""",
    "local": """
K, zeta, y, E = count("K"), positive("zeta"), vector("y"), mean("E", g)
T.smooth(f, L)
T.unbiased(E, g, f.grad(y))
T.bounded_variance(E, g, f.grad(y), sigma)
T.assume(f.grad(x) ** 2 <= zeta**2)
T.assume(8 * gamma * L * K <= 1)
T.assume(n <= K)
T.constant(x)
T.iterate(y, y - gamma * g, k)
R = T.sequence("R", (y - x) ** 2)
T.assume(equal(R(0), 0))
CLAIM = T.shows(R(n) <= 24 * K * gamma**2 * (K * zeta**2 + sigma**2))
""",
    "apart": """
K, y, m = count("K"), *vectors("y m")
E, avg = mean("E", g, over="sample"), average("avg", y, g, over="worker")
T.assume(avg(E(g**2)) <= A**2)
T.unbiased(avg, y, m)
T.constant(x)
T.iterate(y, y - gamma * g, k)
R, S = T.sequence("R", avg((y - x) ** 2)), T.sequence("S", avg((y - m) ** 2))
T.assume(equal(R(0), 0))
T.have(R(K) <= 2 * K**2 * gamma**2 * A**2)
T.have(S(k) <= R(k))
CLAIM = T.shows(S(K) <= 2 * K**2 * gamma**2 * A**2)
""",
    "page": """
K, p, b, h = count("K"), *positive("p b"), vector("h")
E, y = mean("E", h), x - gamma * g
T.smooth(f, L)
T.lower_bound(f, low)
T.assume(p <= 1)
away, moved = (1 - p) * (g - f.grad(x)) ** 2, (1 - p) * L**2 / b * (y - x) ** 2
T.assume(E((h - f.grad(y)) ** 2) <= away + moved)
T.assume(L * gamma * (1 + sqrt((1 - p) / (p * b))) <= 1)
T.iterate(x, y, k)
T.iterate(g, h, k)
F, V = T.sequence("F", f(x)), T.sequence("V", (g - f.grad(x)) ** 2)
T.assume(equal(V(0), 0))
CLAIM = T.shows(total(f.grad(x) ** 2, k, K) / K <= 2 * (F(0) - low) / (gamma * K))
""",
    "contracted": """
K, c, y = count("K"), vector("c"), x - gamma * g
T.smooth(f, L)
T.lower_bound(f, low)
T.assume(rho <= 1)
T.assume((c - (f.grad(y) - g)) ** 2 <= (1 - rho) * (f.grad(y) - g) ** 2)
theta = 1 - sqrt(1 - rho)
T.assume(L * gamma <= theta)
T.iterate(x, y, k)
T.iterate(g, g + c, k)
F, G = T.sequence("F", f(x)), T.sequence("G", (g - f.grad(x)) ** 2)
bound = 2 * (F(0) - low) / (gamma * K) + G(0) / (theta * K)
CLAIM = T.shows(total(f.grad(x) ** 2, k, K) / K <= bound)
""",
    "momentum": """
K, beta, x, star = count("K"), nonnegative("beta"), iterates("x", k), vector("x*")
T.smooth(f, L)
T.convex(f)
T.minimum(f, star)
T.assume(beta < 1)
T.assume(gamma * L <= 1 - beta)
T.iterate(x, x[k] - gamma * f.grad(x[k]) + beta * (x[k] - x[k - 1]))
F, D = T.sequence("F", f(x[k]) - f(star)), T.sequence("D", (x[k] - star) ** 2)
z, c = x[k] + beta / (1 - beta) * (x[k] - x[k - 1]), 2 * gamma * beta / (1 - beta) ** 2
W = T.sequence("W", (z - star) ** 2 + c * (f(x[k - 1]) - f(star)))
T.have(W(k + 1) <= W(k) - 2 * gamma / (1 - beta) * F(k))
start = beta / (1 - beta) * F(0) + (1 - beta) / (2 * gamma) * D(0)
CLAIM = T.shows(total(F(k), k, K) / K <= start / K)
""",
    "accelerated": """
s, x, star = positive("s"), iterates("x", k), vector("x*")
T.smooth(f, L)
T.strongly_convex(f, L * s**2)
T.minimum(f, star)
T.assume(s < 1)
y = x[k] + (1 - s) / (1 + s) * (x[k] - x[k - 1])
T.iterate(x, y - f.grad(y) / L)
F, D = T.sequence("F", f(x[k]) - f(star)), T.sequence("D", (x[k] - star) ** 2)
z = x[k] + (1 / s - 1) * (x[k] - x[k - 1])
V = T.sequence("V", f(x[k]) - f(star) + L * s**2 / 2 * (z - star) ** 2)
T.have(V(k + 1) <= (1 - s) * V(k))
CLAIM = T.shows(F(n) <= (1 - s) ** n * (F(0) + L * s**2 / 2 * D(0)))
""",
}
FALSE = {
    "unified": ("T.assume(B <= M * (rho - gamma * mu))", ""),
    "untold": ("T.assume(S(0) <= 0)", "T.assume(S(0) <= 1)"),
    "missed": ("+ gamma / rho * V(0)", ""),
    "estimated": ("T.assume(V(0) <= 0)", ""),
    "stale": ("(1 - gamma * mu) ** n", "(1 - 3 * gamma * mu) ** n"),
    "below": ("2 * L", "L"),
    "late": ("2 * (F(0)", "1 * (F(0)"),
    "two": ("5 * L * gamma <= 1", "L * gamma <= 5"),
    "copies": ("2 * (F(0)", "1 * (F(0)"),
    "bounded": ("T.assume(E(g**2) <= A**2)", ""),
    "flight": ("T.assume(N(k) <= gamma**2 * A**2)", ""),
    "unit": ("+ 2 * errors", "+ errors"),
    "drifting": ("T.assume(X(0) <= 0)", ""),
    "feedback": ("T.assume(equal(R(0), 0))", ""),
    "local": ("T.assume(n <= K)", ""),
    "apart": ("T.have(R(K) <= 2 * K**2 *", "T.have(R(K) <= K**2 / 2 *"),
    "page": ("T.assume(equal(V(0), 0))", ""),
    "contracted": ("G(0) / (theta * K)", "G(0) / (2 * theta * K)"),
    "momentum": ("gamma * L <= 1 - beta", "gamma * L <= 3"),
    "accelerated": ("L * s**2 / 2 * D(0)", "L * s**2 / 4 * D(0)"),
}
LOCAL = ("local", "apart")
TOLD = ("unified", "missed", "below", "unit", "contracted", "momentum", "accelerated", *LOCAL)
"""Those whose statement, or a line, says what the potential is."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FOUND)
def test_a_potential_is_found_and_none_of_what_is_false(name: str, tmp_path: Path) -> None:
    text = HEAD.format(name) + FOUND[name]
    path = written(tmp_path, text, f"{name}.py")
    assert {one.outcome for one in certified(path)} == {"found"}
    assert (WEIGHTS in data_of(path).read_text(encoding="utf-8")) is (name not in TOLD)
    made = claim_of(path).theorem
    assert made is not None
    assert prove(made).verdict is Verdict.PROVED
    assert text.count(FALSE[name][0]) == 1
    wrong = written(tmp_path, text.replace(*FALSE[name]), "wrong.py")
    assert "not found" in {one.outcome for one in certified(wrong)}
    lost = claim_of(wrong).theorem
    assert lost is not None
    assert prove(lost).verdict is Verdict.UNKNOWN


def test_the_mean_of_iterates_takes_no_place_among_points(tmp_path: Path) -> None:
    """Between x[k], x[k - 1], x[k + 1] and x* smoothness and convexity are said together."""
    text = (HEAD.format("mean") + FOUND["momentum"]).replace(
        "F, D =", 'T.averaged(vector("x̄"), x, K)\nF, D ='
    )
    made = claim_of(written(tmp_path, text, "mean.py")).theorem
    assert made is not None
    said = [one.name for one in offered(made).steps if one.name.startswith("interpolation, x* to")]
    assert "interpolation, x* to x[k]" in said
    assert not any("x̄" in one for one in said)


def test_what_is_said_already_is_not_asked_for() -> None:
    k, K, F = index("k"), count("K"), sympy.Function("F")
    goal, gain = le(total(F(k), k, K), 0), le(F(k + 1), F(k))
    assert "how small is F(K)?" in missing_line(goal, [gain, le(F(K), F(0))])
    assert missing_line(goal, [gain, le(F(K), F(0)), le(0, F(K))]) == ""


def test_a_line_that_is_false_is_not_proposed(tmp_path: Path) -> None:
    """A(k)/B(k + 1) is at least 0, and not at most."""
    text = """
A, B = T.sequence("A", nonnegative=True), T.sequence("B", positive=True)
T.assume(B(k + 1) <= B(k))
CLAIM = T.shows(total(A(k) / B(k + 1), k, count("K")) <= 0)
"""
    found = certified(written(tmp_path, HEAD.format("none") + text, "none.py"))
    assert found[-1].outcome == "not found"
    assert "would do" not in found[-1].why


def test_control_a_start_takes_no_name_of_an_author(tmp_path: Path) -> None:
    """Of any A, A(0) ≤ D(0) + F(0) is not so; of ‖x − x*‖² + f(x) − f(x*) it is."""
    text = """
x, star = iterates("x", k), vector("x*")
T.smooth(f, L)
T.convex(f)
T.minimum(f, star)
T.iterate(x, x[k] - gamma * f.grad(x[k]))
F, D = T.sequence("F", f(x[k]) - f(star)), T.sequence("D", (x[k] - star) ** 2)
W = T.sequence("W", (x[k] - star) ** 2 + f(x[k - 1]) - f(star))
A = T.sequence("W with nothing late")
T.assume(W(0) <= 1)
T.assume(A(k) >= 0)
CLAIM = T.shows(A(0) <= D(0) + F(0))
"""
    found = certified(written(tmp_path, HEAD.format("named") + text, "named.py"))
    assert found[-1].outcome == "not found"


def test_control_weights_of_another_sign_prove_nothing(tmp_path: Path) -> None:
    """They are read from the data file, and the line with them has no certificate."""
    path = written(tmp_path, HEAD.format("stale") + FOUND["stale"], "stale.py")
    certified(path)
    kept = data_of(path).read_text(encoding="utf-8")
    assert kept.count("-gamma*L**2/(2*(gamma*mu - 1))") >= 1
    data_of(path).write_text(
        kept.replace("-gamma*L**2/(2*(gamma*mu - 1))", "gamma*L**2/(2*(gamma*mu - 1))"),
        encoding="utf-8",
    )
    made = claim_of(path).theorem
    assert made is not None
    assert prove(made).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("name", "weights", "wrong"),
    [
        ("error_feedback/delayed", {"8*L**2*gamma**2", "8*L**2"}, ("gamma * (tau + 1)", "gamma")),
        (
            "async_sgd/window",
            {"8*p*gamma**2*L**2", "8*p**2*gamma**2*L**2"},
            ("8 * L**2 * gamma**2 * p *", "L**2 * gamma**2 * p *"),
        ),
    ],
)
def test_weights_of_papers_are_near_the_least(
    name: str,
    weights: set[str],
    wrong: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the line that says them; none where more is said than follows, or less assumed."""
    monkeypatch.setattr("theory.proving.weights.search", lambda *_: Searched(None))
    text = (Path(__file__).parents[2] / "examples" / "papers" / f"{name}.py").read_text("utf-8")
    text = re.sub(r"(?ms)^T\.have\(.*?^(?=CLAIM)", "", text)
    for edit, expected in ((("", ""), weights), (wrong, set[str]())):
        assert edit[0] in text
        path = written(tmp_path, text.replace(*edit, 1), f"claims_{len(expected)}.py")
        made = claim_of(path).theorem
        assert made is not None
        letters = {"gamma": sympy.Symbol("gamma")}
        found, known = (
            {sympy.sympify(one, letters) for one in some}
            for some in (weights_of(WEIGHED[made][0]).values(), expected)
        )
        assert found == known
