"""Small ledgers made from theorems, for tests of what reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from theory.judging.certificates import steps_as_data, symbols_as_data
from theory.judging.expression_text import relation_text
from theory.kernel.prove import prove
from theory.kernel.theorem import Hypothesis, Theorem


def ledger_of(theorems: Iterable[Theorem]) -> dict[str, Any]:
    """The keys of a ledger that a re-checker looks at."""
    claims = [row_of(theorem) for theorem in theorems]
    return {"schema": "staleproof-ledger/2", "version": "test", "claims": claims}


def row_of(theorem: Theorem) -> dict[str, Any]:
    """One theorem."""
    proof = prove(theorem)
    hypotheses = [
        {
            "name": h.name,
            "says": h.says,
            "formula": relation_text(h.relation) if isinstance(h, Hypothesis) else None,
        }
        for h in theorem.hypotheses
    ]
    return {
        "id": theorem.id,
        "verdict": proof.verdict.name,
        "rests_on": ["kernel"],
        "symbols": symbols_as_data(theorem),
        "hypotheses": hypotheses,
        "goal": relation_text(theorem.goal),
        "steps": steps_as_data(theorem, proof),
    }
