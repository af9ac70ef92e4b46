"""Settings that every test shares."""

import os

import pytest
from hypothesis import settings

# Runs of the command in tests prove anew.
os.environ["STALEPROOF_NO_CACHE"] = "1"

# Passing or failing must not depend on the machine or on luck.
# `--hypothesis-profile=default` searches at random instead.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="run every N-th of the selected tests: a sample of slow ones",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    step = config.getoption("--every")
    items[:] = items[::step]
