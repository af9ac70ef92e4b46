"""The papers' experiments: replays against a loop, kept results, verdicts that can fail."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staleproof.cli
from benchmarks.replay import whole_gradient
from schedules import Schedule, build, timeline
from staleproof.errors import UsageError
from staleproof.experiments.problems import (
    Array,
    Problem,
    random_logistic,
    random_quadratic,
    together,
)
from staleproof.experiments.registry import NAMES
from staleproof.experiments.registry import found as found_experiment
from staleproof.experiments.replay import local_sgd, order_of, random_order, replay
from staleproof.experiments.shipped import (
    delay_growth,
    fixed_time_scaling,
    rpd_vs_pd,
    stale_term_power,
)
from staleproof.experiments.store import Store, alone

ROOT = Path(__file__).parents[2]


def with_a_stash(problem: Problem, schedule: Schedule, rate: float) -> Array:
    """A run by local versions instead of global delays: forwards stash, backwards use it."""
    line, p = timeline(schedule), schedule.stages
    blocks = np.array_split(np.arange(problem.size), p)
    w, stash = np.zeros(problem.size), {}
    history = [[w[block].copy()] for block in blocks]
    order = np.lexsort((schedule.stage, line.end))
    for index in order.tolist():
        action = schedule.action(index)
        s, m = action.stage, action.microbatch
        if action.kind.name == "F":
            stash[s, m] = history[s][-1]
        elif action.kind.name == "B":
            point = np.concatenate([stash[j, m] for j in range(p)])
            gradient = whole_gradient(problem, point, m % problem.batches)
            history[s].append(history[s][-1] - rate * gradient[blocks[s]])
    return np.concatenate([known[-1] for known in history])


@pytest.mark.parametrize(
    "own",
    [build("pipedream", 1, 3), build("pipedream", 5, 13), build("naive", 2, 5),
     build("asyncpp", 3, 8)],
)  # fmt: skip
@pytest.mark.parametrize("make", [random_quadratic, random_logistic])
def test_a_replay_by_delays_is_a_run_with_a_stash(make: Any, own: Schedule) -> None:
    problems = [make(60, 17, 4 if make is random_quadratic else 0.01, seed) for seed in (1, 9)]
    rates = np.array([0.01, 0.3])
    order = order_of(own, problems[0].batches)
    _, last = replay(together(problems), order, rates, np.array([0]))
    for seed, problem in enumerate(problems):
        for number, rate in enumerate(rates):
            expected = with_a_stash(problem, own, float(rate))
            assert abs(last[seed, :, number] - expected).max() < 1e-12


@pytest.mark.parametrize("family", ["gpipe", "localsgd", "pipemare", "pipedream-2bw", "xpipe"])
def test_what_is_no_update_a_gradient_is_not_replayed(family: str) -> None:
    with pytest.raises(UsageError, match="an update a gradient, of one copy of the weights"):
        order_of(build(family, 2, 4), 2)


def test_seeds_at_once_are_seeds_one_by_one() -> None:
    problems, rates, at = [random_logistic(5, 17, 0.1, s) for s in (3, 4)], [0.1, 0.5], [0, 7, 40]
    noise = np.random.default_rng(0).standard_normal((2, 2, 40, 6))

    def run(seeds: list[int]) -> tuple[Array, Array]:
        order = random_order(3, 40, 14, 5, 6, seeds)
        problem = together([problems[seed] for seed in seeds])
        return replay(problem, order, np.array(rates), np.array(at), noise[seeds])

    values, last = run([0, 1])
    assert abs(last[0] - last[1]).max() > 0.1
    for seed in (0, 1):
        (value,), (end,) = run([seed])
        assert abs(values[seed] - value).max() < 1e-12
        assert abs(last[seed] - end).max() < 1e-12
    assert abs(run([1])[1] - last[:1]).max() > 0.1


def test_other_delays_are_another_run() -> None:
    problem = random_quadratic(60, 17, 4)
    order = order_of(build("pipedream", 3, 8), 4)
    fresh = replace(order, delays=np.zeros_like(order.delays), readers=np.arange(24))
    rates, at = np.array([0.1]), np.array([24])
    assert (
        abs(replay(problem, order, rates, at)[1] - replay(problem, fresh, rates, at)[1]).max()
        > 1e-3
    )


def test_what_is_drawn_is_uniform_and_no_older_than_the_start() -> None:
    order = random_order(4, 20_000, 100, 5, 9, [1])
    assert np.bincount(order.stages[0]).std() < 150
    assert (order.delays <= np.arange(20_000)[:, None]).all()
    counts = np.bincount(order.delays[:, 100:].ravel(), minlength=10)
    assert len(counts) == 10
    assert counts.std() / counts.mean() < 0.05


def finished(module: Any, quick: bool = True) -> list[tuple[Any, Any]]:
    return [(cell, module.compute(cell)) for cell in module.cells(quick)]


def test_delays_grow_as_printed_and_a_wrong_one_would_be_seen() -> None:
    found = finished(delay_growth)
    assert delay_growth.conclude(found).verdict == "reproduced with a change"
    numbers = {one.what: one for one in delay_growth.conclude(found).numbers}
    assert all(one.paper is None or abs(one.ours - one.paper) < 0.01 for one in numbers.values())
    wrong = [(cell, {**result, "most": result["most"] + 1}) for cell, result in found]
    assert delay_growth.conclude(wrong).verdict == "not reproduced"


def test_the_stale_distance_stays_below_and_a_larger_one_would_be_seen() -> None:
    found = finished(stale_term_power)
    assert stale_term_power.conclude(found).verdict == "reproduced"
    for wrong in ("largest", "printed"), ("mean", "sharp"):
        of, bound = wrong
        beyond = [
            (cell, {**result, of: [2 * one for one in result[bound]]}) for cell, result in found
        ]
        assert stale_term_power.conclude(beyond).verdict == "not reproduced"


PROBLEM = random_quadratic(rpd_vs_pd.SAMPLES, rpd_vs_pd.SIZE, rpd_vs_pd.BATCHES)


@pytest.mark.parametrize(("who", "rate"), rpd_vs_pd.AUTHORS)
def test_runs_are_those_of_the_authors_digit_by_digit(who: str | int, rate: float) -> None:
    own, updates = order_of(build("pipedream", 8, 400), 20), np.array([3200])
    order = own if isinstance(who, str) else random_order(8, 3200, 400, 20, who, [0])
    values, _ = replay(PROBLEM, order, np.array([rate]), updates)
    assert values[0, 0, 0] == pytest.approx(rpd_vs_pd.AUTHORS[who, rate], rel=1e-9)


def test_reading_one_version_too_old_gives_other_digits() -> None:
    order, rates = order_of(build("pipedream", 8, 400), 20), np.array([2.0**-5])
    late = np.minimum(order.delays + 8, np.arange(3200)[:, None])  # one update of every stage
    values, _ = replay(PROBLEM, replace(order, delays=late), rates, np.array([3200]))
    assert values[0, 0, 0] != pytest.approx(rpd_vs_pd.AUTHORS["PipeDream", 2.0**-5], rel=1e-3)


def ending(**ends: float) -> list[tuple[Any, Any]]:
    """Runs that end so, at every rate; PipeDream's at 1e-7."""
    of = {"0": 1e-7, "exact": 1e-7, "8": 1e-11, "30": 1e-10, "60": 2e-7, "180": 1e-3, "420": 0.1}
    of |= {"offsets": 1e-3, "order": 1e-12} | {name.strip("_"): end for name, end in ends.items()}
    return [
        (
            {"delay": int(name) if name.isdecimal() else name},
            {"at": [0, 1], "values": [[[end] * 10] * 2]},
        )
        for name, end in of.items()
    ]


def test_the_nearest_bound_has_to_be_the_predicted_one() -> None:
    assert rpd_vs_pd.conclude(ending()).verdict == "reproduced"
    assert rpd_vs_pd.conclude(ending(_8=1e-9)).verdict == "reproduced with a change"
    assert rpd_vs_pd.conclude(ending(_30=1.1e-7)).verdict == "not reproduced"
    assert rpd_vs_pd.conclude(ending(exact=1.0001e-7)).verdict == "not reproduced"


@pytest.mark.slow
def test_the_predicted_bound_is_the_nearest_and_another_would_be_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = finished(rpd_vs_pd)  # of two seeds the bounds 8 and 30 end in the other order
    assert rpd_vs_pd.conclude(found).verdict == "reproduced with a change"
    monkeypatch.setattr(rpd_vs_pd, "PREDICTED", 180)
    assert rpd_vs_pd.conclude(found).verdict == "not reproduced"


def test_two_runs_on_one_store_keep_each_others_results(tmp_path: Path) -> None:
    one, other = (Store(tmp_path / "cells.sqlite", "code") for _ in range(2))
    one.put("a", {"p": 1, "q": 2}, [1.5, None])
    other.put("a", {"q": 2, "p": 1}, "later")
    assert other.get("a", {"p": 1, "q": 2}) == ([1.5, None], None)
    assert Store(tmp_path / "cells.sqlite", "other code").get("a", {"p": 1, "q": 2}) is None


Said = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    def run(*arguments: str) -> tuple[int, Any, str]:
        capsys.readouterr()
        code = staleproof.cli.main(["experiment", *arguments, "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out), err

    return run


def test_the_list_names_all(said: Said) -> None:
    code, found, _ = said("list")
    assert code == 0
    assert [one["name"] for one in found["experiments"]] == list(NAMES)


def test_predictions_are_rows_of_the_published_ledger() -> None:
    ledger = json.loads((ROOT / "reports" / "published" / "ledger.json").read_text())
    rows = {row["id"] for row in ledger["claims"]}
    predicted = {row for name in NAMES for row in found_experiment(name)[0].predictions}
    assert len(predicted) > len(NAMES)
    assert predicted - rows == set()


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, said: Said) -> None:
    given = ("delay-growth", "--quick", "--jobs", "1", "-o", str(tmp_path))
    code, found, err = said(*given)
    assert (code, found["verdict"]) == (0, "reproduced with a change")
    assert all(set(one) == {"what", "paper", "ours"} for one in found["numbers"])
    assert [Path(figure).read_text()[:5] for figure in found["figures"]] == ["<?xml"]
    assert "8 of 8 runs" in err
    with sqlite3.connect(tmp_path / "cells.sqlite") as file:
        file.execute("DELETE FROM runs WHERE cell = ?", ('{"p": 5}',))
    code, again, err = said(*given)
    assert again | {"peak_memory_mib": 0} == found | {"peak_memory_mib": 0}
    assert "7 of 8 runs are kept" in err
    assert "1 of 1 runs" in err


KILLED = """
def compute(cell):
    if cell["n"] == 2 and not (HERE / "killed").exists():
        (HERE / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with (HERE / "done").open("a") as file:
        file.write(f"{cell['n']} ")
    return cell["n"] ** 2
"""


def test_a_run_that_is_killed_loses_and_repeats_no_cell(tmp_path: Path, said: Said) -> None:
    file = tmp_path / "squares.py"
    head = f"import os, pathlib, signal\nEXPECTED, HERE = 5.0, pathlib.Path({str(tmp_path)!r})\n"
    own = OWN.replace('lambda cell: cell["n"] ** POWER', "compute")
    file.write_text(head + KILLED + own)
    given = (str(file), "--jobs", "1", "-o", str(tmp_path / "kept"))
    command = [sys.executable, "-m", "staleproof", "experiment", *given]
    killed = subprocess.run(command, capture_output=True, timeout=300, check=False)
    assert killed.returncode == -9, killed.stderr
    code, found, err = said(*given)
    assert (code, found["numbers"][0]["ours"]) == (0, 5)
    assert "1 of 2 runs are kept" in err
    assert (tmp_path / "done").read_text() == "1 2 "
    assert found["peak_memory_mib"] > 1
    assert said(*given)[1] == found  # all are kept, their peaks as well


def test_a_cluster_computes_the_same(tmp_path: Path, said: Said) -> None:
    distributed = pytest.importorskip("distributed")
    given = ("delay-growth", "--quick", "-o", str(tmp_path))
    settings = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with distributed.LocalCluster(**settings, dashboard_address=None) as cluster:
        code, found, err = said(*given, "--cluster", cluster.scheduler_address)
    assert (code, found["verdict"]) == (0, "reproduced with a change")
    assert "8 of 8 runs" in err
    assert said(*given, "--jobs", "1")[1] == found  # all are kept


WITHOUT_TORCH = """
import sys
from staleproof.cli import main
sys.modules["torch"] = None
sys.exit(main(["experiment", "list"]) or main(["experiment", "amdp", "--quick", "--jobs", "1"]))
"""


def test_without_torch_all_are_listed_and_what_trains_networks_asks_for_it() -> None:
    command = [sys.executable, "-c", WITHOUT_TORCH]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 2, ended.stderr
    assert [line.split()[0] for line in ended.stdout.splitlines()] == list(NAMES)
    assert ended.stderr.splitlines()[-1].endswith("pip install 'staleproof[torch]'")


def test_data_are_given_to_those_that_read_some(tmp_path: Path, said: Said) -> None:
    code, found, _ = said("delay-growth", "--quick", "--data", str(tmp_path / "no.txt"))
    assert (code, found["error"]["where"]) == (2, "--data")
    code, found, _ = said("compensation", "--quick", "--data", str(tmp_path / "no.npz"))
    assert code == 2
    assert "no such file" in found["error"]["what"]


OWN = """
from staleproof.experiments.protocol import Experiment, Figure, Line, Number, Outcome

def conclude(finished):
    total = sum(result for _, result in finished)
    verdict = "reproduced" if total == 5 else "not reproduced"
    figure = Figure("n", "square", (Line("squares", [1, 2], [1.0, 4.0]),))
    return Outcome(verdict, f"{total}", (Number("sum", EXPECTED, total),), figure)

EXPERIMENT = Experiment(
    name="squares", source="mine", question="?", protocol="", refuted_by="another sum",
    cells=lambda quick: [{"n": 1}, {"n": 2}], compute=lambda cell: cell["n"] ** POWER,
    conclude=conclude,
)
"""


def test_a_file_of_ones_own(tmp_path: Path, said: Said) -> None:
    file = tmp_path / "squares.py"
    file.write_text("EXPECTED, POWER = 5.0, 2\n" + OWN)
    code, found, _ = said(str(file), "--jobs", "1")
    assert (code, found["verdict"], found["numbers"][0]["ours"]) == (0, "reproduced", 5)
    other = tmp_path / "cubes.py"
    other.write_text("EXPECTED, POWER = 5.0, 3\n" + OWN)
    assert said(str(other), "--jobs", "1")[0] == 1


def test_a_run_that_fails_costs_no_other(tmp_path: Path, said: Said) -> None:
    power = tmp_path / "power.py"
    power.write_text("EXPECTED, POWER = 5.0, None\n" + OWN)
    code, found, _ = said(str(power), "--jobs", "2")
    assert (code, "} stopped with TypeError: " in found["error"]["what"]) == (2, True)
    assert "and 1 more did" in found["error"]["what"]
    first = tmp_path / "first.py"
    first.write_text("EXPECTED = 5.0\n" + OWN.replace("POWER,", '1 // (cell["n"] - 1),'))
    given = (str(first), "--jobs", "2", "-o", str(tmp_path))
    code, found, _ = said(*given)
    assert (code, "{'n': 1} stopped with Zero" in found["error"]["what"]) == (2, True)
    assert "1 of 2 runs are kept" in said(*given)[2]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("compute=lambda cell: {1, 2}", "{'n': 1} stopped with TypeError: Object of type set"),
        ("compute=lambda cell: exit(3)", "{'n': 1} stopped with SystemExit: 3"),
        ("cells=lambda quick: None", "its cells stopped with TypeError"),
        ("cells=lambda quick: [1, 2]", "mappings of parameters, found [1, 2]"),
        ("cells=lambda quick: []", "mappings of parameters, found []"),
        ("cells=lambda quick: [{'n': 1}] * 2", 'once, found 2 times {"n": 1}'),
        ("conclude=lambda found: 1 / 0", "it concludes stopped with ZeroDivisionError"),
        ("conclude=lambda found: print(1) or exec('raise GeneratorExit')", "stopped with Gene"),
        ("conclude=lambda found: 'reproduced'", "returns an Outcome, found 'reproduced'"),
        ("conclude=lambda found: Outcome('PROVED', '', (), Figure('', '', ()))", "found 'PROVED'"),
        ("conclude=lambda found: Number('n', None, 'many')", "real `ours`, found 'many'"),
        ("conclude=lambda found: Line('n', [1, 2], [3])", "2 values as x has, found [1]"),
        ("conclude=3", "conclude is called, found 3"),
        ("name='../squares'", "letters, digits, - and _, found '../squares'"),
        ("predictions='rpd.thm-4.1'", "a tuple of ids, found 'rpd.thm-4.1'"),
        ("predictions=('rpd.thm-9',)", "rpd.thm-9"),
    ],
)
def test_a_mistake_in_a_file_of_ones_own_is_a_line(
    tmp_path: Path, said: Said, change: str, words: str
) -> None:
    file = tmp_path / "wrong.py"
    changed = f"\nfrom dataclasses import replace\nEXPERIMENT = replace(EXPERIMENT, {change})\n"
    file.write_text("EXPECTED, POWER = 5.0, 2\n" + OWN + changed)
    code, found, _ = said(str(file), "--jobs", "1", "-o", str(tmp_path / "kept"))
    assert (code, found["error"]["where"]) == (2, str(file))
    assert words in found["error"]["what"]
    assert not list(tmp_path.rglob("squares.json"))


def test_what_cannot_be_written_is_named(tmp_path: Path, said: Said) -> None:
    assert said("delay-growth", "--quick", "--jobs", "1", "-o", str(tmp_path))[0] == 0
    with sqlite3.connect(tmp_path / "cells.sqlite") as file:
        file.execute("UPDATE runs SET result = '{' WHERE cell = ?", ('{"p": 5}',))
    code, found, _ = said("delay-growth", "--quick", "--jobs", "1", "-o", str(tmp_path))
    assert (code, found["error"]["where"]) == (2, str(tmp_path / "cells.sqlite"))
    assert 'the result of {"p": 5} is no JSON' in found["error"]["what"]
    (tmp_path / "cells.sqlite").write_text("a text, and no database" * 9)
    code, found, _ = said("delay-growth", "--quick", "--jobs", "1", "-o", str(tmp_path))
    assert (code, found["error"]["where"]) == (2, str(tmp_path / "cells.sqlite"))
    (tmp_path / ".delay-growth.lock").unlink()
    (tmp_path / ".delay-growth.lock").mkdir()
    code, found, _ = said("delay-growth", "--quick", "--jobs", "1", "-o", str(tmp_path))
    assert (code, found["error"]["where"]) == (2, str(tmp_path / ".delay-growth.lock"))


def test_a_second_run_in_a_folder_waits_for_the_first(tmp_path: Path) -> None:
    lock, waits, has = tmp_path / ".lock", threading.Event(), threading.Event()

    def second() -> None:
        with alone(lock, waits.set):
            has.set()

    thread = threading.Thread(target=second, daemon=True)
    with alone(lock, pytest.fail):
        thread.start()
        assert waits.wait(60)
        assert not has.is_set()
    assert has.wait(60)
    thread.join(60)


def test_a_worker_of_a_cluster_that_is_killed_costs_no_cell(tmp_path: Path, said: Said) -> None:
    distributed = pytest.importorskip("distributed")
    file = tmp_path / "squares.py"
    head = f"import os, pathlib, signal\nEXPECTED, HERE = 5.0, pathlib.Path({str(tmp_path)!r})\n"
    file.write_text(head + KILLED + OWN.replace('lambda cell: cell["n"] ** POWER', "compute"))
    settings = {"n_workers": 1, "threads_per_worker": 1, "processes": True}
    with distributed.LocalCluster(**settings, dashboard_address=None) as cluster:
        code, found, _ = said(str(file), "--cluster", cluster.scheduler_address)
    assert (code, found["numbers"][0]["ours"]) == (0, 5)
    assert set((tmp_path / "done").read_text().split()) == {"1", "2"}


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "EXPERIMENT"), ("EXPERIMENT = 3", "found 3"), ("1 / 0", "ZeroDivisionError")],
)
def test_other_files_are_refused(tmp_path: Path, said: Said, text: str, words: str) -> None:
    file = tmp_path / "no.py"
    file.write_text(text)
    code, found, _ = said(str(file))
    assert code == 2
    assert words in found["error"]["what"]
    code, found, _ = said("rpd-vs-pdd")
    assert (code, found["error"]["fix"]) == (2, "did you mean 'rpd-vs-pd'?")


def test_one_replica_is_plain_descent_and_more_are_averaged() -> None:
    problem = random_quadratic(60, 17, 4)
    rates = np.array([0.05, 0.2])
    alone = local_sgd(problem, 1, 3, 8, rates)
    _, plain = replay(problem, order_of(build("pipedream", 1, 8), 4), rates, np.array([0]))
    assert abs(alone - plain).max() < 1e-12
    two = local_sgd(together([random_quadratic(60, 17, 4, 1), problem]), 2, 2, 7, rates)
    for number, rate in enumerate(rates):
        ends = np.zeros((2, 17))
        for job in range(7):
            ends[job % 2] -= rate * whole_gradient(problem, ends[job % 2], job % 4)
            if job in (3, 6):  # a whole round, and what is left of the next
                ends[:] = ends.mean(0)
        assert abs(two[1, :, number] - ends[0]).max() < 1e-12


def test_the_logistic_objective_is_that_of_the_authors_and_its_gradient_right() -> None:
    assert fixed_time_scaling._least(0) == pytest.approx(0.0005370302581646816, rel=1e-8)
    problem = random_logistic(5, 7, 1e-2, seed=1)
    w, e = np.linspace(-1, 1, 7), 1e-6 * np.eye(7)
    slopes = np.mean([whole_gradient(problem, w, n) for n in range(5)], axis=0)
    up, down = (problem.value((w[:, None] + side)[None])[0] for side in (e, -e))
    assert abs(slopes - (up - down) / 2e-6).max() < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("p", [2, 8, 16])
@pytest.mark.parametrize("number", range(3))
def test_the_figure_of_the_authors_is_met_to_the_printed_digits(p: int, number: int) -> None:
    method = fixed_time_scaling.METHODS[number]
    power, last = fixed_time_scaling.AUTHORS[p][number]
    found = fixed_time_scaling.compute({"p": p, "method": method, "seeds": 1})
    place = int(np.argmin(abs(fixed_time_scaling.RATES[method] - 2.0**power)))
    assert found["final"][0][place] == pytest.approx(last, rel=1e-6)
    assert found["jobs"] == fixed_time_scaling.JOBS[p][number // 2]


def test_noise_is_added_where_it_belongs() -> None:
    problem, rates = random_quadratic(60, 17, 4), np.array([0.1])
    order = order_of(build("pipedream", 1, 2), 4)
    noise = np.arange(34.0).reshape(1, 1, 2, 17)
    _, plain = replay(problem, order, rates, np.array([0]))
    _, moved = replay(problem, order, rates, np.array([0]), noise)
    assert abs(moved - local_sgd(problem, 1, 1, 2, rates, noise)).max() < 1e-12
    first = whole_gradient(problem, np.zeros(17), 0)
    late, clean = (whole_gradient(problem, -rates * (first + n), 1) for n in (noise[0, 0, 0], 0))
    apart = rates * (noise.sum((0, 1, 2)) + late - clean)
    assert abs((moved - plain)[0, :, 0] + apart).max() < 1e-12


def test_scaling_is_decided_by_gaps() -> None:
    def runs(gaps: dict[tuple[int, str], float]) -> Any:
        return [
            (
                {"p": p, "method": m},
                {
                    "final": [[g + 1.0] * len(fixed_time_scaling.RATES[m])],
                    "least": [1.0],
                    "jobs": 1,
                },
            )
            for (p, m), g in gaps.items()
        ]

    gaps = {(2, "pipedream"): 1.0, (2, "random"): 1.0, (2, "localsgd"): 1.0}
    gaps |= {(8, "pipedream"): 9.0, (8, "random"): 9.0, (8, "localsgd"): 2.0}
    assert fixed_time_scaling.conclude(runs(gaps)).verdict == "reproduced"
    worse = runs(gaps | {(8, "localsgd"): 20.0})
    assert fixed_time_scaling.conclude(worse).verdict == "not reproduced"
    flat = runs(gaps | {(8, "random"): 0.5})
    assert fixed_time_scaling.conclude(flat).verdict == "not reproduced"
