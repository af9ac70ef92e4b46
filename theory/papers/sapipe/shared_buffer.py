"""C.2: a staleness buffer that reading and writing share, and when nothing waits for it.

Problem    the gradient just sent may be written only after the one before has been read, which may
           make communication wait; so the buffer is shared for tasks whose communication takes
           longer than reading it, the time between backward and forward.
Method     One layer in one iteration: its communication begins at s, when backward has ended at e
           or later, and takes v; its forward begins at f, when the buffer has been read.
Guarantee  If and only if v ≥ f − e it is written when it has been read, whatever s. Every layer
           that is stale by (2) of appendix B, f < s + v, has that whatever v is, so that its buffer
           may always be shared.
Source     SAPipe paper, appendix C.2.
"""

from collections.abc import Iterator

import sympy
import z3

from theory.judging import prover

_s, _v, _e, _f = sympy.symbols("c(v_i) v_i e_i c(u_i)", nonnegative=True)
_names = {one: z3.Real(one.name) for one in (_s, _v, _e, _f)}
_S, _V, _E, _F = _names.values()
_DOMAIN = tuple(one >= 0 for one in _names.values())
_FORMULAS = {"enough": _f - _e}


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    enough = prover.term(formulas["enough"], _names)
    said = (
        (
            "long enough",
            "if communication takes no less than reading, it ends when the buffer has been read",
            (*_DOMAIN, _S >= _E, enough <= _V),
            _S + _V >= _F,
        ),
        (
            "too short",
            "if it takes less, and begins when backward ends, it ends before",
            (*_DOMAIN, _S == _E, enough > _V),
            _S + _V < _F,
        ),
    )
    yield from prover.in_turn([prover.Statement(*one) for one in said])


def _always() -> Iterator[prover.Outcome]:
    known = (*_DOMAIN, _S >= _E, _F < _S + _V)
    says = "so does that of every stale layer"
    yield from prover.in_turn([prover.Statement("stale", says, known, _S + _V >= _F)])


def _superfluous() -> prover.Finding:
    says = "No layer that is stale, c(u_i) < c(v_i) + v_i, waits for its buffer."
    grounds = tuple(_always())
    return prover.Finding(
        "superfluous-condition",
        "appendix C.2, 'only for the communication-intensive tasks'",
        "a layer is stale because its communication ends after its forward begins, when its "
        "buffer has been read: how long communication takes need not be asked",
        shown=grounds,
        repaired=prover.Repair(says, grounds),
    )


CLAIM = prover.row(
    "sapipe.shared-buffer",
    "appendix C.2",
    "Where communication takes no less time than reading the staleness buffer, from backward to "
    "forward, one buffer for both makes no communication wait; where it takes less, it may.",
    r"v_i \ge c(u_i) - e_i \iff c(v_i) + v_i \ge c(u_i) \text{ for all } c(v_i) \ge e_i",
    _FORMULAS,
    _grounds,
    findings=(_superfluous,),
    assumes=(
        "a gradient is written when its communication ends; the one before has been read when the "
        "forward of its layer begins (footnote 6)",
        "a communication begins when backward has ended",
    ),
)
