"""Appendix D: Theorem 1 is said not to hold on graphs.

Problem    Whether layers that precede a stale one are stale, where layers form a graph.
Method     A diamond whose two sides have their forwards and their backwards in the same order; and
           Theorem 1's own certificate, for a layer on a path to the stale one.
Guarantee  It fails for layers that only come earlier in the order of forwards, as the appendix
           says. It still holds for those on a path to the stale one: their backwards come later.
Source     SAPipe paper, appendix D.
"""

from collections.abc import Iterator

from theory.judging import prover
from theory.papers.sapipe import thm_1
from theory.papers.sapipe.thm_1 import PRINTED

_ORDER = "preceding in the order of forwards"
_PATH = "preceding on a path to the stale layer"
_LAYERS = {"in": (1, 1, 1), "left": (1, 1, 1), "right": (1, 1, 5), "out": (1, 1, 1)}
"""Backward, forward and communication; left and right follow in, and out follows both."""


def lateness(backwards: tuple[str, ...], forwards: tuple[str, ...]) -> dict[str, int]:
    """By how much each gradient is late for its forward, FIFO, if nothing waits.

    Examples
    --------
    >>> lateness(("out", "left", "right", "in"), ("in", "left", "right", "out"))
    {'in': 5, 'left': -2, 'right': 2, 'out': -5}
    """
    clock, channel, sent = 0, 0, {}
    for name in backwards:
        clock += _LAYERS[name][0]
        channel = max(channel, clock) + _LAYERS[name][2]
        sent[name] = channel
    late = {}
    for name in forwards:
        late[name] = sent[name] - clock
        clock += _LAYERS[name][1]
    return late


_RUN = (("out", "left", "right", "in"), ("in", "left", "right", "out"))


def _fresh_before_stale() -> prover.Compared:
    late = lateness(*_RUN)
    says = "in a diamond right is stale, and left, which runs before it, is not"
    code = "theory.papers.sapipe.thm_1_graphs.lateness"
    return prover.Compared(says, code, late["left"] <= 0 < late["right"])


def _in_words() -> str:
    late = lateness(*_RUN)
    return (
        f"in a diamond the gradient of its right side is {late['right']} late and that of its left "
        f"side, which runs before, {-late['left']} early"
    )


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield _fresh_before_stale()
    yield from thm_1.CLAIM.holds(formulas)  # type: ignore[misc]


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    holds = tuple(thm_1.CLAIM.holds(formulas))  # type: ignore[misc, arg-type]
    witness = {"layers": "k on a path to i", "certificate": "u_k + v_k, as in a sequential model"}
    return (
        prover.Case(_ORDER, prover.Decision((_fresh_before_stale(),)), _in_words()),
        prover.Case(
            _PATH,
            prover.Decision(fails=prover.Refutation(witness, holds)),
            "forward k comes before forward i and backward k after backward i, which is all that "
            "the proof of Theorem 1 uses",
        ),
    )


CLAIM = prover.row(
    "sapipe.thm-1-graphs",
    "appendix D",
    "On graphs Theorem 1 does not hold: a stale layer may have preceding layers that are fresh.",
    r"c(u_i) < c(v_i) + v_i \not\Rightarrow c(u_k) < c(v_k) + v_k",
    PRINTED,
    _grounds,
    cases=_cases,
    holding=(_ORDER,),
    assumes=thm_1.ASSUMES[1:],
    depends=("sapipe.thm-1",),
)
