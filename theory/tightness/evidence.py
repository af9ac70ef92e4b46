"""What tightness says of a claim: exact instances always, worst cases where they can be solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from theory.claims import Claim
from theory.ledger import Evidence
from theory.tightness.extremal import (
    Extremal,
    expected_stale_distance,
    extrapolated_distance,
    gap_after_one_step,
    gap_at_largest_stepsize,
    stale_distance,
)
from theory.tightness.gram import theorem_evidence
from theory.tightness.tables import Comparison, compare_local, compare_rpd
from theory.tightness.worst_case import SOLVER, TOLERANCE, available, versions

INSTANCES: Final[Mapping[str, Callable[[], Extremal]]] = {
    "rpd.lemma-b2": lambda: stale_distance(3, 4, Fraction(1, 2)),
    "rpd.lemma-b2-expected": lambda: expected_stale_distance(3, 4, Fraction(1, 2)),
    "rpd.lemma-i2": lambda: extrapolated_distance(3, 4, Fraction(1, 2), Fraction(9, 10)),
    "rpd.thm-h1": lambda: gap_after_one_step(3, Fraction(2), Fraction(1, 5)),
    "rpd.eq-15": lambda: gap_at_largest_stepsize(3, Fraction(2)),
}
"""By claim, a run that attains its bound; for lemma-b2-expected and lemma-i2 the sharpened one."""

TABLES: Final[Mapping[str, Callable[[], list[Comparison]]]] = {
    "rpd.thm-4.1": compare_rpd,
    "localsgd.eq-11": compare_local,
}


def evidence_about(claim: Claim) -> tuple[Evidence, ...]:
    """All that is known of how tight a claim is; worst cases take a while."""
    if claim.source is not None:
        return () if claim.theorem is None else (theorem_evidence(claim.theorem),)
    found = (extremal_evidence(claim.id), tightness_evidence(claim.id))
    return tuple(evidence for evidence in found if evidence is not None)


def extremal_evidence(claim_id: str) -> Evidence | None:
    """An exact instance of a claim's bound, or None if there is none.

    Examples
    --------
    >>> found = extremal_evidence("rpd.lemma-b2")
    >>> found.points, found.data["attained"], found.data["bound"]
    ('neither', '36', '36')
    """
    if claim_id not in INSTANCES:
        return None
    found = INSTANCES[claim_id]()
    data = {
        "instance": found.says,
        "attained": str(found.attained),
        "bound": str(found.bound),
        "ratio": str(found.ratio),
    }
    says = f"tightness, exact: {found.says} attains {found.ratio} of the bound"
    return Evidence("against" if found.ratio > 1 else "neither", says, data)


def tightness_evidence(claim_id: str) -> Evidence | None:
    """Worst cases beside a claim's bound; None if there are none, or the extra is not installed.

    A value above the bound speaks against it; one below it is no proof.
    """
    if claim_id not in TABLES or not available():
        return None
    return numeric_evidence(TABLES[claim_id]())


def numeric_evidence(rows: Sequence[Comparison]) -> Evidence:
    """What worst cases say of a bound.

    Examples
    --------
    >>> one = Comparison({"p": "1"}, Fraction(4), Fraction(3), 1.5)
    >>> numeric_evidence([one]).points, numeric_evidence([one]).data["rows"][0]["worst"]
    ('for', 1.5)
    """
    over = [row for row in rows if row.worst > float(row.printed) * (1 + TOLERANCE)]
    parts = [row.worst / float(row.printed) for row in rows]
    says = (
        f"tightness, numeric ({SOLVER}, floating point, no proof): worst cases of {len(rows)} "
        f"short runs are {min(parts):.2f} to {max(parts):.2f} of the bound"
    )
    data = {
        "solver": SOLVER,
        "tolerance": TOLERANCE,
        "versions": versions() if available() else {},
        "rows": [
            {
                "run": dict(row.run),
                "printed": str(row.printed),
                "sharpened": str(row.sharpened),
                "worst": round(row.worst, 4),
            }
            for row in rows
        ],
    }
    return Evidence("against" if over else "for", says, data)
