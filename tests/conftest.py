"""Settings that every test shares."""

import os
from datetime import date

import pytest
from hypothesis import settings

# Runs of the command in tests prove anew.
os.environ["STALEPROOF_NO_CACHE"] = "1"

# As many tests as cores run side by side; a test's own threads would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Passing or failing must not depend on the machine or on luck.
# `--hypothesis-profile=default` searches at random instead.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="run every N-th of the selected tests: a sample of slow ones",
    )
    parser.addoption(
        "--turn",
        type=int,
        default=date.today().toordinal(),
        metavar="K",
        help="which N-th: those that leave the remainder of K (default: the day, so that in N days "
        "all are run)",
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    step, turn = config.getoption("--every"), config.getoption("--turn")
    return f"sample: --every {step} --turn {turn % step}" if step > 1 else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    step = config.getoption("--every")
    items[:] = items[config.getoption("--turn") % step :: step]


@pytest.fixture
def without_small_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack no statement by small runs, which takes up to a minute: test_small_runs.py does."""
    monkeypatch.setattr("theory.judging.as_claim.small_run", lambda theorem: None)
