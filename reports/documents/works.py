"""Works that rows cite as their sources: a document names them in its references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from reports.ledger import Row

_MEGATRON: Final = "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM"
WORKS: Final = {
    "Ajanthan et al. 2025": "Nesterov Method for Asynchronous Pipeline Parallel Optimization, ICML",
    "AMDP, ICML 2026": "AMDP: Asynchronous Multi-Directional Pipeline Parallelism for Large-Scale "
    "Models Training, arXiv 2605.29664",
    "Chen et al. 2022": "SAPipe: Staleness-Aware Pipeline for Data Parallel DNN Training, NeurIPS",
    "DeepSeek-AI 2025": "DualPipe, github.com/deepseek-ai/DualPipe",
    "DeepSeek-V3 Technical Report 2024": "arXiv 2412.19437",
    "Fan et al. 2021": "DAPPLE: A Pipelined Data Parallel Approach for Training Large "
    "Models, PPoPP",
    "Guan et al. 2019": "XPipe: Efficient Pipeline Model Parallelism for Multi-GPU DNN Training, "
    "arXiv 1911.04610",
    "Huang et al. 2019": "GPipe: Efficient Training of Giant Neural Networks using Pipeline "
    "Parallelism, NeurIPS",
    "Karp 1972": "Reducibility among Combinatorial Problems, in Complexity of Computer "
    "Computations, Plenum, pages 85 to 103",
    "Lamy-Poirier 2023": "Breadth-First Pipeline Parallelism, MLSys",
    "Li and Hoefler 2021": "Chimera: Efficiently Training Large-Scale Neural Networks with "
    "Bidirectional Pipelines, SC",
    "Li et al. 2018": "Pipe-SGD: A Decentralized Pipelined SGD Framework for Distributed Deep Net "
    "Training, NeurIPS",
    "Narayanan et al. 2019": "PipeDream: Generalized Pipeline Parallelism for DNN Training, SOSP",
    "Narayanan et al. 2021": "Memory-Efficient Pipeline-Parallel DNN Training, ICML",
    "Narayanan et al. 2021 (Megatron-LM)": f"{_MEGATRON}, SC",
    "Qi et al. 2023": "Zero Bubble Pipeline Parallelism, arXiv 2401.10241; ICLR 2024",
    "Yang et al. 2021": "PipeMare: Asynchronous Pipeline Parallel DNN Training, MLSys",
    "Yu et al. 2019": "Parallel Restarted SGD with Faster Convergence and Less Communication: "
    "Demystifying Why Model Averaging Works for Deep Learning, AAAI",
}
"""Works by how rows cite them: the title, and where it appeared; any other is named as cited."""
_NAME: Final = r"[A-Z][\w-]*[a-z][\w-]*"
_CITED: Final = re.compile(
    rf"(?:{'|'.join(map(re.escape, sorted(WORKS, key=len, reverse=True)))})"
    rf"|{_NAME} (?:et al\.,?|and {_NAME},?) (?:19|20)\d\d\b"
)


def cited_works(rows: Sequence[Row]) -> Iterator[str]:
    """Works that sources and assumptions of these rows name, by their authors.

    Examples
    --------
    >>> rows = [{"where": "after Yu et al. 2019; Doe and Roe 2020, (3)", "assumes": []}]
    >>> for work in cited_works(rows):
    ...     print(work)
    Doe and Roe 2020
    Yu et al. 2019: Parallel Restarted SGD with Faster Convergence and Less Communication...
    """
    found = {
        cited
        for row in rows
        for text in (row["where"], *row.get("assumes", ()))
        for cited in _CITED.findall(text)
    }
    for cited in sorted(found):
        yield f"{cited}: {WORKS[cited]}" if cited in WORKS else cited
