"""`staleproof.check` and the pytest plugin, in a project of their own."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import staleproof
from schedules import WeightPolicy, build
from schedules.errors import RequirementError
from schedules.formats import Document
from schedules.formats.pytorch_csv import parse_csv
from staleproof.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
CROSSED = (
    "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n"
)
INSTALLED = bool(entry_points(group="pytest11", name="staleproof"))


@pytest.fixture
def crossed(tmp_path: Path) -> Path:
    path = tmp_path / "crossed.csv"
    path.write_text(CROSSED, encoding="utf-8")
    return path


def in_pytest(folder: Path, body: str, *arguments: str) -> tuple[int, str]:
    """Run pytest on one file."""
    (folder / "test_gate.py").write_text(body, encoding="utf-8")
    plugin = [] if INSTALLED else ["-p", "staleproof.pytest_plugin"]
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *arguments,
            "test_gate.py",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_report_of_what_is_right() -> None:
    report = staleproof.check(build("pipedream", 3, 12), "stash, staleness<=2")
    assert report.ok
    assert {"stash", "staleness"} <= set(report.decided)
    assert report.facts["versions_kept"] == [3, 2, 1]


def test_every_kind_of_subject(crossed: Path) -> None:
    schedule = build("gpipe", 2, 4)
    assert staleproof.check(schedule).facts == staleproof.check(Document(schedule)).facts
    assert staleproof.check("gpipe", ranks=2, microbatches=4).schedule.name == "gpipe"
    assert staleproof.check("pipedream", ranks=3, parameters={"noam": 1}, policy="latest").ok
    assert staleproof.check(crossed, queues="direction").model.queues == "direction"
    for unlimited in (None, "inf", float("inf")):
        assert staleproof.check(str(crossed), buffer=unlimited).model.buffer is None
    lowered = staleproof.check(schedule, lower="just-in-time")
    assert len(lowered.schedule) > len(schedule)


def test_failure_says_what_and_where(crossed: Path) -> None:
    with pytest.raises(staleproof.CheckFailed) as caught:
        staleproof.check(crossed)
    error = caught.value
    assert isinstance(error, AssertionError)
    assert not error.report.ok
    assert [found.invariant for found in error.report.violations] == ["deadlock-free"]
    text = str(error)
    assert text.startswith(f"not ok: {crossed}: 16 actions; broken: deadlock-free; ")
    assert f"{crossed}:row " in text
    assert "never ends" in text
    assert "step by step:" in text


def test_schedule_called_after_a_file_that_is_not_there() -> None:
    with pytest.raises(staleproof.CheckFailed, match=r"nowhere.csv:row \d"):
        staleproof.check(parse_csv(CROSSED, "nowhere.csv"))


def test_undecided_is_a_failure() -> None:
    with pytest.raises(staleproof.CheckFailed, match="undecided: memory<=1GiB"):
        staleproof.check("pipedream", "memory<=1GiB", ranks=2)


def test_pictures(crossed: Path, tmp_path: Path) -> None:
    with pytest.raises(staleproof.CheckFailed, match=r"picture: .*\.svg"):
        staleproof.check(crossed, picture=tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_bad_arguments(crossed: Path) -> None:
    with pytest.raises(RequirementError) as term:
        staleproof.check(crossed, "stashh")
    assert term.value.where == "require"
    for wrong in ({"queues": "ranks"}, {"buffer": -1}, {"policy": "stach"}, {"lower": "now"}):
        with pytest.raises(UsageError) as value:
            staleproof.check(crossed, **wrong)
        assert value.value.where == next(iter(wrong))
    with pytest.raises(UsageError, match="found no policy"):
        staleproof.check(crossed, window=4)
    with pytest.raises(UsageError, match="the number of ranks is needed"):
        staleproof.check("gpipe")


def test_unknown_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        _ = staleproof.chek


def test_entry_point() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    points = tomllib.loads(text)["project"]["entry-points"]["pytest11"]
    assert points == {"staleproof": "staleproof.pytest_plugin"}


FAILING = """
def test_crossed(staleproof_check):
    staleproof_check("crossed.csv")
"""


def test_failing_test_is_short_and_readable(crossed: Path) -> None:
    code, out = in_pytest(crossed.parent, FAILING, "--staleproof-picture", "out")
    assert code == 1
    assert "E       staleproof.CheckFailed: not ok: crossed.csv: 16 actions; broken: " in out
    assert "E         deadlock-free: crossed.csv:row " in out
    assert ">1SEND_B0<" in out
    assert "checking" not in out, "the traceback ends in the test"
    assert "FAILED test_gate.py::test_crossed - staleproof.CheckFailed: not ok: " in out
    [folder] = (crossed.parent / "out").iterdir()
    assert folder.name == "test_gate.py-test_crossed"
    assert [path.suffix for path in folder.iterdir()] == [".svg"]


def test_bad_argument_ends_in_the_test_too(crossed: Path) -> None:
    code, out = in_pytest(crossed.parent, FAILING.replace('.csv")', '.csv", "stashh")'))
    assert code == 1
    assert "RequirementError: require: no invariant is called 'stashh'" in out
    assert "requirement.py" not in out


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("file", "content", "arguments"),
    [
        ("pyproject.toml", "[tool.staleproof]\nbuffer = 1\n", []),
        ("pytest.ini", "[pytest]\nstaleproof_buffer = inf\n", []),
        ("pytest.ini", "[pytest]\nstaleproof_buffer = 0\n", ["--staleproof-buffer", "1"]),
        ("pytest.ini", "[pytest]\n", ["--staleproof-queues", "direction"]),
    ],
)
def test_defaults(crossed: Path, file: str, content: str, arguments: list[str]) -> None:
    """What a test says itself replaces them."""
    (crossed.parent / file).write_text(content, encoding="utf-8")
    strict = FAILING.replace("_crossed", "_strict").replace(
        ".csv", '.csv", queues="rank", buffer="0'
    )
    code, out = in_pytest(crossed.parent, FAILING + strict, *arguments)
    assert code == 1
    assert re.findall(r"^FAILED test_gate.py::(\w+)", out, re.MULTILINE) == ["test_strict"]
    assert "1 failed, 1 passed" in out


def test_required_by_default(tmp_path: Path) -> None:
    body = """
def test_default(staleproof_check):
    staleproof_check("pipedream", ranks=3)

def test_own(staleproof_check):
    staleproof_check("pipedream", ranks=3, require="stash")
"""
    code, out = in_pytest(tmp_path, body, "--staleproof-require", "staleness<=1")
    assert code == 1
    assert "broken: staleness<=1" in out
    assert re.findall(r"^FAILED test_gate.py::(\w+)", out, re.MULTILINE) == ["test_default"]


def test_plugin_imports_nothing_until_it_is_used(tmp_path: Path) -> None:
    body = "import sys\n\ndef test_light():\n    assert 'numpy' not in sys.modules\n"
    assert in_pytest(tmp_path, body)[0] == 0


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"microbatches": 9}, "microbatches"),
        ({"ranks": 7}, "ranks"),
        ({"parameters": {"noam": 2}}, "parameters"),
    ],
)
def test_what_would_be_ignored_is_refused(crossed: Path, given: Any, where: str) -> None:
    schedule = build("gpipe", 2, 2)
    for subject in (schedule, Document(schedule)):
        with pytest.raises(UsageError, match="how a family is built") as caught:
            staleproof.check(subject, **given)
        assert caught.value.where == where
    if where != "microbatches":
        for path in (crossed, str(crossed)):
            with pytest.raises(UsageError, match="describes a family"):
                staleproof.check(path, **given)


@pytest.mark.parametrize(
    "given",
    [
        {"window": 0, "policy": "double-buffer"},
        {"ranks": 0},
        {"ranks": "4"},
        {"ranks": True},
        {"microbatches": 2.0},
        {"parameters": {"noam": "2"}},
        {"parameters": 3},
        {"queues": 3},
        {"require": 3},
        {"require": ["stash", 3]},
        {"require": b"stash"},
        {"sizes": 3},
        {"picture": 3},
        {"buffer": [1]},
        {"lower": ["just-in-time"]},
    ],
)
def test_values_of_another_kind(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        staleproof.check("pipedream", **({"ranks": 2} | given))
    assert caught.value.where == next(iter(given))


@pytest.mark.parametrize("subject", [None, ["g.csv"], b"g.csv", 3])
def test_subjects_that_are_none(subject: Any) -> None:
    with pytest.raises(UsageError, match="a schedule, a file or the name of a family") as caught:
        staleproof.check(subject)
    assert caught.value.where == "subject"


def test_policy_with_its_interval() -> None:
    policy = WeightPolicy("double-buffer", 8)
    assert staleproof.check("pipedream", ranks=2, policy=policy).schedule.policy == policy
    with pytest.raises(UsageError, match="states its own interval"):
        staleproof.check("pipedream", ranks=2, policy=policy, window=4)
    assert staleproof.check("pipedream", ["stash", "skew<=2"], ranks=3).ok


def test_none_says_nothing(tmp_path: Path) -> None:
    body = """
def test_default(staleproof_check):
    staleproof_check("pipedream", ranks=3, linearization=None, queues=None, policy=None, sizes=None)
    staleproof_check("pipedream", None, ranks=3, microbatches=None, picture=None)
"""
    code, out = in_pytest(tmp_path, body)
    assert code == 0, out
