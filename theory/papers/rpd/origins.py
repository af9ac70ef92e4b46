"""Whose statement each row is; what is not named here stands nowhere but here, and is ours.

The text that we have of this paper lost its displays: formulas are given back by what the sentences
around them say, by the proofs, and by the authors' public code. "Printed" is what is said in words,
without a display.
"""

from theory.judging.origins import named

ORIGINS = named(
    "rpd",
    printed="stash-invariant pd-as-rpd last-stage-delay periodic idle updates-in-time",
    reconstructed="""
        lemma-b1 lemma-b2 eq-8 eq-9 thm-4.1 cor-b1 stale-power-of-the-bound prop-4.1
        lemma-c1-window c1-slot-counts lemma-c1-entry lemma-c1-odd lemma-c1-mean cor-c1 thm-h1
        eq-15 lemma-i1 lemma-i2
    """,
    # what follows from the source, or what it would need
    implied="thm-h1-recurrence nag-thm",
    # questions of ours about the source
    ours="stepsize lemma-b2-expected table-1 delay-whole-run stale-power local-staleness",
)
