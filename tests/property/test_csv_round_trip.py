"""What is written is read back unchanged."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schedules import Action, Group, Kind, Schedule, WeightPolicy
from schedules.actions import COMPUTE, MESSAGES
from schedules.formats.pytorch_csv import parse_csv, write_csv

NUMBERS = st.integers(0, 9) | st.integers(0, 10**5)


def actions(*kinds: Kind) -> st.SearchStrategy[Action]:
    return st.builds(Action, st.sampled_from(sorted(kinds)), NUMBERS, NUMBERS)


SINGLE = actions(*COMPUTE, *MESSAGES) | st.builds(
    Action, st.sampled_from([Kind.UNSHARD, Kind.RESHARD, Kind.REDUCE]), NUMBERS
)
OVERLAP = st.tuples(actions(*COMPUTE), actions(*COMPUTE))
ROWS = st.lists(st.lists(st.tuples(SINGLE) | OVERLAP, max_size=8), min_size=1, max_size=6)


def laid_out(rows: list[list[tuple[Action, ...]]]) -> Schedule:
    orders, groups = [], []
    for rank, row in enumerate(rows):
        order: list[Action] = []
        for cell in row:
            if len(cell) == 2:
                groups.append(Group(rank, len(order), 2, "overlap"))
            order.extend(cell)
        orders.append(order)
    return Schedule.from_orders("made", orders, 3, WeightPolicy("flush"), groups=groups)


@given(ROWS)
def test_round_trip(rows: list[list[tuple[Action, ...]]]) -> None:
    schedule = laid_out(rows)
    back = parse_csv(write_csv(schedule), "a.csv", schedule.microbatches)
    for column in ("kind", "stage", "microbatch", "pipeline", "offsets"):
        assert np.array_equal(getattr(schedule, column), getattr(back, column))
    assert back.groups == schedule.groups
    assert back.placement == schedule.placement
    assert back.microbatches == schedule.microbatches


@given(ROWS, st.data())
def test_idle_cells_spaces_and_line_ends_do_not_count(
    rows: list[list[tuple[Action, ...]]], data: st.DataObject
) -> None:
    plain = write_csv(laid_out(rows))
    padding = st.sampled_from(["", " ", "\t", ",", " ,,"])
    lines = [
        ",".join(data.draw(padding) + cell for cell in line.split(",")) + data.draw(padding)
        for line in plain.splitlines()
    ]
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    text = data.draw(st.sampled_from(["", "\ufeff"])) + end.join(lines)
    assert write_csv(parse_csv(text, "a.csv", 3)) == plain
