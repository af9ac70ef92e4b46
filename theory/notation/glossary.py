"""A paper's letters by name, so that its claim files need not import each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from theory.errors import TheoryError


def glossary(names: Mapping[str, Any]) -> Callable[[str], Any]:
    """Make what hands out a paper's letters, as `positive` makes new ones.

    Parameters
    ----------
    names : mapping of str to object
        What is defined, such as the ``globals()`` of the module in which a paper's constants,
        vectors and sequences stand.

    Returns
    -------
    callable
        From names separated by spaces to what they name, one alone or a tuple.

    Raises
    ------
    theory.errors.TheoryError
        By the callable: a name is not defined.

    Examples
    --------
    >>> from theory.notation import positive
    >>> L, eta = positive("L eta")
    >>> letters = glossary(globals())
    >>> letters("L"), letters("eta L")
    (L, (eta, L))
    """

    def letters(wanted: str) -> Any:
        listed = wanted.split()
        unknown = [name for name in listed if name not in names]
        if unknown:
            raise TheoryError(
                f"{', '.join(unknown)}: no letter of {names.get('__name__', 'this paper')}",
                wanted,
                "define it there, or correct the name",
            )
        found = tuple(names[name] for name in listed)
        return found if len(found) > 1 else found[0]

    return letters
