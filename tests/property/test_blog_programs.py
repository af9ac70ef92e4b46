"""Laws of the blog's affine programs, tried on numbers beside the proofs for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from hypothesis import given
from hypothesis import strategies as st

from schedules import Action, Kind, timeline
from schedules.dependencies import tables
from schedules.families import blog_1f1b, blog_gpipe
from schedules.messages.channels import channels
from schedules.messages.model import QUEUE_KEYS, QueueModel
from schedules.programs import Entry, Program, View, as_schedule
from schedules.validation.facts import in_flight
from theory.laws.messages import second_opinion
from theory.laws.static_orders.proofs import OTHER_END
from theory.laws.static_orders.symbols import M, p, s
from theory.papers.blog import inflight_1f1b
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.papers.blog.pairing import fault

programs = st.sampled_from((GPIPE, ONE_F_ONE_B))
stages = st.integers(2, 9)
sizes = st.integers(2, 14)


def entries(program: Program, view: View) -> list[tuple[Entry, int]]:
    """A stage's entries in the order of their places."""
    found = [(entry, n) for entry in program.entries for n in range(entry.count(view))]
    return sorted(found, key=lambda pair: pair[0].place(view, pair[1]))


def one_f_one_b(s: int, p: int, M: int) -> Iterator[list[str]]:
    """What the code's loops post, as they stand: warm-up, then a backward and a forward in turn."""
    ahead = min(p - s - 1, M)
    kept: list[str] = []
    for m in range(ahead or 1):
        yield from (kept, [f"{s}RECV_F{m}"] * (s > 0), [f"{s}F{m}"])
        kept = [f"{s}SEND_F{m}"] * (s < p - 1)
    for m in range(M):
        forward = m + (ahead or 1)
        yield from (kept + [f"{s}RECV_B{m}"] * (s < p - 1), [f"{s}B{m}"])
        kept, sent = [], [f"{s}SEND_B{m}"] * (s > 0)
        if m < M - ahead and forward < M:
            yield from (sent + [f"{s}RECV_F{forward}"] * (s > 0), [f"{s}F{forward}"])
            kept = [f"{s}SEND_F{forward}"] * (s < p - 1)
        else:
            yield sent


def gpipe(s: int, p: int, M: int) -> Iterator[list[str]]:
    """The same of GPipe: forwards, then backwards from the last one on."""
    for m in range(M):
        yield from ([f"{s}RECV_F{m}"] * (s > 0), [f"{s}F{m}"], [f"{s}SEND_F{m}"] * (s < p - 1))
    for m in reversed(range(M)):
        yield from ([f"{s}RECV_B{m}"] * (s < p - 1), [f"{s}B{m}"], [f"{s}SEND_B{m}"] * (s > 0))


@given(st.sampled_from((blog_gpipe, blog_1f1b)), stages, sizes)
def test_families_run_the_codes_loops(family: ModuleType, p: int, M: int) -> None:
    loop = gpipe if family is blog_gpipe else one_f_one_b
    schedule = family.build(p, M)
    batches = {(group.rank, group.first): group.count for group in schedule.groups}
    for rank in range(p):
        line = [str(action) for action in schedule.rank(rank)]
        done = 0
        for posted in filter(None, loop(rank, p, M)):
            assert line[done : done + len(posted)] == posted
            assert batches.get((rank, done), 1) == len(posted)
            done += len(posted)
        assert done == len(line)


@given(programs, stages, sizes)
def test_waiting_for_everything_gives_the_stated_times_and_ranks_grow(
    program: Program, stages: int, size: int
) -> None:
    """Play the strictest waits by brute force: begin, complete, go on."""
    views = [View.at(stage, stages, size) for stage in range(stages)]
    lines = [entries(program, view) for view in views]
    holder: dict[Action, tuple[int, int]] = {}
    needs: list[list[list[Action]]] = []
    for stage, line in enumerate(lines):
        assert [entry.place(views[stage], n) for entry, n in line] == list(range(len(line)))
        needs.append([])
        for at, (entry, n) in enumerate(line):
            actions = [
                Action(part.kind, stage, part.microbatch(views[stage], n))
                for part in entry.parts
                if all(part.conditions(views[stage], n))
            ]
            holder.update(dict.fromkeys(actions, (stage, at)))
            needs[stage].append([action for action in actions if action.kind in OTHER_END])
    begun = [[0] for _ in lines]
    moved = True
    while moved:
        moved = False
        for stage, line in enumerate(lines):
            at = len(begun[stage]) - 1
            if at + 1 >= len(line):
                continue
            others = [holder[other_end(message)] for message in needs[stage][at]]
            if any(place >= len(begun[rank]) for rank, place in others):
                continue
            entry, n = line[at]
            over = [begun[stage][at] + entry.duration, *(begun[r][k] for r, k in others)]
            begun[stage].append(max(over))
            following, k = line[at + 1]
            rank = following.rank(views[stage], k)
            assert rank > entry.rank(views[stage], n)
            for r, place in others:
                other, number = lines[r][place]
                assert rank > other.rank(views[r], number)
            moved = True
    stated = [
        [entry.time(views[stage], n) for entry, n in line] for stage, line in enumerate(lines)
    ]
    assert begun == stated


def other_end(message: Action) -> Action:
    step = 1 if message.kind in (Kind.SEND_F, Kind.RECV_B) else -1
    return Action(OTHER_END[message.kind], message.stage + step, message.microbatch)


@given(programs, stages, sizes)
def test_waiting_does_not_slow_the_computations_down(
    program: Program, stages: int, size: int
) -> None:
    """The proved times are those of a timeline in which no message holds its rank up."""
    schedule = as_schedule(program, stages, size)
    line, index = timeline(schedule), tables(schedule)
    for stage in range(stages):
        view = View.at(stage, stages, size)
        for entry in program.entries:
            if not entry.duration:
                continue
            [part] = entry.parts
            table = index.forward if part.kind is Kind.F else index.backward
            for n in range(entry.count(view)):
                at = table[stage, part.microbatch(view, n)]
                assert line.start[at] == entry.time(view, n)


@given(st.integers(2, 4), st.integers(2, 5), st.sampled_from(QUEUE_KEYS))
def test_z3_finds_times_for_the_messages_of_single_sizes(stages: int, size: int, key: str) -> None:
    schedule = as_schedule(ONE_F_ONE_B, stages, size)
    model = QueueModel(key)  # type: ignore[arg-type]
    assert second_opinion(schedule, channels(schedule), model).answer == "free"


@given(programs, stages, sizes)
def test_nothing_hangs(program: Program, stages: int, size: int) -> None:
    assert fault(as_schedule(program, stages, size)) is None


@given(stages, sizes)
def test_peaks(stages: int, size: int) -> None:
    found = in_flight(as_schedule(ONE_F_ONE_B, stages, size))
    form = inflight_1f1b.CLAIM.printed["1f1b"]
    assert found == [form.subs({p: stages, s: stage, M: size}) for stage in range(stages)]
