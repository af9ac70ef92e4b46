"""What a reader of a verdict has to know about the file that its claim comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from theory.catalogue import CLAIMS
from theory.claims import Claim, Formulas
from theory.ledger import Evidence, Judgement

REMARK: Final = "remark"
"""Key of the data of evidence that is shown beside a verdict, whatever the verdict is."""


def with_remarks(claim: Claim, theorem: bool) -> Claim:
    """The claim of a file, whose judgements say what is special about it.

    Parameters
    ----------
    claim : Claim
    theorem : bool
        It is a theorem of the kernel, so that the kernel's rules judge it and nothing else.
    """
    return replace(claim, judge=_remarking(claim, theorem))


def _remarking(claim: Claim, theorem: bool) -> Callable[[Formulas], Judgement]:
    def remarked(formulas: Formulas) -> Judgement:
        found = claim.judge(formulas)
        if not isinstance(found, Judgement):
            return found  # refused where all judgements are
        says = []
        if claim.id in CLAIMS:
            says.append("takes the place of the catalogue's claim of this id")
        if not theorem and not _controlled(claim):
            says.append("judged by the file's own prover, without controls")
        remarks = (Evidence("neither", text, {REMARK: True}) for text in says)
        return replace(found, evidence=(*found.evidence, *remarks))

    return remarked


def _controlled(claim: Claim) -> bool:
    return (claim.holds is not None and len(claim.core) > 0) or len(claim.weakened) > 0
