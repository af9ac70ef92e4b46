"""The timeline of an answer as text and as a picture."""

from collections import Counter
from fractions import Fraction

from schedules.partial_staleness import Model, parse_layers, sequential
from staleproof.partial_staleness.answers import answers
from staleproof.partial_staleness.shown import Line, gantt, picture, timeline_of, waits

TEXT = "layer,backward (ms),forward (ms),communication (ms)\na,1,1,1/2\nb,1,1,1/2\n"


def line_of(model: Model, *, printed: bool = False) -> Line:
    found = answers(model)
    chosen = found.printed if printed else found.right
    assert chosen is not None
    line = timeline_of(model, chosen)
    assert isinstance(line, Line)
    return line


def test_text_to_scale() -> None:
    assert gantt(line_of(parse_layers(TEXT)), width=42) == [
        "forward          |a*-|b--        |a*-|b--",
        "backward |b--|a*-        |b--|a*-",
        "channel      |b  |a          |b  |a",
        "         0                           8 ms",
    ]


def test_text_shows_stalls_and_is_never_too_narrow() -> None:
    model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, 1])
    line = line_of(model, printed=True)
    text = gantt(line, width=3)
    assert [row.split()[0] for row in text[:-1]] == ["forward", "backward", "channel", "stall"]
    assert text[3] == "stall    " + " " * 5 + "!" + " " * 9 + "!"
    assert [waits(model, iteration) for iteration in line.iterations] == [[(3, 4)], [(9, 10)]]


def test_picture_tells_stale_forwards_and_stalls() -> None:
    right = picture(line_of(parse_layers(TEXT)), "title", "note")
    kinds = Counter((bar.kind, bar.label) for bar in right.operations)
    assert kinds["stale", "a"] == kinds["forward", "b"] == kinds["backward", "a"] == 2
    assert kinds["communication", "b"] == 2
    assert ("forward", "a") not in kinds
    assert (right.unit, right.marks) == ("ms", (4.0,))
    model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, Fraction(1, 2)])
    wrong = picture(line_of(model, printed=True), "title", "note")
    assert [(bar.start, bar.end) for bar in wrong.operations if bar.kind == "stall"] == [
        (3.0, 4.0),
        (9.0, 10.0),
    ]
