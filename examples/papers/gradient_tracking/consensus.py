"""Gradient tracking: workers that mix with their neighbours agree at a linear rate.

Problem: workers hold iterates and estimates of the mean gradient; each step mixes both with the
neighbours. x and y are how far a worker's iterate and estimate are from the means over workers.
Method: x⁺ = w − γv and y⁺ = v + h, where w and v are x and y after mixing, and h is how the
worker's gradient changes, less its mean.
Guarantee: mixing shrinks by ρ < 1, ‖h‖ ≤ L‖x⁺ − x‖ and 8Lγ ≤ (1 − ρ)², all in the mean over
workers; then Σ ‖x‖² over K iterations is at most 2/(1 − ρ) (X_0 + (1 − ρ)²/(16L²) Y_0).
Source: the consensus part of Qu and Li 2018 and Nedić, Olshevsky and Shi 2017; constants are ours.
That the mean iterate moves as well, and h with it, is left out.
"""

from theory.notation import average, count, equal, index, positive, theorem, total, vectors

L, gamma, rho = positive("L gamma rho")
k, K = index("k"), count("K")
x, w, x_next, y, v, y_next, h = vectors("x w x⁺ y v y⁺ h")
avg = average("avg", x, w, x_next, y, v, y_next, h)

T = theorem("tracking.consensus", "Qu and Li 2018, the consensus part")
T.assume(rho < 1)
T.assume(8 * L * gamma <= (1 - rho) ** 2)
T.assume(avg(w**2) <= rho**2 * avg(x**2))
T.assume(avg(v**2) <= rho**2 * avg(y**2))
T.assume(avg(h**2) <= L**2 * avg((x_next - x) ** 2))
T.assume(equal(x_next, w - gamma * v))
T.assume(equal(y_next, v + h))
T.iterate(x, x_next, k)
T.iterate(y, y_next, k)
X, Y = T.sequence("X", avg(x**2)), T.sequence("Y", avg(y**2))
rest = 1 - rho
T.have(x_next**2 <= w**2 / rho + gamma**2 / rest * v**2)
T.have((x_next - x) ** 2 <= 4 * w**2 + 4 * x**2 + 2 * gamma**2 * v**2)
T.have(y_next**2 <= v**2 / rho + h**2 / rest)
T.have(X(k + 1) <= rho * X(k) + gamma**2 * rho**2 / rest * Y(k))
T.have(Y(k + 1) <= (rho + 2 * L**2 * gamma**2 / rest) * Y(k) + 8 * L**2 / rest * X(k))
c = 16 * L**2 / rest**2
CLAIM = T.shows(total(X(k), k, K) <= 2 / rest * (X(0) + Y(0) / c))
