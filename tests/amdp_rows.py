"""What the judge makes of an AMDP claim, as printed or edited."""

from __future__ import annotations

from theory.claims import Claim, Formulas
from theory.judging.decide import decided
from theory.ledger import Judgement


def judged(claim: Claim, printed: Formulas | None = None) -> Judgement:
    assert claim.account is not None
    return decided(claim.account(claim.printed if printed is None else printed))
