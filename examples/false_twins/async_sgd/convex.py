"""The false twin of papers/async_sgd/convex.py: p = 1 for every p.

f(x) = G|x| and every delay p: x swings by about γGp, so that the mean of f is about γG²p/2.
"""

from theory.notation import (
    average,
    count,
    function,
    index,
    mean,
    nonnegative,
    positive,
    square,
    theorem,
    total,
    vectors,
)

(gamma, G), sigma = positive("gamma G"), nonnegative("sigma")
k, (p, K) = index("k"), count("p K")
f, (x, v, star, g, h, noise) = function("f"), vectors("x v x* g h_i ξ̄")
E = mean("E", g)
avg = average("avg", h, given=(g, f.grad(x), f.grad(star)), over="in flight")

T = theorem("async.convex-false", "false on purpose")
T.convex(f)
T.minimum(f, star)
T.bounded_gradient(f, G)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.iterate(v, v - gamma * g, k)
part = (x - v) / (gamma * p) - noise
T.unbiased(avg, h, part)
T.assume(avg(square(h)) <= G**2)
T.have(square(h - part) >= 0)
T.have(square(x - v) <= 2 * gamma**2 * p**2 * (G**2 + square(noise)))
F, D = T.sequence("F", f(x) - f(star)), T.sequence("D", square(v - star))
N = T.sequence("N", square(noise))
T.assume(N(k) <= sigma**2 / p)
T.have(
    E(square(v - gamma * g - star))
    <= square(v - star)
    - 2 * gamma * (f(x) - f(star))
    + gamma**2 * ((3 * p + 1) * G**2 + sigma**2)
    + 2 * p * gamma**2 * square(noise)
)
CLAIM = T.shows(
    total(F(k), k, K) / K <= D(0) / (2 * gamma * K) + gamma / 2 * (4 * G**2 + 3 * sigma**2)
)
