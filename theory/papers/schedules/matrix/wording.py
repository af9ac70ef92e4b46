"""What a cell of the matrix states, as a sentence and in LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import sympy

from theory.claims import Formulas
from theory.papers.schedules.matrix.forms import BOUND, definitions, in_words

_SAYS: Final[Mapping[str, str]] = {
    "causal": (
        "Every stage of {family} runs each microbatch forwards once and backwards once, and "
        "nothing stands before what it needs"
    ),
    "exclusive": "Every stage of a pipeline of {family}, and every weight copy, lives on one rank",
    "stash": "Every backward of {family} uses the weight version that its forward read",
    "staleness": (
        "{at} up to {bound} updates, and never more, lie between a forward and the update that "
        "applies its gradient{left}{names}"
    ),
    "in-flight": (
        "{at} up to {bound} microbatches, and never more, are between their forward and the end "
        "of their backward{names}"
    ),
    "update-once": "Every gradient of {family} is applied by one update, which closes its window",
    "deadlock-free": (
        "With one queue of messages a rank and room for {bound} of them in a channel, every "
        "message of {family} meets its own and every rank comes to its end"
    ),
}
COLUMNS: Final = tuple(_SAYS)
"""The columns of the matrix, in order."""

_NONE: Final = {
    "staleness": (
        "At every stage of {family} no update lies between a forward and the update that applies "
        "its gradient"
    ),
    "deadlock-free": (
        "With one queue of messages a rank and sends that wait for their receives, every message "
        "of {family} meets its own and every rank comes to its end"
    ),
}
"""The same where the bound is 0."""

_AT: Final[Mapping[str, str]] = {
    "amdp": "At one copy of stage s (on one rank) of amdp",
    "chimera": "At one copy of stage s (on one rank) of chimera",
    "dualpipe": "At one copy of stage s (on one rank) of dualpipe",
    "localsgd": "At stage s of localsgd, over all replicas,",
    "pipesgd": "At one copy of stage s (on one rank) of pipesgd",
    "sapipe": "At one copy of stage s (on one rank) of sapipe",
}
"""Of what a bound speaks, where a stage has several weight copies."""

_LEFT: Final = " (no update applies the last M mod K gradients, which do not count)"
"""What is said of a window that M cuts short."""

_LATEX: Final = {
    "staleness": r"\max_m \mathrm{staleness}(s, m)",
    "in-flight": r"\max_t \mathrm{in\ flight}(s, t)",
}


def statement(family: str, column: str, formulas: Formulas, domain: str) -> str:
    """The sentence of a cell.

    Examples
    --------
    >>> statement("naive", "exclusive", {}, "for every p and M")
    'Every stage of a pipeline of naive, and every weight copy, lives on one rank, for every p...'
    """
    bound = formulas.get(BOUND)
    says = _NONE[column] if bound == 0 else _SAYS[column]
    shown = "" if bound is None else in_words(bound)
    words = says.format(
        family=family,
        at=_AT.get(family, f"At stage s of {family}"),
        bound=shown,
        left=_LEFT if "K" in formulas else "",
        names=definitions(formulas),
    )
    return f"{words}, {domain}."


def latex(column: str, formulas: Formulas) -> str:
    r"""The formula of a cell; empty where it has none.

    Examples
    --------
    >>> print(latex("in-flight", {"bound": sympy.Symbol("chunks") * sympy.Symbol("k")}))
    \max_t \mathrm{in\ flight}(s, t) = \mathrm{chunks} k
    """
    if column not in _LATEX:
        return ""
    parts = [f"{_LATEX[column]} = {_latex(formulas[BOUND])}"]
    parts += [f"{name} = {_latex(form)}" for name, form in formulas.items() if name != BOUND]
    return r",\quad ".join(parts)


def _latex(form: sympy.Expr) -> str:
    """A formula in which names of several letters stand upright."""
    named = {
        symbol: r"\mathrm{" + symbol.name.replace("_", r"\ ") + "}"
        for symbol in form.free_symbols
        if len(symbol.name) > 1
    }
    return str(sympy.latex(form, symbol_names=named))
