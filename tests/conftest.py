"""Settings that every test shares."""

import gc
import os
from collections import Counter
from collections.abc import Generator
from datetime import date

import pytest
from hypothesis import settings

from tests.rotating import listed

# Runs of the command in tests prove anew.
os.environ["STALEPROOF_NO_CACHE"] = "1"

# Formulas are kept for long; looking through them for garbage takes a twentieth of the time.
gc.set_threshold(100_000, 20, 20)

# As many tests as cores run side by side; a test's own threads would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

PROVERS = ("z3", "cvc5", "cvxpy", "PEPit", "clarabel", "jinja2", "rich", "matplotlib", "xmlschema")
"""What a node with a GPU need not have."""

ROTATING = 12
"""Each run of all tests has one in so many of those in rotating.txt, every day others."""

LEFT_OUT = pytest.StashKey[list[str]]()
"""Files that were skipped for lack of them."""

ALIKE = pytest.StashKey[Counter[str]]()
"""How many cases of a sampled test have been seen."""

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
        help="of the selected tests that are slow, run every N-th",
    )
    parser.addoption(
        "--turn",
        type=int,
        default=date.today().toordinal(),
        metavar="K",
        help="which N-th: those that leave the remainder of K (default: the day, so that in N days "
        "all are run)",
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Of many like cases some run on every change, and the others, as slow ones, in turn."""
    mark = item.get_closest_marker("sampled")
    if mark is not None:
        alike = item.session.stash.setdefault(ALIKE, Counter())
        name, _, _ = item.nodeid.partition("[")
        if alike[name] % mark.args[0]:
            item.add_marker("slow")
        alike[name] += 1


def pytest_configure() -> None:
    gc.disable()  # until all tests are collected: what they import is kept


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_report_header(config: pytest.Config) -> str | None:
    step, turn = config.getoption("--every"), config.getoption("--turn")
    return f"sample: --every {step} --turn {turn % step}" if step > 1 else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    step, turn = config.getoption("--every"), config.getoption("--turn")
    slow = [item for item in items if item.get_closest_marker("slow")]
    left_out = set(slow) - set(slow[turn % step :: step])
    if config.option.markexpr and not any(".py" in one for one in config.args):
        long = listed()
        some = [item for item in items if item.nodeid.partition("[")[0] in long]
        left_out |= set(some) - set(some[turn % ROTATING :: ROTATING])
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let ``-m gpu`` collect on a node without provers: files that need these are skipped."""
    report = yield
    if report.failed and collector.config.getoption("markexpr") == "gpu":
        says, left = str(report.longrepr), collector.config.stash.setdefault(LEFT_OUT, [])
        absent = [name for name in PROVERS if f"No module named '{name}'" in says]
        absent += [path for path in left if f"({path})" in says]  # It imports one of those.
        if absent:
            left.append(str(collector.path))
            reason = f"Skipped: needs {absent[0]}, and is no test of a GPU"
            report.outcome, report.longrepr = "skipped", (str(collector.path), 0, reason)
    return report


@pytest.fixture
def without_small_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack no statement by small runs, which takes up to a minute: test_small_runs.py does."""
    monkeypatch.setattr("theory.judging.as_claim.small_run", lambda theorem: None)
