"""`theory.verify`: what is selected, and what every judgement is held to, whoever reached it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import sympy

from tests.claim_files import file, reaching
from theory.catalogue import CLAIMS, PAPERS, Catalogue
from theory.claims import Claim
from theory.errors import (
    ClaimFileError,
    CycleError,
    ProverError,
    UnknownClaimError,
    UnsupportedFormError,
    VacuousError,
)
from theory.judging import judge
from theory.ledger import Evidence, Finding, Judgement
from theory.verdicts import Verdict
from theory.verify import ledger, select, verify

FOR, AGAINST = (Evidence(points, "a replay", {}) for points in ("for", "against"))
PROVED = Judgement(Verdict.PROVED, "none")


def claim(judge: Callable[[Any], Any], **more: Any) -> Claim:
    return Claim("mine.one", "here", "It holds.", "1 = 1", judge=judge, **more)


@pytest.mark.parametrize(
    ("judgement", "verdict"),
    [
        (Judgement(Verdict.REFUTED, "none"), Verdict.UNKNOWN),
        (Judgement(Verdict.REFUTED, "none", counterexample={"p": 2}), Verdict.REFUTED),
        (Judgement(Verdict.PROVED, "none", evidence=(FOR, AGAINST)), Verdict.UNKNOWN),
        (Judgement(Verdict.PROVED, "none", evidence=(FOR,)), Verdict.PROVED),
        (Judgement(Verdict.CONDITIONAL, "none", evidence=(AGAINST,)), Verdict.CONDITIONAL),
    ],
    ids=["no witness", "witness", "contradicted", "supported", "conditional"],
)
def test_no_refutation_without_a_witness_and_no_proof_against_a_replay(
    judgement: Judgement, verdict: Verdict
) -> None:
    assert judge(claim(lambda formulas: judgement)).verdict is verdict


def test_formula_that_cannot_be_read_is_undecided() -> None:
    def unreadable(formulas: object) -> Judgement:
        raise UnsupportedFormError("no polynomial", "claim", "write it out")

    row = judge(claim(unreadable))
    assert row.verdict is Verdict.UNKNOWN
    assert "no polynomial" in row.judgement.evidence[0].says


@pytest.mark.parametrize(
    ("found", "verdict"), [((FOR,), Verdict.PROVED), ((AGAINST,), Verdict.UNKNOWN)]
)
def test_deeper_evidence_is_gathered_on_demand_and_counts(
    found: tuple[Evidence, ...], verdict: Verdict
) -> None:
    one = claim(lambda formulas: PROVED, printed={"a": sympy.S(7)}, deeper=lambda given: found)
    assert judge(one).judgement.evidence == ()
    row = judge(one, deep=True)
    assert row.verdict is verdict
    assert row.judgement.evidence[: len(found)] == found
    assert [row.verdict for row in verify([one], deep=True)] == [verdict]


def test_deeper_evidence_is_about_the_printed_formulas() -> None:
    def deeper(formulas: Any) -> tuple[Evidence, ...]:
        return (Evidence("for", str(formulas["a"]), {}),)

    one = claim(lambda formulas: PROVED, printed={"a": sympy.S(7)}, deeper=deeper)
    assert judge(one, deep=True).judgement.evidence[0].says == "7"


@pytest.mark.parametrize(
    ("judgement", "expected"),
    [
        (None, "TypeError: judge returns a Judgement with a Verdict, found None"),
        ("PROVED", "found 'PROVED'"),
        (Judgement("PROVED", "none"), "judge returns a Judgement with a Verdict"),  # type: ignore[arg-type]
        (replace(PROVED, counterexample={"f": print}), "has no JSON form"),
    ],
)
def test_what_is_no_judgement(judgement: object, expected: str) -> None:
    with pytest.raises(ProverError) as caught:
        judge(claim(lambda formulas: judgement))
    assert caught.value.where.startswith("mine.one (")
    assert expected in caught.value.what


@pytest.mark.parametrize("kind", [ValueError, KeyError, RecursionError, MemoryError, SystemExit])
@pytest.mark.parametrize("part", ["judge", "holds", "deeper"])
def test_prover_that_breaks_down_is_named(kind: type[BaseException], part: str) -> None:
    def breaking(formulas: object) -> Any:
        raise kind("so it is")

    parts: dict[str, Any] = {"judge": lambda formulas: PROVED, part: breaking}
    with pytest.raises(ProverError) as caught:
        judge(claim(**parts, core={"a": sympy.S(1)}), deep=True)
    assert f"the prover stopped with {kind.__name__}: " in caught.value.what
    assert "mine.one (test_verify.py:" in caught.value.where
    assert caught.value.fix == "please report it"


def test_interruption_is_no_breakdown() -> None:
    def interrupted(formulas: object) -> Judgement:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(claim(interrupted))


def test_what_the_kernel_refuses_stays_what_it_is() -> None:
    def vacuous(formulas: object) -> Judgement:
        raise VacuousError("nothing satisfies x > x", "mine.one", "drop it")

    with pytest.raises(VacuousError, match=r"^mine\.one: nothing satisfies x > x; drop it$"):
        judge(claim(vacuous))


def test_witnesses_and_data_become_plain() -> None:
    witness = MappingProxyType({"p": np.int64(2), "mean": Fraction(3, 2)})
    judgement = Judgement(
        Verdict.REFUTED,
        "none",
        findings=(Finding("false", "here", "so", witness),),
        counterexample=witness,
        evidence=(Evidence("for", "so", {"rows": np.eye(2), "law": sympy.Symbol("p") / 2}),),
    )
    found = judge(claim(lambda formulas: judgement)).judgement
    plain = {"p": 2, "mean": "3/2"}
    assert found.counterexample == found.findings[0].witness == plain
    assert type(found.counterexample["p"]) is int
    assert found.evidence[0].data == {"rows": [[1.0, 0.0], [0.0, 1.0]], "law": "p/2"}


def test_row_says_what_it_depends_on() -> None:
    one = claim(lambda formulas: PROVED, depends=("kernel.young",))
    (row,) = ledger(verify([one]))["claims"]
    assert row["depends"] == ["kernel.young"]


def written(folder: Path, *claims: str, name: str = "mine.py") -> str:
    path = folder / name
    path.write_text(file(*claims), encoding="utf-8")
    return str(path)


def test_catalogue_is_a_mapping_in_the_order_of_the_papers() -> None:
    assert all(CLAIMS[name].id == name for name in CLAIMS)
    assert len(CLAIMS) == len(set(CLAIMS))
    papers = [one.paper for one in CLAIMS.values()]
    assert papers == sorted(papers, key=PAPERS.index)
    assert set(papers) == set(PAPERS)
    assert "rpd.none" not in CLAIMS
    assert "none.rpd" not in CLAIMS


def test_one_claim_needs_its_own_paper_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def claims_of(paper: str) -> tuple[Claim, ...]:
        asked.append(paper)
        return ()

    monkeypatch.setattr("theory.catalogue.claims_of", claims_of)
    assert Catalogue().get("localsgd.schedule") is None
    assert asked == ["localsgd"]


def test_papers_ids_and_files_together(tmp_path: Path) -> None:
    path = written(tmp_path, reaching("mine.b", "PROVED"), reaching("mine.a", "PROVED"))
    found = select([path, "rpd.cor-c1", "localsgd", path])
    local = [name for name in CLAIMS if name.startswith("localsgd.")]
    assert [one.id for one in found] == ["rpd.cor-c1", *local, "mine.b", "mine.a"]
    assert select() == list(CLAIMS.values())
    assert [one.id for one in select([path])] == ["mine.b", "mine.a"]


def test_file_takes_the_place_of_the_claim_it_names(tmp_path: Path) -> None:
    path = written(tmp_path, reaching("rpd.cor-c1", "REFUTED"))
    for names in ([path, "rpd"], ["rpd.cor-c1", path], [path]):
        (mine,) = (one for one in select(names) if one.id == "rpd.cor-c1")
        assert judge(mine).verdict is Verdict.REFUTED


def test_paper_stays_one_beside_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("localsgd", "rpd.cor-c1", "notes"):
        Path(name).write_text("", encoding="utf-8")
    assert [one.id for one in select(["rpd.cor-c1"])] == ["rpd.cor-c1"]
    assert {one.paper for one in select(["localsgd"])} == {"localsgd"}
    for name in ("./localsgd", "notes"):
        with pytest.raises(ClaimFileError, match=r"ends in \.py"):
            select([name])


@pytest.mark.parametrize("name", ["nowhere.py", "a/b", "rpd.cor-c1.py"])
def test_missing_file(name: str) -> None:
    with pytest.raises(ClaimFileError, match="there is no such file"):
        select([name])


def test_file_is_read_once_whatever_it_is_called(tmp_path: Path) -> None:
    path = written(tmp_path, reaching("mine.one", "PROVED"))
    (tmp_path / "link.py").symlink_to(path)
    names = [path, f"{tmp_path}/./mine.py", str(tmp_path / "link.py")]
    found = select(names)
    assert [(one.id, one.source) for one in found] == [("mine.one", path)]


@pytest.mark.parametrize(
    ("name", "near"), [("RPD.COR-C1", "rpd.cor-c1"), ("LocalSGD", "localsgd"), ("RDP", "rpd")]
)
def test_case_is_no_reason_to_know_nothing(name: str, near: str) -> None:
    with pytest.raises(UnknownClaimError) as caught:
        select([name])
    assert caught.value.fix == f"did you mean '{near}'?"


def test_what_cannot_be_selected(tmp_path: Path) -> None:
    one = written(tmp_path, reaching("mine.one", "PROVED"))
    same = written(tmp_path, reaching("mine.ONE", "PROVED"), name="same.py")
    with pytest.raises(ClaimFileError, match=r"mine\.py and .*same\.py: two claims are called"):
        select([one, same])
    circle = [reaching(f"mine.{a}", "PROVED", f"depends=('mine.{b}',)") for a, b in ("xy", "yx")]
    with pytest.raises(
        CycleError, match=r"mine\.x → mine\.y → mine\.x|mine\.y → mine\.x → mine\.y"
    ):
        select([written(tmp_path, *circle)])
    lost = reaching("mine.one", "PROVED", "depends=('rpd.cor-c2',)")
    with pytest.raises(UnknownClaimError, match=r"did you mean 'rpd\.cor-c1'"):
        select([written(tmp_path, lost)])
