"""What Assumption 3 says of the workers' gradients: how far they are from ∇F on average.

Problem    n workers, F the mean of the F_i, Σ‖∇F_i‖² ≤ ρ‖Σ∇F_i‖² at x.
Method     The sum is n∇F, so that the mean of ‖∇F_i‖² is at most nρ‖∇F‖².
Guarantee  the mean of ‖∇F_i − ∇F‖², which is less by ‖∇F‖², is at most (nρ − 1)‖∇F‖².
Source     ours: Assumption 3, put right.
"""

from theory.judging import prover
from theory.kernel import Average, Combine, Hypothesis, Theorem, vector
from theory.papers.sapipe import setting

n, rho, X = setting.letters("n rho X")

WORKER = vector("∇F_i(x)")
"""The gradient of worker i's objective at x_t."""

WORKERS = Average("avg_i", tuple(WORKER.names), over="worker")
"""Mean over the workers."""

OBJECTIVE = Hypothesis(
    "objective",
    "∇F(x) is the mean of the ∇F_i(x)",
    prover.eq(WORKERS.of(WORKER @ X.gradient), X.gradient**2),
)

DIVERSITY = Hypothesis(
    "diversity",
    "Σ‖∇F_i(x)‖² ≤ ρ‖Σ∇F_i(x)‖², the sum being n∇F(x) (Assumption 3)",
    prover.le(WORKERS.of(WORKER**2), n * rho * X.gradient**2),
)

CLAIM = THEOREM = Theorem(
    id="sapipe.diversity",
    where="ours",
    statement="Under Assumption 3 the mean over the n workers of ‖∇F_i(x) − ∇F(x)‖² is at most "
    "(nρ − 1)‖∇F(x)‖².",
    latex=(r"\tfrac1n \sum_i \|\nabla F_i(x) - \nabla F(x)\|^2 \le (n\rho - 1)\|\nabla F(x)\|^2"),
    symbols=(n, rho),
    vectors=(WORKER,),
    points=(X,),
    hypotheses=(OBJECTIVE, DIVERSITY),
    lhs=WORKERS.of((WORKER - X.gradient) ** 2),
    terms={"diversity": (n * rho - 1) * X.gradient**2},
    conclude=Combine({"diversity": 1, "objective": -2}),
)
