"""PyTorch's own cell parser reads the same actions from the data files."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from schedules import Action, Kind
from schedules.actions import KEEPING, NO_MICROBATCH
from schedules.formats.cells import TOKENS
from schedules.formats.pytorch_csv import parse_csv, read_csv, write_csv

DATA = Path(__file__).parents[1] / "data" / "schedules"
FILES = sorted(set(DATA.glob("*.csv")) - set(DATA.glob("torch2.15*")))
"""Without waits, which PyTorch 2.13 cannot read."""


@pytest.fixture(scope="module")
def torch_action() -> Any:
    pytest.importorskip("torch", reason="torch is not installed")
    try:
        action = import_module("torch.distributed.pipelining.schedules")._Action
        action.from_str("0F0")
    except (ImportError, AttributeError) as error:
        pytest.skip(f"this torch has no private _Action.from_str to compare with: {error}")
    return action


def ours(torch_read: Any) -> list[Action]:
    """What torch read, as actions of this project."""
    if torch_read is None:
        return []
    if torch_read.sub_actions is not None:
        return [action for part in torch_read.sub_actions for action in ours(part)]
    microbatch = torch_read.microbatch_index
    return [
        Action(
            TOKENS[torch_read.computation_type.value],
            torch_read.stage_index,
            NO_MICROBATCH if microbatch is None else microbatch,
        )
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_cell_is_read_alike(path: Path, torch_action: Any) -> None:
    schedule = read_csv(path)
    for rank, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        read = [ours(torch_action.from_str(cell)) for cell in line.split(",")]
        assert [action for cell in read for action in cell] == list(schedule.rank(rank))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_torch_prints_the_cells_we_write(path: Path, torch_action: Any) -> None:
    for line in write_csv(read_csv(path)).splitlines():
        assert [str(torch_action.from_str(cell)) for cell in line.split(",")] == line.split(",")


def test_every_kind_is_read_alike(torch_action: Any) -> None:
    for name, kind in TOKENS.items():
        if name.startswith("WAIT_") or kind in KEEPING:
            continue  # of PyTorch 2.15, and of other systems
        whole_stage = kind in (Kind.UNSHARD, Kind.RESHARD, Kind.REDUCE)
        cell = f"3{name}" if whole_stage else f"3{name}5"
        assert ours(torch_action.from_str(cell)) == list(parse_csv(cell, "a.csv").rank(0))
