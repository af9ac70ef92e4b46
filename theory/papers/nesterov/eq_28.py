"""(28) with (29): λ_t = t and γ_t = (t − 2)/t make the sum telescope, except that γ_1 is another.

Problem    the condition under which the sum of line C of (26) telescopes.
Method     λ_t = t and γ_t = (t − 2)/t, put in.
Guarantee  1 + λ_{t+1}γ_{t+1} = λ_t for every t ≥ 1. (28) at t is about γ_{t+1}, so what is said of
           t ≥ 1 never asks for γ_1, which is 0 and not −1.
Source     Nesterov paper, (28) and (29).
"""

from theory.judging import prover
from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Hypothesis, Step, Theorem
from theory.kernel.prove import Proof
from theory.papers.nesterov.eq_27 import AFTER, AFTER_MOMENTUM, NEEDED
from theory.papers.nesterov.method import FIRST, MOMENTUM
from theory.papers.nesterov.symbols import lam, t

_THEN = MOMENTUM.subs(t, t + 1)

THEOREM = Theorem(
    id="nesterov.eq-28",
    where="(28), (29)",
    statement="λ_t = t and γ_t = (t − 2)/t satisfy 1 + λ_{t+1}γ_{t+1} = λ_t for every t ≥ 1.",
    latex=r"1 + \lambda_{t+1}\gamma_{t+1} = \lambda_t",
    symbols=(t, lam, AFTER, AFTER_MOMENTUM),
    hypotheses=(
        Hypothesis("weight", "λ_t = t", prover.eq(lam, t)),
        Hypothesis("weight after", "λ_{t+1} = t + 1", prover.eq(AFTER, t + 1)),
        Hypothesis("momentum after", "γ_{t+1} = (t − 1)/(t + 1)", prover.eq(AFTER_MOMENTUM, _THEN)),
    ),
    steps=(
        Step(
            "share",
            prover.eq(1 - AFTER_MOMENTUM, 2 / (t + 1)),
            Combine({"momentum after": -1}),
            "1 − γ_t = 2/t, for t ≥ 2",
            "(29)",
        ),
    ),
    kind="==",
    lhs=NEEDED.relation.lhs,
    terms={"weight": lam},
    conclude=Combine({"weight": -1, "weight after": AFTER_MOMENTUM, "momentum after": t + 1}),
)


def _remarks(proof: Proof) -> tuple[prover.Finding, ...]:
    """That (29) and the method say different things of γ_1."""
    said = MOMENTUM.subs(t, 1)
    if said == FIRST or not prover.proves(proof):
        return ()
    return (
        prover.Finding(
            "missing-condition",
            "(29)",
            "(29) is for t ≥ 2: the method starts with γ_1 = 0, which the last line of (30) needs",
            {
                "t": 1,
                "gamma_1 of (29)": str(said),
                "gamma_1 of the method": str(FIRST),
                "lambda_1 (1 - gamma_1), for which (30) has 2": str(1 - FIRST),
            },
            repaired=prover.Repair(THEOREM.statement, (proof,)),
        ),
    )


CLAIM = as_claim(THEOREM, remarks=_remarks)
