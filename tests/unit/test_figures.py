"""`figures_law`: what is proved of makespan, bubble, peaks and staleness, against runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import islice, product

import pytest
import sympy

from schedules import build, timeline
from schedules.actions import Kind
from schedules.analysis import peaks
from schedules.delays import Matrix, delays, equivalent_delays
from schedules.errors import ParameterError, UnknownNameError
from schedules.families import FAMILIES, get_family
from schedules.families.family import Family
from schedules.linearization import LINEARIZATIONS
from schedules.timeline import Timeline
from schedules.versions import versions
from theory.errors import NoClosedFormError
from theory.laws.figure_forms import SYMBOLS, FiguresLaw
from theory.laws.figures import figures_law, prove
from theory.verdicts import Verdict

STATED = [name for name, family in FAMILIES.items() if family.figures is not None]
every_family = pytest.mark.parametrize("name", STATED)

law = cache(figures_law)


def test_every_synchronous_family_is_derived_or_stated() -> None:
    without = {name for name, family in FAMILIES.items() if not family.affine} - set(STATED)
    assert without == {"amdp"}
    assert not any(FAMILIES[name].affine for name in STATED)


def lines(family: Family) -> Iterator[tuple[Timeline, dict[sympy.Symbol, int]]]:
    """Small sizes that the family accepts and for which the figures are claimed, run."""
    assert family.figures is not None
    where = sympy.sympify(sympy.sympify(family.figures.where, locals=SYMBOLS))
    choices = [range(entry.minimum, entry.minimum + 3) for entry in family.parameters]
    names = [entry.name for entry in family.parameters]
    for p, chosen in product(range(1, 6), product(*choices)):
        for M in range(1, 3 * p + 3):
            size = {"p": p, "M": M, **dict(zip(names, chosen, strict=True))}
            at = {SYMBOLS[name]: number for name, number in size.items()}
            try:
                schedule = family.build(p, M, **dict(zip(names, chosen, strict=True)))
            except ParameterError:
                continue
            whole = M % schedule.policy.interval == 0  # no gradient is left over
            if whole and where.subs(at) == sympy.true:
                yield timeline(schedule), at


def at_size(form: str, at: Mapping[sympy.Symbol, int], **more: int) -> sympy.Expr:
    known = {str(symbol): number for symbol, number in at.items()} | more
    return sympy.sympify(form, locals={name: sympy.Integer(n) for name, n in known.items()})


def mean(matrix: Matrix) -> sympy.Expr:
    return sympy.Rational(int(matrix.sum()), matrix.size)


@pytest.mark.sampled(9)
@every_family
def test_proved_and_so_in_every_run(name: str) -> None:
    found, family = law(name), get_family(name)
    assert found.verdict is Verdict.PROVED, found.open
    printed, sizes = found.to_json(), 0
    for line, at in lines(family):
        sizes += 1
        assert at_size(printed["makespan"], at) == line.length
        assert Fraction(str(at_size(printed["bubble"], at))) == line.idle_fraction
        most = peaks(line).activations_by_rank
        assert [at_size(printed["peak_activations"], at, r=r) for r in range(len(most))] == [*most]
        stale = versions(line.schedule).local_staleness.max(axis=1)
        form = printed["local_staleness_whole_run"]
        assert [at_size(form, at, s=s) for s in range(len(stale))] == [max(0, n) for n in stale]
    assert sizes >= 3


OF_A_STEP = [name for name in STATED if FAMILIES[name].policy.name == "flush"]


def entries(form: Sequence[Mapping[str, str]], **at: int) -> list[sympy.Expr]:
    """What the cases say that hold there: one of them does."""
    held = [case for case in form if at_size(case["when"], {}, **at) == sympy.true]
    return [at_size(case["expr"], {}, **at) for case in held]


@pytest.mark.sampled(9)
@pytest.mark.parametrize("linearization", ["ascending", "descending"])
@pytest.mark.parametrize("name", OF_A_STEP)
def test_delays_are_those_of_every_run(name: str, linearization: str) -> None:
    printed = law(name, linearization=linearization).to_json()
    for line, at in islice(lines(get_family(name)), 0, None, 3):
        found, sizes = delays(line, linearization), {str(one): at[one] for one in at}
        numbers, pipelines = line.schedule.microbatch.tolist(), line.schedule.pipeline.tolist()
        of = dict(zip(numbers, pipelines, strict=True))
        for i, m, row in zip(found.stage, found.microbatch, found.matrix, strict=True):
            wanted = entries(printed["delay"], **sizes, i=int(i), k=of[int(m)])
            assert [wanted] * len(row) == [[entry] for entry in row]
        most = [at_size(printed[key], at) for key in ("max", "min", "mean", "whole_run_max")]
        found_most = found.matrix.max(), found.matrix.min(), mean(found.matrix), found.matrix.max()
        assert most == list(found_most)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("name", ["pipedream-2bw", "asyncpp"])
def test_delays_of_windows_are_those_of_every_run(name: str, linearization: str) -> None:
    """Longer than the pipeline and shorter ones, from microbatch p to the last that is steady."""
    family = get_family(name)
    printed = law(name, linearization=linearization).to_json()
    numbers = ["p", family.interval, "i", "j", "r"]
    delay = sympy.lambdify(numbers, sympy.sympify(printed["delay"][0]["expr"]), "math")
    seen = 0
    for p, K in product(range(1, 7), range(1, 9)):
        if name == "pipedream-2bw" and p > K:
            continue
        size = {SYMBOLS["p"]: p, SYMBOLS[family.interval]: K}
        later = -(-(p - (linearization != "descending")) // (2 * K))
        reached = at_size(printed["whole_run_least_m"], size)
        for M in (K, 2 * K, int(reached), 3 * p + 3 * K + 1):
            found = delays(
                timeline(family.build(p, max(M, K), **{family.interval: K})), linearization
            )
            steady = (found.microbatch >= p) & (found.microbatch // K + later <= M // K)
            kept = found.stage[steady], found.microbatch[steady], found.matrix[steady]
            for i, m, row in zip(*kept, strict=True):
                assert row.tolist() == [delay(p, K, int(i), j, int(m) % K) for j in range(p)]
                seen += 1
            whole = at_size(printed["whole_run_max"], {**size, SYMBOLS["M"]: M})
            assert found.matrix.max() <= whole
            assert found.matrix.max() == whole or 2 * K <= M < reached
        windows = (found.microbatch // K)[steady]
        if (windows == windows.max(initial=0)).sum() == p * K:
            last = kept[2][windows == windows.max()]
            most = [at_size(printed[key], size) for key in ("max", "min", "mean")]
            assert most == [last.max(), last.min(), mean(last)]
    assert seen > 1000


@pytest.mark.sampled(4)
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("name", ["pipesgd", "sapipe"])
def test_delays_of_workers_are_those_of_every_run(name: str, linearization: str) -> None:
    printed = law(name, linearization=linearization).to_json()
    for p, layers, stale in product((1, 3), (1, 3), range(4)):
        given = {"layers": layers, "stale": stale} if name == "sapipe" else {"layers": layers}
        if stale > layers or (stale and name == "pipesgd"):
            continue
        found = delays(timeline(build(name, p, 4 * p, **given)), linearization)
        steady = (found.microbatch >= p) & (found.microbatch < 3 * p)
        numbers = found.stage[steady], found.microbatch[steady], found.matrix[steady]
        for i, m, row in zip(*numbers, strict=True):
            at = {"p": p, **given, "i": int(i), "w": int(m) % p}
            assert [[entry] for entry in row] == [
                entries(printed["delay"], **at, j=j) for j in range(layers)
            ]
        most = [at_size(printed[key], {}, p=p, **given) for key in ("max", "min", "mean")]
        assert most == [numbers[2].max(), numbers[2].min(), mean(numbers[2])]
        for M in (p, 2 * p, 3 * p) if printed["whole_run_max"] else ():
            whole = delays(timeline(build(name, p, M, **given)), linearization).matrix.max()
            assert at_size(printed["whole_run_max"], {}, p=p, M=M, **given) == whole


@pytest.mark.sampled(6)
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("p", range(1, 7))
def test_delays_of_rounds_are_those_of_every_run(p: int, linearization: str) -> None:
    printed = law("localsgd", linearization=linearization).to_json()
    names = ["p", "replicas", "jobs", "i", "j", "r"]

    def read(text: str) -> Callable[..., int]:
        found: Callable[..., int] = sympy.lambdify(names, sympy.sympify(text), "math")
        return found

    delay = [(read(one["when"]), read(one["expr"])) for one in printed["delay"]]
    late = read(printed["equivalent_delay"])
    for more, H, rest in product((0, 1, p), (1, 2, 3), (0, 1, p)):
        n, J = p + more, (p + more) * H
        line = timeline(build("localsgd", p, 2 * J + rest, replicas=n, local_steps=H))
        assert at_size(printed["makespan"], {}, p=p, M=2 * J + rest, replicas=n, local_steps=H) == (
            line.length
        )
        found, equivalent = delays(line, linearization), equivalent_delays(line, linearization)
        numbers = zip(found.stage, found.microbatch, found.matrix, equivalent.matrix, strict=True)
        for i, m, row, own in numbers:
            jobs, r = min(J, 2 * J + rest - m // J * J), m % J
            for j in range(p):
                at = p, n, int(jobs), int(i), j, int(r)
                assert [form(*at) for when, form in delay if when(*at)] == [row[j]]
                assert late(*at) == own[j]
        assert found.matrix.min() == int(printed["min"])
        if H > 1:
            size = {"p": p, "replicas": n, "jobs": J, "M": 2 * J + rest, "local_steps": H}
            most = [at_size(printed[key], {}, **size) for key in ("max", "whole_run_max")]
            assert most == [found.matrix.max()] * 2


def test_every_gradient_of_two_versions_is_one_window_late() -> None:
    form = law("pipedream-2bw").to_json()["equivalent_delay"]
    for p, K in ((1, 2), (3, 3), (4, 6)):
        rows = equivalent_delays(timeline(build("pipedream-2bw", p, 4 * K, window=K)))
        wanted = [[at_size(form, {}, p=p, i=i, j=j) for j in range(p)] for i in range(p)]
        later = rows.microbatch >= K
        found = zip(rows.stage[later], rows.matrix[later].tolist(), strict=True)
        assert [row for i, row in found if row != wanted[i]] == []
        assert later.any()


@every_family
@pytest.mark.parametrize("p", [2, 4])
def test_peak_by_program_order(name: str, p: int) -> None:
    """Counted along each rank's program, without times."""
    microbatches = 1 if name == "blog-naive" else 4 * p
    schedule = build(name, p, microbatches)
    figures = get_family(name).figures
    assert figures is not None
    for rank in range(p):
        kept = most = 0
        for action in schedule.rank(rank):
            kept += (action.kind is Kind.F) - (action.kind in (Kind.B, Kind.W))
            most = max(most, kept)
        values = {"p": p, "M": microbatches, "r": rank, "chunks": 2, "layers": 4, "replicas": p}
        assert sympy.sympify(figures.peak, locals=values) == most


def test_a_given_parameter_is_put_in() -> None:
    found = figures_law("looped-bfs", {"chunks": 4})
    assert found.verdict is Verdict.PROVED
    assert found.to_json()["makespan"] == "8*M + 2*p - 2"
    assert found.domain == "p ≥ 1, chunks ≥ 1 and M ≥ 1, M ≥ p, chunks = 4"


def changed(name: str, **texts: str) -> FiguresLaw:
    family = get_family(name)
    assert family.figures is not None
    return prove(family, replace(family.figures, **texts))


@pytest.mark.parametrize(
    ("name", "texts", "part"),
    [
        ("zb-h1", {"makespan": "3*M + p"}, "makespan"),
        ("zb-h1", {"makespan": "3*M + p - 2"}, "makespan"),
        ("zb-h1", {"work": "3*M - 1"}, "work"),
        ("zb-h1", {"peak": "p - 1"}, "peak activations"),
        ("zb-h1", {"peak": "p + 1"}, "peak activations"),
        ("zb-h1", {"staleness": "1"}, "staleness"),
        ("pipesgd", {"makespan": "3*layers*M/p + 1"}, "makespan"),
        ("pipesgd", {"peak": "layers - 1"}, "peak activations"),
        ("sapipe", {"staleness": "Min(1, M/p - 1)"}, "staleness"),
        ("pipedream-2bw", {"staleness": "1"}, "staleness"),
        ("asyncpp", {"peak": "p - r"}, "peak activations"),
        ("looped-bfs", {"where": "True"}, "makespan"),
        ("localsgd", {"where": "True"}, "rounds"),
        ("localsgd", {"makespan": "2*M + 2*p*ceiling(M/(replicas*local_steps))"}, "makespan"),
        ("localsgd", {"makespan": "2*M + 2*(p - 1)"}, "rounds"),
        ("localsgd", {"work": "2*M + 1"}, "work"),
        ("localsgd", {"peak": "Min(replicas, M, 2*(p - 1 - r))"}, "peak activations"),
        ("blog-gpipe", {"makespan": "2*(M + p - 1) + 1"}, "makespan"),
        ("blog-1f1b", {"peak": "M"}, "peak activations"),
    ],
)
def test_wrong_figures_are_not_proved(name: str, texts: Mapping[str, str], part: str) -> None:
    found = changed(name, **texts)
    assert found.verdict in (Verdict.UNKNOWN, Verdict.REFUTED)
    assert found.open.startswith(f"{part}: ")
    assert found.to_json()["makespan"] is found.to_json()["peak_activations"] is None
    assert found.to_json()["delay"] is None


@pytest.mark.parametrize(
    ("name", "parameters", "error"),
    [
        ("amdp", {}, NoClosedFormError),
        ("gpipe", {}, NoClosedFormError),
        ("looped-bfs", {"chunks": 0}, ParameterError),
        ("looped-bfs", {"chunk": 2}, UnknownNameError),
        ("zb-h3", {}, UnknownNameError),
    ],
)
def test_bad_input(name: str, parameters: Mapping[str, int], error: type[Exception]) -> None:
    with pytest.raises(error):
        figures_law(name, parameters)
