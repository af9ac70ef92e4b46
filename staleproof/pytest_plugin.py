"""The pytest plugin: `staleproof_check`, which is `staleproof.check` with a project's defaults.

What a test does not say is taken from pytest's command line, then from its configuration file,
then from ``[tool.staleproof]`` in the ``pyproject.toml`` of its root folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import pytest

# Loaded in every run of pytest where staleproof is installed: anything else is imported when used.
if TYPE_CHECKING:
    from schedules.invariants import Report

DEFAULTS: Final = {
    "require": "what staleproof_check requires, as in stash,staleness<=3",
    "queues": "what it takes ranks to have communication queues for: rank, peer or direction",
    "buffer": "messages that it takes a channel to hold without a receive, or inf",
    "picture": "folder into which it draws what is wrong, a folder a test",
}
"""Names of options and configuration keys, and what they say."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option and a configuration key for each default."""
    group = parser.getgroup("staleproof", "checks of pipeline schedules")
    for name, meaning in DEFAULTS.items():
        group.addoption(f"--staleproof-{name}", metavar=name.upper(), help=meaning)
        parser.addini(f"staleproof_{name}", meaning, default=None)


@pytest.fixture
def staleproof_check(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """`staleproof.check` with the project's defaults; what a test gives replaces them."""

    def check(subject: Any, require: str | None = None, **given: Any) -> Report:
        __tracebackhide__ = True
        from staleproof.checking.api import held
        from staleproof.checking.names import file_name
        from staleproof.settings import find_settings

        config = request.config
        said = {name: value for name in DEFAULTS if (value := _default(config, name)) is not None}
        said |= given if require is None else given | {"require": require}
        folder = said.pop("picture", None)
        picture = None if folder is None else os.path.join(folder, file_name(request.node.nodeid))
        return held(subject, find_settings(config.rootpath).options, said, picture)

    return check


def _default(config: pytest.Config, name: str) -> str | None:
    option: str | None = config.getoption(f"staleproof_{name}")
    key: str | None = config.getini(f"staleproof_{name}")
    return key or None if option is None else option
