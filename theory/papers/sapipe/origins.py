"""Whose statement each row is; what is not named here stands nowhere but here, and is ours."""

from theory.judging.origins import Origins

ORIGINS: Origins = {
    "sapipe.thm-1": "printed",
    "sapipe.program": "printed",
    "sapipe.assumption-3": "printed",
    "sapipe.lemma-1": "printed",
    "sapipe.stale-bias": "printed",
    "sapipe.thm-2": "printed",
    "sapipe.remark-1": "printed",
    "sapipe.remark-2": "printed",
    "sapipe.thm-3": "printed",
    "sapipe.remark-3": "printed",
    "sapipe.thm-4": "printed",
    "sapipe.wp-1-one-point": "printed",
    "sapipe.remark-4": "printed",
    "sapipe.thm-5": "printed",
    "sapipe.remark-5": "printed",
    "sapipe.thm-6": "printed",
    "sapipe.remark-6": "printed",
    "sapipe.cor-1": "printed",
    "sapipe.remark-7": "printed",
    "sapipe.alg-4": "printed",
    "sapipe.alg-5": "printed",
    # a reading or a case of what is printed, or a line of a proof with what it needs
    "sapipe.assumption-4": "implied",
    "sapipe.thm-2-own-samples": "implied",
    "sapipe.pipe-sgd": "implied",
    "sapipe.thm-2-first-pass": "implied",
    "sapipe.thm-2-same-samples": "implied",
    "sapipe.dc-update": "implied",
    "sapipe.dc-step": "implied",
    "sapipe.wp-1-average": "implied",
    "sapipe.thm-5-domain": "implied",
    "sapipe.thm-6-exact-predictions": "implied",
}
