"""`theory.judging.dependencies`: no circle, no unknown id, nothing unestablished below."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest

from tests.verdicts_of import reaching
from theory.claims import Claim
from theory.errors import CycleError, UnknownClaimError
from theory.judging.catalogue import CLAIMS
from theory.judging.dependencies import dependency_graph, settled
from theory.judging.judge import judged
from theory.judging.verify import verify
from theory.ledger import Row
from theory.verdicts import Verdict


def claim(name: str, *depends: str, verdict: Verdict = Verdict.PROVED) -> Claim:
    account = reaching(verdict)
    return Claim(name, "here", "It holds.", "1", lambda formulas: account, depends=depends)


def known(*claims: Claim) -> dict[str, Claim]:
    return {one.id: one for one in claims}


def test_every_claim_has_what_it_rests_on() -> None:
    lemma, theorem, alone = claim("m.lemma"), claim("m.theorem", "m.lemma"), claim("m.alone")
    graph = dependency_graph([theorem, alone], known(lemma))
    assert graph == {"m.lemma": (), "m.theorem": ("m.lemma",), "m.alone": ()}


def test_what_is_needed_is_followed_all_the_way() -> None:
    chain = [claim("m.0"), *(claim(f"m.{k}", f"m.{k - 1}") for k in range(1, 6))]
    assert len(dependency_graph([chain[-1]], known(*chain))) == 6


def test_given_claim_hides_the_known_one_of_its_name() -> None:
    graph = dependency_graph([claim("m.one")], known(claim("m.one", "m.two")))
    assert list(graph) == ["m.one"]


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_circle_is_named(length: int) -> None:
    circle = [claim(f"m.{k}", f"m.{(k + 1) % length}") for k in range(length)]
    with pytest.raises(CycleError) as caught:
        dependency_graph([circle[0]], known(*circle))
    path = caught.value.what.split("found ")[1].split(" → ")
    assert path[0] == path[-1]
    assert sorted(path[1:]) == [one.id for one in circle]
    assert all(before in known(*circle)[after].depends for before, after in pairwise(path))


def test_unknown_id_names_who_asks_and_the_nearest() -> None:
    with pytest.raises(UnknownClaimError) as caught:
        dependency_graph([claim("m.theorem", "m.lema")], known(claim("m.lemma")))
    assert "'m.lema'" in caught.value.what
    assert caught.value.where == "m.theorem: depends"
    assert caught.value.fix == "did you mean 'm.lemma'?"
    with pytest.raises(UnknownClaimError, match="list it in CLAIMS as well"):
        dependency_graph([claim("m.theorem", "elsewhere")], {})


def test_claims_of_ours_depend_on_claims_of_ours() -> None:
    assert set(dependency_graph(CLAIMS.values(), CLAIMS)) == set(CLAIMS)


def row(one: Claim) -> Row:
    judgement = judged(one)
    return Row(one.id, one.paper, one.where, one.statement, one.latex, judgement, one.depends)


@pytest.mark.parametrize(
    ("lemma", "theorem", "expected"),
    [
        (Verdict.PROVED, Verdict.PROVED, Verdict.PROVED),
        (Verdict.CHECKED, Verdict.PROVED, Verdict.UNKNOWN),
        (Verdict.CONDITIONAL, Verdict.PROVED, Verdict.UNKNOWN),
        (Verdict.UNKNOWN, Verdict.PROVED, Verdict.UNKNOWN),
        (Verdict.REFUTED, Verdict.PROVED, Verdict.UNKNOWN),
        (Verdict.REFUTED, Verdict.CONDITIONAL, Verdict.UNKNOWN),
        (Verdict.REFUTED, Verdict.CHECKED, Verdict.UNKNOWN),
        (Verdict.REFUTED, Verdict.REFUTED, Verdict.REFUTED),
        (Verdict.PROVED, Verdict.CONDITIONAL, Verdict.CONDITIONAL),
    ],
)
def test_nothing_rests_on_what_is_not_established(
    lemma: Verdict, theorem: Verdict, expected: Verdict
) -> None:
    claims = [claim("m.lemma", verdict=lemma), claim("m.theorem", "m.lemma", verdict=theorem)]
    graph = dependency_graph(claims, {})
    for order in permutations(claims):
        found = {one.id: one for one in settled([row(one) for one in order], graph)}
        assert list(found) == [one.id for one in order]
        assert found["m.lemma"].verdict is lemma
        assert found["m.theorem"].verdict is expected
        withdrawn = expected is not theorem
        says = [entry.says for entry in found["m.theorem"].judgement.evidence]
        why = f"not decided: it rests on m.lemma, which is {lemma.name}"
        assert says == ([why] if withdrawn else [])


def test_doubt_spreads_along_a_chain() -> None:
    chain = [claim("m.0", verdict=Verdict.REFUTED)]
    chain += [claim(f"m.{k}", f"m.{k - 1}") for k in range(1, 5)]
    rows = verify(chain[::-1])
    assert [one.id for one in rows] == [one.id for one in chain[::-1]]
    assert [one.verdict.name for one in rows] == ["UNKNOWN"] * 4 + ["REFUTED"]


def test_what_a_claim_rests_on_is_judged_even_if_nobody_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lemma = claim("rpd.lemma-of-a-test", verdict=Verdict.REFUTED)
    monkeypatch.setattr("theory.judging.verify.CLAIMS", known(lemma))
    begun: list[tuple[str, int, int]] = []
    rows = verify([claim("m.theorem", lemma.id)], lambda *progress: begun.append(progress))
    assert [(one.id, one.verdict.name) for one in rows] == [("m.theorem", "UNKNOWN")]
    assert begun == [(lemma.id, 0, 2), ("m.theorem", 1, 2)]
