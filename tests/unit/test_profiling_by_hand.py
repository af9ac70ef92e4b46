"""Communication share and overlap by hand, and where they cannot be known."""

from fractions import Fraction

import pytest

from gpu_validation import communication
from gpu_validation.communication import RankProfile, rank_profile, shares
from gpu_validation.profiling import RUN, SEND, WAIT, Seen, profiles

NOT_MEASURED = "not measured"


def test_what_a_rank_on_a_cpu_does() -> None:
    events = [
        Seen(f"{RUN}0", 100, 1000, thread=1, user=True),
        Seen(WAIT, 100, 200, thread=1, user=True),
        Seen("aten::mm", 200, 300, thread=1),
        Seen("aten::resolve_conj", 250, 260, thread=1),
        Seen(SEND, 300, 400, thread=1, user=True),
        Seen("aten::contiguous", 310, 330, thread=1),
        Seen("c10d::send", 340, 350, thread=1),
        Seen("gloo:send", 340, 500, thread=1, user=True),
        Seen("AddmmBackward0", 450, 550, thread=1),
        Seen("c10d::send", 600, 610, thread=1),
        Seen("aten::mm", 900, 1100, thread=1),
        Seen("aten::mm", 0, 2000, thread=2),
        Seen("ampere_sgemm", 0, 2000, thread=1, on_device=True),
    ]
    [found] = profiles(events, "cpu")
    assert found == RankProfile(
        0, (100, 1000), ((100, 200), (300, 500)), ((200, 300), (450, 550), (900, 1000))
    )
    counted = shares([found], [found], "gloo")
    assert counted.share == Fraction(300, 900)
    assert counted.computation == Fraction(300, 900)
    assert counted.overlap == Fraction(50, 300)


def test_what_a_rank_on_a_gpu_of_its_own_does() -> None:
    def kernel(name: str, start: int, end: int, user: bool = False) -> Seen:
        return Seen(name, start, end, on_device=True, user=user)

    events = [
        Seen(f"{RUN}3", 0, 100, thread=1, user=True),
        kernel(f"{RUN}3", 0, 90, user=True),
        kernel(WAIT, 0, 80, user=True),
        kernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 10, 50),
        kernel("ampere_sgemm_128x64_nn", 30, 60),
        kernel("Memcpy DtoD (Device -> Device)", 60, 70),
        kernel("Memset (Device)", 70, 80),
        Seen("aten::mm", 0, 100, thread=1),
        Seen(WAIT, 0, 100, thread=1, user=True),
    ]
    [found] = profiles(events, "cuda")
    assert found == RankProfile(3, (0, 100), ((10, 50),), ((30, 60),))
    assert shares([found], [found], "nccl").overlap == Fraction(1, 2)


def test_ranks_are_told_apart_by_their_threads() -> None:
    events = [
        Seen(f"{RUN}10", 0, 10, thread=5, user=True),
        Seen(f"{RUN}9", 0, 20, thread=6, user=True),
        Seen(WAIT, 0, 4, thread=5, user=True),
        Seen("aten::mm", 2, 8, thread=6),
    ]
    nine, ten = profiles(events, "cpu")
    assert (nine.rank, nine.computation, nine.communication) == (9, ((2, 8),), ())
    assert (ten.rank, ten.computation, ten.communication) == (10, (), ((0, 4),))
    whole = shares([nine, ten], [nine, ten], "threads")
    assert (whole.share, whole.computation) == (Fraction(4, 30), Fraction(6, 30))
    assert (whole.overlap_any, whole.overlap) == (Fraction(2, 4), None)
    assert "one thread" in whole.why_not["overlap"]


def test_without_messages_there_is_a_share_and_no_overlap() -> None:
    alone = rank_profile(0, (0, 10), [], [(0, 5)])
    found = shares([alone], [alone], "gloo").described()
    assert (found["share"], found["overlap"], found["overlap_any"]) == (0.0, *[NOT_MEASURED] * 2)
    assert found["why_not"]["overlap"] == communication.SILENT


def test_a_run_that_took_no_time_has_no_share() -> None:
    empty = rank_profile(0, (5, 5), [], [])
    found = shares([empty], [empty], "gloo").described()
    assert {found[name] for name in communication.QUANTITIES} == {NOT_MEASURED}


def test_what_a_transport_cannot_show_is_never_a_number() -> None:
    seen = [rank_profile(rank, (0, 9), [(0, 3)], [(2, 5)]) for rank in (0, 1)]
    found = communication.described(seen, 2, "threads", "cuda", "missing")
    for part in (found, *found["ranks"]):
        assert {part[name] for name in communication.QUANTITIES} == {NOT_MEASURED}
        assert set(part["why_not"]) == set(communication.QUANTITIES)
        assert "missing" not in part["why_not"].values()


def test_a_rank_without_a_profile_leaves_the_total_open() -> None:
    seen = [rank_profile(1, (0, 9), [(0, 3)], [(2, 5)])]
    found = communication.described(seen, 2, "gloo", "cpu", "it is missing")
    assert found["ranks"][1]["share"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["ranks"][0]["why_not"]["share"] == found["why_not"]["share"] == "it is missing"
    assert found["share"] == NOT_MEASURED
