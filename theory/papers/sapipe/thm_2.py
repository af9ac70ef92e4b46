"""Theorem 2: vanilla SAPipe, a mixture of fresh gradients and of gradients one update old.

Problem    F is L-smooth and at least F(x_*); n workers, variance V₁, norms at most √V₂, η ≤ 1/L.
Method     vanilla SAPipe. Section 3.1 gives the mixture by Algorithm 1, and that fixes the samples:
           line 8 takes ∇f(x_{t−1}; z_{i,t}), and line 9, one iteration later, ∇f(x_{t−1}; z_{i,t})
           again. The printed proof takes stale elements to have samples that x_{t−1} does not
           depend on. For 0 < κ < 1 they are in it.
Guarantee  False: for κ = 1/4 the bound 2R₀/(ηT) + κL²η²V₂ + LηV₁/n fails with Lη = 1 and with Lη =
           4/5. It holds where 2κ√(1 − κ) ≤ 1 − Lη, from rest, and with a first iteration that
           passes if κLη(2 − Lη) ≤ 1 − Lη too; with samples of their own it holds everywhere.
Source     SAPipe paper, Theorem 2.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from theory.judging import prover
from theory.kernel import Theorem, prove
from theory.papers.sapipe import (
    lemma_1,
    pipe_sgd,
    stale_bias,
    thm_2_algorithm_1,
    thm_2_pass,
    thm_2_reuse,
    thm_2_samples,
)
from theory.papers.sapipe.lemmas import (
    biased,
    same_samples,
    sgd,
    thm_2_mixture,
    thm_2_one_iteration,
    thm_2_reuse_pass,
    workers,
)
from theory.papers.sapipe.lemmas.thm_2_mixture import PROOF
from theory.papers.sapipe.pieces import stating
from theory.papers.sapipe.symbols import T, kappa
from theory.papers.sapipe.witnesses.refuting import unlike
from theory.papers.sapipe.witnesses.reuse_line import replay
from theory.papers.sapipe.witnesses.thm_2_witness import RUNS, refutations


def as_printed(
    theorem: Theorem, printed: prover.Formulas, at: Mapping[Any, Any] | None = None
) -> tuple[prover.Ground, ...]:
    """A theorem with the printed terms, at these values of symbols.

    Terms that the theorem lacks must not be negative there: it is then the stronger statement.

    Examples
    --------
    >>> from theory.judging.decide import proves
    >>> printed = dict(CLAIM.printed)
    >>> proves(*as_printed(sgd.THEOREM, printed, {kappa: 0}))
    True
    >>> proves(*as_printed(sgd.THEOREM, {**printed, "staleness": kappa - 1}, {kappa: 0}))
    False
    """
    there = {name: form.subs(at or {}) for name, form in printed.items()}
    extra = (form for name, form in there.items() if name not in theorem.terms)
    return (*map(prover.nonnegative, extra), stating(theorem, there))


def _cases(
    printed: prover.Formulas, found: Mapping[Fraction, prover.Refutation]
) -> tuple[prover.Case, ...]:
    passing = (
        *as_printed(thm_2_pass.THEOREM, printed, {T: thm_2_pass.m + 2}),
        *as_printed(thm_2_one_iteration.THEOREM, printed, {T: 1}),
    )
    return (
        prover.Case(
            "kappa = 0", prover.Decision(as_printed(sgd.THEOREM, printed, {kappa: 0})), "SGD"
        ),
        prover.Case(
            "kappa = 1, from rest",
            prover.Decision(as_printed(pipe_sgd.THEOREM, printed, {kappa: 1})),
            "PipeSGD, which uses no sample twice",
        ),
        prover.Case(
            "kappa = 1, the first iteration passes",
            prover.Decision(passing),
            "not in the printed proof; what it drops pays for the first update",
        ),
        prover.Case(
            "0 < kappa < 1, from rest, 2 kappa sqrt(1 - kappa) <= 1 - L eta",
            prover.Decision(as_printed(thm_2_reuse.THEOREM, printed)),
            "so for every kappa if L eta <= 1 - 4/(3 sqrt(3))",
        ),
        prover.Case(
            "0 < kappa < 1, the first iteration passes, 2 kappa sqrt(1 - kappa) <= 1 - L eta and "
            "kappa L eta (2 - L eta) <= 1 - L eta",
            prover.Decision(as_printed(thm_2_algorithm_1.THEOREM, printed)),
            "Algorithm 1 as it is printed; for every kappa if L eta <= 1 - 4/(3 sqrt(3))",
        ),
        prover.Case(
            "0 < kappa < 1, from rest or the first iteration passes, stale elements with samples "
            "of their own",
            prover.Decision((*as_printed(thm_2_samples.THEOREM, printed), *passing)),
            "what the printed proof takes for granted, and Algorithm 1 does not do",
        ),
        *(
            prover.Case(
                f"kappa = {runs[0].share}, L eta = {runs[0].eta}",
                prover.Decision(fails=found.get(runs[0].eta)),
                "from rest and with a first iteration that passes: samples that are used twice "
                "add more than the bound allows",
            )
            for runs in RUNS
        ),
        prover.Case(
            "all other 0 < kappa < 1: longer steps, from rest or the first iteration passes",
            prover.OPEN,
            f"{same_samples.THEOREM.id} and {thm_2_reuse_pass.THEOREM.id} bound it, with "
            "(1 + 2 kappa sqrt(1 - kappa))/(2 - L eta) times the variance term",
        ),
    )


def _account(printed: prover.Formulas) -> prover.Account:
    found = refutations(printed)
    return prover.Account(
        prover.Decision(fails=next(iter(found.values()), None)),
        cases=_cases(printed, found),
        assumes=(
            "vanilla SAPipe is the mixture of section 3.1, with the samples of Algorithm 1: one "
            "z_{i,t} a worker and iteration",
            "E[·|past] is given all samples of earlier iterations",
            "the same elements are stale on all workers, drawn anew in every iteration "
            "(Assumption 5); a fixed part of the layers is sapipe.prefix",
            "the estimates are put together by hand, from Chebyshev's, Young's and Jensen's "
            "inequalities: the argument 'noisy parabolas, clipped'",
        ),
        steps=(
            _used_twice(),
            *(
                line
                for theorem in (lemma_1, workers, stale_bias, biased)
                for line in prove(theorem.THEOREM).lines
            ),
            thm_2_mixture.line(),
            *prove(thm_2_samples.THEOREM).lines,
        ),
        findings=tuple(_findings(found)),
    )


def _coins() -> dict[str, Any]:
    return replay(Fraction(1, 2), Fraction(1, 4))


def _used_twice() -> prover.Line:
    """The first line of the printed proof."""
    return prover.Line(
        PROOF,
        "E[g_{i,t}] = ∇F_i(x_{t−2}) for stale elements, given the past",
        "exact enumeration of the coins: false with the samples of Algorithm 1",
        prover.Decision(fails=unlike(_coins, "E<∇F(x_1), z_1>", "==")),
    )


def _findings(found: Mapping[Fraction, prover.Refutation]) -> Iterator[prover.Finding]:
    own, passing = prover.Repair.by(thm_2_samples.THEOREM), prover.Repair.by(thm_2_pass.THEOREM)
    yield from (_needed(one.witness, own) for one in found.values())
    yield prover.Finding(
        "invalid-step",
        f"{PROOF}, E[g_{{i,t}}] = ∇F_i(x_{{t−2}})",
        "x_{t−1} depends on z_{i,t−1} wherever κ < 1, so that the stale gradient with this "
        "sample is biased given x_{t−1}: after two updates the printed line is exceeded",
        _coins(),
        repaired=prover.Repair.by(same_samples.THEOREM),
    )
    yield thm_2_mixture.finding(prover.Repair.by(stale_bias.THEOREM))
    yield prover.Finding(
        "missing-condition",
        "Algorithm 1, t = 1",
        "where the first iteration passes, its stale elements miss ∇F(x_0) altogether, and the "
        "proof has no term for that; with κ = 1, with samples of their own, or with short steps, "
        "the bound holds all the same",
        shown=(thm_2_pass.THEOREM, thm_2_algorithm_1.THEOREM),
        repaired=passing,
    )
    yield prover.Finding(
        "superfluous-condition",
        "Assumption 5",
        "elements need not be drawn independently of each other: that each is stale with "
        "probability κ, whatever the past and the samples are, is all the proof uses",
        shown=(thm_2_samples.THEOREM,),
        repaired=own,
    )
    yield prover.Finding(
        "typo",
        f"{PROOF}, telescoping",
        "κ is missing before L²η²(1/T)Σ, and so is t = 2",
        {"printed": "L²η²(1/T)Σ_{t=3}", "meant": "κL²η²(1/T)Σ_{t=2}"},
    )
    yield prover.Finding(
        "typo",
        f"{PROOF}, the variance term",
        "∇f_i(x_{t−2}) stands for ∇F_i(x_{t−2}); further on it is a stochastic gradient",
        {"printed": "∇f_i(x_{t−2})", "meant": "∇F_i(x_{t−2})"},
    )


def _needed(found: Mapping[str, Any], own: prover.Repair) -> prover.Finding:
    at = f"κ = {found['kappa']} and Lη = {found['eta']}"
    return prover.Finding(
        "missing-condition",
        "Theorem 2 with the samples of Algorithm 1",
        "the proof needs stale elements with samples of their own, which Algorithm 1 does not give "
        f"them; at {at} those that are used twice add more than the bound allows",
        found,
        repaired=own,
    )


_OWN = prover.as_claim(thm_2_samples.THEOREM)

CLAIM = prover.Claim(
    "sapipe.thm-2",
    "Theorem 2",
    "Under Assumptions 1, 2, 5 and 6 and η ≤ 1/L vanilla SAPipe has a mean over t ≤ T of "
    "E‖∇F(x_{t−1})‖² of at most 2R₀/(ηT) + κL²η²V₂ + LηV₁/n.",
    r"\tfrac1T \sum_{t=1}^T \mathbb{E}\|\nabla F(x_{t-1})\|^2 \le \tfrac{2R_0}{\eta T} + "
    r"\kappa L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}",
    account=_account,
    printed=thm_2_samples.THEOREM.terms,
    core=_OWN.core,
    holds=_OWN.holds,
    weakened=_OWN.weakened,
    depends=tuple(
        one.THEOREM.id
        for one in (
            lemma_1,
            workers,
            stale_bias,
            biased,
            thm_2_samples,
            thm_2_pass,
            same_samples,
            thm_2_reuse,
            thm_2_reuse_pass,
            thm_2_algorithm_1,
            sgd,
            pipe_sgd,
        )
    ),
    cost=3,
)
