"""Communication share and overlap of a run, from what a profiler saw of its ranks.

docs/how-to/measuring.md says what each quantity is, and what counts as communication on which
transport. A receive counts from when the rank starts to wait for it, as a receive kernel of NCCL
does, so a share holds the pipeline's bubble as well. What a transport cannot show is None with the
reason, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from gpu_validation.intervals import Interval, Plain, intersection, length, union
from gpu_validation.timing import NOT_MEASURED

QUANTITIES: Final = ("share", "overlap", "overlap_any", "computation")

NOT_PROFILED: Final = "no run was profiled; add --profile"

ONE_THREAD: Final = (
    "a rank of this transport is one thread, which waits or computes and never does both; tensors "
    "are handed over by reference, so nothing travels meanwhile"
)

SEVERAL_CLOCKS: Final = "every process has a profile of its own, and their clocks are not compared"

SILENT: Final = "nothing was communicated"

_UNSEEN: Final = {
    ("threads", "cuda"): "streams of one device hand tensors over by reference, so there is no "
    "communication that a profile of the device could show"
}

TAKING_TURNS: Final = (
    "processes take turns on a GPU, so that kernels of NCCL wait for others' turns"
)


@dataclass(frozen=True)
class RankProfile:
    """What a profiler saw of one rank; plain data that travels between processes.

    - `run`: start and end of its run in nanoseconds, on the clock of the profile.
    - `communication`, `computation`: plain, inside the run; see `gpu_validation.intervals`.
    """

    rank: int
    run: Interval
    communication: Plain
    computation: Plain


def rank_profile(
    rank: int, run: Interval, communication: Sequence[Interval], computation: Sequence[Interval]
) -> RankProfile:
    """Put intervals in plain form, and leave out what lies outside the run."""
    return RankProfile(
        rank, run, intersection(communication, [run]), intersection(computation, [run])
    )


@dataclass(frozen=True)
class Shares:
    """Exact quantities of a rank or of a run.

    - `share`, `overlap`, `overlap_any`, `computation`: none where it was not measured.
    - `why_not`: the reason, for every quantity that is None.
    """

    share: Fraction | None = None
    overlap: Fraction | None = None
    overlap_any: Fraction | None = None
    computation: Fraction | None = None
    why_not: Mapping[str, str] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """Plain data: decimals, `NOT_MEASURED` where there is no number, and the reasons."""
        found = {name: getattr(self, name) for name in QUANTITIES}
        return {
            name: NOT_MEASURED if value is None else round(float(value), 6)
            for name, value in found.items()
        } | {"why_not": dict(self.why_not)}


def unmeasured(reason: str) -> Shares:
    """Nothing is known."""
    return Shares(why_not=dict.fromkeys(QUANTITIES, reason))


def blind(transport: str, device: str, share_gpus: bool = False) -> str | None:
    """Why a profile shows nothing of a transport's communication; None if it shows something.

    Examples
    --------
    >>> blind("threads", "cpu") is None, blind("threads", "cuda") is None
    (True, False)
    """
    return TAKING_TURNS if share_gpus else _UNSEEN.get((transport, device))


def shares(
    profiles: Sequence[RankProfile], everyone: Sequence[RankProfile], transport: str
) -> Shares:
    """Communication share and overlap of some ranks together.

    - `profiles`: one rank for its own numbers, all of them for those of the run: times are added
      up.
    - `everyone`: all ranks of the run.
    - `transport`: a transport whose communication a profile shows, see `blind`.
    """
    runs = sum(end - start for start, end in (profile.run for profile in profiles))
    if not runs:
        return unmeasured("the profile holds no run of this rank")
    talking = sum(length(profile.communication) for profile in profiles)
    why_not = {}
    if not talking:
        why_not = {"overlap": SILENT, "overlap_any": SILENT}
    elif transport == "threads":
        why_not = {"overlap": ONE_THREAD}
    else:
        why_not = {"overlap_any": SEVERAL_CLOCKS}
    own = sum(length(intersection(p.communication, p.computation)) for p in profiles)
    anybody = union(interval for profile in everyone for interval in profile.computation)
    shared = sum(length(intersection(p.communication, anybody)) for p in profiles)
    return Shares(
        share=Fraction(talking, runs),
        overlap=None if "overlap" in why_not else Fraction(own, talking),
        overlap_any=None if "overlap_any" in why_not else Fraction(shared, talking),
        computation=Fraction(sum(length(p.computation) for p in profiles), runs),
        why_not=why_not,
    )


def described(
    profiles: Sequence[RankProfile],
    ranks: int,
    transport: str,
    device: str,
    missing: str,
    share_gpus: bool = False,
) -> dict[str, Any]:
    """The run's numbers, and those of every rank under ``ranks``, as plain data.

    - `profiles`: of the ranks that were profiled.
    - `ranks`: how many there are.
    - `missing`: why a rank has no profile, if one has none.
    """
    unseen = blind(transport, device, share_gpus)
    of_rank = {profile.rank: profile for profile in profiles}

    def one(rank: int) -> Shares:
        if unseen is not None or rank not in of_rank:
            return unmeasured(unseen or missing)
        return shares([of_rank[rank]], profiles, transport)

    whole = len(of_rank) == ranks and unseen is None
    total = shares(profiles, profiles, transport) if whole else unmeasured(unseen or missing)
    return total.described() | {
        "ranks": [{"rank": rank} | one(rank).described() for rank in range(ranks)]
    }
