r"""Megatron-core's pipeline orders, as JSON.

Source: Megatron-core 0.16.1, ``megatron.core.pipeline_parallel.schedules``: its schedule table
(``get_schedule_table``) and the warm-up, steady and cool-down parts assembled for each rank.

================== ======================================================================
key                meaning
================== ======================================================================
``ranks``          p
``microbatches``   M
``chunks``         model chunks v of a rank: virtual pipeline stages
``order``          for each rank, under its number as text, ``"0F0"`` and ``"4B1"``: stage,
                   kind (``F`` or ``B``) and microbatch in program order
``schedule_table`` perhaps: microbatch and chunk of every virtual microbatch
``source``         perhaps: a remark, not kept
================== ======================================================================

Chunk c of rank r is stage c·p + r; an order that computes another stage is refused. The table is
redundant: it is the sequence in which every rank runs its forwards. A file whose forwards do not
follow its table contradicts itself and is refused; leave the table out of an order changed by hand.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from schedules.actions import Kind, among
from schedules.errors import FormatError
from schedules.formats.cells import LIMIT
from schedules.formats.columns import Columns
from schedules.formats.head import read_microbatches
from schedules.formats.strict_json import Node, display_name, parse, read_text
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule

FLUSH: Final = WeightPolicy("flush")
SOURCE: Final = "staleproof"

_ACTION: Final = re.compile(r"([0-9]{1,6})([FB])([0-9]{1,6})")


def read_megatron(
    path: str | os.PathLike[str],
    microbatches: int | None = None,
    policy: WeightPolicy | None = None,
) -> Schedule:
    """Read a Megatron order.

    Parameters
    ----------
    path : path-like
    microbatches : int, optional
        The file states it; another number is an error.
    policy : WeightPolicy, optional
        What the file does not say; ``flush`` by default.

    Raises
    ------
    FormatError
        The file cannot be read, is too large, or does not follow the format.
    ParameterError
        `microbatches` is not what the file states.
    """
    return parse_megatron(read_text(path), display_name(path), microbatches, policy)


def parse_megatron(
    text: str,
    name: str,
    microbatches: int | None = None,
    policy: WeightPolicy | None = None,
) -> Schedule:
    """Parse the text of a Megatron order; `name` stands for the file in messages.

    Raises
    ------
    FormatError, ParameterError
        As `read_megatron`.

    Examples
    --------
    >>> text = '{"ranks": 1, "microbatches": 1, "chunks": 1, "order": {"0": ["0F0", "0B0"]}}'
    >>> [str(action) for action in parse_megatron(text, "a.json").rank(0)]
    ['0F0', '0B0']
    """
    return from_node(parse(text, name), name, microbatches, policy)


def from_node(
    node: Node, name: str, microbatches: int | None = None, policy: WeightPolicy | None = None
) -> Schedule:
    """Make a schedule of a parsed document; as `parse_megatron`."""
    fields = node.fields(
        "ranks", "microbatches", "chunks", "order", optional=("schedule_table", "source")
    )
    if "source" in fields:
        fields["source"].text()
    ranks = fields["ranks"].integer(1, LIMIT)
    chunks = fields["chunks"].integer(1, LIMIT)
    M = read_microbatches(fields["microbatches"], microbatches, least=1)
    orders = _orders(fields["order"], ranks)
    if chunks * ranks > sum(len(order.values()) for order in orders):
        raise fields["chunks"].error(
            "each of the ranks · chunks stages has an action, but there are fewer actions",
            "correct the number of chunks, or check that the file is whole",
        )
    columns = Columns(name, form=("order['{rank}']", "[{index}]"))
    for rank, order in enumerate(orders):
        _read_rank(columns, order, rank, ranks, chunks)
    schedule = columns.schedule(
        name,
        M,
        Placement.loop(ranks, chunks),
        policy or FLUSH,
        {"chunks": chunks} if chunks > 1 else {},
    )
    if "schedule_table" in fields:
        table = _read_table(fields["schedule_table"], M, chunks)
        _require_followed(schedule, table, fields["schedule_table"].place)
    return schedule


def _orders(node: Node, ranks: int) -> list[Node]:
    """The order of every rank, from 0."""
    found = dict(node.members())
    for key in found:
        if not re.fullmatch(r"0|[1-9][0-9]{0,5}", key) or int(key) >= ranks:
            raise found[key].error(
                f"orders are named by their rank, from 0 to {ranks - 1}",
                "name it by its rank, or correct the number of ranks",
            )
    for rank in range(ranks):
        if str(rank) not in found:
            raise FormatError(
                f"each of the {ranks} ranks has an order, found none of rank {rank}",
                node.place,
                "add it, perhaps as an empty list, or correct the number of ranks",
            )
    return [found[str(rank)] for rank in range(ranks)]


def _read_rank(columns: Columns, order: Node, rank: int, ranks: int, chunks: int) -> None:
    columns.require_room(len(order.values()), order.place)
    for position, value in enumerate(order.values()):
        match = _ACTION.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise Node(value, order, position).error(
                f"an action is its stage, F or B, and its microbatch, numbers below {LIMIT}",
                'write it like "0F0" or "4B1"',
            )
        stage = int(match[1])
        if stage % ranks != rank or stage >= ranks * chunks:
            raise Node(value, order, position).error(
                f"rank {rank} of {ranks} with {chunks} chunks computes the stages {rank}, "
                f"{rank} + {ranks}, … below {ranks * chunks}",
                "move the action to its rank, or correct its stage",
            )
        columns.add(Kind[match[2]], stage, int(match[3]), 0, rank + 1, position + 1)
    columns.end_rank()


def _read_table(node: Node, M: int, chunks: int) -> list[tuple[int, int]]:
    """Microbatch and chunk of every virtual microbatch, each once."""
    table = []
    for pair in node.items():
        if len(pair.values()) != 2:
            raise pair.error("an entry is a microbatch and a chunk", "write it like [0, 1]")
        microbatch, chunk = pair.items()
        table.append((microbatch.integer(0, M - 1), chunk.integer(0, chunks - 1)))
    if len(table) != M * chunks or len(set(table)) != len(table):
        raise FormatError(
            f"the table has each of the {M} microbatches with each of the {chunks} chunks once, "
            f"found {len(table)} entries, {len(set(table))} different ones",
            node.place,
            "correct the table, or leave it out",
        )
    return table


def _require_followed(schedule: Schedule, table: Sequence[tuple[int, int]], place: str) -> None:
    """Refuse a rank whose forwards are not those of the table, in its order."""
    microbatch, chunk = np.array(table, dtype=np.int64).reshape(len(table), 2).T
    for rank in range(schedule.ranks):
        first, last = int(schedule.offsets[rank]), int(schedule.offsets[rank + 1])
        forwards = first + np.flatnonzero(schedule.kind[first:last] == Kind.F)
        stages = chunk * schedule.ranks + rank
        shared = min(len(forwards), len(table))
        differs = (schedule.stage[forwards[:shared]] != stages[:shared]) | (
            schedule.microbatch[forwards[:shared]] != microbatch[:shared]
        )
        at = int(np.argmax(differs)) if differs.any() else shared
        if at == len(table) == len(forwards):
            continue
        expected = f"{stages[at]}F{microbatch[at]}" if at < len(table) else "no further forward"
        found = str(schedule.action(int(forwards[at]))) if at < len(forwards) else "none"
        raise FormatError(
            f"the forwards of rank {rank} follow the table: number {at + 1} is {expected}, found "
            f"{found}",
            schedule.place(int(forwards[at])) if at < len(forwards) else place,
            "correct the order or the table, or leave the table out",
        )


def write_megatron(schedule: Schedule) -> str:
    """Write a schedule as a Megatron order; `parse_megatron` reads it back.

    The policy is not in the file. The table is, if every rank runs its forwards in one sequence
    of microbatches and chunks.

    Raises
    ------
    FormatError
        The format has no way to say something that the schedule holds: another kind than F and
        B, several pipelines, a group, or stages that are not placed in a loop over the ranks.

    Examples
    --------
    >>> from schedules.families import build
    >>> print(write_megatron(build("gpipe", 1, 2)), end="")
    {
      "source": "staleproof",
      "ranks": 1,
      "microbatches": 2,
      "chunks": 1,
      "schedule_table": [[0, 0], [1, 0]],
      "order": {
        "0": ["0F0", "0F1", "0B0", "0B1"]
      }
    }
    """
    _require_megatron(schedule)
    texts = [str(schedule.action(index)) for index in range(len(schedule))]
    table = _common_table(schedule)
    entries = {
        "source": SOURCE,
        "ranks": schedule.ranks,
        "microbatches": schedule.microbatches,
        "chunks": schedule.stages // schedule.ranks,
        **({} if table is None else {"schedule_table": table}),
    }
    orders = ",\n".join(
        f'    "{rank}": {json.dumps(texts[first:last])}'
        for rank, (first, last) in enumerate(pairwise(schedule.offsets.tolist()))
    )
    head = [f'  "{key}": {json.dumps(value)},' for key, value in entries.items()]
    return "\n".join(["{", *head, '  "order": {', orders, "  }", "}", ""])


def _require_megatron(schedule: Schedule) -> None:
    wrong = ~among(schedule.kind, (Kind.F, Kind.B))
    for column in (schedule.stage, schedule.microbatch):
        wrong |= (column < 0) | (column >= LIMIT)
    fix = "drop it, or write a .json file, which holds it"
    if wrong.any():
        index = int(np.argmax(wrong))
        what = "a Megatron order holds F and B of stages and microbatches from 0, found "
        raise FormatError(f"{what}{schedule.action(index)}", schedule.place(index), fix)
    if schedule.groups or schedule.placement.pipelines != 1:
        raise FormatError(
            "a Megatron order has one pipeline and no groups, found "
            f"{schedule.placement.pipelines} pipelines and {len(schedule.groups)} groups",
            schedule.name,
            fix,
        )
    ranks = schedule.ranks
    loop = ranks > 0 and schedule.stages > 0 and schedule.stages % ranks == 0
    if not loop or schedule.placement != Placement.loop(ranks, schedule.stages // ranks):
        raise FormatError(
            "Megatron places stage s on rank s mod p, every rank with as many stages, found "
            f"{schedule.stages} stages on {ranks} ranks, placed otherwise",
            schedule.name,
            "use a format that holds the placement",
        )
    if (schedule.rank_of_action != schedule.stage % ranks).any() or schedule.microbatches < 1:
        what = "every action runs on the rank of its stage, and there are microbatches"
        raise FormatError(what, schedule.name, "see `staleproof check`")


def _common_table(schedule: Schedule) -> list[list[int]] | None:
    """The sequence in which every rank runs its forwards, if there is one and it is complete."""
    tables = []
    for first, last in pairwise(schedule.offsets.tolist()):
        forwards = first + np.flatnonzero(schedule.kind[first:last] == Kind.F)
        pairs = (schedule.microbatch[forwards], schedule.stage[forwards] // schedule.ranks)
        tables.append(np.stack(pairs, axis=1).tolist())
    chunks = schedule.stages // schedule.ranks
    wanted = [[m, c] for m in range(schedule.microbatches) for c in range(chunks)]
    same = all(table == tables[0] for table in tables)
    return tables[0] if same and sorted(tables[0]) == wanted else None
