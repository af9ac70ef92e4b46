"""Names of theorems as identifiers of Rocq: letters of other alphabets spelled out, none twice."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

RESERVED: Final = frozenset(
    """V W P w O S as at cofix else end exists fix for forall fun if IF in let match mod Prop
    return Set then Type using where with R Z IZR dot add scale zero minus mean same known total
    zsum powz sqrt exp ln Rmax Rmin Rabs pos sign fields differs smooth descent support
    lipschitz triangle PI I e nroot known_root none both times factor combined weighed alike
    one_of place read listed window windows moves reread recurrence telescope unroll root
    triangle sums vectors products f df pow eq le lt ge gt not nat tt id fst snd Space Mean Law
    vec""".split()
)
"""Words with a meaning in the files that are written."""

_SPELLED: Final = {"∇": "d", "⁺": "_next", "⁻": "_before", "*": "_opt", "'": "_p", "−": "_m"}
_COMBINING: Final = {"\u0302": "_hat", "\u0303": "_tilde", "\u0304": "_bar"}


def identifier(name: str) -> str:
    """A name in letters, digits and underscores.

    Examples
    --------
    >>> identifier("∇f(x̂)"), identifier("x⁺"), identifier("η"), identifier("S")
    ('df_x_hat', 'x_next', 'eta', 'S_')
    """
    spelled = "".join(map(_spelled, unicodedata.normalize("NFD", name)))
    plain = re.sub(r"_+", "_", re.sub(r"\W+", "_", spelled, flags=re.ASCII)).strip("_")
    if not plain or not plain[0].isalpha():
        plain = f"n_{plain}"
    return f"{plain}_" if plain in RESERVED or re.fullmatch(r"[a-zA-Z]\d+", plain) else plain


def _spelled(letter: str) -> str:
    found = _SPELLED.get(letter) or _COMBINING.get(letter)
    if found is not None or letter.isascii():
        return found or letter
    if unicodedata.numeric(letter, None) is not None:
        return f"_{int(unicodedata.numeric(letter))}"
    word = unicodedata.name(letter, "u").lower().split()
    return f"{word[-1]}" if word[0] in ("greek", "latin") else f"_{ord(letter):x}_"


class Names:
    """Identifiers that are given once, and no two alike.

    Examples
    --------
    >>> names = Names()
    >>> names("x⁺"), names("x_next"), names("x⁺")
    ('x_next', 'x_next_2', 'x_next')
    """

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}

    def __call__(self, name: str, kind: str = "") -> str:
        """The identifier of a name; one of another kind may be called alike."""
        if (name, kind) not in self._given:
            base = found = identifier(name)
            number = 2
            while found in self._given.values():
                found, number = f"{base}_{number}", number + 1
            self._given[name, kind] = found
        return self._given[name, kind]

    @property
    def things(self) -> dict[str, tuple[str, str]]:
        """By identifier, the name and the kind that have it."""
        return {given: thing for thing, given in self._given.items()}
