"""What rows of this paper rest on besides machine proofs: arguments in words, and who needs them.

An argument puts decided lemmas together, whose names stand in brackets; they are steps of the rows.
A row is listed where its verdict, one of its cases or one of its findings needs the argument; what
a row cites has a row of its own.
"""

from inspect import cleandoc

_CHANGE_OF_UNITS = """
    Huber's function of curvature a is a·h, with h(y) = y²/2 for |y| ≤ 1 and |y| − 1/2 beyond; it is
    convex and a-smooth, its slopes are at most a, and its minimum is 0, at 0. As ∇(a h) = a h′, the
    method with stepsize η on a·h makes the same w_t as with stepsize c = ηa on h, and values are a
    times as large. For a ≤ β it is β-smooth too. With A_t = (w_{t+1} − w_t)/c a step on h is A_t =
    (1 − 2/t)A_{t−1} − (2/t)h′(y_t), and ηa(τ − 1) = ck is called κ, with k = τ − 1.

    With η = s/β for a number s, a = β/(s(τ − 1)) makes κ = 1; it is at most β for τ ≥ 1 + 1/s. If
    ηβ(τ − 1) = κ′ > 1/4, then a = β min(1, 3/(4κ′)) ≤ β makes κ = 1/4 + σ with σ in (0, 1/2].
    """

_NO_CONVERGENCE = """
    On Huber's function h, from far enough, t^r E_t stays above a constant, where E_t = w_t² − (c +
    S/2)w_t A_{t−1} + (ct/2)A_{t−1}² and r in [0, 1), S and κ are those of a certificate, whose
    matrices are checked for every τ ≥ 2 and every t ≥ T₀. Suppose otherwise that t^q (f(w_t) − f*)
    is bounded along the run, with q > r (or, with r = 0, that f(w_t) → f*). As h vanishes at 0 only
    and grows without bound, w_t → 0, and with it y_t = w_{t−τ} + d_{t−τ}.

    1. |A_t| ≤ 1 for t ≥ 2 [steps]: it is a mean of the move before and of a slope of at most 1, and
       γ_2 = 0, so that nothing depends on γ_1. A changes by at most 4/t [changes], so by at most
       4n/(t − τ) over n of the last τ iterations, and the sum of these distances is at most half of
       n(n − 1) such [drift, sums: each is the step of an induction on n that begins with 0]. So y_t
       = w_t − κA_{t−1} + e_t with |e_t| ≤ 2κk/(t − τ) [look-ahead].
    2. Let w_1 ≥ 1 + cT₀. No step is longer than c, so y_t, which is w_{t−τ} and at most one step,
       is at least w_1 − c(t − 1) ≥ 1 for all t ≤ T₀. As y_t → 0 there is a last S with |y_S| ≥ 1,
       and S + 1 ≥ T₀. Then |w_{S+1} − cτA_S| ≥ 9/10 [return], so E_{S+1} ≥ 1/2 [the certificate
       lands].
    3. For t > S the slope is y_t itself. Suppose t^r E_t ≥ T₀^r/2, as at t = S + 1. As r ≤ 1 and t
       ≥ T₀, E_t ≥ T₀/(2t), so that e_t² ≤ bE_t/t [errors], and E_{t+1} ≥ (1 − r/(t + 1))E_t [the
       certificate grows]. By Bernoulli's inequality, (1 − x)^r ≤ 1 − rx for r and x in [0, 1], at x
       = 1/(t + 1), that is at least (t/(t + 1))^r E_t. So t^r E_t never falls, and by induction t^r
       E_t ≥ T₀^r/2 for every t > S.
    4. Let h_t be the supremum of |w_s| over s ≥ t − τ − 2, and t so late that 3h_t ≤ 1. From there
       on moves v = w_{t+1} − w_t are at most 2h_t and change by at most (4 + 6c)h_t/t [quiet]. If
       |v_t| is V, the next n = ⌈√t⌉ moves have its sign and size up to what they change, so they
       add up to at least nV less n(n − 1)/2 such changes [sums]; but w moves by at most 2h_t. So √t
       V ≤ (4 + 3c)h_t [still], and E_t, whose last term is t v²/(2c), is at most a constant times
       h_t². As t^{q/2} h_t is bounded with q > r (or h_t → 0), t^r E_t → 0, against 3.

    A run with E_{T₀} ≥ 1/2, wherever it comes from, does the same: it stays where |y_t| < 1 from T₀
    on, and 3 starts there, or it leaves, and 2 starts at its last return. If f(w_t) does not
    converge, 4 with r = 0 bounds how far: E_t ≥ 1/2 for late t, and if |w_t| ≤ h ≤ 1/3 from some t
    on, then E_t ≤ h²(1 + (4 + 3c)²/(2c)) in the limit; so the limit superior of f(w_t) − f* is at
    least half of the lesser of 1/9 and of the h² at which this is 1/2.
    """

_SMALL_EXCESSES = """
    Let f have a minimiser w* and gradients of at most G, and η = 1/β.

    1. By (30), which is proved, f(w_{t+1}) − f* ≤ (Ω_1 + … + Ω_t)/t + β‖w_1 − w*‖²/(2t). If the sum
       is o(t), then f(w_t) → f*.
    2. Let √t‖w_{t+1} − w_t‖ → 0. Δ̄_t = (w_t + d_t) − (w_{t−τ} + d_{t−τ}) is no longer than the
       last τ steps, the one before w_t and the one before w_{t−τ} together, as d_s is γ_s ≤ 1 times
       the step before w_s; each of these τ + 2 lengths times √t tends to 0, τ being fixed. So
       √t‖Δ̄_t‖ → 0, and Ω_t is at most βε²/2 + 2Gε for every ε > 0 and late t [small]. So the limit
       superior of Ω_t is at most 0, and that of the mean (Ω_1 + … + Ω_t)/t too: f(w_t) → f* by 1.
    3. On Huber's function of curvature β/(τ − 1) f(w_t) does not converge to f*, for every τ ≥ 2
       ("no convergence"). So on these runs the sum of the excesses is not o(t), √t‖w_{t+1} − w_t‖
       does not tend to 0, and no rate that implies either holds.
    """

_LINE = """
    On a line f(w) = Gw every gradient is G, wherever it is taken, so the delay does not matter, and
    v_t = w_{t+1} − w_t obeys v_t = γ_t v_{t−1} − (1 − γ_t)ηG. As γ_1 = γ_2 = 0, v_1 and v_2 are
    −ηG, and by induction every later v_t is [steady]. After any warm-up t(t − 1)(v_t + ηG) is the
    same number in all iterations [settles], so v_t → −ηG. So no rate that tends to 0 bounds
    ‖w_{t+1} − w_t‖; and Ω_t, which has a closed form, is at least (G²/β)τ²t/2 for τ ≥ 1 and t ≥ τ +
    2, so that no rate below t² bounds the sum.

    A line has no minimiser, but Huber's function with slope G has one, and is a line beyond its
    edge: from w_1 at a distance of more than T + 1 steps from it, every w_t and w_t + d_t with t ≤
    T is beyond it, and the run up to T is that on a line. As T is any number and the slope and
    curvature stay the same, no constant made of β, G and τ alone turns such a rate into a bound.
    """

_TURNING = """
    Let f(w) = w²/2 and τ = 1, so that ḡ_t = y_t = w_{t−1} + d_{t−1}; v_t = w_{t+1} − w_t, and η =
    a/β with 1 ≤ a ≤ 2. From t = 3 on y_t = w_t + 2a/(t − 1)·y_{t−1} [read], and M_t = t(t − 1)v_t
    has M_t = M_{t−1} − 2a(t − 1)y_t. Call t − 1 a departure if v_{t−1} > 0 > y_{t−1}, or both the
    other way round. The run turns after every departure and departs again: let v_{t−1} > 0 (else
    change all signs), and suppose v > 0 for ever.

    1. While w < 0, y ≤ w < 0 [below: y_{t−1} < 0 gives y_t ≤ w_t, at every t as long as w < 0]. So
       M rises, and w_n − w_t is at least M_t(1/(t − 1) − 1/(n − 1)) [way: the step of an induction
       on n, which begins with 0 at n = t]; so w_n ≥ 0 at the latest for n = 2t − 1 [crosses].
    2. As w rises, w_t ≥ m from some t ≥ 9 on, for some m > 0. A y below −m is halved every time
       [shrinks], so that some y is at least −m; from then on y_t ≥ m/2 for ever [stays], and M
       falls by (t − 1)m every time [falls], so that it does not stay positive: a contradiction.

    So there is a first t with v_t ≤ 0 < v_{t−1}. Then y_t > 0 and w_t ≥ 0 [turned], and the run
    departs the other way, at t, or at t + 1 if v_t = 0 [rests]. The first departure is t = 2, where
    γ_2 = 0 gives v_2 = −a y_2, and y_2 = w_1 ≠ 0. So there are infinitely many turns.

    For τ = 1 Δ_t = v_{t−1} and d̄_t = γ_{t−1}v_{t−2}: after a turn the cosine of the two is −1, or
    there is none as one of them is 0. So it has no limit above −1.

    3. v_t/w_1 is a polynomial in a, without a constant term, as nothing moves if a = 0, and with −1
       as the coefficient of a [linear]. So it is 0 for finitely many a, and for all but countably
       many a no v_t is 0: then the cosine is −1 for infinitely many t.
    """

_ONE_VECTOR = """
    The formulas of (18), (19) and (20) are linear in the vectors d, h̄, ḡ and w, with numbers γ, η
    beside them. Each vector is taken with one fixed vector, so that sequences of numbers stand for
    sequences of vectors, and the identities are shown for every sequence of numbers. As the fixed
    vector is any, both sides have the same inner product with every vector; their difference then
    has the inner product 0 with itself, and the two sides are equal.
    """

_RATES = """
    A rate is a formula in t made of sums, products, rational powers and logarithms. For large t it
    is c t^a (ln t)^b (ln ln t)^d (1 + o(1)) with c ≠ 0, which is worked out from its parts: factors
    multiply, of summands the largest counts (where the largest cancel, nothing is read), and the
    logarithm of c t^a … is a ln t + O(ln ln t). One rate is slower than another if its (a, b, d)
    comes later in lexicographic order, as t grows faster than every power of ln t, and that than
    every power of ln ln t; it tends to 0 if (a, b, d) comes before (0, 0, 0). What is not of this
    form is no rate, and nothing is said of it.
    """

_COUNTING = """
    A stage updates its weights at the end of every K-th of its backwards, so that n backwards make
    ⌊n/K⌋ updates. With L = P − i, the backwards before forward m ≥ L are those numbered n < m − L
    [order], m − L of them, and those before backward m are n < m, m of them. So ⌊m/K⌋ − ⌊(m − L)/K⌋
    updates lie between the two; what that number is, is decided by quotients and remainders
    [updates]. Only the order of actions on a rank enters, so durations do not matter. That the
    family's runs have these delays is compared for small P and K.
    """

_SYLVESTER = """
    That an energy grows is the positive definiteness of a symmetric matrix of rational functions of
    k, t and σ. Their domain is written with variables x, y, z ≥ 0, k = 1 + y, σ = 1/(2 + z) and t =
    T₀ + x, and denominators, shown positive, are cleared. A polynomial without negative
    coefficients and with a positive constant one is positive there; so are all leading minors, and
    by Sylvester's criterion the matrix is positive definite at every point of the domain.
    """

ARGUMENTS = {
    name: cleandoc(text)
    for name, text in {
        "change of units": _CHANGE_OF_UNITS,
        "no convergence": _NO_CONVERGENCE,
        "small excesses": _SMALL_EXCESSES,
        "a run on a line": _LINE,
        "turning for ever": _TURNING,
        "one fixed vector": _ONE_VECTOR,
        "how rates compare": _RATES,
        "counting updates": _COUNTING,
        "Sylvester's criterion": _SYLVESTER,
    }.items()
}
"""Every argument in full, by its name."""

_GROWTH = ("change of units", "no convergence", "Sylvester's criterion")
_LATER = (*_GROWTH, "small excesses", "a run on a line", "how rates compare")

RESTS = {
    "nesterov.eq-5": ("counting updates",),
    "nesterov.eq-18": ("one fixed vector",),
    "nesterov.eq-19": ("one fixed vector",),
    "nesterov.eq-20": ("one fixed vector",),
    "nesterov.prop-1": ("turning for ever",),
    "nesterov.prop-1-repaired": ("one fixed vector",),
    "nesterov.eq-31": _LATER,
    "nesterov.eq-33": _LATER,
    "nesterov.thm-1": _LATER,
    "nesterov.stepsize-limit": _GROWTH,
}
"""Names of arguments by the row that rests on them."""
