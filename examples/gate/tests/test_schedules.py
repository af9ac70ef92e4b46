"""The schedules of this project, and those that its code generates."""

import pytest

import staleproof
from schedules import build


def test_the_schedule_we_train_with(staleproof_check):
    """Held to what pyproject.toml requires."""
    staleproof_check("schedules/1f1b.csv")


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_what_we_generate(ranks):
    """Held to what is said here."""
    schedule = build("pipedream", ranks, 4 * ranks)
    report = staleproof.check(schedule, f"stash, staleness<={ranks - 1}")
    assert report.facts["versions_kept"][0] == ranks


def test_a_schedule_that_hangs_is_caught():
    with pytest.raises(staleproof.CheckFailed, match="deadlock-free"):
        staleproof.check("broken/1f1b-just-in-time.csv")
