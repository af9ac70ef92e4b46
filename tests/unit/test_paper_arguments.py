"""Arguments in words: rows that rest on one exist, and the lemmas that they name are decided."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import ModuleType

import pytest

from theory.judging.catalogue import CLAIMS
from theory.kernel import Theorem
from theory.papers.nesterov import arguments as nesterov
from theory.papers.nesterov import eq_31
from theory.papers.nesterov.lemmas import interval_delays
from theory.papers.nesterov.witnesses import energy, excesses, growth, path_lemmas, turning
from theory.papers.sapipe import arguments as sapipe
from theory.papers.sapipe.lemmas import assumption_4_gradient, layer_induction, no_stall
from theory.papers.sapipe.lemmas.conditions import RIGHT
from theory.papers.sapipe.witnesses import circling_constants

PAPERS = {"sapipe": sapipe, "nesterov": nesterov}


def named(theorem: Theorem) -> str:
    """As an argument names it."""
    return theorem.id.removeprefix("sapipe.").replace("-", " ")


DECIDED: Mapping[str, set[str]] = {
    "nesterov": {
        *(one.name for one in (*path_lemmas.LEMMAS, *turning.LEMMAS)),
        *(one.name for one in (excesses.SMALL, eq_31.STEADY, eq_31.SETTLES)),
        *(one.name for one in (interval_delays.order(), interval_delays.updates_between())),
        *(f"the certificate {one.__name__}" for one in (energy.lands, energy.grows)),
    },
    "sapipe": {
        *(re.split(",", one.name)[0] for one in layer_induction.statements(RIGHT)),
        *map(named, assumption_4_gradient.holds(assumption_4_gradient.PRINTED)),
        *(named(one).rpartition(" ")[0] for one in circling_constants.MISFIT),
    },
}


def lemmas(text: str) -> set[str]:
    """Names in brackets, which follow a blank and begin with a small letter; not intervals."""
    found = re.findall(r"(?<=\s)\[([a-z][^\]]*)\]", text)
    heads = (" ".join(one.split()).split(":")[0] for one in found)
    return {name for head in heads for name in head.split(", ")}


@pytest.mark.parametrize("paper", PAPERS)
def test_rows_and_arguments_exist_and_all_are_used(paper: str) -> None:
    module: ModuleType = PAPERS[paper]
    assert all(row in CLAIMS and CLAIMS[row].paper == paper for row in module.RESTS)
    said = {name for names in module.RESTS.values() for name in names}
    assert said == set(module.ARGUMENTS)
    assert all(names and len(set(names)) == len(names) for names in module.RESTS.values())


@pytest.mark.parametrize("paper", PAPERS)
def test_every_lemma_that_is_named_is_decided(paper: str) -> None:
    said = set().union(*map(lemmas, PAPERS[paper].ARGUMENTS.values()))
    assert said
    assert said <= DECIDED[paper]


def test_no_lemma_is_left_out() -> None:
    """What is decided for an argument alone, the argument uses."""
    used = set().union(*map(lemmas, nesterov.ARGUMENTS.values()))
    assert {one.name for one in (*path_lemmas.LEMMAS, *turning.LEMMAS)} <= used
    steps = assumption_4_gradient.holds(assumption_4_gradient.PRINTED)
    assert lemmas(sapipe.ARGUMENTS["comparison along the gradient"]) == set(map(named, steps))


@pytest.mark.parametrize(
    ("module", "assumes"),
    [
        (nesterov, growth.ASSUMES),
        (nesterov, excesses.ASSUMES),
        (sapipe, no_stall.ASSUMES),
        (sapipe, assumption_4_gradient.ASSUMES),
    ],
)
def test_what_is_assumed_names_its_argument(module: ModuleType, assumes: tuple[str, ...]) -> None:
    said = [one for one in assumes if "argument" in one]
    assert said
    for one in said:
        names = re.findall(r"'([^']+)'", one)
        assert names
        assert set(names) <= set(module.ARGUMENTS)
