"""Whatever the text: a schedule or a `FormatError`, and the validator has an answer to it."""

import dataclasses
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from schedules import Schedule
from schedules.errors import FormatError
from schedules.formats.pytorch_csv import parse_csv, read_csv, write_csv
from schedules.validate import facts, has_messages, validate

DATA = Path(__file__).parents[1] / "data" / "schedules"
TEXTS = [path.read_text(encoding="utf-8") for path in sorted(DATA.glob("*_m4*.csv"))]
KINDS = (
    "F B I W SEND_F RECV_F SEND_B RECV_B UNSHARD RESHARD REDUCE_GRAD OVERLAP_F_B U BW "
    "WAIT_SEND_F WAIT_SEND_B WAIT_REDUCE_GRAD"
).split()
NUMBERS = st.integers(-1, 5).map(str) | st.sampled_from(["", "999999", "1000000", "007", "٣"])
NEAR_CELLS = st.builds("".join, st.tuples(NUMBERS, st.sampled_from(KINDS), NUMBERS))
CELLS = NEAR_CELLS | st.builds("({};{})OVERLAP_F_B".format, NEAR_CELLS, NEAR_CELLS) | st.text()


def read(reader: Callable[[], Schedule]) -> Schedule | FormatError:
    """Any other exception passes through and fails the test."""
    try:
        return reader()
    except FormatError as error:
        return error


def answers(text: str) -> bool:
    """Read and validate; say whether it is a schedule."""
    schedule = read(lambda: parse_csv(text, "a.csv"))
    if isinstance(schedule, FormatError):
        assert schedule.where.startswith("a.csv")
        return False
    violations = validate(schedule)
    json.dumps([dataclasses.asdict(violation) for violation in violations])
    assert violations == validate(schedule)
    assert len(violations) <= 3 * 51
    has_messages(schedule)
    if not violations:
        json.dumps(facts(schedule))
    assert write_csv(parse_csv(write_csv(schedule), "b.csv")) == write_csv(schedule)
    return True


@given(st.sampled_from(TEXTS), st.data(), CELLS)
def test_one_cell_of_a_real_file_replaced(text: str, data: st.DataObject, cell: str) -> None:
    lines = [line.split(",") for line in text.splitlines()]
    row = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.integers(0, len(lines[row]) - 1))
    lines[row][column] = cell
    answers("\n".join(",".join(line) for line in lines))


@given(st.lists(st.lists(NEAR_CELLS | st.just(""), max_size=6), max_size=4))
@example([["0UNSHARD"]])
@example([["0F0", "999999F0"]])
def test_near_schedules(rows: list[list[str]]) -> None:
    answers("\n".join(",".join(row) for row in rows))


@given(
    st.lists(
        st.lists(
            st.builds(
                "{}{}{}".format, st.integers(0, 2), st.sampled_from("FBIW"), st.integers(0, 2)
            ),
            min_size=1,
            max_size=8,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_well_formed_nonsense(rows: list[list[str]]) -> None:
    assert answers("\n".join(",".join(row) for row in rows))


@given(st.text() | st.text(alphabet="0129FBIW_SENDRCV(;),\n\r\t \"'"))
def test_any_text(text: str) -> None:
    answers(text)


@settings(max_examples=50)
@given(st.binary() | st.sampled_from(TEXTS).map(lambda text: text.encode("utf-16")))
def test_any_bytes(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.csv")
        path.write_bytes(data)
        found = read(lambda: read_csv(path))
    assert isinstance(found, Schedule) or found.where.startswith(str(path))
