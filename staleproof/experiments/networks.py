"""Networks for the harness: factories of models and data (`gpu_validation.models`).

Each has eight layers and so is cut into 1, 2, 4 or 8 equal stages. Weights and samples follow from
the seed of the harness' `ModelSpec`.
"""

from typing import Final

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from gpu_validation.layers import Block, Embedding, Residual
from gpu_validation.models import Parts
from staleproof.experiments.data import DATA, digits, tokens

LAYERS: Final = 8
WIDTH, LENGTH, BATCH = 32, 32, 8


def characters() -> Parts:
    """A causal Transformer that predicts the next character of a text.

    Examples
    --------
    >>> inputs, labels = characters().sample(Generator().manual_seed(0))
    >>> tuple(inputs.shape), bool((inputs[:, 1:] == labels[:, :-1]).all())
    ((8, 32), True)
    """
    known = torch.from_numpy(tokens(DATA.get()))
    vocabulary = int(known.max()) + 1

    def sample(generator: Generator) -> tuple[Tensor, Tensor]:
        starts = torch.randint(len(known) - LENGTH, (BATCH, 1), generator=generator)
        found = known[starts + torch.arange(LENGTH + 1)]
        return found[:, :-1].contiguous(), found[:, 1:].contiguous()

    blocks = [Block(WIDTH, LENGTH) for _ in range(LAYERS)]
    first = nn.Sequential(Embedding(WIDTH, LENGTH), blocks[0])
    last = nn.Sequential(blocks[-1], nn.LayerNorm(WIDTH), nn.Linear(WIDTH, vocabulary))
    return Parts(
        nn.Sequential(first, *blocks[1:-1], last),
        sample,
        lambda scores, labels: functional.cross_entropy(scores.flatten(0, 1), labels.flatten()),
    )


def images() -> Parts:
    """A residual network that tells digits apart.

    Examples
    --------
    >>> inputs, labels = images().sample(Generator().manual_seed(0))
    >>> tuple(inputs.shape), tuple(labels.shape)
    ((8, 64), (8,))
    """
    x, y = (torch.from_numpy(part) for part in digits(DATA.get()))
    x = x.float()

    def sample(generator: Generator) -> tuple[Tensor, Tensor]:
        chosen = torch.randint(len(y), (BATCH,), generator=generator)
        return x[chosen], y[chosen]

    first = nn.Sequential(nn.Linear(x.shape[1], WIDTH), Residual(WIDTH))
    last = nn.Sequential(Residual(WIDTH), nn.Linear(WIDTH, int(y.max()) + 1))
    middle = [Residual(WIDTH) for _ in range(LAYERS - 2)]
    return Parts(nn.Sequential(first, *middle, last), sample, functional.cross_entropy)
