"""How large the whole gradient at the stale point can be.

Problem    Every block gradient of every component of f has norm at most G.
Method     RPD; x̂ is the stale point at which the gradient is taken.
Guarantee  ‖∇f(x̂)‖² ≤ pG² on every path: p blocks, each a mean of block gradients (Jensen).
Source     ours.
"""

from theory.notation import equal, index, mean, theorem, total, vectors
from theory.papers.rpd.method import f, old
from theory.papers.rpd.symbols import G, p

part, drawn = vectors("v_i g_i")
"""Block i of ∇f(x̂), and of the gradient of one component there."""
avg = mean("avg_m", drawn)
i = index("i")

T = theorem("rpd.stale-gradient", "ours", f)
T.along(i)
BLOCK = T.sequence("v²", part**2)
T.assume(
    drawn**2 <= G**2,
    "component blocks",
    "Assumption B.5: every block gradient of every component has norm at most G",
)
T.assume(
    equal(avg(drawn @ part), part**2),
    "mean of components",
    "f is the mean of its components",
)
T.assume(
    equal(f.grad(old) ** 2, total(BLOCK(i), i, p)),
    "gradient by blocks",
    "a squared norm is the sum over blocks",
)
T.have(part**2 <= G**2, says="Jensen's inequality")
CLAIM = THEOREM = T.shows(f.grad(old) ** 2 <= p * G**2, says="‖∇f(x̂^k)‖² ≤ pG² on every path.")
