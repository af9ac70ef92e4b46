"""The four ways to count inside a slot."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import z3

from schedules import LINEARIZATIONS, get_linearization
from schedules.errors import UnknownNameError

COUNTED = {
    # name: (update below by F, above by F, below by B, above by B)
    "ascending": (True, False, True, False),
    "descending": (False, True, False, True),
    "forwards-first": (False, False, True, False),
    "slot-start": (False, False, False, False),
}


def test_names() -> None:
    assert set(LINEARIZATIONS) == set(COUNTED)
    assert all(entry.name == name for name, entry in LINEARIZATIONS.items())
    assert all(entry.meaning for entry in LINEARIZATIONS.values())


@pytest.mark.parametrize("name", COUNTED)
def test_updates_of_the_same_slot(name: str) -> None:
    entry = get_linearization(name)
    found = [
        entry.counted(update, 1, by_forward=by_forward)
        for by_forward in (True, False)
        for update in (0, 2)
    ]
    assert tuple(found) == COUNTED[name]


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("by_forward", [True, False])
def test_own_update_is_never_counted(name: str, by_forward: bool) -> None:
    assert not get_linearization(name).counted(3, 3, by_forward=by_forward)


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("by_forward", [True, False])
def test_numbers_arrays_and_solver_terms_agree(name: str, by_forward: bool) -> None:
    entry, stages = get_linearization(name), range(3)
    pairs = list(product(stages, stages))
    update, stage = np.array(pairs).T
    array = np.broadcast_to(entry.counted(update, stage, by_forward=by_forward), len(pairs))
    u, s = z3.Ints("u s")
    term = entry.counted(u, s, by_forward=by_forward)
    for position, (a, b) in enumerate(pairs):
        number = entry.counted(a, b, by_forward=by_forward)
        at = z3.substitute(z3.And(term, True), (u, z3.IntVal(a)), (s, z3.IntVal(b)))
        assert number == array[position] == z3.is_true(z3.simplify(at))


@pytest.mark.parametrize(
    ("name", "fix"),
    [("ascendign", "did you mean 'ascending'?"), ("", "name one of them"), ("?", "name one")],
)
def test_unknown_name(name: str, fix: str) -> None:
    with pytest.raises(UnknownNameError, match="ascending, descending, forwards-first") as caught:
        get_linearization(name)
    assert caught.value.fix.startswith(fix)
    assert repr(name) in caught.value.what
