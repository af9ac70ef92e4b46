"""The page of measurements: every number from a file, and nothing measured that was not."""

import json
from pathlib import Path

import pytest

from reports.errors import OutputError
from reports.measured_page import PAGE, load, main, page

FOLDER = Path(__file__).parents[2] / "reports" / "measured"
FILES = load(FOLDER)
RUNS = {name: file for name, file in FILES.items() if file["schema"] == "staleproof-measure/1"}


def test_the_committed_page_is_that_of_the_committed_files() -> None:
    assert (FOLDER / PAGE).read_text(encoding="utf-8") == page(FILES)


@pytest.mark.parametrize("name", RUNS)
def test_a_committed_result_agrees_for_the_stated_reasons(name: str) -> None:
    found = RUNS[name]
    applicable = [control for control in found["controls"] if control["applicable"]]
    assert found["checks"]
    assert applicable
    good = all(check["holds"] for check in found["checks"])
    assert found["agree"] == (good and all(control["caught"] for control in applicable))
    assert found["measured"]["local_staleness"] == found["predicted"]["local_staleness"]
    assert found["environment"]["processor"]
    if not found["environment"]["gpus"]:
        assert found["setup"]["device"] == "cpu"


def test_stages_that_share_a_device_have_no_speed() -> None:
    for found in RUNS.values():
        if found["setup"]["transport"] == "threads":
            assert "nothing about the speed" in found["measured"]["timing"]["note"]


def test_a_failed_measurement_is_shown_as_one() -> None:
    name, found = next(iter(RUNS.items()))
    bad = json.loads(json.dumps(found)) | {"agree": False}
    bad["checks"][0]["holds"] = None
    bad["controls"][-1]["caught"] = False
    text = page({name: bad})
    assert "| **no** |" in text
    assert f"| {len(bad['checks']) - 1} / {len(bad['checks'])} |" in text


def test_main_writes_the_page(tmp_path: Path) -> None:
    for name, found in RUNS.items():
        (tmp_path / name).write_text(json.dumps(found), encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / PAGE).read_text(encoding="utf-8") == page(RUNS)


@pytest.mark.parametrize("text", ["nonsense", "[]", '{"schema": "staleproof-ledger/1"}'])
def test_other_files_are_refused(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.json").write_text(text, encoding="utf-8")
    with pytest.raises(OutputError, match=r"other\.json"):
        load(tmp_path)
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("measured_page: ")
    assert not (tmp_path / PAGE).exists()


def test_a_file_of_an_error_stands_on_the_page_and_blocks_nothing(tmp_path: Path) -> None:
    error = {"what": "there is no GPU", "where": "device cuda", "fix": "take a CPU"}
    (tmp_path / "h100.json").write_text(json.dumps({"error": error}), encoding="utf-8")
    text = page(load(tmp_path))
    assert "## Not measured" in text
    assert "- `h100.json`: device cuda: there is no GPU" in text
