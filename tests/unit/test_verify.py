"""`theory.judging.verify`: what is selected, and what every judgement is held to."""

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

from tests.claim_files import file
from tests.claim_files import reaching as in_file
from tests.verdicts_of import reaching
from theory.account import Account, Decision, Finding, Refutation, Violation
from theory.claims import Claim
from theory.errors import (
    ClaimFileError,
    CycleError,
    ProverError,
    TheoryError,
    UnknownClaimError,
    UnsupportedFormError,
    VacuousError,
)
from theory.judging.catalogue import CLAIMS, PAPERS, Catalogue
from theory.judging.judge import judge
from theory.judging.verify import ledger, select, verify
from theory.kernel import Proof
from theory.ledger import Evidence, Judgement
from theory.verdicts import Verdict

FOR, AGAINST = (Evidence(points, "a replay", {}) for points in ("for", "against"))
PROVED = reaching(Verdict.PROVED)


def claim(account: Callable[[Any], Any], **more: Any) -> Claim:
    return Claim("mine.one", "here", "It holds.", "1 = 1", account=account, **more)


def refuted_by(measured: int, **witness: object) -> Account:
    """That a number is at most 1 is refuted by this one."""
    wrong = Violation(lambda: measured, "<=", 1, {})
    return Account(Decision(fails=Refutation(witness, wrong)))


@pytest.mark.parametrize(
    ("account", "verdict"),
    [
        (refuted_by(1, p=2), Verdict.UNKNOWN),
        (refuted_by(2, p=2), Verdict.REFUTED),
        (reaching(Verdict.PROVED, (FOR, AGAINST)), Verdict.UNKNOWN),
        (reaching(Verdict.PROVED, (FOR,)), Verdict.PROVED),
        (reaching(Verdict.CONDITIONAL, (AGAINST,)), Verdict.CONDITIONAL),
    ],
    ids=["no witness", "witness", "contradicted", "supported", "conditional"],
)
def test_no_refutation_without_a_witness_and_no_proof_against_a_replay(
    account: Account, verdict: Verdict
) -> None:
    assert judge(claim(lambda formulas: account)).verdict is verdict


def test_a_refutation_without_a_witness_cannot_be_written() -> None:
    with pytest.raises(TheoryError, match="a refutation has a witness"):
        refuted_by(2)


def test_a_judgement_without_a_witness_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever refutes: the last guard looks at what comes out."""
    bare = Judgement(Verdict.REFUTED, "none")
    monkeypatch.setattr("theory.judging.judge.decided", lambda account: bare)
    assert judge(claim(lambda formulas: PROVED)).verdict is Verdict.UNKNOWN


def test_formula_that_cannot_be_read_is_undecided() -> None:
    def unreadable(formulas: object) -> Account:
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
    ("account", "expected"),
    [
        (None, "TypeError: account returns a theory.account.Account, found None"),
        ("PROVED", "found 'PROVED'"),
        (Verdict.PROVED, "account returns a theory.account.Account"),
        (Judgement(Verdict.PROVED, "none"), "account returns a theory.account.Account"),
        (Account(Decision((Verdict.PROVED,))), "a ground is something that a machine reached"),  # type: ignore[arg-type]
        (
            Account(Decision((Proof(Verdict.PROVED, (), frozenset(), {}),))),
            "a ground is something that a machine reached",  # the judge proves, a file does not
        ),
        (refuted_by(2, f=print), "has no JSON form"),
    ],
)
def test_what_is_no_account(account: object, expected: str) -> None:
    with pytest.raises(ProverError) as caught:
        judge(claim(lambda formulas: account))
    assert caught.value.where.startswith("mine.one (")
    assert expected in caught.value.what


@pytest.mark.parametrize("kind", [ValueError, KeyError, RecursionError, MemoryError, SystemExit])
@pytest.mark.parametrize("part", ["account", "holds", "deeper"])
def test_prover_that_breaks_down_is_named(kind: type[BaseException], part: str) -> None:
    def breaking(formulas: object) -> Any:
        raise kind("so it is")

    parts: dict[str, Any] = {"account": lambda formulas: PROVED, part: breaking}
    with pytest.raises(ProverError) as caught:
        judge(claim(**parts, core={"a": sympy.S(1)}), deep=True)
    assert f"the prover stopped with {kind.__name__}: " in caught.value.what
    assert "mine.one (test_verify.py:" in caught.value.where
    assert caught.value.fix == "please report it"


def test_interruption_is_no_breakdown() -> None:
    def interrupted(formulas: object) -> Account:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(claim(interrupted))


def test_what_the_kernel_refuses_stays_what_it_is() -> None:
    def vacuous(formulas: object) -> Account:
        raise VacuousError("nothing satisfies x > x", "mine.one", "drop it")

    with pytest.raises(VacuousError, match=r"^mine\.one: nothing satisfies x > x; drop it$"):
        judge(claim(vacuous))


def test_witnesses_and_data_become_plain() -> None:
    witness = MappingProxyType({"p": np.int64(2), "mean": Fraction(3, 2)})
    account = replace(
        refuted_by(2, **witness),
        findings=(Finding("false", "here", "so", witness),),
        evidence=(Evidence("for", "so", {"rows": np.eye(2), "law": sympy.Symbol("p") / 2}),),
    )
    found = judge(claim(lambda formulas: account)).judgement
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

    monkeypatch.setattr("theory.judging.catalogue.claims_of", claims_of)
    assert Catalogue().get("localsgd.schedule") is None
    assert asked == ["localsgd"]


def test_papers_ids_and_files_together(tmp_path: Path) -> None:
    path = written(tmp_path, in_file("mine.b", "PROVED"), in_file("mine.a", "PROVED"))
    found = select([path, "rpd.cor-c1", "localsgd", path])
    local = [name for name in CLAIMS if name.startswith("localsgd.")]
    assert [one.id for one in found] == ["rpd.cor-c1", *local, "mine.b", "mine.a"]
    assert select() == list(CLAIMS.values())
    assert [one.id for one in select([path])] == ["mine.b", "mine.a"]


def test_file_takes_the_place_of_the_claim_it_names(tmp_path: Path) -> None:
    path = written(tmp_path, in_file("rpd.cor-c1", "REFUTED"))
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
    path = written(tmp_path, in_file("mine.one", "PROVED"))
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
    one = written(tmp_path, in_file("mine.one", "PROVED"))
    same = written(tmp_path, in_file("mine.ONE", "PROVED"), name="same.py")
    with pytest.raises(ClaimFileError, match=r"mine\.py and .*same\.py: two claims are called"):
        select([one, same])
    circle = [in_file(f"mine.{a}", "PROVED", f"depends=('mine.{b}',)") for a, b in ("xy", "yx")]
    with pytest.raises(
        CycleError, match=r"mine\.x → mine\.y → mine\.x|mine\.y → mine\.x → mine\.y"
    ):
        select([written(tmp_path, *circle)])
    lost = in_file("mine.one", "PROVED", "depends=('rpd.cor-c2',)")
    with pytest.raises(UnknownClaimError, match=r"did you mean 'rpd\.cor-c1'"):
        select([written(tmp_path, lost)])


def test_an_account_decides_by_its_parts_alone() -> None:
    with pytest.raises(TheoryError, match="decision of an account is a Decision or Readings"):
        Account("PROVED")  # type: ignore[arg-type]
