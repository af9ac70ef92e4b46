"""Appendix D: the fewest stale layers of a graph are said to be NP-hard to find.

Problem    The source says so without a proof. Orders of backwards and of forwards are free, within
           the graph; gradients are sent in the order of backwards.
Method     From integers a_1, …, a_n of sum 2A a graph is made: n layers with communication Ka_i,
           one with backward and forward KA, between a source and a sink; everything else takes 1,
           K = 2n + 3. Let x be the sum of the a_i that are sent before the large layer.
Guarantee  The source alone is stale if and only if x = A can be: the integers split in halves.
Source     SAPipe paper, appendix D.
"""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement

import sympy
import z3

from schedules.partial_staleness import Layer, Model, fewest_stale_of_graph
from theory.judging import prover

n, _KA = sympy.symbols("n K*A", integer=True, positive=True)
_n, _half, _x, _first, _scale, _kx, _ka = z3.Ints("n A x sigma K K*x K*A")


def graph(numbers: tuple[int, ...]) -> Model:
    """The graph of a list of integers with an even sum.

    Examples
    --------
    >>> [len(fewest_stale_of_graph(graph(one)).stale) for one in ((1, 2, 3), (1, 1, 4))]
    [1, 2]
    """
    scale, half = 2 * len(numbers) + 3, sum(numbers) // 2
    items = [Layer(str(i), 1, 1, scale * a) for i, a in enumerate(numbers)]
    large = Layer("large", scale * half, scale * half, 1)
    layers = (Layer("source", 1, 1, 1), *items, large, Layer("sink", 1, 1, 1))
    between = range(1, len(numbers) + 2)
    return Model(layers, after=((), *((0,) for _ in between), tuple(between)))


def _larger(one: prover.Term, other: prover.Term) -> prover.Term:
    return z3.If(one > other, one, other)


def _reduction(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    """Sums of the integers are multiplied by K; `sigma` layers are sent before the large one."""
    period = prover.term(formulas["period"], {n: _n, _KA: _ka})
    apart = [z3.Implies(a > b, k_a >= k_b + _scale) for a, b, k_a, k_b in _pairs()]
    equal = z3.Implies(_x == _half, _kx == _ka)
    inside = (_n >= 1, _half >= 1, _x >= 0, _x <= 2 * _half, _scale == 2 * _n + 3)
    inside = (*inside, _first >= 0, _first <= _n, *apart, equal)
    begin = _ka + _n + 3  # all backwards, then the forward of the source
    sent = _larger(_ka, _kx) + 1  # the large layer's gradient, at the earliest
    late = z3.Or(sent > begin + _n, sent + 2 * _ka - _kx > begin + _n + _ka)
    says = "x ≠ A: the large gradient comes too late, or the last one behind it"
    statement = prover.Statement("only if", says, (*inside, _x != _half), late)
    yield prover.decide_from(statement, {"n": 1, "A": 1, "x": 0})
    ready = _ka + 1 + _first
    done = _larger(2 + _kx, ready) + 1
    in_time = z3.And(
        2 + _kx <= begin,
        done <= begin + _first,
        done + 2 * _ka - _kx <= begin + _first + _ka,
        done + 2 * _ka - _kx + 1 <= period + 1,
        period == 2 * (1 + _n + _ka + 1),
    )
    says = "x = A: sent and run in the order first ones, large layer, others, all are in time, "
    says += "and the channel is free when the next iteration, so much later, sends"
    yield prover.decide_from(
        prover.Statement("if", says, (*inside, _x == _half), in_time), {"n": 1, "A": 1, "x": 1}
    )


def _pairs() -> tuple[tuple[prover.Term, prover.Term, prover.Term, prover.Term], ...]:
    return ((_x, _half, _kx, _ka), (_half, _x, _ka, _kx))


def _small() -> tuple[prover.Line]:
    """Whether integers split in halves, beside the exact search for stale layers."""
    lists = [
        numbers
        for length in (2, 3)
        for numbers in combinations_with_replacement(range(1, 5), length)
        if sum(numbers) % 2 == 0
    ]
    same = True
    for numbers in lists:
        found = fewest_stale_of_graph(graph(numbers))
        parts = (part for k in range(4) for part in combinations(numbers, k))
        splits = any(2 * sum(part) == sum(numbers) for part in parts)
        same &= found is not None and (len(found.stale) == 1) == splits
    known = prover.Exhausted("one stale layer is enough iff the integers split", len(lists), same)
    return (
        prover.Line(
            "ours", known.says, "lists of 2 and 3 integers up to 4", prover.Decision((known,))
        ),
    )


CLAIM = prover.row(
    "sapipe.np-hard",
    "appendix D",
    "Finding the fewest stale layers of a graph of layers, over all orders of its backwards and of "
    "its forwards, is NP-hard.",
    r"\mathrm{PARTITION} \le_p \mathrm{STALE}",
    {"period": 2 * _KA + 2 * n + 4},
    _reduction,
    steps=_small,
    assumes=(
        "PARTITION, whether integers split in two halves of equal sum, is NP-complete (Karp 1972)",
        "orders within the graph are free, as RANDOMSELECT has it; with both given it is one pass",
        "gradients are sent one at a time in the order of backwards",
    ),
    arguments=(
        "reduction: the source's backward is the last and its forward the first, so that it is "
        "always stale. Let nothing else be. All backwards take KA + n + 2 and the source's forward "
        "1; then the other forwards follow without a gap, at most n of length 1 before the large "
        "one. Its gradient is sent after its backward of KA and after those of sum x before it, "
        "[only if]: so x ≤ A. What is sent behind it must be there when the last forward of these "
        "begins, so x ≥ A. If the integers split, backwards in the order sink, one half, large, "
        "other half, source and forwards in the order source, one half, large, other half, sink "
        "do, [if], and the channel is free again before the next iteration sends.",
    ),
)
