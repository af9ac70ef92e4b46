"""All mutants of every claim, not the sample that `verify` tries: none may be proved."""

from __future__ import annotations

import pytest

from theory.judging.catalogue import CLAIMS
from theory.judging.mutants import SAMPLE, accepts_original, run_controls


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS)
def test_every_mutant_is_rejected(claim: str) -> None:
    found = run_controls(CLAIMS[claim], every=True)
    assert accepts_original(CLAIMS[claim])
    assert found.survivors == ()
    assert found.tried == found.killed == found.known


def test_a_sample_is_spread_over_all_mutants() -> None:
    claim = CLAIMS["rpd.eq-9"]
    found = run_controls(claim)
    assert 0 < found.tried <= SAMPLE < found.known
    assert found.survivors == ()
