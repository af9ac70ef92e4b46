"""Ledgers are shown again only where nothing that they depend on has changed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from argparse import Namespace
from importlib import metadata
from pathlib import Path

import pytest

from staleproof import kept_results
from staleproof.cli import main
from staleproof.commands import verify
from staleproof.kept_results import keep, kept, key, store

LEDGER = {"claims": [{"id": "rpd.cor-c1", "verdict": "PROVED"}]}


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(kept_results.OFF)
    return tmp_path


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree that stands for that of the packages."""
    tree = tmp_path / "sources"
    (tree / "inner").mkdir(parents=True)
    (tree / "one.py").write_text("one = 1\n")
    (tree / "inner" / "data.json").write_text("[1]\n")
    monkeypatch.setattr(kept_results, "_folders", lambda: iter([str(tree)]))
    return tree


def test_what_is_kept_is_found_again() -> None:
    assert kept("name") is None
    keep("name", "name", LEDGER)
    assert kept("name") == LEDGER
    assert kept("another name") is None


@pytest.mark.parametrize("place", ["one.py", "inner/data.json"])
def test_an_edit_of_any_source_is_another_key(sources: Path, place: str) -> None:
    before = key([], False)
    stamp = (sources / place).stat()
    text = (sources / place).read_text()
    (sources / place).write_text(text.replace("1", "2"))
    os.utime(sources / place, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert before is not None
    assert key([], False) not in (before, None)
    (sources / place).write_text(text)
    assert key([], False) == before


def test_a_file_more_or_moved_is_another_key(sources: Path) -> None:
    keys = [key([], False)]
    (sources / "two.py").write_text("")
    keys.append(key([], False))
    (sources / "two.py").rename(sources / "inner" / "two.py")
    keys.append(key([], False))
    assert len(set(keys)) == 3


def test_names_options_and_versions_are_in_the_key(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [key([], False), key([], True), key(["rpd"], False), key(["rpd", "amdp"], False)]
    for name in kept_results.COMPUTING:
        with monkeypatch.context() as patch:
            patch.setattr(metadata, "version", lambda one, n=name: "2" if one == n else "1")
            keys.append(key([], False))
    for name in ("SYMPY_GROUND_TYPES", "PYTHONINTMAXSTRDIGITS", "PYTHONPATH", "MPMATH_NOGMPY"):
        monkeypatch.setenv(name, "700")
        keys.append(key([], False))
    assert None not in keys
    assert len(set(keys)) == len(keys)


def test_nothing_is_kept_with_a_library_that_is_another_than_the_installed_one(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its version would be taken for that of the installed one."""
    copy = tmp_path / "elsewhere" / "mpmath"
    copy.mkdir(parents=True)
    (copy / "__init__.py").write_text("")
    assert key([], False) is not None
    monkeypatch.delitem(sys.modules, "mpmath", raising=False)
    monkeypatch.syspath_prepend(copy.parent)
    assert key([], False) is None


def test_a_user_without_a_home_has_nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(kept_results, "store", nowhere)
    keep("name", "name", LEDGER)
    assert kept("name") is None


def test_the_key_is_the_same_before_and_after_a_run() -> None:
    code = (
        "from staleproof.kept_results import key\n"
        "before = key([], False)\n"
        "from theory.judging.verify import select\n"
        "select(['kernel.young'])\n"
        "assert before is not None and key([], False) == before\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "SYMPY_CACHE_SIZE"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_files_of_users_are_never_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rpd").mkdir()
    monkeypatch.chdir(tmp_path)
    assert all(key([name], False) is None for name in ("my.py", "./rpd.cor-c1", "rpd"))


def test_nothing_is_kept_of_a_run_during_which_sources_changed() -> None:
    keep("before", "after", LEDGER)
    keep(None, None, LEDGER)
    assert not store().exists()


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE kept SET ledger = replace(ledger, 'PROVED', 'REFUTED')",
        "UPDATE kept SET name = 'other'",
        "UPDATE kept SET ledger = 7",
        "DROP TABLE kept",
    ],
)
def test_a_changed_store_says_nothing(edit: str) -> None:
    keep("name", "name", LEDGER)
    with sqlite3.connect(store()) as database:
        database.execute(edit)
    database.close()
    assert kept("name") is None
    assert kept("other") is None


def test_a_store_that_is_none_does_no_harm() -> None:
    keep("name", "name", LEDGER)
    store().write_bytes(b"no database" * 100)
    assert kept("name") is None
    keep("name", "name", LEDGER)
    assert kept("name") is None


def test_only_the_newest_are_kept() -> None:
    for number in range(kept_results.MOST + 2):
        keep(str(number), str(number), {"number": number})
    assert kept("0") is None
    assert kept("1") is None
    assert kept("2") == {"number": 2}


def test_a_run_that_is_killed_while_it_writes_leaves_what_was_there() -> None:
    keep("name", "name", LEDGER)
    code = (
        "import sqlite3, os, signal\n"
        "from staleproof.kept_results import _opened\n"
        "database = _opened()\n"
        "database.execute(\"UPDATE kept SET ledger = 'half'\")\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False, env=os.environ)
    assert ended.returncode == -signal.SIGKILL
    assert kept("name") == LEDGER


def test_a_kept_ledger_meets_requirements_as_a_proof_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = {"claims": [{"id": "rpd.cor-c1", "verdict": "UNKNOWN"}]}
    monkeypatch.setattr(verify, "kept", lambda name: ledger if name else None)
    chosen = Namespace(
        names=["rpd.cor-c1"], require=[verify.requirement("PROVED")], expect=[], controls="sample",
        deep=False, tightness=False, cross=False, smt=None, report=None, json=True, j=1,
        no_cache=False, from_shell=True, attack=None,
    )  # fmt: skip
    assert verify.run(chosen) == 1
    said = capsys.readouterr()
    assert "kept from a run" in said.err
    assert "the verdict is UNKNOWN, PROVED is required" in said.err


def test_calls_from_python_look_at_nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(verify, "kept", asked.append)
    assert main(["verify", "rpd.lemma-c1-window", "-j", "1", "--json"]) == 0
    assert asked == [None]
    assert not store().exists()
