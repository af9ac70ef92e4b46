"""C.2: a staleness buffer that reading and writing share, and when nothing waits for it.

Problem    the gradient just sent may be written only after the one before has been read, which may
           make communication wait; so the buffer is shared for tasks whose communication takes
           longer than reading it, the time between backward and forward.
Method     One layer in one iteration: its communication begins at s, when backward has ended at e
           or later, and takes v; its forward begins at f, when the buffer has been read.
Guarantee  If v ≥ f − e it is written when it has been read. Every layer that is stale by (2) of
           appendix B, f < s + v, has that whatever v is, so that its buffer may always be shared.
Source     SAPipe paper, appendix C.2.
"""

from collections.abc import Iterator

import sympy
import z3

from theory.judging import prover

_s, _v, _e, _f = sympy.symbols("c(v_i) v_i e_i c(u_i)", nonnegative=True)
_names = {one: z3.Real(one.name) for one in (_s, _v, _e, _f)}
_DOMAIN = tuple(one >= 0 for one in _names.values())
_AFTER = _names[_s] >= _names[_e]
_LONG = _names[_v] >= _names[_f] - _names[_e]
_STALE = _names[_f] < _names[_s] + _names[_v]


def _written(formulas: prover.Formulas) -> z3.BoolRef:
    return prover.term(formulas["written"], _names) >= prover.term(formulas["read"], _names)


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    said = prover.Statement(
        "long enough",
        "if communication takes no less than reading, it ends when the buffer has been read",
        (*_DOMAIN, _AFTER, _LONG),
        _written(formulas),
    )
    yield from prover.in_turn([said])


def _always(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    said = prover.Statement(
        "stale", "so does that of every stale layer", (*_DOMAIN, _AFTER, _STALE), _written(formulas)
    )
    yield from prover.in_turn([said])


_FORMULAS = {"written": _s + _v, "read": _f}


def _superfluous() -> prover.Finding:
    says = "No layer that is stale, c(u_i) < c(v_i) + v_i, waits for its buffer."
    grounds = tuple(_always(_FORMULAS))
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
    "forward, one buffer for both makes no communication wait.",
    r"v_i \ge c(u_i) - e_i \implies c(v_i) + v_i \ge c(u_i)",
    _FORMULAS,
    _grounds,
    findings=(_superfluous,),
    assumes=(
        "a gradient is written when its communication ends; the one before has been read when the "
        "forward of its layer begins (footnote 6)",
        "a communication begins when backward has ended",
    ),
)
