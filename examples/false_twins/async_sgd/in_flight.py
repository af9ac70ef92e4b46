"""The false twin of papers/async_sgd/in_flight.py: p for p².

With p = 3 equal gradients of norm G and no noise, ‖x − v‖² is 9γ²G².
"""

from theory.notation import average, count, function, positive, square, theorem, vectors

gamma, G = positive("gamma G")
p = count("p")
f, (x, v, h, noise) = function("f"), vectors("x v h_i ξ̄")
# g and x* are of the theorems that cite this one, and the same for all gradients in flight
g, star = vectors("g x*")
avg = average("avg", h, given=(g, f.grad(x), f.grad(star)), over="in flight")

T = theorem("async.in-flight-false", "false on purpose")
part = (x - v) / (gamma * p) - noise
T.unbiased(avg, h, part)
T.assume(avg(square(h)) <= G**2)
T.have(square(h - part) >= 0)
CLAIM = T.shows(square(x - v) <= 2 * gamma**2 * p * (G**2 + square(noise)))
