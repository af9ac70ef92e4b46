"""What rows of this paper rest on besides machine proofs: arguments in words, and who needs them.

An argument puts checked steps together; names in brackets are those of lemmas that are decided. A
row is listed where its verdict, one of its cases or one of its findings needs the argument; what a
row cites has a row of its own.
"""

from inspect import cleandoc

from theory.judging.arguments import in_full
from theory.papers.sapipe.lemmas import layer_induction

_COMPARISON = """
    Let f be twice differentiable on all of R^d with ‖∇f∇fᵀ − ∇²f‖ ≤ Δ everywhere, and m = √Δ. The
    norm of a symmetric matrix A is the largest |⟨u, Au⟩| over u of length 1, so that along every
    line φ(s) = f(x + su) has |φ′² − φ″| ≤ Δ. Take any x, let k = ‖∇f(x)‖ and suppose k > m; go
    along u = ∇f(x)/k. With h = e^{−φ} > 0, h′(0) = −k h(0) and h″ = h(φ′² − φ″) ≤ m²h.

    1. W = e^{−ms}(h′ + mh) has W′ = e^{−ms}(h″ − m²h) ≤ 0 [damped slope]. A function whose
       derivative is nowhere positive does not grow (mean value theorem), so W(s) ≤ W(0) = −(k −
       m)h(0) for s ≥ 0.
    2. So h′(s) = e^{ms}W(s) − mh(s) ≤ −(k − m)h(0), as e^{ms} ≥ 1 and h > 0 [steep].
    3. By the mean value theorem h(r) ≤ h(0) − r(k − m)h(0), which is 0 at r = 1/(k − m) [crosses].
       But h is positive. So k ≤ m, and ‖∇f(x)‖² ≤ Δ at every x.
    4. ⟨u, ∇²f u⟩ is at most Δ + ⟨∇f, u⟩² ≤ 2Δ and at least −Δ for u of length 1 [curvature, least
       curvature]. So ‖∇²f‖ ≤ 2Δ, and ∇f is 2Δ-Lipschitz (mean value inequality): L ≤ 2Δ for the
       least L.
    """

_PIECES = """
    A witness on the line is an even function given by pieces. On each piece slope and curvature are
    polynomials in one coordinate, and it is decided that the curvature is the derivative of the
    slope, that pieces agree where they meet, that the slope is 0 at 0 and the curvature 0 at the
    end, and the bounds of f″, f‴, f′ and weight·f′² − f″ on every piece. So f is twice
    differentiable, L bounds f″ ≥ 0, f″ is 2M-Lipschitz, so that |f′(y) − f′(x) − f″(x)(y − x)| is
    at most M(y − x)², f′ rises to its largest value, and beyond the last piece f is a line. For x <
    0 all signs are mirrored.

    What identifies the pieces is calculus: for c ln cosh x with u = tanh x, u′ = 1 − u², f′ = cu,
    f″ = c(1 − u²); u tends to 1, which no x attains, and constants are least upper bounds. For −ln
    cos x with u = tan x, u′ = 1 + u², f′ = u and f″ = 1 + u². Adding ±sx to the loss of a sample
    adds ±s to its gradient. For w_i ln cosh x on n workers all gradients are w_i tanh x, so the
    ratio Σ‖∇F_i‖²/‖Σ∇F_i‖² is the same at every x ≠ 0. F(x, y) = h(ax + by) with a² + b² = 1 has
    the gradient h′(a, b) and the Hessian h″(a, b)ᵀ(a, b), so its constants are those of h.
    """

_CIRCLING = """
    F(x, y) = p(x) + p(y) with p given by pieces. The Hessian is diagonal with entries between 0 and
    1: F is convex and L = 1; as p″ is 2M-Lipschitz, the remainder of Taylor's formula of ∇F is at
    most M times the vector of the squares of the coordinates' differences, which is no longer than
    the square of the distance. ∇F∇Fᵀ − ∇²F is between −L and ‖∇F‖² [convex misfit], and ‖∇F‖² is at
    most twice the square of the largest slope of p: Δ. F is least at 0, so that R₀ = F(x_0).

    All n workers have this loss and there is no noise: V₁ = 0, and Assumption 3 is not used. The
    run is made of sums and products of numbers, each replaced by an interval that holds it; the
    library's interval operations round outwards. So the mean of ‖∇F(x_{t−1})‖² is at least, and the
    largest ‖g_{i,t}‖² at most, what the ends say. No coordinate of a model or of a prediction
    leaves |u| ≤ U, where p′ = u − ku³, which the run takes for it.
    """

_LOOPS = """
    In a sequential model the sets from which Algorithms 4 and 5 draw hold one layer at a time, so
    that there is nothing to draw, and each loop visits the layers in one order. What an iteration
    of the loop leaves is then a function of what it finds, and of its layer's durations: a
    recursion from layer to layer. The lines are formulas over these variables, and what is decided
    of one step holds for every layer by induction. That the formulas are the whole algorithm is
    compared on all small models.
    """

_CLIPPED = """
    h is Huber's function on R^d, |y|²/2 up to |y| = ρ and ρ|y| − ρ²/2 beyond, f(x; z) = h(x + z)
    with z uniform on {−1, 1}^d, and there is one worker. ∇h clips y to the ball of radius ρ, which
    is its nearest point in a convex set and so does not expand: every f(·; z) is 1-smooth, the
    variance of ∇f(x; z) is at most that of z, V₁ = d, and ‖∇f‖² ≤ V₂ = ρ². F is even and convex, so
    least at x_0 = 0, and R₀ = 0. Compare with the run that never clips, y_t: its coordinates are
    independent copies of one run (elements are drawn independently), whose moments are exact. Let
    y_t stand for one coordinate, ρ² for ρ²/d, q_t for (y_t + z)².

    1. The runs agree until a gradient is clipped, at |y_t + z|² > ρ². That mean square over d
       coordinates has the variance Var q_t/d, so by Chebyshev's inequality it happens at t with
       probability at most Var q_t/(d(ρ² − E q_t)²); the sum over t ≤ T − 2 is δ.
    2. Where no gradient has been clipped x_t = y_t. Let C be the event that one has, of probability
       at most δ, and Y the mean of y_t² over the coordinates. E[Y; C] is at most δ(E y_t² + 1) +
       Var(y_t²)/(4d), as Y ≤ E y_t² + 1 + (Y − E y_t²)²/4 (u ≤ 1 + u²/4).
    3. ∇F(y) = y − e(y), where e is the mean of what clipping takes, and |e(y)| is at most E_z(|y +
       z|² − dρ²)⁺/(2√d ρ), as (r − ρ)⁺ ≤ (r² − ρ²)⁺/(2ρ). By Young's inequality ‖∇F‖² ≥ (1 − ε)‖y‖²
       − ‖e‖²/ε for every ε in (0, 1) (up to a factor below 1 of the last term), and by Jensen's
       E‖e‖² per coordinate is at most Var q_t/(4dρ²), since E[(u⁺)²] for u = |y + z|²/d − ρ² with E
       u ≤ 0 is at most its variance.

    So E‖∇F(x_t)‖²/d ≥ (1 − ε)(E y_t² − δ(E y_t² + 1) − Var(y_t²)/(4d)) − Var q_t/(4dερ²). All
    numbers in it are rational and exact, and its mean over t < T is above the printed bound.
    """

_MIXTURE = """
    F(x) = ψ(x_1) + φ(x_1 + x_2) with slopes that are clipped lines: ψ′ in [0, 1] and at most
    1/10-Lipschitz, φ′ in [−7/10, 0] and at most 9/20-Lipschitz. So ∇F is Lipschitz with 1/10 +
    2·9/20 = 1: |(v_1 + v_2)²| ≤ 2‖v‖². ‖∇F‖² = (ψ′ + φ′)² + φ′² is convex in the two slopes, so
    largest at a corner of their ranges, where it is 0, 1, 49/50 and 29/50. ψ and φ are bounded
    below, as each slope is 0 on the side to which the function falls. So L = V₂ = 1 and R₀ is
    finite.
    """

_HUBER = """
    With F_i = c_i h and h Huber's function of width w, ∇F_i = c_i·max(−w, min(w, x)). Clipping does
    not expand, so F_i is |c_i|-smooth; |∇F_i| ≤ |c_i|w; Σ‖∇F_i‖²/‖Σ∇F_i‖² is Σc_i²/(Σc_i)² wherever
    h′ ≠ 0; and F = c h with the mean c > 0 of the c_i is least at 0. All bounds are attained. The
    runs themselves are exact.
    """

_STANDING = """
    An iteration without noise is a function of the model and of the gradients that are held from
    the one before. Where both are after the second update what they were after the first, they stay
    so: x_t is the same for every t ≥ 1, and the mean over T iterations of ‖∇F‖² is (‖∇F(x_0)‖² + (T
    − 1)‖∇F(x_1)‖²)/T for every T.
    """

_ORDERS = """
    O(·) hides constants that do not depend on T, n and V₁. For each method a bound is proved with
    every constant explicit, as a sum of powers of T, for η = min(c/√T, b/L) with 0 < b ≤ 1. A term
    is C T^{−a} with C free of T, n, V₁; T^{−a} ≤ 1/√T for a ≥ 1/2 and T ≥ 1, so the sum is O(1/√T)
    + O(V₁/(n√T)). η proportional to min(1/√T, 1/L) is b = c ≤ 1; for c > 1 it is above 1/L until T
    ≥ c²L², and from there on the same as with b = 1. So a mean that tends to 0 is one over runs
    that each have a stepsize of their own.
    """

_FIXED_STEP = """
    On F = x²/2 with gradients x + z, z = ±1, and η = 1 an update is x − (x + z) = −z. So x_t = −z_t
    and E‖∇F(x_t)‖² = 1 for every t ≥ 1: with one stepsize for all lengths the gradient keeps its
    noise.
    """

ARGUMENTS = {
    name: cleandoc(text)
    for name, text in {
        "comparison along the gradient": _COMPARISON,
        "functions by pieces": _PIECES,
        "a run that circles": _CIRCLING,
        "induction over layers and iterations": in_full(layer_induction),
        "loops as recursions": _LOOPS,
        "noisy parabolas, clipped": _CLIPPED,
        "clipped slopes": _MIXTURE,
        "multiples of Huber's function": _HUBER,
        "standing still": _STANDING,
        "what O(·) hides": _ORDERS,
        "one stepsize for ever": _FIXED_STEP,
    }.items()
}
"""Every argument in full, by its name."""

_COMPARED = ("comparison along the gradient", "functions by pieces")
_LINES = ("loops as recursions", "induction over layers and iterations")

RESTS = {
    "sapipe.program": ("induction over layers and iterations",),
    "sapipe.no-stall": ("induction over layers and iterations",),
    "sapipe.alg-4": _LINES,
    "sapipe.alg-5": _LINES,
    "sapipe.assumption-3": ("functions by pieces",),
    "sapipe.assumption-4": _COMPARED,
    "sapipe.assumption-4-gradient": ("comparison along the gradient",),
    "sapipe.stale-bias": ("clipped slopes",),
    "sapipe.thm-2": ("noisy parabolas, clipped", "clipped slopes"),
    "sapipe.thm-2-own-samples": ("clipped slopes",),
    "sapipe.thm-3": _COMPARED,
    "sapipe.remark-3": _COMPARED,
    "sapipe.thm-4": ("multiples of Huber's function", "standing still"),
    "sapipe.remark-4": ("functions by pieces",),
    "sapipe.thm-5": ("multiples of Huber's function",),
    "sapipe.remark-5": ("functions by pieces",),
    "sapipe.thm-6": ("a run that circles", "functions by pieces"),
    "sapipe.remark-6": _COMPARED,
    "sapipe.cor-1": ("what O(·) hides",),
    "sapipe.remark-7": ("what O(·) hides", "one stepsize for ever"),
    "sapipe.prefix": ("multiples of Huber's function",),
}
"""Names of arguments by the row that rests on them."""
