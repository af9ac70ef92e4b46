"""Whose statement each row is; what is not named here stands nowhere but here, and is ours.

The text that we have lost (31), (32) and line B of (26).
"""

from theory.judging.origins import Origins

ORIGINS: Origins = {
    "nesterov.eq-5": "printed",
    "nesterov.eq-18": "printed",
    "nesterov.eq-19": "printed",
    "nesterov.eq-20": "printed",
    "nesterov.prop-1": "printed",
    "nesterov.eq-22": "printed",
    "nesterov.eq-23": "printed",
    "nesterov.eq-24": "printed",
    "nesterov.eq-25": "printed",
    "nesterov.eq-26": "printed",
    "nesterov.eq-27": "printed",
    "nesterov.eq-28": "printed",
    "nesterov.eq-30-step": "printed",
    "nesterov.eq-30": "printed",
    "nesterov.eq-33": "printed",
    "nesterov.thm-1": "printed",
    # its display is lost
    "nesterov.eq-31": "reconstructed",
    # a case of Theorem 1
    "nesterov.thm-1-no-delay": "implied",
    "nesterov.eq-7": "printed",
    "nesterov.eq-13": "printed",
    "nesterov.eq-13-momentum": "printed",
    "nesterov.look-ahead": "printed",
    "nesterov.memory": "printed",
    "nesterov.nadam": "printed",
    "nesterov.utilization": "printed",
    "nesterov.parameters": "printed",
    "nesterov.table-1": "printed",
}
