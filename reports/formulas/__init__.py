r"""Formulas of a ledger as mathematics: read once, written as LaTeX, MathML or terminal text.

Examples
--------
>>> as_text("Sum(S(k), (k, 0, K - 1))/K <= 2*Delta*p/(K*gamma) + G**2*gamma**2*tau**2")
'(Σ_{k=0}^{K − 1} S(k))/K ≤ 2Δp/(Kγ) + G²γ²τ²'
>>> as_latex('dot(g, g) - 2*dot(g, "x̂") + dot("x̂", "x̂")')
'\\left\\|g - \\hat{x}\\right\\|^{2}'
>>> as_latex("no (formula") is None
True
"""

from reports.formulas.reading import NotAFormulaError, read
from reports.formulas.writing import as_latex, as_mathml, as_text, latex_lines

__all__ = ["NotAFormulaError", "as_latex", "as_mathml", "as_text", "latex_lines", "read"]
