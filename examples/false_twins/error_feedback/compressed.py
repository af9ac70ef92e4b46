"""The false twin of papers/error_feedback/compressed.py: a sixteenth of the noise.

δ = 1 is SGD without compression; on Lx²/2 the mean of ‖∇f‖² tends to Lγσ²/(2 − Lγ), more than
stated for small Lγ.
"""

from theory.notation import (
    count,
    equal,
    function,
    index,
    mean,
    nonnegative,
    positive,
    real,
    square,
    theorem,
    total,
    vectors,
)

L, gamma, delta = positive("L gamma delta")
(M, sigma), low = nonnegative("M sigma"), real("f_low")
k, K = index("k"), count("K")
f, (v, e, g, c) = function("f"), vectors("v e g c")
x = v + e
E = mean("E", g, c)

T = theorem("ef.compressed-false", "false on purpose")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(x))
T.assume(E(square(g - f.grad(x))) <= M * square(f.grad(x)) + sigma**2)
T.assume(E(square(e + gamma * g - c)) <= (1 - delta) * E(square(e + gamma * g)))
T.assume(delta <= 1)
T.assume(4 * L * gamma * (2 + M * delta) <= delta)
T.iterate(v, v - gamma * g, k)
T.iterate(e, e + gamma * g - c, k)
F, S, R = T.sequence("F", f(v)), T.sequence("S", square(f.grad(x))), T.sequence("R", square(e))
T.assume(equal(R(0), 0))
T.have(F(k + 1) <= F(k) - gamma / 4 * S(k) + gamma * L**2 / 2 * R(k) + L * gamma**2 * sigma**2 / 2)
T.have(R(k + 1) <= (1 - delta / 2) * R(k) + gamma**2 * (2 / delta + M) * S(k) + gamma**2 * sigma**2)
w = gamma * L**2 / delta
noise = L * gamma**2 * sigma**2 / 2 + w * gamma**2 * sigma**2
T.have(F(k + 1) + w * R(k + 1) <= F(k) + w * R(k) - gamma / 8 * S(k) + noise)
CLAIM = T.shows(
    total(S(k), k, K) / K
    <= 8 * (F(0) - low) / (gamma * K)
    + L * gamma * sigma**2 / 4
    + 8 * L**2 * gamma**2 * sigma**2 / delta
)
