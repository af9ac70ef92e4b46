"""Formulas in sentences, as mathematics is written."""

import re

import sympy

from theory.laws.delays.polynomials import readable
from theory.papers.rpd.lemmas.growth import superscript

_GREEK = {
    "tau": "τ",
    "beta": "β",
    "gamma": "γ",
    "Delta": "Δ",
    "sigma": "σ",
    "mu": "μ",
    "Gtilde": "G̃",
}


def written(form: sympy.Expr) -> str:
    """An expression with Greek letters, roots and powers.

    Examples
    --------
    >>> p, beta, tau = sympy.symbols("p beta tau", positive=True)
    >>> written(p * (tau + beta * sympy.sqrt(p)) ** 2 / (2 * tau))
    'p(β√p + τ)²/(2τ)'
    >>> written(4 * sympy.Symbol("Gtilde") ** 2 * p**4)
    '4G̃²p⁴'
    """
    text = readable(form)
    for name, letter in _GREEK.items():  # readable may have put ², a letter to \b, behind a name
        text = re.sub(rf"(?<![A-Za-z]){name}(?![A-Za-z])", letter, text)
    text = superscript(text)
    text = re.sub(r"sqrt\((\w+)\)", r"√\1", text)
    return text.replace("sqrt(", "√(").replace("*", "")
