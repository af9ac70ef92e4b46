"""What a search for certificates is given of each theorem of the papers can be looked at."""

from __future__ import annotations

import pytest

from theory.judging.catalogue import CLAIMS
from theory.notation.building import offered


@pytest.mark.slow
def test_all_that_is_offered_makes_a_theorem() -> None:
    theorems = [one.theorem for one in CLAIMS.values() if one.theorem is not None]
    assert len(theorems) > 100
    for theorem in theorems:
        steps = {step.name for step in theorem.steps}
        assert steps <= {step.name for step in offered(theorem).steps}
