"""Writing reports: all or nothing, the same bytes every time, nothing left of what is gone."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

from reports import (
    Ledger,
    LedgerError,
    OutputError,
    load_ledger,
    render_report,
    write_json_atomic,
    write_report,
)
from reports.documents.paper import file_name

DOCUMENTS = (
    "AMDP",
    "RPD-asynchronous-pipelines-as-randomized-block-descent",
    "RPD-asynchronous-pipelines-as-randomized-block-descent-erratum",
    "report",
)
GOLDEN = Path(__file__).parents[1] / "golden" / "ledger.json"


@pytest.fixture
def ledger() -> Ledger:
    return load_ledger(GOLDEN)


@pytest.fixture
def plain(ledger: Ledger) -> Ledger:
    """The same rows without figures, which take the time."""
    for row in ledger["claims"]:
        row["evidence"] = [item for item in row["evidence"] if "figure" not in item["data"]]
    return ledger


def snapshot(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_report_has_these_files(ledger: Ledger, tmp_path: Path) -> None:
    written = write_report(ledger, tmp_path / "new" / "report")
    named = sorted(path.relative_to(tmp_path / "new" / "report").as_posix() for path in written)
    assert named == sorted(
        [
            "figures/rpd.lemma-c1-entry-curves.pdf",
            "figures/rpd.lemma-c1-entry-curves.svg",
            "figures/rpd.lemma-c1-entry-heatmap.pdf",
            "figures/rpd.lemma-c1-entry-heatmap.svg",
            "figures/rpd.prop-4.1-growth.pdf",
            "figures/rpd.prop-4.1-growth.svg",
            "figures/rpd.prop-4.1-timeline.pdf",
            "figures/rpd.prop-4.1-timeline.svg",
            "ledger.json",
            *(f"{name}.{suffix}" for name in DOCUMENTS for suffix in ("md", "tex")),
        ]
    )
    assert sorted(snapshot(tmp_path)) == sorted(
        path.relative_to(tmp_path).as_posix() for path in written
    )


def test_running_times_change_nothing(plain: Ledger, tmp_path: Path) -> None:
    write_report(plain, tmp_path / "one")
    for row in plain["claims"]:
        row["seconds"] = 12345.678
    write_report(plain, tmp_path / "two")
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "two")


def reordered(value: Any) -> Any:
    """The same data, each mapping the other way round."""
    if isinstance(value, dict):
        return {key: reordered(inner) for key, inner in reversed(value.items())}
    return [reordered(inner) for inner in value] if isinstance(value, list) else value


def test_the_order_of_mappings_changes_nothing(plain: Ledger) -> None:
    """So a run and the ledger that it wrote give the same documents."""
    assert render_report(reordered(plain)) == render_report(plain)


def test_written_ledger_is_a_ledger_with_a_true_summary(plain: Any, tmp_path: Path) -> None:
    plain["summary"] = {"PROVED": 1_000}
    write_report(plain, tmp_path)
    again = load_ledger(tmp_path / "ledger.json")
    assert json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))["summary"] == {
        "REFUTED": 1,
        "UNKNOWN": 1,
        "CHECKED": 0,
        "CONDITIONAL": 1,
        "PROVED": 1,
    }
    assert render_report(again) == render_report(plain)


@pytest.mark.slow
def test_deleting_a_row_deletes_everything_of_it(ledger: Ledger, tmp_path: Path) -> None:
    write_report(ledger, tmp_path)
    before = snapshot(tmp_path)
    ledger["claims"] = [row for row in ledger["claims"] if row["id"] != "rpd.prop-4.1"]
    write_report(ledger, tmp_path)
    after = snapshot(tmp_path)

    gone = {
        f"figures/rpd.prop-4.1-{figure}.{suffix}"
        for figure in ("growth", "timeline")
        for suffix in ("svg", "pdf")
    }
    assert before.keys() - after.keys() == gone
    assert any(b"prop-4.1" in content for content in before.values())
    assert all(b"prop-4.1" not in content for content in after.values())
    old, new = (files["report.md"].decode() for files in (before, after))
    for then, now in [
        ("from 4 claims", "from 3 claims"),
        ("| all | 1 | 1 | 0 | 1 | 1 |", "| all | 1 | 1 | 0 | 0 | 1 |"),
        ("Findings: 1 false, 1 missing-condition.", "Findings: 1 false."),
        ("Controls: 52 of 55 false variants", "Controls: 23 of 25 false variants"),
    ]:
        assert then in old
        assert then not in new
        assert now in new
    assert json.loads(after["ledger.json"])["summary"]["CONDITIONAL"] == 0


def test_a_paper_without_rows_leaves_the_report(plain: Ledger, tmp_path: Path) -> None:
    plain["claims"].pop()
    write_report(plain, tmp_path)
    assert not list(tmp_path.glob("AMDP*"))
    assert "AMDP" not in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_an_empty_ledger_gives_a_report_without_figures(ledger: Ledger, tmp_path: Path) -> None:
    write_report(ledger, tmp_path)
    ledger["claims"] = []
    write_report(ledger, tmp_path)
    assert sorted(snapshot(tmp_path)) == ["ledger.json", "report.md", "report.tex"]
    assert not (tmp_path / "figures").exists()


def test_foreign_files_stay(plain: Ledger, tmp_path: Path) -> None:
    foreign = [tmp_path / "notes.txt", tmp_path / "figures" / "photo.svg"]
    for path in foreign:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    stale = tmp_path / "figures" / "old.claim-growth-2.svg"
    stale.write_text("old")
    write_report(plain, tmp_path)
    assert all(path.read_text() == "mine" for path in foreign)
    assert not stale.exists()


def test_two_figures_of_a_kind_have_two_files(ledger: Ledger) -> None:
    row = ledger["claims"][1]
    row["evidence"].append(copy.deepcopy(row["evidence"][0]))
    rendered = render_report(ledger)
    assert "figures/rpd.prop-4.1-growth-2.svg" in rendered
    for suffix, link in (("md", b"prop-4.1-growth-2.svg"), ("tex", b"prop-4.1-growth-2.pdf")):
        assert any(link in text for name, text in rendered.items() if name.endswith(suffix))


def test_a_bad_ledger_leaves_the_old_report(plain: Any, tmp_path: Path) -> None:
    write_report(plain, tmp_path)
    before = snapshot(tmp_path)
    plain["claims"][3]["verdict"] = "FINE"
    with pytest.raises(LedgerError):
        write_report(plain, tmp_path)
    assert snapshot(tmp_path) == before


def test_a_bad_ledger_makes_no_directory(tmp_path: Path) -> None:
    with pytest.raises(LedgerError):
        write_report({}, tmp_path / "new")  # type: ignore[typeddict-item]
    assert not (tmp_path / "new").exists()


def test_a_full_disk_leaves_the_old_report(
    plain: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_report(plain, tmp_path)
    before = snapshot(tmp_path)
    plain["claims"].pop()
    write_bytes = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if path.name == "report.md":
            raise OSError(28, os.strerror(28))
        return write_bytes(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutputError, match="No space left"):
        write_report(plain, tmp_path)
    assert snapshot(tmp_path) == before


def test_places_that_cannot_be_written(plain: Ledger, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "taken" / "report.md").mkdir(parents=True)
    for place in ("file", "file/below", "taken", "nul\0l"):
        with pytest.raises(OutputError, match="cannot be written"):
            write_report(plain, tmp_path / place)
    assert sorted(snapshot(tmp_path)) == ["file"]


def test_a_pipe_or_a_device_is_not_replaced(tmp_path: Path) -> None:
    """A file that is renamed over ``/dev/null`` would take its place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OutputError, match="a device or a pipe"):
        write_json_atomic([1], pipe)
    assert pipe.is_fifo()


def test_survivors_are_loud_and_verdicts_are_words(plain: Ledger) -> None:
    rendered = render_report(plain)
    for suffix in ("md", "tex"):
        assert b"SURVIVORS: false variants passed as true" in rendered[f"report.{suffix}"]
        text = b"".join(text for name, text in rendered.items() if name.endswith(suffix)).decode()
        assert "1 PASSED AS TRUE." in text
        assert "SURVIVOR:" in text
        assert all(row["verdict"] in text for row in plain["claims"])
    for row in plain["claims"]:
        row["controls"] = {"tried": 3, "killed": 3, "survivors": []}
    for name, content in render_report(plain).items():
        if name.endswith((".md", ".tex")):
            assert b"SURVIVOR" not in content
            assert b"PASSED AS TRUE" not in content


def test_json_is_sorted_and_whole(tmp_path: Path) -> None:
    path = write_json_atomic({"τ": "\ud800", "a": [1, None]}, tmp_path / "deep" / "run.json")
    assert json.loads(path.read_text(encoding="utf-8")) == {"τ": "\ud800", "a": [1, None]}
    assert path.read_text(encoding="utf-8").index('"a"') < path.read_text(encoding="utf-8").index(
        "τ"
    )
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("obj", [{"x": {1}}, [float("inf")], {(1, 2): 3}])
def test_json_of_something_else_leaves_the_old_file(tmp_path: Path, obj: object) -> None:
    path = write_json_atomic([1], tmp_path / "run.json")
    with pytest.raises(OutputError, match="plain data"):
        write_json_atomic(obj, path)
    assert json.loads(path.read_text()) == [1]


def test_reasons_are_cut_between_clauses_and_statements_nowhere(plain: Any) -> None:
    row = next(row for row in plain["claims"] if row["verdict"] == "REFUTED")
    row["statement"] = "It holds " + "and holds " * 40 + "if p is even"
    clause = f"it fails {'(there; here) ' * 20}for odd p"
    says = {
        "kind": "false",
        "where": "line 1",
        "printed": "",
        "says": f"{clause}; and {'so ' * 99}",
    }
    row["findings"] = [says | {"repaired": None, "witness": None}]
    plain["papers"] = {row["paper"]: {"title": "Notes", "folder": "my notes"}}
    documents = {name: text.decode() for name, text in render_report(plain).items()}
    (letter,) = (text for name, text in documents.items() if name.endswith("-erratum.md"))
    assert f"{clause[0].upper()}{clause[1:]}." in letter
    assert f"`staleproof show {row['id']} 'my notes'`" in letter
    assert "so so" not in letter
    assert "if p is even" in letter
    assert "if p is even" in documents["report.md"]


def test_works_that_rows_cite_are_named(plain: Any) -> None:
    row = plain["claims"][0]
    named = "Qi et al. 2023: Zero Bubble Pipeline Parallelism"
    assert not any(named.encode() in document for document in render_report(plain).values())
    row["where"] = "line 3, after Qi et al. 2023"
    assert any(named.encode() in document for document in render_report(plain).values())


def test_experiments_stand_in_the_document_of_their_paper(plain: Ledger, tmp_path: Path) -> None:
    row = plain["claims"][0]
    name = file_name(row["paper"])
    result = {
        "name": "squares", "source": "Fig. 1", "question": "?", "predictions": [row["id"]],
        "refuted_by": "another sum", "quick": False, "verdict": "not reproduced", "says": "5",
        "numbers": [{"what": "sum", "paper": 4.0, "ours": 5.25}],
    }  # fmt: skip
    write_report(plain, tmp_path)
    before = (tmp_path / f"{name}.md").read_bytes()
    folder = tmp_path / "experiments"
    folder.mkdir()
    (folder / "squares.json").write_text(json.dumps({**result, "predictions": ["another.row"]}))
    write_report(plain, tmp_path)
    assert (tmp_path / f"{name}.md").read_bytes() == before
    (folder / "squares.json").write_text(json.dumps(result))
    write_report(plain, tmp_path)
    text = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert "**Not reproduced.** 5" in text
    assert "| sum | 4 | 5.25 |" in text
    assert "](experiments/squares.svg)" in text
    assert "experiments/squares.pdf" in (tmp_path / f"{name}.tex").read_text(encoding="ascii")
    assert render_report(plain, [result])[f"{name}.md"] == text.encode()
    (folder / "squares.json").write_text("{}")
    with pytest.raises(OutputError, match="squares"):
        write_report(plain, tmp_path)
