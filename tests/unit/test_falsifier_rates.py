"""Rates of long runs."""

from __future__ import annotations

import json

import pytest

from tests.challenges import CHALLENGES
from theory.falsifier.rates import Rate
from theory.papers.localsgd.runs.rates import local_drift
from theory.papers.rpd.runs.rates import square_delays


def test_rates_by_hand() -> None:
    """τ = p²: p²(p² + p − 1)/p = p³ + p² − p."""
    rate = square_delays()
    assert rate.measured == pytest.approx([k**3 + k**2 - k for k in rate.at])
    assert local_drift().measured == tuple(float((k - 1) ** 2) for k in local_drift().at)
    law = Rate("cubes", "p", (1, 2, 3, 5), (2.0, 16.0, 54.0, 250.0))
    assert law.exponent == pytest.approx(3)
    assert law.fitted == pytest.approx(law.measured)
    found = law.evidence()
    assert found.points == "neither"
    assert found.data["exponent"] == "3.000"
    assert json.loads(json.dumps(found.data)) == found.data


@pytest.mark.slow
def test_long_runs_follow_the_rates() -> None:
    exponents = {
        name: [float(run().data["exponent"]) for run in one.rates]
        for name, one in CHALLENGES.items()
        if one.rates
    }
    assert exponents["rpd-average-gradient"] == pytest.approx([-0.5], abs=0.05)
    assert exponents["rpd-drift"][0] == pytest.approx(3, abs=0.2)
    assert exponents["localsgd-average-gradient-tuned"] == pytest.approx([-0.5, -0.5], abs=0.05)
