"""Sections 5.1 and 5.3: how many parameters the two models have.

Problem    "approximately 134M parameters" for 8 layers, embedding dimension 768 and context 512,
           and a "1B parameter model" for dimension 2688 and context 1024, with GPT-2's tokenizer.
Method     NanoGPT's layers: 12d² + 13d each (attention, a hidden layer of 4d, two norms, with
           biases), a norm at the end, and embeddings of tokens and of places.
Guarantee  134.3 and 966.9 million where the head has weights of its own, as stages on devices of
           their own need; 95.7 and 831.8 million if it shares those of the tokens' embedding.
Source     Nesterov paper, sections 5.1 and 5.3.
"""

from collections.abc import Iterator

import sympy

from theory.judging import prover

LAYERS, TOKENS = 8, 50257
"""Of both models; GPT-2's vocabulary."""
BASE, LARGER = (768, 512), (2688, 1024)
"""Embedding dimension and context."""
_CODE = "theory.papers.nesterov.parameters.count"


def count(width: int, context: int, own_head: bool = True) -> int:
    """Parameters of a NanoGPT of 8 layers.

    Examples
    --------
    >>> count(*BASE), count(*LARGER), count(*BASE, own_head=False)
    (134292480, 966852096, 95695104)
    """
    layer = 12 * width**2 + 13 * width
    return LAYERS * layer + 2 * width + (TOKENS * (1 + own_head) + context) * width


def _rounded(number: int, unit: int) -> sympy.Integer:
    return sympy.Integer((2 * number + unit) // (2 * unit))


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Compared]:
    base = _rounded(count(*BASE), 10**6) == formulas["base, millions"]
    yield prover.Compared("the base model, to a million", _CODE, base)
    larger = _rounded(count(*LARGER), 10**9) == formulas["larger, billions"]
    yield prover.Compared("the larger model, to a billion", _CODE, larger)


def _shared() -> prover.Finding:
    shared = {"base": count(*BASE, own_head=False), "larger": count(*LARGER, own_head=False)}
    return prover.Finding(
        "missing-condition",
        "section 5.1, 134M",
        "NanoGPT's head shares the weights of the tokens' embedding by default, and then it is "
        "less; that they are two is not said",
        {**shared, "with a head of its own": count(*BASE)},
    )


CLAIM = prover.row(
    "nesterov.parameters",
    "sections 5.1 and 5.3",
    "With 8 layers the base model, of embedding dimension 768 and context 512, has approximately "
    "134 million parameters, and the larger one, of 2688 and 1024, a billion.",
    r"8(12d^2 + 13d) + 2d + (2 \cdot 50257 + c)d \approx 134 \cdot 10^6,\ 1 \cdot 10^9",
    {"base, millions": sympy.Integer(134), "larger, billions": sympy.Integer(1)},
    _grounds,
    findings=(_shared,),
    assumes=(
        "the head has weights of its own",
        "NanoGPT's layers, with biases, and its 50257 tokens",
    ),
)
