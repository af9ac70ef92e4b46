"""What requirements say, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schedules.errors import RequirementError
from schedules.invariants import BASE, GRAMMAR, INVARIANTS, Requirement, parse_requirements

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "invariants.md"


def test_bounds_and_spaces() -> None:
    found = parse_requirements(" stash,\n deadlock-free , staleness  <= 3 ,memory<=60GiB")
    assert found == (
        Requirement("stash", None, "stash"),
        Requirement("deadlock-free", None, "deadlock-free"),
        Requirement("staleness", 3, "staleness<=3"),
        Requirement("memory", 60 * 1024**3, "memory<=60GiB"),
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1024", 1024),
        ("7 B", 7),
        ("1.5GB", 1_500_000_000),
        ("1.5 kb", 1500),
        ("2KiB", 2048),
        ("0.3MB", 300_000),
        ("1.0001KiB", 1024),
        ("3TiB", 3 * 1024**4),
        ("1pb", 10**15),
        ("0", 0),
    ],
)
def test_sizes(text: str, size: int) -> None:
    [found] = parse_requirements(f"memory<={text}")
    assert found.bound == size


def test_same_requirement_twice_counts_once() -> None:
    assert len(parse_requirements("stash,staleness<=3,stash,staleness<=3")) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("stahs", ["'stahs'", "did you mean 'stash'?"]),
        ("staleness<=3,stalenes<=3", ["'stalenes'", "did you mean 'staleness'?"]),
        ("xyzzy", ["no invariant is called 'xyzzy'", "name another"]),
        ("STASH", ["no invariant is called 'STASH'"]),
        ("stash,,flush", ["a requirement is empty"]),
        ("", ["a requirement is empty"]),
        ("stash,", ["a requirement is empty"]),
        ("staleness", ["staleness takes a bound", "write staleness<=K"]),
        ("stash<=1", ["stash takes no bound", "write stash ("]),
        ("stash=1", ["stash takes no bound, found 'stash=1'"]),
        ("staleness<3", ["a bound is written staleness<=VALUE, found 'staleness<3'"]),
        ("staleness >= 3", ["found 'staleness >= 3'"]),
        ("staleness=3", ["a bound is written staleness<=VALUE"]),
        ("staleness≤3", ["a bound is written staleness<=VALUE"]),
        ("staleness<=", ["the bound of staleness is a whole number, found ''"]),
        ("staleness<=1.5", ["a whole number, found '1.5'"]),
        ("staleness<=3GiB", ["a whole number, found '3GiB'"]),
        ("staleness<=-1", ["0 or more", "found '-1'"]),
        ("staleness<=٣", ["a whole number"]),
        ("staleness<=" + "9" * 5000, ["a whole number"]),
        ("memory<=60G", ["a number of bytes, found '60G'", "memory<=SIZE"]),
        ("memory<=60 Gi B", ["a number of bytes"]),
        ("memory<=-1GiB", ["0 or more"]),
        ("memory<=many", ["a number of bytes, found 'many'"]),
        ("versions<=0", ["the bound of versions is 1 or more"]),
        ("in-flight<=0", ["1 or more"]),
        ("activations<=0", ["1 or more"]),
        ("staleness<=3,staleness<=4", ["one bound", "'staleness<=3' and 'staleness<=4'"]),
        ("memory<=1GiB,memory<=1GB", ["'memory<=1GiB' and 'memory<=1GB'"]),
    ],
)
def test_refused(text: str, words: list[str]) -> None:
    with pytest.raises(RequirementError) as caught:
        parse_requirements(text, "pyproject.toml:require")
    assert caught.value.where == "pyproject.toml:require"
    assert len(str(caught.value)) < 1000
    for part in words:
        assert part in str(caught.value)


@pytest.mark.parametrize("text", ["stahs", "staleness", "stash<=1", "staleness<=x", ""])
def test_refusal_shows_the_grammar(text: str) -> None:
    with pytest.raises(RequirementError, match=re.escape(GRAMMAR)):
        parse_requirements(text)


def test_grammar_names_every_invariant() -> None:
    for invariant in INVARIANTS.values():
        assert invariant.form in GRAMMAR


# Registry


def test_order_and_bounds_of_the_registry() -> None:
    assert [invariant.form for invariant in INVARIANTS.values()] == [
        "complete", "causal", "exclusive", "policy", "stash", "versions<=K", "staleness<=K",
        "delay<=K", "delay-any-timing<=K", "skew<=K", "vertical-sync", "flush", "in-flight<=K",
        "activations<=K", "memory<=SIZE", "rank-memory<=SIZE", "send-buffers<=K", "barrier",
        "update-once", "forward-only", "match", "deadlock-free", "buffer-safe",
    ]  # fmt: skip
    assert set(BASE) <= set(INVARIANTS)


def test_page_shows_the_registry() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    shown = lines[lines.index("| name and bound | holds if | reach |") + 2 :]
    expected = []
    for each in INVARIANTS.values():
        mark = " *" if each.name in BASE else ""
        expected.append(f"| `{each.form}`{mark} | {each.meaning} | {each.reach} |")
    assert shown[: len(expected)] == expected
    assert shown[len(expected)] == ""
