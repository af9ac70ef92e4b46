"""Every command that takes a family takes the user's own file, and says what is wrong with it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "families").glob("*.py"))
PAGE = ROOT / "docs" / "tutorials" / "adding-a-schedule.md"
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_page_shows_the_examples(file: Path) -> None:
    assert f"```python\n{file.read_text(encoding='utf-8')}```" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_commands_take_a_file(file: Path, result: Result, tmp_path: Path) -> None:
    code, found = result("delays", file, "-p", 3, "-m", 24)
    assert code == 0
    assert (found["stages"], found["microbatches"]) == (3, 24)
    code, checked = result("check", file, "-p", 3)
    assert (code, checked["ok"]) == (0, True)
    code, compared = result("compare", file, "gpipe", "-p", 3)
    assert [entry["ranks"] for entry in compared["schedules"]] == [3, 3]
    code, drawn = result("draw", file, "-p", 3, "-o", tmp_path / "out.svg")
    assert (code, drawn["actions"]) == (0, 2 * 3 * 12)


def test_measured_order_is_the_file_s(result: Result, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    log = tmp_path / "run.jsonl"
    code, found = result(
        "measure", EXAMPLES[0], "-p", 2, "-m", 4, "--transport", "threads", "-o", log
    )
    assert (code, found["agree"]) == (0, True)


def test_a_law_is_written_out(run: Callable[..., Any]) -> None:
    """This one has no M from which the largest delay is reached: delays never fall before."""
    done = run("derive", ROOT / "examples" / "families" / "eager.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert "largest in the whole run: 2p² − 3p/2 if p mod 2 = 0" in done.stdout
    assert "reached from" not in done.stdout


def test_durations_are_symbols(run: Callable[..., Any], problem: Problem) -> None:
    done = run("derive", "gpipe", "--durations")
    assert (done.returncode, done.stderr) == (0, "")
    assert "for all durations with F, B, c >= 0: PROVED" in done.stdout
    assert "makespan: BM + Bp + FM + Fp + 2cp − B − F − 2c" in done.stdout
    for name in (ROOT / "examples" / "families" / "two_forwards.py", "blog-gpipe"):
        open_ = run("derive", name, "--durations")
        assert (open_.returncode, open_.stderr) == (1, "")
        assert "durations as symbols: UNKNOWN [no order is proved" in open_.stdout
    split = run("derive", "zb-h1", "--durations").stdout
    assert "with F >= I and W >= I and I >= 0: PROVED\n  makespan: FM + Fp + IM + MW − F\n" in split


def test_two_forwards_have_a_table_and_no_law(result: Result) -> None:
    code, found = result("derive", ROOT / "examples" / "families" / "two_forwards.py")
    assert (code, found["verdict"], found["delay"]) == (1, "UNKNOWN", None)
    assert "no rule as data" in found["open"] or "no short form" in found["open"]
    assert [row["p"] for row in found["table"]] == [2, 3, 4, 5]


GREEDY = (ROOT / "examples" / "families" / "eager.py").read_text(encoding="utf-8")
FUNCTION = (ROOT / "examples" / "families" / "two_forwards.py").read_text(encoding="utf-8")
STAMPS = (ROOT / "examples" / "families" / "last_in_first_out.py").read_text(encoding="utf-8")


def parametrized(given: str) -> str:
    """An order with a default for b alone, and parameters."""
    found = STAMPS.replace("LINE,  #", "LINE, defaults={'b': 0},  #").replace(
        "rule=", f"parameters={given}, rule="
    )
    return "from schedules.families.family import Parameter\n" + found


W_AT_END = (  # stamps of two numbers, one of which all share
    STAMPS.replace("(1, at.M - at.x + at.p - at.rank)", "(0, at.M + at.p + at.x)").replace(
        "rule=StampedOrder(", "rule=StampedOrder(weight=lambda at: (1, at.x), shape="
    )
)


@pytest.mark.parametrize(
    ("figures", "code", "says"),
    [
        ("makespan='3*M + 2*p - 2', work='3*M', peak='M'", 1, "small runs agree"),
        ("makespan='3*M', work='3*M', peak='M'", 1, "REFUTED"),
        ("makespan='3*M + ', work='3*M', peak='M'", 2, "which sympy does not read"),
        ("makespan='3*M + q', work='3*M', peak='M'", 2, "parameters that shipped families"),
        ("makespan='p < M', work='3*M', peak='M'", 2, "found 'p < M'"),
        ("makespan=3, work='3*M', peak='M'", 2, "Figures of texts"),
    ],
)
def test_stated_figures_are_answered(
    figures: str, code: int, says: str, run: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    text = W_AT_END.replace("rule=", f"figures=Figures({figures}), rule=")
    file.write_text(f"from schedules.families.figures import Figures\n{text}", encoding="utf-8")
    done = run("derive", file)
    assert done.returncode == code
    assert says in done.stdout + done.stderr


def test_an_interval_has_its_own_name(run: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    given = parametrized("(Parameter('H', 'gradients'),), interval='H'")
    file.write_text(given.replace("{'b': 0}", "{'H': 2}"), encoding="utf-8")
    assert "for all sizes with p >= 1, H >= 1, M >= 1\n" in run("derive", file).stdout


@pytest.mark.parametrize(
    ("forward", "backward", "span"),
    [
        ("3 * at.rank", "4 * at.p - at.rank", "BM + Bp + FM + Fp + 2cp − B − F − 2c"),
        ("at.rank", "2 * at.p - at.rank + 2", "BM + Bp + FM + Fp − B − F"),
    ],
)
def test_a_makespan_has_no_case_of_no_size(
    forward: str, backward: str, span: str, run: Callable[..., Any], tmp_path: Path
) -> None:
    """Forwards run further ahead than in PipeDream; the last backward shows nothing of it."""
    file = tmp_path / "mine.py"
    text = STAMPS.replace("(0, at.x + at.rank)", f"(2 * at.x + {forward}, 0)")
    text = text.replace("(1, at.M - at.x + at.p - at.rank)", f"(2 * at.x + {backward}, 1)")
    file.write_text(text.replace('"flush"', '"stash"'), encoding="utf-8")
    lines = run("derive", file, "--durations").stdout.splitlines()
    assert [line for line in lines if line.startswith("  makespan:")] == [f"  makespan: {span}"]


LATER = GREEDY.replace("admission=lambda p: 2 * p", "admission=lambda p: p - 1 if p > 2 else 2")


def test_numbers_of_a_law_with_rounds(
    run: Callable[..., Any], result: Result, tmp_path: Path
) -> None:
    """Of p − 1 microbatches let in, delays depend on the place r in a round, from p = 3 on."""
    file = tmp_path / "mine.py"
    file.write_text(LATER, encoding="utf-8")
    text = run("derive", file, "--at", "p=5,i=1,j=2").stdout
    assert "  delay depends on r, 0 ≤ r < 4: add r=… to --at\n" in text
    _, found = result("derive", file, "--at", "p=5,i=1,j=2")
    assert (found["at"]["delay"], found["at"]["needs"]) == (None, "0 <= r < 4")
    _, found = result("derive", file, "--at", "p=5,i=1,j=2,r=3")
    assert "needs" not in found["at"]
    assert type(found["at"]["delay"]) is int
    assert "for p ≥ 3, found p = 1" in run("derive", file, "--at", "p=1").stderr
    file.write_text(GREEDY.replace('"stash"', '"stash", interval=2'), encoding="utf-8")
    assert "Piecewise" not in run("derive", file, "--at", "p=5,i=1,j=2").stdout


BROKEN = {
    "empty": ("", "it is empty"),
    "no Python": ("FAMILY = (", "no valid Python"),
    "no FAMILY": (GREEDY.replace("FAMILY =", "MINE ="), "no FAMILY, but MINE"),
    "no family": ("FAMILY = 3", "found int"),
    "raises": ("import operator\n1 / 0", "ZeroDivisionError"),
    "neither": (GREEDY.split("    rule=")[0] + ")\n", "found neither"),
    "name taken": (GREEDY.replace('"eager"', '"gpipe"'), "is known here"),
    "no policy": (GREEDY.replace('WeightPolicy("stash")', '"stash"'), "found str"),
    "no rule": (FUNCTION.replace("build=build", "rule=build"), "found function"),
    "no schedule": (FUNCTION.replace("return Schedule", "return str"), "type object 'str'"),
    "other size": (FUNCTION.replace("range(stages)", "range(2)"), "'ranks': 2"),
    "accept": (
        STAMPS.replace("forward=", "accept=lambda *at: None, forward="),
        "whole numbers by name",
    ),
    "admission": (GREEDY.replace("2 * p", "p.missing"), "AttributeError"),
    "name of another type": (
        GREEDY.replace('"eager"', 'type("T", (str,), {})("mine")'),
        "name of a family is a line",
    ),
    "policy of another type": (
        FUNCTION.replace('"stash"', 'type("T", (str,), {})("stash")'),
        "a weight policy is one of",
    ),
    "preference": (GREEDY.replace("first=Kind.B", 'first="B"'), "prefers F or B"),
    "preferences": (GREEDY.replace("Kind.B: Kind.F, ", ""), "prefers F or B"),
    "shape": (
        STAMPS.replace("LINE,  #", "__import__('copy').copy(LINE),  #"),
        "LINE, LOOP, VEE, OPPOSITE, WORKERS of schedules.stamps, found one named 'line'",
    ),
    "defaults": (STAMPS.replace("LINE,  #", "LINE, defaults={'a': 0.5},  #"), "defaults are whole"),
    **{
        f"default of {name}": (
            STAMPS.replace("LINE,  #", f"LINE, defaults={{'{name}': 3}},  #"),
            f"found a default of {name}, which is no parameter",
        )
        for name in ("p", "M", "s", "K", "each")
    },
    "one microbatch": (STAMPS.replace("rule=", "whole_batch=True, rule="), "no rule is of M = 1"),
    "a slot each": (GREEDY.replace("rule=", "whole_batch=True, rule="), "no rule is of M = 1"),
    "beside": (STAMPS.replace("LINE,  #", "LINE, beside=[1],  #"), "`beside` is a dict"),
    **{
        f"parameters {given}": (parametrized(given), says)
        for given, says in {
            "('a',)": "are a tuple",
            "(Parameter('p', ''),)": "a name of its own",
            "(Parameter('a b', ''),)": "a name of its own",
            "(Parameter('each', ''),)": "none of p, M, s, each and K",
            "(Parameter('a', ''), Parameter('a', ''))": "a name of its own",
            "(Parameter('a', '', '1'),)": "a whole number as its least",
            "(Parameter('b', '', 1),)": "b is at least 1, found 0",
            "(Parameter('a', ''),), interval='b'": "the interval is a parameter",
            "(Parameter('b', '', 0), Parameter('K', '')), interval='b'": "none of p, M, s, each an",
        }.items()
    },
    **{
        f"schedule {change}": (
            FUNCTION.replace("return Schedule", "found = Schedule").replace(
                "FAMILY.policy)\n", f"FAMILY.policy)\n    return replace(found, {change})\n"
            )
            + "from dataclasses import replace\n",
            says,
        )
        for change, says in {
            "stage=found.stage[1:]": "a row for every action",
            "offsets=found.offsets[::-1]": "a row for every action",
            "offsets=found.offsets + 1": "a row for every action",
            "kind=list(found.kind)": "arrays of integers",
            "microbatch=found.microbatch / 1": "arrays of integers",
            "kind=found.kind + 99": "each kind",
            "stage=found.stage + 1": "each stage",
            "pipeline=found.pipeline - 1": "each pipeline",
            "policy='stash'": "found str",
            "policy=type('P', (WeightPolicy,), {})('latest')": "is a WeightPolicy, found P",
            "placement=None": "found NoneType",
            "parameters=1": "found int",
            "groups=(1,)": "groups are Groups",
            "groups=(__import__('schedules').schedule.Group(0, 0, 99, 'batch'),)": "a group lies",
        }.items()
    },
}


@pytest.mark.parametrize("name", ["K", "chunks"])
def test_names_that_say_nothing_else_are_free(
    name: str, run: Callable[..., Any], tmp_path: Path
) -> None:
    """A parameter K may have a default, and whatever stamps use may."""
    file = tmp_path / "mine.py"
    text = parametrized("(Parameter('K', '', 0),)").replace("{'b'", f"{{'K': 1, '{name}'")
    file.write_text(text, encoding="utf-8")
    assert run("delays", file, "-p", 3).returncode == 0


@pytest.mark.parametrize("command", ["check", "delays", "derive"])
def test_a_loop_without_end_is_stopped(
    command: str, problem: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("schedules.families.own.LONGEST", 1)
    file = tmp_path / f"{command}.py"
    file.write_text(
        FUNCTION.replace("    orders = [", "    while True: pass\n    orders = ["), encoding="utf-8"
    )
    found = problem(command, file, *([] if command == "derive" else ["-p", 3]))
    assert found["what"] == "a function of the family gives no answer within 1 s"
    assert found["where"].startswith(f"{file}:")


@pytest.mark.parametrize("fault", BROKEN)
def test_what_is_wrong_is_said(fault: str, problem: Problem, tmp_path: Path) -> None:
    text, says = BROKEN[fault]
    file = tmp_path / "mine.py"
    file.write_text(text, encoding="utf-8")
    derive = [["derive", file]] * (fault != "other size")  # which p = 2 is not
    for command in (["delays", file, "-p", 3], *derive):
        found = problem(*command)
        assert says in found["what"]
        assert "mine.py" in found["where"]
        assert found["fix"]


ORDERS = {
    "no interval": (parametrized("(Parameter('a', ''),), interval='a'"), "has a default"),
    "no stamp": (
        STAMPS.replace("(0, at.x + at.rank)", "()").replace(
            "(1, at.M - at.x + at.p - at.rank)", "()"
        ),
        "found 0 numbers",
    ),
    "comparison": (STAMPS.replace("(0, at", "(at.p > 9, at"), "stamps are whole numbers"),
    "comparisons": (
        STAMPS.replace("(0, at", "(1 - (at.x > 9), at"),
        "found numbers made of a comp",
    ),
    "fractions": (STAMPS.replace("(0, at", "(at.x / 2, at"), "found float, as in [0.0, 0.5"),
    "pair": (STAMPS.replace("(0, at.x + at.rank)", "(0, at.divide(at.x, 2))"), "found 2 (quotient"),
    "compared pair": (
        STAMPS.replace("(0, at.x", "(at.choose(at.divide(at.x, 2) == 0, 0, 0), at.x"),
        "at.divide gives a pair: [0] is the quotient, [1] the remainder",
    ),
    "pair of two": (
        STAMPS.replace("(0, at.x + at.rank)", "(0, at.divide(at.M, at.p))"),
        "found 2 (quotient",
    ),
    "pair of microbatches": (
        STAMPS.replace("LINE,  #", "LINE, microbatch=lambda at: at.divide(at.x, 2),  #"),
        "found 2 (quotient",
    ),
    "unequal": (STAMPS.replace("(0, at.x + at.rank)", "(0,)"), "found 1 and 2 numbers"),
    "microbatch": (
        STAMPS.replace("LINE,  #", "LINE, microbatch=lambda at: 2**64,  #"),
        "numbers from 0",
    ),
    "no stages": (
        STAMPS.replace("LINE,  #", "LOOP, defaults={'chunks': 0},  #").replace("LINE", "LOOP"),
        "a rank has one stage or more",
    ),
}


@pytest.mark.parametrize("fault", ORDERS)
def test_what_is_wrong_with_stamps_is_said(fault: str, problem: Problem, tmp_path: Path) -> None:
    text, says = ORDERS[fault]
    file = tmp_path / "mine.py"
    file.write_text(text, encoding="utf-8")
    assert says in problem("check", file, "-p", 3)["what"]
    if fault in ("no stamp", "comparison", "unequal") or "pair" in fault:
        assert says in problem("derive", file)["what"]


def looped(stages: str) -> str:
    """Two stages a rank, by a default; `stages` counts them."""
    text = STAMPS.replace("LINE", "LOOP")
    for old, new in (
        ("LOOP,  #", "LOOP, defaults={'chunks': 2},  #"),
        ("(0, at.x", "(0, at.lane, at.x"),
        ("(1, at.M", "(1, at.values['chunks'] - at.lane, at.M"),
        ("rule=", f"parameters=(Parameter('chunks', ''),), stages={stages}, rule="),
    ):
        text = text.replace(old, new)
    return "from schedules.families.family import Parameter\n" + text


@pytest.mark.parametrize("stages", ["v['chunks']", "v.get('chunks', 2)"])
def test_stages_are_counted_by_the_defaults_of_a_rule(
    stages: str, result: Result, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(looped(f"lambda p, v: p * {stages}"), encoding="utf-8")
    for more, wanted in (((), 4), (("--set", "chunks=3"), 6)):
        code, found = result("delays", file, "-p", 2, "-m", 4, *more)
        assert (code, found["stages"]) == (0, wanted)
    assert "UNKNOWN" not in {one["verdict"] for one in result("derive", file)[1]["invariants"]}


STAGES = {
    "lambda p, v: p * v['lanes']": "stopped with KeyError",
    "lambda p, v: p / 2": "a number of stages is a whole number, found 1.0",
    "4": "the number of stages is a function, found 4",
}


@pytest.mark.parametrize("stages", STAGES)
def test_what_is_wrong_with_stages_is_said(stages: str, problem: Problem, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(looped(stages), encoding="utf-8")
    found = problem("delays", file, "-p", 2)
    assert STAGES[stages] in found["what"]
    assert "mine.py" in found["where"]


RULES = {
    "bound of 0": ("admission=lambda p: 0", "at p = 1 nothing is ready in slot 2"),
    "signature": ("admission=lambda p, noam: noam", "missing 1 required positional argument"),
    "fraction": ("admission=lambda p: 1.5 * p", "a whole number, found 1.5"),
    "no name": ("admission=lambda p: P", "name 'P' is not defined"),
}


@pytest.mark.parametrize("fault", RULES)
def test_what_is_wrong_with_a_rule_is_said_once(
    fault: str, problem: Problem, tmp_path: Path
) -> None:
    text, says = RULES[fault]
    file = tmp_path / "mine.py"
    file.write_text(GREEDY.replace("admission=lambda p: 2 * p", text), encoding="utf-8")
    assert says in problem("derive", file)["what"]


@pytest.mark.parametrize("compare", ["end + 1 < now", "end + 2 < now", "end > now"])
def test_messages_take_no_slots_of_a_rule(compare: str, problem: Problem, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = GREEDY.replace("operator.lt", f"lambda end, now: {compare}")
    file.write_text(text, encoding="utf-8")
    for command in (["delays", file, "-p", 3], ["derive", file]):
        assert "found finished(0, 1) false" in problem(*command)["what"]


def test_the_first_p_is_explained(run: Callable[..., Any], tmp_path: Path) -> None:
    """NOAM = p − 1 admits nothing at p = 1; a flush has its delays whatever the slots are."""
    file = tmp_path / "mine.py"
    text = GREEDY.replace("2 * p,", "p - 1,").replace('("stash")', '("flush")')
    file.write_text(text, encoding="utf-8")
    done = run("derive", file)
    assert done.returncode == 0
    assert "p = 1 has no schedule: a greedy rule has to make progress" in done.stdout
    assert "at every size that runs to its end, as a flush ends a step\ndelay D" in done.stdout
    assert "of every microbatch\n  p − i − 1\nmax over (i, j): p − 1\n" in done.stdout
    assert "PROVED    delay: every F begins before the first update" in done.stdout


@pytest.mark.parametrize(
    ("forward", "backward", "says", "law"),
    [
        ("(1, at.x)", "(0, at.x)", "no size with p ≤ 4 and M ≤ 8 runs to its end", False),
        ("(0, at.x)", "(0, at.M - at.x)", "  p = 4: M = 1, 2\n\nat every size that runs", True),
    ],
)
def test_delays_of_no_size_are_no_law(
    run: Callable[..., Any],
    result: Result,
    tmp_path: Path,
    forward: str,
    backward: str,
    says: str,
    law: bool,
) -> None:
    """Backwards that stand before their forwards: at every size, or from M = 3 on."""
    file = tmp_path / "mine.py"
    text = STAMPS.replace("(0, at.x + at.rank)", forward)
    file.write_text(text.replace("(1, at.M - at.x + at.p - at.rank)", backward), encoding="utf-8")
    done = run("derive", file)
    assert done.returncode == 1
    assert says in done.stdout
    assert ("delay D[i][j]" in done.stdout) is law
    found = result("derive", file)[1]
    assert ("step" in found, bool(found["runs"])) == (law, law)


def test_a_domain_has_one_bound_of_m(result: Result, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(GREEDY.replace('("stash")', '("stash", interval=3)'), encoding="utf-8")
    assert result("derive", file)[1]["invariants_domain"] == "p >= 2, M >= 3"


def test_missing_file(problem: Problem) -> None:
    assert problem("derive", "nowhere.py")["what"] == "there is no such file"


def test_edited_file_is_another_family(result: Result, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    shutil.copy(ROOT / "examples" / "families" / "eager.py", file)
    before = result("delays", file, "-p", 3)[1]["steady"]
    printing = "print('aside')\n" + GREEDY.replace("2 * p", "print('aside') or p")
    file.write_text(printing, encoding="utf-8")
    assert result("delays", file, "-p", 3)[1]["steady"] != before
