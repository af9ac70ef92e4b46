"""What a row shows is what was judged, whatever the words beside it say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
import sympy

from reports import render_report, validate_ledger
from reports.recheck import recheck
from staleproof.rows import details
from theory.account import Account, Case, Compared, Decision, Readings
from theory.claims import Claim
from theory.judging.as_claim import as_claim
from theory.judging.branches import by_branches
from theory.judging.dependencies import dependency_graph, settled
from theory.judging.judge import judge
from theory.judging.verify import ledger
from theory.kernel import (
    Combine,
    Hypothesis,
    Point,
    Step,
    Theorem,
    le,
    point,
    square,
    vector,
    vectors,
)
from theory.kernel.lemmas import DESCENT, YOUNG
from theory.ledger import Row
from theory.notation import count, index, positive, theorem, total

a, L, gamma = sympy.symbols("a L gamma", positive=True)
u, v = vectors("u v")

STEPSIZE = Theorem(
    id="mine.split",
    where="Lemma 3",
    statement="The mean is 0.",
    latex="0 = 0",
    symbols=(L, gamma, a),
    vectors=(u, v),
    hypotheses=(Hypothesis("small", "f is convex", le(gamma * L, 2)),),
    steps=(Step("scaled", le(a * gamma * L, 2 * a), Combine({"small": a}), says="so it is"),),
    lhs=a * gamma * L - square(u),
    terms={"first": 2 * a},
    conclude=Combine({"scaled": 1}, squares=((1, u),)),
)


def rows(*found: Row) -> Any:
    made = {"version": "test", **ledger(found)}
    validate_ledger(made)
    return made


def row(claim: Claim) -> Any:
    return rows(judge(claim))["claims"][0]


def test_words_are_beside_the_formulas_that_were_checked() -> None:
    """A sentence and a hypothesis that say another thing change nothing of what is shown."""
    found = row(as_claim(STEPSIZE))
    assert found["verdict"] == "PROVED"
    assert found["goal"] == "L*a*gamma - dot(u, u) <= 2*a"
    assert found["hypotheses"] == [
        {
            "name": "small",
            "says": "f is convex",
            "formula": "L*gamma <= 2",
            "latex": r"L \gamma \le 2",
        }
    ]
    assert found["symbols"][0] == {"name": "L", "domain": "positive", "says": ""}
    assert found["quantifiers"] == [
        "for every L, gamma, a: positive",
        "for all vectors u, v: of any dimension",
    ]
    assert found["supplied"] == ["statement", "latex", "hypotheses[].says", "steps[].says"]
    assert (found["anchor"], found["rests_on"]) == ("mine.split", ["kernel"])


@pytest.mark.parametrize(
    "edit",
    [
        {"statement": "f is bounded."},
        {"latex": r"f \le 1"},
        {"hypotheses": (replace(STEPSIZE.hypotheses[0], says="f is bounded"),)},
        {"steps": (replace(STEPSIZE.steps[0], says="f is bounded"),)},
    ],
    ids=["statement", "latex", "hypothesis", "step"],
)
def test_edited_words_leave_what_is_shown(edit: Mapping[str, Any]) -> None:
    before, after = row(as_claim(STEPSIZE)), row(as_claim(replace(STEPSIZE, **edit)))
    for key in ("goal", "goal_latex", "symbols", "quantifiers", "verdict"):
        assert after[key] == before[key]
    assert [one["formula"] for one in after["hypotheses"]] == ["L*gamma <= 2"]
    assert [one["goal"] for one in after["steps"]] == [one["goal"] for one in before["steps"]]


def test_an_edited_formula_is_shown() -> None:
    claim = as_claim(STEPSIZE)
    found = row(replace(claim, printed={"first": a}))
    assert found["verdict"] == "REFUTED"
    assert found["goal"] == "L*a*gamma - dot(u, u) <= a"


def test_documents_show_the_formulas() -> None:
    found = render_report(rows(judge(as_claim(STEPSIZE))))
    text = found["mine.md"].decode()
    assert r"La\gamma  - \left\|u\right\|^{2} \le 2a" in text
    assert "- **(H1)** small: $`L\\gamma  \\le 2`$ — f is convex" in text
    assert "### `mine.split` Lemma 3: **PROVED**" in text
    tex = found["mine.tex"].decode()
    assert r"\shown{La\gamma  - \left\|u\right\|^{2} \le 2a}{}" in tex


def test_smoothness_says_of_what_and_how_smooth() -> None:
    (smooth, *_) = row(as_claim(DESCENT))["hypotheses"]
    assert (smooth["formula"], smooth["smooth"]) == (None, {"constant": "L", "function": "f"})


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ({"even": True, "positive": True}, "integer, positive, even"),
        ({"odd": True}, "integer, odd"),
        ({"negative": True}, "negative"),
        ({"nonzero": True}, "nonzero"),
        ({"zero": True}, "integer, nonnegative, zero"),
        ({"integer": True, "positive": True}, "integer, positive"),
        ({"real": True}, "real"),
    ],
)
def test_all_that_a_symbol_is_declared_to_be_is_shown(
    declared: dict[str, bool], shown: str
) -> None:
    """0 ≤ x^m holds for even m alone, and that m is even is part of it."""
    m, x = sympy.Symbol("m", **declared), sympy.Symbol("x", real=True)
    stated = replace(YOUNG, id="mine.m", symbols=(x, m), lhs=0, terms={"x": m**2 + x**2})
    found = row(as_claim(stated))
    assert any(line.endswith(f"m: {shown}") for line in found["quantifiers"])
    assert {"name": "m", "domain": shown, "says": ""} in found["symbols"]


def test_what_names_stand_for_is_a_line_each() -> None:
    """A sequence has a domain, and a point a place, which formulas do not say."""
    N = sympy.Function("N", integer=True, positive=True)
    k = sympy.Symbol("k", integer=True, nonnegative=True)
    after = Point(vector("x") - 5 * vector("∇f(x)"), sympy.Symbol("f(y)", real=True), vector("h"))
    stated = Theorem(
        id="mine.names",
        where="here",
        statement="It is less.",
        latex="1",
        symbols=(),
        points=(point("x"), after),
        lhs=after.value,
        terms={"right": after.value + N(k)},
        conclude=Combine(plus=(N(k),)),
    )
    found = row(as_claim(stated))
    said = list(details(found))
    assert found["verdict"] == "PROVED"
    assert "  where N: sequence, positive, integer" in said
    assert '  where f(y): f at x - 5*"∇f(x)"' in said
    assert not any(line.startswith("  where f(x)") for line in said)


def test_of_a_place_that_no_formula_asks_anything_of_nothing_is_said() -> None:
    """A vector that moves has a value of f by each of its places; x⁺ = qx is about no function."""
    k, K, q = index("k"), count("K"), positive("q")
    draft, x = theorem("mine.place"), vector("x")
    draft.assume(q <= 1)
    draft.iterate(x, q * x, k)
    D = draft.sequence("D", x**2)
    found = row(as_claim(draft.shows(total(D(k), k, K) <= K * D(0))))
    said = list(details(found))
    assert not any("function" in line or "f(x)" in line for line in (*said, *found["quantifiers"]))
    assert "  where x: in iteration k + 1 it is q*x" in said
    assert "  if q <= 1" in said, "a hypothesis that its file gives no words is printed once"
    assert found["assumes"] == ["q <= 1"]
    assert "hypotheses[].says" not in found["supplied"]


def test_certificates_stand_beside_their_steps_and_are_re_checked() -> None:
    found = rows(judge(as_claim(STEPSIZE)))
    steps = found["claims"][0]["steps"]
    assert [(one["name"], one["premises"]) for one in steps] == [
        ("scaled", ["small"]),
        ("statement", ["scaled"]),
        ("", ["small"]),
    ]
    assert recheck(found).failures == []
    found["claims"][0]["goal"] = "0 <= 1"
    assert recheck(found).failures


def case(when: str, bound: Any) -> Theorem:
    hypothesis = Hypothesis("case", when, bound)
    steps = (Step("same", hypothesis.relation, Combine({"case": 1})),)
    return replace(
        STEPSIZE,
        symbols=(a,),
        hypotheses=(hypothesis,),
        steps=steps,
        lhs=-square(u),
        terms={"first": sympy.S.Zero},
        conclude=Combine(squares=((1, u),)),
    )


def test_cases_keep_their_names_apart() -> None:
    """Both cases call their condition and their step alike, and mean different things."""
    cases = {"a <= 1": case("a <= 1", le(a, 1)), "a >= 1": case("a >= 1", le(1, a))}
    stated = replace(cases["a <= 1"], hypotheses=(), steps=())
    covers = dict.fromkeys(cases, ("case",))
    found = rows(judge(by_branches(stated, cases, covers, chosen=())))
    (one,) = found["claims"]
    assert one["verdict"] == "PROVED"
    assert [(h["name"], h["formula"], h["case"]) for h in one["hypotheses"]] == [
        ("a <= 1: case", "a <= 1", "a <= 1"),
        ("a >= 1: case", "1 <= a", "a >= 1"),
    ]
    named = [(step["name"], step["premises"]) for step in one["steps"] if step["name"]]
    assert named[:2] == [("a <= 1: same", ["a <= 1: case"]), ("statement", [])]
    assert recheck(found).failures == []


COMPARED = Compared("1 = 1", "theory.verdicts.weakest", holds=True)
OWN = Account(Decision((COMPARED,)))
CLAIM = Claim("mine.one", "here", "It holds.", "", lambda forms: OWN, printed={"delay": a + 1})


@pytest.mark.parametrize(
    "claim",
    [
        replace(CLAIM, theorem=STEPSIZE),
        replace(CLAIM, account=lambda forms: Account(Decision((YOUNG, STEPSIZE)))),
        replace(CLAIM, account=lambda forms: Account(Decision((YOUNG, COMPARED)))),
        replace(CLAIM, theorem=STEPSIZE, source="mine.py"),
    ],
    ids=["other grounds", "two statements", "half of it", "a file's own prover"],
)
def test_a_theorem_that_was_not_what_was_judged_is_not_shown(claim: Claim) -> None:
    found = row(claim)
    assert found["verdict"] == ("UNKNOWN" if claim.source else "PROVED")
    assert (found["goal"], found["hypotheses"]) == ("delay = a + 1", [])
    assert found["symbols"] == [{"name": "a", "domain": "positive", "says": ""}]
    assert {"statement", "latex"} <= set(found["supplied"])


def test_grounds_of_a_named_case_are_shown() -> None:
    decision = Decision((YOUNG,))
    account = Account(Readings(("a > 0",)), cases=(Case("a > 0", decision),))
    found = row(replace(CLAIM, account=lambda forms: account, printed={}))
    assert found["goal"] == "dot(u, v) <= a*dot(u, u)/2 + dot(v, v)/(2*a)"


def test_arguments_in_words_and_trusted_code_are_in_the_row() -> None:
    account = Account(Decision((COMPARED,)), arguments=("By counting.",))
    found = row(replace(CLAIM, account=lambda forms: account, origin="implied"))
    assert (found["rests_on"], found["origin"]) == (["comparison", "words"], "implied")
    assert found["arguments"] == ["By counting."]
    (trusted,) = found["trusted"]
    assert trusted["module"] == "theory.verdicts"
    assert trusted["lines"] > 10


def test_closure_has_all_that_a_row_rests_on() -> None:
    chain = [replace(as_claim(YOUNG), id=f"mine.{k}", depends=()) for k in range(3)]
    chain[1:] = [replace(one, depends=(before.id,)) for before, one in pairwise(chain)]
    graph = dependency_graph(chain, {})
    last = settled([judge(one) for one in chain], graph)[-1]
    assert json.loads(json.dumps(last.to_json()))["closure"] == ["mine.0", "mine.1"]


def test_only_rows_as_printed_are_counted_as_such() -> None:
    claims = [replace(as_claim(YOUNG), id=f"mine.{k}", origin=k) for k in ("printed", "ours")]
    found = ledger([judge(one) for one in claims])
    assert (found["summary"], found["as_printed"]) == ({"PROVED": 2}, {"PROVED": 1})
