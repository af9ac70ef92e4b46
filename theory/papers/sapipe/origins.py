"""Whose statement each row is; what is not named here stands nowhere but here, and is ours."""

from theory.judging.origins import named

ORIGINS = named(
    "sapipe",
    printed="""
        thm-1 program assumption-3 lemma-1 stale-bias thm-2 remark-1 remark-2 thm-3 remark-3
        thm-4 wp-1-one-point remark-4 thm-5 remark-5 thm-6 remark-6 cor-1 remark-7 alg-4 alg-5
        np-hard improvements best-options other-options shared-buffer buffer-rule full-matrix
        thm-1-graphs
    """,
    # a reading or a case of what is printed, or a line of a proof with what it needs
    implied="""
        thm-2-own-samples pipe-sgd thm-2-first-pass thm-2-same-samples thm-2-algorithm-1
        thm-3-any-samples dc-update dc-step wp-1-average thm-5-domain thm-6-exact-predictions
    """,
    ours="assumption-4",
)
