"""C.3: where the staleness buffer should stand, and that its transfer is hidden then.

Problem    V = Σv and C = Σ(b + u) of one iteration, and a transfer of δ that burdens communication
           if the buffer is on the GPU, and computation if it is on the CPU.
Method     An iteration takes max(V + δ, C) or max(V, C + δ): the slower of two pipelines.
Guarantee  Hidden where (V + δ)/C ≤ 1, and where V/(C + δ) > 1. In between neither condition holds,
           and the best choice costs δ − |V − C|; V ≤ C decides for the GPU in all cases.
Source     SAPipe paper, appendix C.3.
"""

from collections.abc import Iterator

import sympy
import z3

from theory.judging import prover

V, C, delta = sympy.symbols("V C delta", positive=True)
_GPU, _CPU = "(V + δ)/C ≤ 1: on the GPU", "V/(C + δ) > 1: on the CPU"
_HIDDEN = sympy.Max(V, C)
_names = {one: z3.Real(one.name) for one in (V, C, delta)}
_DOMAIN = tuple(one > 0 for one in _names.values())
_on_gpu, _on_cpu = (
    prover.term(one, _names) for one in (sympy.Max(V + delta, C), sympy.Max(V, C + delta))
)


def _hidden(where: str) -> prover.Outcome:
    time, when = {
        _GPU: (_on_gpu, _names[V] + _names[delta] <= _names[C]),
        _CPU: (_on_cpu, _names[V] > _names[C] + _names[delta]),
    }[where]
    says = f"where {where} an iteration takes max(V, C)"
    return prover.decide(
        prover.Statement("hidden", says, (*_DOMAIN, when), time == prover.term(_HIDDEN, _names))
    )


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield from (_hidden(_GPU), _hidden(_CPU))
    best = z3.If(_names[V] <= _names[C], _on_gpu, _on_cpu)
    over = prover.term(formulas["excess"], _names)
    least = z3.And(best <= _on_gpu, best <= _on_cpu, best - prover.term(_HIDDEN, _names) == over)
    says = "the GPU if V ≤ C, else the CPU, is best, and costs the stated excess over max(V, C)"
    yield from prover.in_turn([prover.Statement("best", says, _DOMAIN, least)])


def _between() -> prover.Refutation:
    at = {V: 1, C: 1, delta: 1}

    def best() -> sympy.Expr:
        return min(sympy.Max(V + delta, C).subs(at), sympy.Max(V, C + delta).subs(at))

    witness = {"V": 1, "C": 1, "delta": 1, "conditions": "2 > 1 and 1/2 ≤ 1", "iteration": 2}
    return prover.Refutation(witness, prover.Violation(best, "<=", _HIDDEN, at))


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    return (
        prover.Case(_GPU, prover.Decision((_hidden(_GPU),))),
        prover.Case(_CPU, prover.Decision((_hidden(_CPU),))),
        prover.Case(
            "neither, |V − C| < δ or V = C + δ",
            prover.Decision(fails=_between()),
            "the two conditions, which stand there as examples, are no opposites; the best choice "
            "costs max(0, δ − |V − C|), nothing at V = C + δ",
        ),
    )


CLAIM = prover.row(
    "sapipe.buffer-rule",
    "appendix C.3",
    "With the staleness buffer on the GPU if (Σv + δ)/Σ(b + u) ≤ 1, and on the CPU in the opposite "
    "case, Σv/(Σ(b + u) + δ) > 1, its transfer of δ is hidden: iterations take max(Σv, Σ(b + u)).",
    r"\min(\max(V + \delta, C), \max(V, C + \delta)) = \max(V, C)",
    {"excess": sympy.Max(0, delta - sympy.Max(V - C, C - V))},
    _grounds,
    cases=_cases,
    holding=(_GPU, _CPU),
    assumes=("an iteration takes as long as the slower of communication and computation",),
)
