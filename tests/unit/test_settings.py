"""Settings in pyproject.toml: what they say, where they are looked for, what is refused."""

import glob
import os
from pathlib import Path
from typing import Any

import pytest

from schedules.errors import RequirementError
from schedules.messages.model import QueueModel
from staleproof.checking.options import Options
from staleproof.errors import SettingsError, UsageError
from staleproof.settings import Settings, find_settings

EVERYTHING = """
[tool.staleproof]
require = ["stash", "staleness<=3"]
queues = "peer"
buffer = 2
policy = "double-buffer"
window = 4
sizes = "sizes.toml"
linearization = "descending"
lower = "just-in-time"
format = "github"
targets = ["step.csv", "more/*.csv"]

[[tool.staleproof.check]]
targets = "pipedream"
ranks = 4
microbatches = 16
set = { noam = 2 }
require = "skew<=2"
policy = "stash"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    (tmp_path / "more").mkdir()
    for name in ("step.csv", "more/b.csv", "more/a.csv"):
        (tmp_path / name).touch()
    written(tmp_path, EVERYTHING)
    monkeypatch.chdir(tmp_path)
    return find_settings()


def test_every_key(settings: Settings, tmp_path: Path) -> None:
    options = settings.options
    assert [each.text for each in options.requirements] == ["stash", "staleness<=3"]
    assert options.model == QueueModel("peer", 2)
    assert (options.policy, options.window) == ("double-buffer", 4)
    assert options.sizes == str(tmp_path / "sizes.toml")
    assert (options.linearization, options.lower) == ("descending", "just-in-time")
    assert settings.format == "github"


def test_tables_replace_what_is_general(settings: Settings) -> None:
    own = settings.checks[1].options
    assert (own.ranks, own.microbatches, own.parameters) == (4, 16, {"noam": 2})
    assert [each.text for each in own.requirements] == ["skew<=2"]
    assert (own.policy, own.window) == ("stash", None)
    assert (own.queues, own.buffer, own.lower) == ("peer", 2, "just-in-time")


def test_configured_targets(settings: Settings) -> None:
    assert [target for target, _ in settings.configured()] == [
        "step.csv", "more/a.csv", "more/b.csv", "pipedream"
    ]  # fmt: skip


def test_target_that_a_table_names_is_checked_by_it(settings: Settings, tmp_path: Path) -> None:
    assert settings.of("pipedream") == [settings.checks[1].options]
    assert settings.of("./more/a.csv") == [settings.checks[0].options]
    assert settings.of(str(tmp_path / "step.csv")) == [settings.checks[0].options]
    assert settings.of("other.csv") == [settings.options]


def test_paths_are_relative_to_the_file(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / "more")
    found = find_settings()
    targets = [target for target, _ in found.configured()]
    assert targets == ["../step.csv", "a.csv", "b.csv", "pipedream"]
    assert found.of("a.csv") == [found.checks[0].options]
    assert found.options.sizes == str(tmp_path / "sizes.toml")


def test_file_in_two_tables_is_checked_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").touch()
    table = '[[tool.staleproof.check]]\ntargets = ["a.csv"]\nbuffer = {}\n'
    written(tmp_path, table.format(0) + table.format('"inf"'))
    assert [options.buffer for options in find_settings().of("a.csv")] == [0, None]


@pytest.mark.parametrize(("value", "buffer"), [("0", 0), ("7", 7), ('"inf"', None), ("inf", None)])
def test_buffers(tmp_path: Path, value: str, buffer: int | None) -> None:
    written(tmp_path, f"[tool.staleproof]\nbuffer = {value}\n")
    assert find_settings(tmp_path).options.buffer == buffer


def test_nearest_file_that_has_the_table(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    written(tmp_path, '[tool.staleproof]\nqueues = "peer"\n')
    written(inner, '[project]\nname = "staleproof"\n[tool.other]\nqueues = 3\n')
    assert find_settings(inner).options.queues == "peer"
    written(inner.parent, "[tool.staleproof]\n")
    assert find_settings(inner) == Settings()


def test_no_settings(tmp_path: Path) -> None:
    assert find_settings(tmp_path) == Settings(Options(), "text", ())


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("requires = 'stash'", ".requires", "did you mean 'require'?"),
        ("que = 'peer'", ".que", "did you mean 'queues'?"),
        ("zzz = 1", ".zzz", "drop it"),
        ('"a b" = 1', "", "not 'a b'"),
        ("ranks = 4", ".ranks", "the keys here are"),
        ("queues = 1", ".queues", "a text stands here, found '1' (int)"),
        ("require = 3", ".require", "a text or a list of texts"),
        ("require = ['stash', 3]", ".require", "a text or a list of texts"),
        ("buffer = true", ".buffer", "a number of messages"),
        ("buffer = []", ".buffer", "a number of messages"),
        ("window = 0", ".window", "1 or more"),
        ("window = 2.0", ".window", "1 or more"),
        ("check = 3", ".check", "a list of tables"),
        ("check = [3]", ".check[0]", "a table stands here"),
        ("check = [{ queues = 'peer' }]", ".check[0]", "a check names its targets"),
        ("check = [{ targets = ['gpipe'], rank = 4 }]", ".check[0].rank", "'ranks'"),
        ("check = [{ targets = ['gpipe'], ranks = 0 }]", ".check[0].ranks", "1 or more"),
        ("check = [{ targets = ['gpipe'], set = 3 }]", ".check[0].set", "a table of whole"),
        ("check = [{ targets = ['gpipe'], set = { a = 1.5 } }]", ".check[0].set", "a table of"),
        ("check = [{ targets = ['gpipe'], format = 'json' }]", ".check[0].format", "keys here"),
    ],
)
def test_keys_and_types_that_are_none(tmp_path: Path, text: str, place: str, expected: str) -> None:
    path = written(tmp_path, f"[tool.staleproof]\n{text}\n")
    with pytest.raises(SettingsError) as caught:
        find_settings(tmp_path)
    assert caught.value.where == f"{os.path.relpath(path)}:tool.staleproof{place}"
    assert expected in f"{caught.value.what}; {caught.value.fix}"


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("queues = 'ranks'", ".queues", "did you mean 'rank'?"),
        ("buffer = -1", ".buffer", "0 or more, or inf"),
        ("buffer = nan", ".buffer", "0 or more, or inf"),
        ("policy = 'stach'", ".policy", "did you mean 'stash'?"),
        ("linearization = 'up'", ".linearization", "ascending"),
        ("lower = 'soon'", ".lower", "just-in-time"),
        ("format = 'xml'", ".format", "junit"),
        ("window = 4", ".window", "found no policy"),
        ("window = 4\npolicy = 'stash'", ".window", "found the policy stash"),
        ("check = [{ targets = ['a.csv'], ranks = 4 }]", ".check[0].ranks", "are files"),
        ("check = [{ targets = ['*.csv'], set = { a = 1 } }]", ".check[0].set", "are files"),
    ],
)
def test_values_that_are_none(tmp_path: Path, text: str, place: str, expected: str) -> None:
    path = written(tmp_path, f"[tool.staleproof]\n{text}\n")
    with pytest.raises(UsageError) as caught:
        find_settings(tmp_path)
    assert caught.value.where == f"{os.path.relpath(path)}:tool.staleproof{place}"
    assert expected in f"{caught.value.what}; {caught.value.fix}"


@pytest.mark.parametrize("value", ["'stashh'", "['stash', 'stashh']"])
def test_requirements_that_are_none(tmp_path: Path, value: str) -> None:
    path = written(tmp_path, f"[tool.staleproof]\nrequire = {value}\n")
    with pytest.raises(RequirementError) as caught:
        find_settings(tmp_path)
    assert caught.value.where == f"{os.path.relpath(path)}:tool.staleproof.require"
    assert "did you mean 'stash'?" in caught.value.fix


@pytest.mark.parametrize(
    "content",
    [b"[tool.staleproof", b"\xff\xfe", b"a = 1\na = 2\n", b"x = " + b"[" * 5000],
)
def test_broken_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        find_settings(tmp_path)
    assert caught.value.where == os.path.relpath(path)
    assert "no TOML that can be read" in caught.value.what


def test_file_that_is_too_large(tmp_path: Path) -> None:
    written(tmp_path, "#" * (4 * 1024**2 + 1))
    with pytest.raises(SettingsError, match="more than 4194304 bytes"):
        find_settings(tmp_path)


@pytest.mark.parametrize("table", ["[tool]\nstaleproof = 3", "[[tool.staleproof]]\n"])
def test_table_that_is_none(tmp_path: Path, table: str) -> None:
    written(tmp_path, table)
    with pytest.raises(SettingsError, match="a table stands here"):
        find_settings(tmp_path)


def test_pattern_that_matches_nothing(tmp_path: Path) -> None:
    """A gate that checks nothing must not pass."""
    written(tmp_path, "[tool.staleproof]\ntargets = ['*.csv']\n")
    with pytest.raises(SettingsError, match=r"no file matches '\*.csv'"):
        find_settings(tmp_path).configured()


@pytest.mark.parametrize("name", ["a[1]", "a*", "a?b"])
def test_folder_whose_name_looks_like_a_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = tmp_path / name
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "g.csv").touch()
    written(folder, "[tool.staleproof]\nqueues = 'peer'\ntargets = ['**/*.csv']\n")
    monkeypatch.chdir(folder)
    assert [target for target, _ in find_settings().configured()] == ["sub/g.csv"]
    assert find_settings().checks[0].names("sub/g.csv")


def test_file_whose_name_looks_like_a_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is meant as well as what it matches: it must not hide the others."""
    for name in ("a[1].csv", "a1.csv", "b.csv"):
        (tmp_path / name).touch()
    written(tmp_path, "[tool.staleproof]\ntargets = ['a[1].csv']\n")
    monkeypatch.chdir(tmp_path)
    assert find_settings().checks[0].expanded() == ["a1.csv", "a[1].csv"]


@pytest.mark.parametrize(
    ("text", "place"),
    [("targets = []", ""), ("check = [{ targets = [], queues = 'peer' }]", ".check[0]")],
)
def test_no_targets(tmp_path: Path, text: str, place: str) -> None:
    written(tmp_path, f"[tool.staleproof]\n{text}\n")
    with pytest.raises(SettingsError, match="found an empty list") as caught:
        find_settings(tmp_path)
    assert caught.value.where.endswith(f"tool.staleproof{place}.targets")


def test_patterns_are_looked_up_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = glob.glob

    def counted(pattern: str, **options: Any) -> list[str]:
        asked.append(pattern)
        return real(pattern, **options)

    monkeypatch.setattr(glob, "glob", counted)
    for target in ("step.csv", "more/a.csv", "more/b.csv", "other.csv"):
        settings.of(target)
    assert len(settings.configured()) == 4
    assert asked == ["more/*.csv"]


def test_both_sides_of_a_comparison_are_held_to_what_new_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = "[[tool.staleproof.check]]\ntargets = ['{}']\nranks = {}\nqueues = '{}'\n"
    tables = [("gpipe", 2, "direction"), ("1f1b", 4, "peer"), ("1f1b", 6, "rank")]
    written(tmp_path, "".join(table.format(*each) for each in tables))
    found = [
        (target, options.ranks, options.queues)
        for target, options in find_settings().compared("gpipe", "1f1b")
    ]
    assert found == [
        ("gpipe", 2, "peer"), ("1f1b", 4, "peer"), ("gpipe", 2, "rank"), ("1f1b", 6, "rank")
    ]  # fmt: skip
    unnamed = list(find_settings().compared("naive", "1f1b"))
    assert [options.ranks for _, options in unnamed] == [4, 4, 6, 6]
