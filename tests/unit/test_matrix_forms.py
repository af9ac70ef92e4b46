"""Bounds of the matrix as formulas, and the grids that they are held against."""

from __future__ import annotations

import pytest
import sympy

from theory.errors import UnsupportedFormError
from theory.laws.static_orders.symbols import M, p, s
from theory.papers.schedules.matrix.forms import bounded, definitions, in_words, value
from theory.papers.schedules.matrix.grid import Grid
from theory.papers.schedules.matrix.wording import COLUMNS, latex, statement

v, c, k = sympy.symbols("chunks c k", integer=True)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (2 * p - s, "2p − s"),
        (sympy.Min(M, 2 * (p - 1 - s) + 1), "min(M, 2p − 2s − 1)"),
        (sympy.ceiling(M / v), "⌈M/chunks⌉"),
        (v * M, "M·chunks"),
        (sympy.Mod(s, p), "(s mod p)"),
        (sympy.Integer(0), "0"),
    ],
)
def test_words(form: sympy.Expr, words: str) -> None:
    assert in_words(form) == words


def test_names_are_defined_from_the_ones_before() -> None:
    formulas = bounded(c * k, c=sympy.floor(s / p), k=c + 1)
    assert value(formulas, {"p": 2, "M": 9}, stage=5) == 6
    assert definitions(formulas) == ", where c = ⌊s/p⌋, k = c + 1"


def test_symbols_of_one_name_are_one_symbol() -> None:
    other = sympy.Symbol("M", integer=True)
    assert other != M
    assert value(bounded(other + M), {"p": 1, "M": 3}, stage=0) == 6


def test_a_bound_without_a_value_is_none() -> None:
    with pytest.raises(UnsupportedFormError, match="divide by nothing"):
        value(bounded(sympy.Min(sympy.Mod(M, p - 1), 3)), {"p": 1, "M": 3}, stage=0)


def test_every_accepted_size_of_a_grid_is_there_once() -> None:
    grid = Grid(3, 4, (("chunks", range(1, 3)),))
    sizes = [tuple(size.values()) for size, _ in grid.schedules("interleaved-1f1b")]
    assert sizes == [(p, M, v) for p in (1, 2, 3) for M in (1, 2, 3, 4) for v in (1, 2)]
    # p = 2 and M = 5 would make two rounds of unequal size.
    taken = [(size["p"], size["M"]) for size, _ in Grid(2, 5).schedules("interleaved-1f1b")]
    assert (2, 5) not in taken
    assert (2, 4) in taken
    assert len(list(Grid(4, 8).schedules("dualpipe"))) == 3 + 1


def test_a_grid_in_words() -> None:
    grid = Grid(2, 3, (("stash", range(1, 2)), ("admission", range(1, 3))))
    assert grid.words == "p ≤ 2, M ≤ 3, stash = 1, 1 ≤ admission ≤ 2"
    assert grid.larger().words.startswith("p ≤ 4, M ≤ 6")


@pytest.mark.parametrize("column", COLUMNS)
def test_a_statement_names_family_bound_and_domain(column: str) -> None:
    says = statement("zbv", column, bounded(7), "for every p")
    assert "zbv" in says
    assert says.endswith(", for every p.")
    assert ("7" in says) == (column in ("staleness", "in-flight", "deadlock-free"))
    assert "{" not in says


def test_latex_of_what_has_no_bound_is_empty() -> None:
    assert latex("causal", {}) == ""
    assert latex("staleness", bounded(v)).endswith(r"= \mathrm{chunks}")
