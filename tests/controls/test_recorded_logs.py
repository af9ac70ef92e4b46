"""Logs of loops of somebody's own: faults in the loop, and edits of a sound log, are all caught."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.func import functional_call

import staleproof.cli
from gpu_validation import Recorder, judge
from gpu_validation.checks import Outcome
from gpu_validation.judging import Judgement
from schedules import Schedule, build
from schedules.errors import ScheduleError
from tests.own_loop import OwnLoop, two_chunks

PIPEDREAM = build("pipedream", 3, 8)

Event = dict[str, Any]
Edit = Callable[[list[list[Event]]], None]


def failed(found: Judgement) -> dict[str, str]:
    return {entry.name: entry.says for entry in found.findings if entry.holds is False}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "log"
    OwnLoop(PIPEDREAM, folder, stamps=True).run()
    return folder


@pytest.mark.parametrize(
    "schedule",
    [
        PIPEDREAM,
        build("pipedream", 1, 4),
        build("1f1b", 3, 8),
        build("gpipe", 2, 4),
        build("interleaved-1f1b", 2, 4, chunks=2),
        build("naive", 2, 3),
    ],
    ids=lambda schedule: f"{schedule.name}-{schedule.ranks}",
)
@pytest.mark.parametrize("stamps", [False, True])
def test_a_sound_loop_agrees(schedule: Schedule, stamps: bool, tmp_path: Path) -> None:
    OwnLoop(schedule, tmp_path / "log", stamps=stamps).run()
    found = judge(tmp_path / "log", schedule)
    assert found.agree, failed(found)
    undecided = {entry.name for entry in found.findings if entry.outcome is Outcome.UNDECIDED}
    crosses = schedule.ranks > 1
    assert undecided == (set() if stamps else {"lamport"} | ({"messages"} if crosses else set()))
    assert any(control.applicable for control in found.controls)
    (stale,) = (entry.says for entry in found.findings if entry.name == "local-staleness")
    assert stale.endswith("as its blocks say")


@pytest.mark.parametrize(
    ("bug", "check", "says"),
    [
        ("newest", "versions", "1B1 was to use version 0 and used 1"),
        ("newest", "stash", "0B1 was to use the weights of 0F1, and their version differs"),
        ("alias", "versions", "1B1 was to use version 0 and used 1"),
        ("skip", "versions", "behind 1B2 an update was to come and none came"),
        ("bare", "versions", "used weights that are none: no recorded update left 0.weight"),
        ("data", "stash", "0B2 was to use the weights of 0F2, and their content differs"),
        ("past", "versions", "1U2 was made of weights that are not the newest: the last update"),
        ("old", "versions", "0U1 was made of weights that are not the newest: the last update"),
        ("old data", "versions", "0U1 was made of weights that are not the newest: the last"),
    ],
)
def test_a_fault_is_named_with_its_first_place(
    bug: str, check: str, says: str, tmp_path: Path
) -> None:
    OwnLoop(PIPEDREAM, tmp_path / "log", bug=bug).run()
    found = judge(tmp_path / "log", PIPEDREAM)
    assert not found.agree
    assert says in failed(found)[check]


def test_a_stash_that_the_graph_does_not_read_is_no_stash(tmp_path: Path) -> None:
    loop = OwnLoop(PIPEDREAM, tmp_path / "log", bug="put back", make=fused)
    loop.run()
    found = judge(tmp_path / "log", PIPEDREAM)
    assert not found.agree
    assert "1B1 was to use version 0 and used 1" in failed(found)["versions"]


@pytest.mark.parametrize("hooks", [False, True])
@pytest.mark.parametrize(
    ("bug", "says"),
    [
        (None, ()),
        ("again", ("3B0 adds to the gradient that the update before it has applied",) * 2),
        ("double", ("1U3 is 2 steps of one weight", "1U3 is one update more, right behind 1U3")),
        ("tied", ("1U3 was made of weights that are not the newest: the last update",) * 2),
    ],
)
def test_an_optimizer_of_two_chunks(
    bug: str | None, says: tuple[str, ...], hooks: bool, tmp_path: Path
) -> None:
    schedule = two_chunks(tmp_path / "log", bug, hooks)
    found = judge(tmp_path / "log", schedule)
    assert found.agree == (bug is None), failed(found)
    if bug is not None:
        assert failed(found)["versions"].startswith(f"step 1: {says[hooks]}")


def wide_module() -> nn.Module:
    """Weights of more than 16 KiB, which are not read whole where that can be avoided."""
    return nn.Sequential(nn.Linear(8, 600), nn.Tanh(), nn.Linear(600, 8))


@pytest.mark.parametrize("bug", [None, "newest", "alias", "skip", "bare", "data"])
def test_reading_a_part_tells_the_same(bug: str | None, tmp_path: Path) -> None:
    OwnLoop(PIPEDREAM, tmp_path / "log", bug=bug, module=wide_module, part=8).run()
    found = judge(tmp_path / "log", PIPEDREAM)
    assert found.agree == (bug is None), failed(found)
    events = [json.loads(line) for line in (tmp_path / "log" / "rank0.jsonl").open()][1:]
    whole = {op: {"hash" in e["extra"] for e in events if e["op"] == op} for op in "FBU"}
    assert True in whole["F"]  # A clone is another tensor, and the live weights were written to.
    assert whole["U"] == {True}
    if bug is None:
        assert whole["B"] == {False}
        stash = next(entry.says for entry in found.findings if entry.name == "stash")
        assert "24 backwards used the version of their forwards, 0 of them compared" in stash
    assert judge(tmp_path / "log", build("pipedream", 3, 8)).agree == (bug is None)


def at(log: list[list[Event]], op: str, stage: int, m: int) -> Event:
    return next(
        event
        for rank in log
        for event in rank[1:]
        if (event["op"], event["stage"], event["microbatch"]) == (op, stage, m)
    )


def changed(op: str, stage: int, m: int, /, **values: Any) -> Edit:
    def edit(log: list[list[Event]]) -> None:
        event = at(log, op, stage, m)
        for key, value in values.items():
            place = event if key in event else event["extra"]
            place[key] = value(place[key]) if callable(value) else value

    return edit


def dropped(op: str, stage: int, m: int) -> Edit:
    return lambda log: log[stage].remove(at(log, op, stage, m))


def doubled(op: str, stage: int, m: int) -> Edit:
    def edit(log: list[list[Event]]) -> None:
        event = at(log, op, stage, m)
        log[stage].insert(log[stage].index(event), json.loads(json.dumps(event)))

    return edit


def beside(op: str) -> Edit:
    """What a rank also did, between a forward and its backward."""

    def edit(log: list[list[Event]]) -> None:
        event = at(log, "B", 1, 4)
        own = {key: event[key] for key in ("rank", "stage", "microbatch", "pipeline")}
        times = {"start": event["start"], "end": event["start"], "extra": {"run": 7}}
        log[1].insert(log[1].index(event), {**own, "op": op, **times})

    return edit


def swapped(rank: int, one: tuple[str, int], other: tuple[str, int]) -> Edit:
    def edit(log: list[list[Event]]) -> None:
        i, j = (log[rank].index(at(log, op, rank, m)) for op, m in (one, other))
        log[rank][i], log[rank][j] = log[rank][j], log[rank][i]

    return edit


def without_rank(log: list[list[Event]]) -> None:
    del log[1]


def all_headers(key: str, value: object) -> Edit:
    def edit(log: list[list[Event]]) -> None:
        for rank in log:
            rank[0]["parameters" if key in rank[0]["parameters"] else key] = (
                {**rank[0]["parameters"], key: value} if key in rank[0]["parameters"] else value
            )

    return edit


EDITS: dict[str, Edit] = {
    "a newer version in F": changed("F", 1, 4, version=lambda v: v + 1),
    "an older version in B": changed("B", 1, 4, version=lambda v: v - 1),
    "no version": changed("B", 1, 4, version=None),
    "a version of its own": changed("F", 2, 5, version=None, no_version="edited"),
    "another content in B": changed("B", 0, 4, hash="rows:0"),
    "another content in F": changed("F", 0, 4, hash="rows:0"),
    "another content made": changed("U", 1, 3, hash="rows:0"),
    "a count too far in F": changed("F", 1, 4, current=lambda c: c + 1),
    "a count too far in B": changed("B", 1, 4, current=lambda c: c + 1),
    "a count too far in U": changed("U", 1, 4, current=lambda c: c + 1),
    "the gradient of another": changed("U", 1, 4, gradient="edited"),
    "another microbatch": changed("B", 1, 4, microbatch=5),
    "the update of another microbatch": changed("U", 1, 4, microbatch=5),
    "another kind": changed("B", 1, 4, op="F"),
    "another stage": changed("F", 1, 4, stage=2),
    "another rank": changed("F", 1, 4, rank=2),
    "another pipeline": changed("F", 1, 4, pipeline=1),
    "told otherwise of stage 0": changed("F", 2, 6, read_zero=lambda v: v + 1),
    "a stamp too late": changed("F", 1, 4, lamport_end=lambda v: v + 1),
    "a start too early": changed("F", 2, 4, start=0),
    "an end too late": changed("B", 2, 4, end=lambda t: t + 10**12),
    "an end before its start": changed("B", 2, 4, end=0),
    "a line of another run": changed("F", 1, 4, run=8),
    "a negative count": changed("F", 1, 4, current=-1),
    "a hash that is none": changed("F", 1, 4, hash=3),
    "a step of its own": changed("F", 1, 4, step=1),
    "a message to another rank": changed("SEND_F", 1, 4, peer=0),
    "a message over another channel": changed("RECV_F", 1, 4, channel="x"),
    "a message that never came": dropped("RECV_F", 1, 4),
    "a forward left out": dropped("F", 1, 4),
    "a backward left out": dropped("B", 1, 4),
    "an update left out": dropped("U", 1, 4),
    "the last update left out": dropped("U", 1, 7),
    "a forward twice": doubled("F", 1, 4),
    "a forward run again": beside("R"),
    "activations that were moved away": beside("OFFLOAD"),
    "a barrier of one rank": beside("BARRIER"),
    "an update twice": doubled("U", 1, 4),
    "two forwards the other way round": swapped(0, ("F", 0), ("F", 1)),
    "an update before its gradient": swapped(2, ("B", 3), ("U", 3)),
    "a rank left out": without_rank,
    "more ranks": all_headers("ranks", 4),
    "more microbatches": all_headers("microbatches", 9),
    "another policy": all_headers("policy", {"name": "latest"}),
    "another version of the recorder": all_headers("recorder", 2),
    "the header of one rank": lambda log: log[1][0]["parameters"].update(run=8),
}


def written(log: list[list[Event]], folder: Path) -> Path:
    folder.mkdir()
    for number, rank in enumerate(log):
        text = "".join(json.dumps(line) + "\n" for line in rank)
        (folder / f"rank{number}.jsonl").write_text(text)
    return folder


def lines(folder: Path) -> list[list[Event]]:
    return [
        [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted(folder.iterdir())
    ]


def test_a_log_that_is_written_back_agrees(sound: Path, tmp_path: Path) -> None:
    assert judge(written(lines(sound), tmp_path / "log"), PIPEDREAM).agree


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_of_a_sound_log_is_caught(name: str, sound: Path, tmp_path: Path) -> None:
    log = lines(sound)
    EDITS[name](log)
    assert log != lines(sound)
    try:
        found = judge(written(log, tmp_path / "log"), PIPEDREAM)
    except ScheduleError:
        return
    assert not found.agree


def test_a_rank_that_left_updates_alone_is_told_apart_from_one_that_left_nothing(
    sound: Path, tmp_path: Path
) -> None:
    log = lines(sound)
    log[1] = [event for event in log[1] if event.get("op", "U") == "U"]
    with pytest.raises(ScheduleError, match="rank 1 left updates and no forward or backward"):
        judge(written(log, tmp_path / "log"), PIPEDREAM)
    del log[1]
    with pytest.raises(ScheduleError, match="there are none of rank 1"):
        judge(written(log, tmp_path / "other"), PIPEDREAM)


@pytest.mark.parametrize(("name", "says"), [("xpipe", "extrapolated"), ("localsgd", "averages")])
def test_what_a_recorder_cannot_note_is_refused(name: str, says: str, tmp_path: Path) -> None:
    OwnLoop(build("pipedream", 2, 4), tmp_path / "log").run()
    with pytest.raises(ScheduleError, match=says):
        judge(tmp_path / "log", build(name, 2, 4))


def test_what_a_rank_left_that_was_killed_is_read_and_never_agrees(
    sound: Path, tmp_path: Path
) -> None:
    log = written(lines(sound), tmp_path / "log")
    path = log / "rank2.jsonl"
    text = path.read_text()
    path.write_text(text[:-5])
    found = judge(log, PIPEDREAM)
    assert not found.agree
    path.write_text("".join(text.splitlines(keepends=True)[:-9]))
    assert "rank 2 was to do" in failed(judge(log, PIPEDREAM))["order"]


def test_an_update_that_is_torn_off_is_not_missed(sound: Path, tmp_path: Path) -> None:
    log = written(lines(sound), tmp_path / "log")
    path = log / "rank2.jsonl"
    text = path.read_text()
    assert json.loads(text.splitlines()[-1])["op"] == "U"
    path.write_text(text[:-5])
    found = judge(log, PIPEDREAM)
    assert not found.agree
    assert not failed(found)


def test_steps_of_a_flush_are_judged_one_by_one(tmp_path: Path) -> None:
    schedule = build("1f1b", 2, 4)
    loop = OwnLoop(schedule, tmp_path / "log")
    for recorder in loop.recorders:
        recorder.close = lambda: None  # type: ignore[method-assign]
    for _ in range(3):
        for recorder in loop.recorders:
            recorder.next_step()
        loop.run()
    assert judge(tmp_path / "log", schedule).agree
    log = lines(tmp_path / "log")
    last = [event for event in log[1] if event.get("op") == "B"][-1]
    last["version"] -= 1
    says = failed(judge(written(log, tmp_path / "other"), schedule))["versions"]
    assert says.startswith("step 2: 1B3 was to use version 0 and used weights that are none")


@pytest.mark.parametrize("some", [True, False], ids=["one", "all"])
def test_what_is_undecided_is_no_missed_control(
    some: bool, sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = lines(sound)
    for rank in log:
        for event in rank[1:]:
            if event["op"] == "B" and (not some or event["microbatch"] == 1):
                event["version"] = None
                event["extra"]["undecided"] = "nobody saw it"
    folder = written(log, tmp_path / "log")
    found = judge(folder, PIPEDREAM)
    assert not found.agree
    assert not failed(found)
    assert [each.name for each in found.controls if each.applicable and not each.caught] == []
    assert command("--check", folder, "--against", "pipedream", "-p", 3, "-m", 8)[0] == 1
    assert "machine and model are not shown to agree: versions" in capsys.readouterr().out


def command(*arguments: object) -> tuple[int, list[str]]:
    return staleproof.cli.main(["measure", *map(str, arguments)]), []


def test_the_command_judges_a_folder_and_files(
    sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    against = ("--against", "pipedream", "-p", 3, "-m", 8)
    for logs in ([sound], sorted(sound.iterdir())):
        assert command("--check", *logs, *against, "--json")[0] == 0
        found = json.loads(capsys.readouterr().out)
        assert found["agree"]
        assert found["required"] == ["order", "stash", "versions"]
    OwnLoop(PIPEDREAM, tmp_path / "log").run()
    assert command("--check", tmp_path / "log", *against)[0] == 0
    assert "undecided lamport" in capsys.readouterr().out
    more = ("--require", "lamport,messages")
    assert command("--check", tmp_path / "log", *against, *more)[0] == 1
    assert command("--check", sound, *against, *more)[0] == 0
    capsys.readouterr()
    assert command("--check", sound, *against, "--require", "luck")[0] == 2
    assert "--require" in capsys.readouterr().err
    assert command("--check", sound, "--json")[0] == 2
    assert command("pipedream", "--check", sound, *against, "--json")[0] == 2
    assert command("pipedream", "-p", 2, "--require", "order")[0] == 2
    assert command("--check", tmp_path, *against)[0] == 2


def fused(weights: Any) -> torch.optim.Optimizer:
    return torch.optim.AdamW(weights, lr=1e-2, fused=True)


class Twice(torch.optim.SGD):
    """An optimizer that hands its step over to another one of the same weights."""

    def step(self, closure: Any = None) -> Any:
        torch.optim.SGD(self.param_groups[0]["params"], lr=0.1).step()


def removed(weights: list[nn.Parameter]) -> None:
    for weight in weights:
        weight.grad = None


def zeroed(weights: list[nn.Parameter]) -> None:
    for weight in weights:
        weight.grad = torch.zeros_like(weight)


def sgd(weights: list[nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.SGD(weights, lr=0.1)


LOST = "a gradient that 0U3 applies was zeroed or dropped"


@pytest.mark.parametrize(
    ("make", "between", "last", "says"),
    [
        ([sgd], None, None, None),
        ([sgd, sgd], None, None, "0U3 is 2 steps of one weight"),
        ([lambda w: sgd(w[:1]), lambda w: sgd(w[1:])], None, None, None),
        ([lambda w: Twice(w, lr=0.1)], None, None, None),
        ([sgd], removed, None, LOST),
        ([sgd], zeroed, None, LOST),
        ([sgd], lambda weights: [w.grad.zero_() for w in weights], None, LOST),
        ([sgd], None, lambda weights: [w.grad.zero_() for w in weights], LOST),
        ([sgd], lambda weights: [w.grad.mul_(0.5) for w in weights], None, None),
        ([sgd], None, lambda weights: nn.utils.clip_grad_norm_(weights, 0.1), None),
    ],
)
def test_what_comes_between_backwards_and_their_update(
    make: list[Any], between: Any, last: Any, says: str | None, tmp_path: Path
) -> None:
    module = nn.Linear(4, 4)
    weights = list(module.parameters())
    optimizers = [one(weights) for one in make]
    with Recorder(tmp_path / "log", rank=0, ranks=1, microbatches=4, policy="flush") as recorder:
        made = []
        for m in range(4):
            with recorder.forward(0, m, module):
                made.append(module(torch.ones(3, 4) * (m + 1)).square().mean())
        for m in range(4):
            if m == 2 and between is not None:
                between(weights)
            with recorder.backward(0, m, module):
                made[m].backward()
        if last is not None:
            last(weights)
        with recorder.update(0, 3, module):
            for optimizer in optimizers:
                optimizer.step()
    found = judge(tmp_path / "log", build("gpipe", 1, 4))
    said = next(entry for entry in found.findings if entry.name == "versions")
    assert found.agree == (said.outcome is Outcome.HOLDS) == (says is None), said
    assert said.says.startswith(says or "")


def late(weights: list[nn.Parameter], kept: list[list[torch.Tensor]], by: int) -> None:
    """Hand over the gradients of some microbatches ago."""
    now = [weight.grad for weight in weights]
    kept.append([grad.clone() for grad in now if grad is not None])
    for weight, old in zip(weights, kept[max(len(kept) - 1 - by, 0)], strict=True):
        assert weight.grad is not None
        weight.grad.copy_(old)


OTHER = "0U{} applies a gradient that is not its own: bit for bit that of microbatch {} ("


@pytest.mark.parametrize("attached", [False, True], ids=["blocks", "attached"])
@pytest.mark.parametrize("way", ["backward", "grad"])
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda weights, kept: None, None),
        (lambda weights, kept: late(weights, kept, 0), None),
        (lambda weights, kept: nn.utils.clip_grad_norm_(weights, 0.1), None),
        (lambda weights, kept: [w.grad.mul_(0.5) for w in weights], None),
        (lambda weights, kept: late(weights, kept, 1), OTHER.format(1, 0)),
        (lambda weights, kept: late(weights, kept, 2), OTHER.format(1, 0)),
    ],
    ids=["own", "copied", "clipped", "scaled", "one late", "two late"],
)
def test_a_gradient_of_another_microbatch_is_recognised(
    change: Any, says: str | None, way: str, attached: bool, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(8, 90), nn.Tanh(), nn.Linear(90, 8))
    kept: list[list[torch.Tensor]] = []
    weights, optimizer = list(module.parameters()), sgd(list(module.parameters()))
    with Recorder(tmp_path / "log", rank=0, ranks=1, microbatches=4) as recorder:
        if attached:
            recorder.attach(module, optimizer)
        for m in range(4):
            optimizer.zero_grad()
            with nullcontext() if attached else recorder.forward(0, m, module):
                loss = module(torch.rand(3, 8)).square().mean()
            with nullcontext() if attached else recorder.backward(0, m, module):
                if way == "backward":
                    loss.backward()
                else:
                    found = torch.autograd.grad(loss, weights)
            for weight, grad in zip(weights, found if way == "grad" else (), strict=False):
                weight.grad = grad
            with nullcontext() if attached else recorder.update(0, m, module):
                change(weights, kept)
                optimizer.step()
    judged = judge(tmp_path / "log", build("naive", 1, 4))
    assert judged.agree == (says is None), failed(judged)
    assert says is None or failed(judged)["versions"].startswith(says)


@pytest.mark.parametrize("loss", ["l1", "l2"])
@pytest.mark.parametrize("own", [True, False], ids=["twice its own", "another's"])
def test_a_multiple_of_its_own_may_be_that_of_another(own: bool, loss: str, tmp_path: Path) -> None:
    """The last microbatch has half the samples; far from a target, signs are all that is learnt."""
    torch.manual_seed(0)
    module = nn.Linear(8, 8)
    module.weight.requires_grad_(False)
    optimizer, kept = sgd([module.bias]), []
    with Recorder(tmp_path / "log", rank=0, ranks=1, microbatches=4) as recorder:
        for m in range(4):
            with recorder.forward(0, m, module):
                far = module(torch.rand(2 if m == 3 else 4, 8)) - 1e2
                made = (far.abs() if loss == "l1" else far.square()).sum()
            with recorder.backward(0, m, module):
                made.backward()
            assert module.bias.grad is not None
            kept.append(module.bias.grad.clone())
            if m == 3:
                module.bias.grad = 2 * kept[3] if own else kept[2]
            with recorder.update(0, m, module):
                optimizer.step()
            optimizer.zero_grad()
    found = judge(tmp_path / "log", build("naive", 1, 4))
    assert found.agree is (own and loss == "l2")
    assert bool(failed(found)) is (not own and loss == "l2")


@pytest.mark.parametrize("label", [True, False])
def test_a_gradient_that_is_applied_late_is_that_of_the_microbatch_that_the_update_names(
    label: bool, tmp_path: Path
) -> None:
    """One is handed over within its update, behind which the gradient before it still lies."""
    module = nn.Linear(8, 8)
    weights, optimizer = list(module.parameters()), sgd(list(module.parameters()))
    waits: list[tuple[int, tuple[torch.Tensor, ...]]] = []
    with Recorder(tmp_path / "log", rank=0, ranks=1, microbatches=4) as recorder:
        for m in range(4):
            with recorder.forward(0, m, module):
                loss = module(torch.rand(3, 8)).square().mean()
            with recorder.backward(0, m, module):
                waits.append((m, torch.autograd.grad(loss, weights)))
            if m:
                of, found = waits.pop(0)
                with recorder.update(0, of if label else m, module):
                    for weight, grad in zip(weights, found, strict=True):
                        weight.grad = grad
                    optimizer.step()
    log = lines(tmp_path / "log")[0][1:]
    noted = [event["extra"].get("gradient") for event in log if event["op"] == "U"]
    assert [entry is None for entry in noted] == [label] * 3


@pytest.mark.parametrize("part", [1, 16])
def test_weights_that_are_put_back_past_autograd_are_read_again(part: int, tmp_path: Path) -> None:
    """Few rows of a table differ, and the stash is copied into it for the backward."""
    module = nn.Embedding(4096, 8)
    weight, waits = module.weight, []
    with Recorder(tmp_path / "log", rank=0, ranks=1, microbatches=4, part=part) as recorder:
        for m in range(4):
            with recorder.forward(0, m, module):
                waits.append((m, weight.detach().clone()))
            if not m:
                continue
            of, stash = waits.pop(0)
            new = weight.detach().clone()
            weight.data.copy_(stash)
            with recorder.backward(0, of, module):
                module(torch.tensor([500 * of])).square().sum().backward()
            weight.data.copy_(new)
            with recorder.update(0, of, module), torch.no_grad():
                assert weight.grad is not None
                weight.sub_(weight.grad)
            weight.grad = None
    log = lines(tmp_path / "log")[0][1:]
    assert [event["version"] for event in log if event["op"] == "F"] == [0, 0, 1, 2]
    assert [event["version"] for event in log if event["op"] == "B"] == [0, 0, 1]
    assert not any("no_version" in event["extra"] for event in log)


SEEN = "nothing was seen to be written"
BESIDE = "stepped twice in its block"


@pytest.mark.parametrize(
    ("lr", "steps", "every", "says"),
    [
        (1e-2, 1, 1, None),
        (1e-2, 2, 1, BESIDE),
        (1e-6, 1, 1, SEEN),  # Rounded away.
        (1e-2, 1, 2, None),  # Its block is there for every microbatch, and empty for half of them.
        (1e-6, 1, 2, SEEN),
    ],
)
def test_an_optimizer_of_masters(
    lr: float, steps: int, every: int, says: str | None, tmp_path: Path
) -> None:
    """Such as those of Megatron, in float32; the weights are bfloat16."""
    torch.manual_seed(0)
    module = nn.Linear(8, 8).bfloat16()
    weights = list(module.parameters())
    masters = [weight.detach().float().clone() for weight in weights]
    optimizer = torch.optim.AdamW(masters, lr=lr)
    schedule = build("naive", 1, 4)
    if every > 1:
        policy = dataclasses.replace(schedule.policy, interval=every)
        schedule = dataclasses.replace(schedule, policy=policy)
    with Recorder(tmp_path / "log", rank=0, ranks=1, microbatches=4) as recorder:
        for m in range(4):
            with recorder.forward(0, m, module):
                loss = module(torch.rand(3, 8).bfloat16()).square().mean()
            with recorder.backward(0, m, module):
                loss.backward()
            with recorder.update(0, m, module):
                if m % every == every - 1:
                    for master, weight in zip(masters, weights, strict=True):
                        assert weight.grad is not None
                        master.grad = weight.grad.float()
                    for _ in range(steps if m == 3 else 1):
                        optimizer.step()
                    for master, weight in zip(masters, weights, strict=True):
                        weight.data.copy_(master)
                        weight.grad = None
    found = judge(tmp_path / "log", schedule)
    said = next(entry for entry in found.findings if entry.name == "versions")
    assert found.agree == (says is None), said
    assert says is None or (not failed(found) and says in said.says)


@pytest.mark.parametrize("way", ["learns", "zero", "left out"])
def test_an_update_by_hand_of_a_gradient_of_zero(way: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    module = nn.Linear(8, 8)
    with Recorder(tmp_path / "log", rank=0, ranks=1, microbatches=4) as recorder:
        for m in range(4):
            with recorder.forward(0, m, module):
                kept = -1e3 if way == "zero" and m == 2 else 1e3
                loss = (module(torch.rand(3, 8)) + kept).relu().mean()
            with recorder.backward(0, m, module):
                loss.backward()
            with recorder.update(0, m, module) if way != "left out" or m != 2 else nullcontext():
                for weight in module.parameters() if way != "left out" or m != 2 else ():
                    assert weight.grad is not None
                    weight.data -= 0.1 * weight.grad
            for weight in module.parameters():
                weight.grad = None
    found = judge(tmp_path / "log", build("naive", 1, 4))
    assert found.agree is (way == "learns")
    assert bool(failed(found)) is (way == "left out")


@pytest.mark.parametrize(
    ("steps", "zeroed", "says"),
    [(1, True, None), (2, True, "0U3 is 2 steps"), (1, False, "0B1 adds to the gradient")],
)
@pytest.mark.parametrize("cut", ["view", "split"])
def test_weights_that_are_views_of_one_parameter(
    cut: str, steps: int, zeroed: bool, says: str | None, tmp_path: Path
) -> None:
    module = nn.Linear(8, 8)
    flat = torch.cat([weight.detach().flatten() for weight in module.parameters()])
    flat.requires_grad_()
    optimizer = torch.optim.SGD([flat], lr=0.1)

    def views() -> dict[str, torch.Tensor]:
        weight, bias = torch.split(flat, [64, 8]) if cut == "split" else (flat[:64], flat[64:])
        return {"weight": weight.view(8, 8), "bias": bias}

    with Recorder(tmp_path / "log", rank=0, ranks=1, microbatches=4) as recorder:
        for m in range(4):
            given = views()
            with recorder.forward(0, m, given):
                loss = functional_call(module, given, (torch.rand(3, 8),)).square().mean()
            with recorder.backward(0, m, given):
                loss.backward()
            with recorder.update(0, m, given):
                for _ in range(steps if m == 3 else 1):
                    optimizer.step()
            if zeroed:
                optimizer.zero_grad()
    found = judge(tmp_path / "log", build("naive", 1, 4))
    assert found.agree == (says is None), failed(found)
    assert says is None or failed(found)["versions"].startswith(says)
