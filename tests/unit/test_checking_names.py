"""Names of what is written beside a result: one for each target, none outside the folder."""

import os

from hypothesis import given
from hypothesis import strategies as st

from staleproof.checking.names import file_name, names


@given(st.lists(st.text(min_size=1, max_size=90), max_size=8))
def test_names_stay_in_their_folder_and_differ(targets: list[str]) -> None:
    found = names(targets)
    assert len({name.lower() for name in found}) == len(targets)
    for name in found:
        inside = os.path.normpath(os.path.join("out", name))
        assert os.path.dirname(inside) == "out"
        assert name.isascii()
        assert len(name) < 100


def test_names_that_would_lead_out() -> None:
    assert names(["...csv", "dir/..", ".json", "..json"]) == [
        "schedule", "schedule-2", "schedule-3", "schedule-4"
    ]  # fmt: skip
    assert file_name("-x") == "x"


def test_number_that_a_name_has_already() -> None:
    assert names(["a-2.csv", "a.csv", "b/a.csv", "c/a.csv", "A.csv"]) == [
        "a-2", "a", "a-3", "a-4", "A-5"
    ]  # fmt: skip


def test_many_equal_names() -> None:
    """Each in one step: trying all numbers again would be seen here."""
    assert names(["a.csv"] * 20_000)[-1] == "a-20000"
