"""The condition for no stall for all durations, by z3; and that it speaks of the simulation."""

from itertools import islice

import pytest

from schedules.partial_staleness import fewest_stale, iterations
from tests.stale_machine import random_chains
from theory.papers.sapipe.lemmas.partial_staleness import Chain, proofs, statements, symbolic
from theory.verdicts import Verdict


def require_proved(most: int) -> int:
    outcomes = proofs(most)
    short = [outcome for outcome in outcomes if outcome.verdict is not Verdict.PROVED]
    assert not short
    return len(outcomes)


@pytest.mark.slow
def test_condition_is_proved_for_up_to_six_layers() -> None:
    # A count for each number m of layers: never, growing, m sufficient, twice m − 1 more.
    assert require_proved(6) == sum(2 + m + 2 * (m - 1) for m in range(1, 7))


@pytest.mark.slow
def test_condition_is_proved_for_up_to_sixteen_layers() -> None:
    require_proved(16)


def test_every_statement_is_there() -> None:
    names = {statement.name for statement in statements(3)}
    assert names == {
        "growing, m = 3",
        "never, m = 3, k = 0",
        *(f"sufficient, m = 3, k = {k}" for k in (1, 2, 3)),
        *(f"{kind}, m = 3, k = {k}" for kind in ("necessary", "follows") for k in (1, 2)),
    }


def test_durations_are_left_open() -> None:
    chain, positive = symbolic(2)
    assert {str(term) for term in (*chain.b, *chain.u, *chain.v)} == {
        f"{kind}_{i}" for kind in "buv" for i in (1, 2)
    }
    assert len(positive) == 6


def test_terms_mean_what_the_simulation_does() -> None:
    """With numbers for the durations: events of two iterations, and the answer."""
    for model in islice(random_chains(seed=6), 400):
        chain = Chain(model.b, model.u, model.v)
        all_stale = range(model.count)
        first, second = islice(iterations(model, all_stale), 2)
        if first.stall == second.stall == 0:
            starts = [first.communication, second.communication]
            sent = [[s + v for s, v in zip(row, model.v, strict=True)] for row in starts]
            assert sent[0] == chain.sent(0)
            assert list(first.forward) == chain.begins()
            backlog = max(0, sent[0][0] - second.begin)
            assert [time - second.begin for time in sent[1]] == chain.sent(backlog)
        fits = sum(chain.v) <= chain.computation
        enough = [k for k in range(model.count + 1) if fits and all(chain.in_time(k))]
        assert fewest_stale(model) == (enough[0] if enough else None)
