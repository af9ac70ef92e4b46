"""With n gradients in flight, the virtual iterate is near the real one.

Method: x − v = γ times the sum of the gradients in flight, p of them, each ∇f at the point where
its worker stands, plus noise. The mean of the p noises is ξ̄.
Guarantee: if ‖∇f‖ ≤ G then ‖x − v‖² ≤ 2γ²p²(G² + ‖ξ̄‖²), whatever the delays.
Source: Mishchenko, Bach, Even and Woodworth 2022, the distance of virtual iterates; p = M − 1 for M
workers.
"""

from theory.notation import average, count, function, positive, theorem, vectors

gamma, G = positive("gamma G")
p = count("p")
f, (x, v, h, noise) = function("f"), vectors("x v h_i ξ̄")
# g and x* are of the theorems that cite this one, and the same for all gradients in flight
g, star = vectors("g x*")
avg = average("avg", h, given=(g, f.grad(x), f.grad(star)), over="in flight")

T = theorem("async.in-flight", "Mishchenko et al. 2022, distance of virtual iterates")
part = (x - v) / (gamma * p) - noise
T.unbiased(avg, h, part)
T.assume(avg(h**2) <= G**2)
CLAIM = T.shows((x - v) ** 2 <= 2 * gamma**2 * p**2 * (G**2 + noise**2))
