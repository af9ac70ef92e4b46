"""The reader and writer of PyTorch's schedule CSV, cell by cell and failure by failure."""

from pathlib import Path

import pytest

from schedules import Action, Group, Kind, Placement, Schedule, WeightPolicy, build
from schedules.actions import NO_MICROBATCH
from schedules.errors import FormatError, ParameterError
from schedules.formats.cells import GRAMMAR, TOKENS, explain, shortened
from schedules.formats.pytorch_csv import parse_csv, write_csv

DATA = Path(__file__).parents[1] / "data" / "schedules"
FILES = sorted(DATA.glob("*.csv"))
FLUSH = WeightPolicy("flush")


def cells(schedule: Schedule) -> list[list[str]]:
    return [[str(action) for action in schedule.rank(rank)] for rank in range(schedule.ranks)]


def failure(text: str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        parse_csv(text, "a.csv")
    return caught.value


CELLS = [
    ("2F0", Action(Kind.F, 2, 0)),
    ("1B3", Action(Kind.B, 1, 3)),
    ("0I2", Action(Kind.I, 0, 2)),
    ("0W2", Action(Kind.W, 0, 2)),
    ("0SEND_F1", Action(Kind.SEND_F, 0, 1)),
    ("1RECV_F1", Action(Kind.RECV_F, 1, 1)),
    ("1SEND_B0", Action(Kind.SEND_B, 1, 0)),
    ("1RECV_B0", Action(Kind.RECV_B, 1, 0)),
    ("0UNSHARD", Action(Kind.UNSHARD, 0, NO_MICROBATCH)),
    ("0RESHARD", Action(Kind.RESHARD, 0, NO_MICROBATCH)),
    ("0REDUCE_GRAD", Action(Kind.REDUCE, 0, NO_MICROBATCH)),
    ("0WAIT_SEND_F1", Action(Kind.WAIT_SEND_F, 0, 1)),
    ("1WAIT_SEND_B0", Action(Kind.WAIT_SEND_B, 1, 0)),
    ("0WAIT_REDUCE_GRAD", Action(Kind.WAIT_REDUCE, 0, NO_MICROBATCH)),
    ("0R1", Action(Kind.R, 0, 1)),
    ("0OFFLOAD1", Action(Kind.OFFLOAD, 0, 1)),
    ("0RELOAD1", Action(Kind.RELOAD, 0, 1)),
    ("999999F0", Action(Kind.F, 999_999, 0)),
    ("0F999999", Action(Kind.F, 0, 999_999)),
]


@pytest.mark.parametrize(("cell", "action"), CELLS)
def test_cell(cell: str, action: Action) -> None:
    assert list(parse_csv(cell, "a.csv").rank(0)) == [action]


def test_every_kind_with_a_cell_is_tried() -> None:
    assert {action.kind for _, action in CELLS} == set(TOKENS.values())


def test_overlap_is_two_actions_in_written_order_and_a_group() -> None:
    schedule = parse_csv("0F0,(0F7;7B3)OVERLAP_F_B,0B0\n,(1I2;1F3)OVERLAP_F_B", "a.csv")
    assert cells(schedule) == [["0F0", "0F7", "7B3", "0B0"], ["1I2", "1F3"]]
    assert schedule.groups == (Group(0, 1, 2, "overlap"), Group(1, 0, 2, "overlap"))
    assert [schedule.place(index) for index in (1, 2, 3)] == [
        "a.csv:row 1:cell 2",
        "a.csv:row 1:cell 2",
        "a.csv:row 1:cell 3",
    ]
    assert schedule.place(5) == "a.csv:row 2:cell 2"


@pytest.mark.parametrize(
    "text",
    [
        "0F0,0B0\n1F0,1B0",
        "0F0,0B0\n1F0,1B0\n",
        "0F0,0B0\r\n1F0,1B0\r\n",
        "\ufeff0F0,0B0\n1F0,1B0\n",
        "0F0,0B0,,,\n,,1F0,,1B0,\n",
        " 0F0 ,\t0B0\n1F0,  1B0\t\n",
        "0F0,0B0\n1F0,1B0\n\n \r\n\n",
        "00F00,0B0\n1F0,1B0",
    ],
    ids=["bare", "newline", "CRLF", "BOM", "idle", "spaces", "blank lines at the end", "zeros"],
)
def test_what_is_tolerated(text: str) -> None:
    assert cells(parse_csv(text, "a.csv")) == [["0F0", "0B0"], ["1F0", "1B0"]]


def test_row_of_commas_is_a_rank_without_an_action() -> None:
    schedule = parse_csv("0F0,0B0\n,,\n1F0,1B0\n,\n", "a.csv")
    assert cells(schedule) == [["0F0", "0B0"], [], ["1F0", "1B0"], []]
    assert schedule.placement.ranks == ((0, 2),)
    assert schedule.place(2) == "a.csv:row 3:cell 1"


@pytest.mark.parametrize(
    ("text", "place", "what", "fix"),
    [
        ("0F0\n0FOO", "row 2:cell 1", "empty or an action, found '0FOO'", GRAMMAR),
        ("0F0,1F0junk", "row 1:cell 2", "found '1F0junk'", GRAMMAR),
        ("0F0,,x", "row 1:cell 3", "found 'x'", GRAMMAR),
        ("-1F0", "row 1:cell 1", "count from 0, found '-1F0'", "without a sign"),
        ("1F-1", "row 1:cell 1", "count from 0, found '1F-1'", "without a sign"),
        ("F0", "row 1:cell 1", "starts with its stage, found 'F0'", "stage before the kind"),
        ("0F", "row 1:cell 1", "names its microbatch, found '0F'", "behind the kind"),
        ("0SEND_F", "row 1:cell 1", "names its microbatch", "behind the kind"),
        ("0UNSHARD3", "row 1:cell 1", "concern a whole stage", "drop the microbatch"),
        ("2f0", "row 1:cell 1", "capital letters, found '2f0'", "capital"),
        ("1000000F0", "row 1:cell 1", "below 1000000", "renumber"),
        ("0F" + "9" * 5000, "row 1:cell 1", "(5002 characters)", "renumber"),
        ("٣F0", "row 1:cell 1", r"found '\u0663F0'", GRAMMAR),
        ("0F²", "row 1:cell 1", r"found '0F\xb2'", GRAMMAR),
        ("0F0,\xa00B0", "row 1:cell 2", r"found '\xa00B0'", GRAMMAR),
        ('"0F0",0B0', "row 1:cell 1", "without quotes", "remove the quotes"),
        ('"0F0,0B0"', "row 1:cell 1", "without quotes", "remove the quotes"),
        ("0F0;0B0", "row 1:cell 1", "found '0F0;0B0'", "separate cells by commas"),
        ("0F0 0B0", "row 1:cell 1", "found '0F0 0B0'", "separate cells by commas"),
        ("0F0\r0B0", "row 1:cell 1", r"found '0F0\r0B0'", "separate cells by commas"),
        ("(0F0)OVERLAP_F_B", "row 1:cell 1", "two computations", "a cell each"),
        ("(0F0;0B1", "row 1:cell 1", "two computations", "a cell each"),
        ("(0F0;0B0;1F1)OVERLAP_F_B", "row 1:cell 1", "two computations", "a cell each"),
        ("(0F0;0SEND_F1)OVERLAP_F_B", "row 1:cell 1", "two computations", "a cell each"),
        ("(0F0;(0F1;0B1)OVERLAP_F_B)OVERLAP_F_B", "row 1:cell 1", "two computations", "each"),
        ("0OVERLAP_F_B", "row 1:cell 1", "two computations", "a cell each"),
        ("0U0", "row 1:cell 1", "found '0U0'", GRAMMAR),
        ("0F0\n\n1F0", "row 2", "found a blank line", "write a comma"),
        ("\n0F0", "row 1", "found a blank line", "write a comma"),
        ("0F0\n0B0,\0", "row 2", "found a NUL character", "plain text"),
    ],
)
def test_grammar_failure(text: str, place: str, what: str, fix: str) -> None:
    error = failure(text)
    assert error.where == f"a.csv:{place}"
    assert what in error.what
    assert fix in error.fix
    assert len(str(error)) < 500


@pytest.mark.parametrize("text", ["", "\n", " \r\n\t\n", "\ufeff", "\ufeff\n"])
def test_empty_text(text: str) -> None:
    assert "found no row at all" in failure(text).what


def test_first_mistake_of_the_file_is_reported() -> None:
    assert failure("0F0,bad\nworse,0F0").where == "a.csv:row 1:cell 2"


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schedules.formats.table.MAX_ROWS", 3)
    assert parse_csv(",\n,\n,\n", "a.csv").ranks == 3
    assert failure(",\n,\n,\n,\n").where == "a.csv:row 4"


@pytest.mark.parametrize("text", ["999999F0,0F0,0F1", "0F0,0F1\n(999999F0;0B0)OVERLAP_F_B"])
def test_large_numbers_make_no_large_tables(text: str) -> None:
    error = failure(text)
    assert "1000000 stages × 2 microbatches" in error.what
    assert ":cell 1" in error.where


def test_large_given_number_of_microbatches_makes_no_large_tables() -> None:
    with pytest.raises(FormatError, match="3 stages × 500000 microbatches"):
        parse_csv("2F0", "a.csv", 500_000)


@pytest.mark.parametrize("microbatches", [0, -1, 10**6 + 1, 10**30])
def test_number_of_microbatches_outside_its_range(microbatches: int) -> None:
    with pytest.raises(ParameterError, match=f"1 to 1000000, found {microbatches}"):
        parse_csv("0F0", "a.csv", microbatches)


@pytest.mark.parametrize(
    ("text", "microbatches"),
    [
        ("0F0,0F1,0B0,0B1\n1F0", 2),
        ("0F0,0B0\n1F0,1F1,1F2", 1),
        ("0F7,0B7", 1),
        ("0F0,0B1", 2),
        ("1F0,1F1", 2),
        ("0UNSHARD\n1F0,1B0", 1),
        ("0UNSHARD", 0),
        (",", 0),
    ],
)
def test_microbatches_are_counted_at_stage_0(text: str, microbatches: int) -> None:
    assert parse_csv(text, "a.csv").microbatches == microbatches


def test_microbatches_and_policy_as_given() -> None:
    schedule = parse_csv("0F0,0B0", "a.csv", 5, WeightPolicy("stash", interval=2))
    assert schedule.microbatches == 5
    assert schedule.policy == WeightPolicy("stash", interval=2)
    assert parse_csv("0F0", "a.csv").policy == FLUSH


def test_stages_stand_where_they_first_appear() -> None:
    schedule = parse_csv("2F0\n0F0,2B0\n1F0,4F0", "a.csv")
    assert schedule.placement == Placement.from_ranks((1, 2, 0, 0, 2))


def test_arrays_are_read_only() -> None:
    schedule = parse_csv("0F0", "a.csv")
    with pytest.raises(ValueError, match="read-only"):
        schedule.kind[0] = 1


def one_rank(*actions: Action, groups: tuple[Group, ...] = ()) -> Schedule:
    return Schedule.from_orders("made", [list(actions)], 1, FLUSH, groups=groups)


@pytest.mark.parametrize(
    "schedule",
    [
        one_rank(Action(Kind.U, 0, 0)),
        one_rank(Action(Kind.BARRIER, 0)),
        one_rank(Action(Kind.REDUCE, 0, 0)),
        one_rank(Action(Kind.F, 0)),
        one_rank(Action(Kind.F, 0, 10**6)),
        one_rank(Action(Kind.F, 0, 0, pipeline=1)),
        one_rank(
            Action(Kind.SEND_F, 0, 0),
            Action(Kind.RECV_B, 0, 0),
            groups=(Group(0, 0, 2, "batch"),),
        ),
        one_rank(
            Action(Kind.F, 0, 0), Action(Kind.SEND_F, 0, 0), groups=(Group(0, 0, 2, "overlap"),)
        ),
        one_rank(*[Action(Kind.F, 0, m) for m in range(3)], groups=(Group(0, 0, 3, "overlap"),)),
        build("localsgd", 2, 4),
    ],
    ids=str,
)
def test_nothing_is_dropped_in_writing(schedule: Schedule) -> None:
    with pytest.raises(FormatError, match="drop the"):
        write_csv(schedule)


def test_rank_without_an_action_is_written() -> None:
    schedule = Schedule.from_orders("made", [[], [Action(Kind.F, 0, 0)], []], 1, FLUSH)
    assert write_csv(schedule) == ",\n0F0\n,\n"


def test_explanations_and_repr_stay_short() -> None:
    for text in ("x" * 10**6, "9" * 10**6, "(" * 10**6, '"' * 10**6, "\ud800" * 10**6):
        assert len(shortened(text)) < 300
        assert len("".join(explain(text))) < 500
