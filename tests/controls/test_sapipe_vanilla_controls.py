"""What the proofs about vanilla SAPipe must not prove, and what its refutations must not refute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

import pytest
import sympy

from theory.judging.decide import decided
from theory.kernel import Combine, Hypothesis, Sign, Theorem, eq, le, prove, square
from theory.kernel.relations import Relation
from theory.papers.sapipe import (
    lemma_1,
    stale_bias,
    thm_2,
    thm_2_algorithm_1,
    thm_2_pass,
    thm_2_reuse,
    thm_2_samples,
)
from theory.papers.sapipe.lemmas import (
    biased,
    counted_twice,
    elements,
    prefix,
    prefix_repaired,
    reused_noise,
    same_samples,
    sgd,
    thm_2_mixture,
    thm_2_reuse_pass,
    workers,
)
from theory.papers.sapipe.setting import E_T, G
from theory.papers.sapipe.symbols import V1, V2, L, eta, kappa, n
from theory.papers.sapipe.witnesses import clipped_coins, prefix_runs, thm_2_witness
from theory.papers.sapipe.witnesses.thm_2_witness import RUNS, refutations
from theory.verdicts import Verdict

ROWS: Final = (
    *("lemma-1", "mean-of-workers", "random-elements", "biased", "stale-bias", "sgd", "thm-2"),
    *("thm-2-own-samples", "pipe-sgd", "reused-noise", "thm-2-same-samples", "prefix"),
    *("prefix-repaired", "remark-1", "remark-2", "same-samples-rational", "counted-twice"),
)
SLOW: Final = (
    *("thm-2-first-pass", "thm-2-algorithm-1", "same-samples", "same-samples-first-pass", "rate"),
)


def proved(theorem: Theorem) -> bool:
    return prove(theorem).verdict is Verdict.PROVED


def saying(theorem: Theorem, changed: Mapping[str, Relation]) -> Theorem:
    """The theorem with some hypotheses that say something else."""
    hypotheses = tuple(
        Hypothesis(one.name, one.says, changed[one.name]) if one.name in changed else one
        for one in theorem.hypotheses
    )
    assert hypotheses != theorem.hypotheses
    return replace(theorem, hypotheses=hypotheses)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "module", [biased, sgd, thm_2_samples, thm_2_reuse, thm_2_pass, prefix_repaired, same_samples]
)
@pytest.mark.parametrize("factor", [sympy.Rational(1, 2), sympy.Rational(99, 100)])
def test_no_smaller_bound_follows(module: object, factor: sympy.Rational) -> None:
    theorem: Theorem = module.THEOREM  # type: ignore[attr-defined]
    smaller = {name: factor * form for name, form in theorem.terms.items()}
    assert not proved(replace(theorem, terms=smaller))


def test_independence_of_the_workers_is_needed() -> None:
    together = eq(E_T.of(square(workers.NOISE)), E_T.of(square(workers.NOISE)))
    assert not proved(saying(workers.THEOREM, {"independent": together}))
    assert not proved(replace(workers.THEOREM, terms={"variance": V1 / n**2}))


def test_stepsizes_above_1_over_l_are_not_covered() -> None:
    longer = le(eta, 2 / L)
    for theorem in (lemma_1.THEOREM, biased.THEOREM, sgd.THEOREM, thm_2_samples.THEOREM):
        assert not proved(saying(theorem, {"stepsize": longer}))


def test_a_larger_share_is_not_covered() -> None:
    assert not proved(saying(biased.THEOREM, {"share": le(kappa, 2)}))
    [claim] = [one for one in elements.THEOREM.hypotheses if one.name == "elements, squared"]
    assert isinstance(claim, Hypothesis)
    less = Relation(claim.relation.lhs, "==", claim.relation.rhs / 2)
    assert not proved(saying(elements.THEOREM, {claim.name: less}))


def test_a_share_of_the_error_is_not_proved_for_a_prefix() -> None:
    printed = {**prefix_repaired.THEOREM.terms, "staleness": kappa * L**2 * eta**2 * V2}
    symbols = (*prefix_repaired.THEOREM.symbols, kappa)
    assert not proved(replace(prefix_repaired.THEOREM, symbols=symbols, terms=printed))


def test_one_variance_is_not_proved_for_a_prefix() -> None:
    terms = dict(prefix_repaired.THEOREM.terms)
    terms["variance"] = terms["variance"] / 2
    assert not proved(replace(prefix_repaired.THEOREM, terms=terms))


def test_reused_samples_are_not_proved_beyond_their_condition() -> None:
    looser = le(kappa * reused_noise.r, 1 - L * eta)
    assert not proved(saying(thm_2_reuse.THEOREM, {"small step": looser}))
    assert not proved(saying(thm_2_algorithm_1.THEOREM, {"small step": looser}))
    longer = le(kappa * L * eta / 2, 1 - L * eta)
    assert not proved(saying(thm_2_algorithm_1.THEOREM, {"small first step": longer}))


def test_a_first_iteration_that_computes_is_not_free() -> None:
    less = {**counted_twice.TERMS, "first iteration": counted_twice.TERMS["first iteration"] / 2}
    assert not proved(replace(counted_twice.THEOREM, terms=less))


def test_no_bias_at_all_does_not_follow_from_smoothness() -> None:
    assert not proved(replace(stale_bias.THEOREM, terms={"stale": sympy.S.Zero}))
    assert not proved(saying(stale_bias.THEOREM, {"size": le(E_T.of(square(G)), 2 * V2)}))


def test_a_sign_is_no_proof_of_the_lemma() -> None:
    assert not proved(replace(lemma_1.THEOREM, conclude=Sign(("stepsize",))))
    assert not proved(replace(lemma_1.THEOREM, conclude=Combine({"sorted": 1})))


def test_the_refuter_lets_the_true_bounds_be() -> None:
    """With twice the variance term, or with the bound of same-samples, nothing is refuted."""
    printed = dict(thm_2.CLAIM.printed)
    assert len(refutations(printed)) == len(RUNS)
    assert refutations({**printed, "variance": 2 * printed["variance"]}) == {}
    root = Fraction(866, 1000)  # below √(1 − 1/4)
    factor = 1 + 2 * sympy.Rational(1, 4) * sympy.Rational(root)
    assert root**2 < 1 - Fraction(1, 4)
    assert refutations({**printed, "variance": factor * printed["variance"]}) == {}
    assert same_samples.THEOREM.terms["variance"].has(reused_noise.r)


def test_a_bound_between_two_runs_is_refuted_by_one_of_them() -> None:
    printed = dict(thm_2.CLAIM.printed)
    more = {**printed, "variance": sympy.Rational(26, 25) * printed["variance"]}
    judged = decided(thm_2.CLAIM.account(more))
    assert list(refutations(more)) == [1]
    assert [c.verdict for c in judged.cases[-3:]] == [
        Verdict.REFUTED,
        Verdict.UNKNOWN,
        Verdict.UNKNOWN,
    ]


@pytest.mark.parametrize("runs", RUNS, ids=lambda runs: f"eta {runs[0].eta}")
def test_the_refuter_needs_the_reuse(
    runs: tuple[clipped_coins.Run, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With κ = 0 no sample is used twice, and the clipped coins stay within their bound."""
    never = tuple(replace(one, share=Fraction(0)) for one in runs)
    monkeypatch.setattr(thm_2_witness, "RUNS", (never,))
    assert refutations(thm_2.CLAIM.printed) == {}
    assert clipped_coins.examine(never[0]).average <= never[0].eta


def test_a_pass_is_needed_for_no_less_than_it_costs() -> None:
    theorem = thm_2_reuse_pass.THEOREM
    cheaper = {**theorem.terms, "first update": theorem.terms["first update"] / 2}
    assert not proved(replace(theorem, terms=cheaper))


def test_a_line_that_holds_is_not_called_false(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were every draw ∇f(x_0), as the printed line has it, nothing would be found."""
    same = dict.fromkeys(thm_2_mixture.mixtures(), Fraction(1))
    monkeypatch.setattr(thm_2_mixture, "mixtures", lambda: same)
    assert thm_2_mixture.witness() is None
    assert thm_2_mixture.line().decision.fails is None
    assert decided(stale_bias.CLAIM.account(stale_bias.CLAIM.printed)).printed_proof == "valid"


def test_fresh_layers_alone_stay_within_the_bound_of_the_prefix() -> None:
    fresh = prefix_runs.run(
        prefix.gradient, (Fraction(1), Fraction(0)), (False, False), Fraction(1), 7
    )
    assert prefix_runs.average(prefix.gradient, fresh) <= prefix.bound(prefix.CLAIM.printed, 2, 7)


def test_a_prefix_with_the_whole_error_is_not_refuted() -> None:
    whole = {**prefix.CLAIM.printed, "staleness": L**2 * eta**2 * V2}
    assert prefix.refutation(whole) is None
