"""All bounds, by the name of their method."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from theory.bounds.errors import UnknownMethodError
from theory.bounds.localsgd import LOCALSGD
from theory.bounds.model import FORMS, Bound
from theory.bounds.rpd import NAG_RPD, PIPEDREAM_DELAYS, RPD, RPD_PL, WHOLE_RUN, pipedream
from theory.bounds.sapipe import PIPESGD, SAPIPE
from theory.papers.rpd.symbols import Delta, G, Gt, H, K, L, N, beta, gamma, mu, p, sigma, tau
from theory.papers.sapipe import symbols as sapipe

GROUPS: Final[dict[str, tuple[str, ...]]] = {"sapipe": tuple(SAPIPE)}
"""Names that stand for several methods, which are alternatives to one another."""

METHODS: Final = ("rpd", "pd", "rpd-pl", "nag-rpd", "localsgd", "pipesgd", *GROUPS["sapipe"])

_FIXED: Final = {
    "rpd": RPD,
    "rpd-pl": RPD_PL,
    "nag-rpd": NAG_RPD,
    "localsgd": LOCALSGD,
    "pipesgd": PIPESGD,
    **SAPIPE,
}

_RPD: Final = (p, K, L, G, Delta, gamma, tau, mu, beta, N, H, sigma, Gt)
_SAPIPE: Final = (
    *(sapipe.n, sapipe.T, sapipe.eta, sapipe.V1, sapipe.V2, sapipe.rho, sapipe.M),
    *(sapipe.lambda_, sapipe.kappa, sapipe.R0),
)

SYMBOLS: Final = {str(symbol): symbol for symbol in (*_RPD, *_SAPIPE)}
"""The symbols of all bounds by name; L is one, and Delta has another meaning in each paper."""


def bounds_of(method: str, form: str | None = None, delay: str = WHOLE_RUN) -> tuple[Bound, ...]:
    """The bounds of a method, as printed first.

    Parameters
    ----------
    method : str
        One of `METHODS`; `named` says which of them a name stands for.
    form : str, optional
        One of `FORMS`; all that there are by default.
    delay : str
        Which delay of PipeDream `pd` takes; see `theory.bounds.rpd.pipedream`.

    Raises
    ------
    UnknownMethodError
        No such method, form or delay.

    Examples
    --------
    >>> [bound.form for bound in bounds_of("nag-rpd")]
    ['printed', 'pathwise', 'sharpened']
    """
    _known("a method", method, METHODS)
    _known("a delay", delay, tuple(PIPEDREAM_DELAYS))
    found = pipedream(delay) if method == "pd" else _FIXED[method]
    if form is None:
        return found
    _known("a form", form, FORMS)
    chosen = tuple(bound for bound in found if bound.form == form)
    if not chosen:
        raise UnknownMethodError(
            f"{method} has no {form} form, only {', '.join(bound.form for bound in found)}",
            "bounds",
            "take one of these",
        )
    return chosen


def named(name: str) -> tuple[str, ...]:
    """The methods that a name stands for.

    Raises
    ------
    UnknownMethodError
        It stands for none.

    Examples
    --------
    >>> named("sapipe")[:2], named("rpd")
    (('sapipe-vanilla', 'sapipe-dc'), ('rpd',))
    """
    _known("a method", name, (*METHODS, *GROUPS))
    return GROUPS.get(name, (name,))


def _known(what: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        near = get_close_matches(word.lower(), known, n=1)
        raise UnknownMethodError(
            f"{what} is one of {', '.join(known)}, not {word[:40]!r}",
            "bounds",
            f"did you mean {near[0]!r}?" if near else "name one of them",
        )
