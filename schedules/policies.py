"""Weight policies: what a forward reads, what a backward uses, when an update happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from schedules.errors import ParameterError

PolicyName = Literal["stash", "latest", "vertical-sync", "double-buffer", "flush", "predict"]

POLICY_NAMES: Final[tuple[PolicyName, ...]] = get_args(PolicyName)


@dataclass(frozen=True)
class WeightPolicy:
    """How weights are versioned.

    ================= ============================== ===================== ====================
    name              F(s, m) reads                  B(s, m) uses          update
    ================= ============================== ===================== ====================
    ``stash``         newest local version           what F read           every `interval` B
    ``latest``        newest local version           newest local at B     every `interval` B
    ``vertical-sync`` the version stage 0 read       what F read           every `interval` B
    ``double-buffer`` max(t − 1, 0) in window t      what F read           every `interval` B
    ``flush``         version at the start of step   what F read           once, at the end
    ``predict``       newest local, extrapolated     what F read           every `interval` B
    ================= ============================== ===================== ====================

    With the backward split in I and W, the gradient exists when W is done. Window t holds the
    gradients that update t applies, both from 0.

    Attributes
    ----------
    name : str
        One of `POLICY_NAMES`.
    interval : int
        Gradients per update (``update_interval`` of AsyncPP, ``window`` of PipeDream-2BW);
        ignored by ``flush``. At least 1.
    horizon : int
        Updates ahead that ``predict`` extrapolates; 0 for the other policies.

    Raises
    ------
    ParameterError
        Unknown name, or an interval or horizon outside its domain.

    Examples
    --------
    >>> WeightPolicy("stash").interval
    1
    """

    name: PolicyName
    interval: int = 1
    horizon: int = 0

    def __post_init__(self) -> None:
        if type(self.name) is not str or self.name not in POLICY_NAMES:
            raise ParameterError(
                f"a weight policy is one of {', '.join(POLICY_NAMES)}, not {self.name!r}",
                "policy",
                "name one of them",
            )
        if not _whole(self.interval) or self.interval < 1:
            raise ParameterError(
                f"an update follows 1 or more gradients, found interval = {self.interval!r}",
                f"policy {self.name}",
                "give an interval of 1 or more",
            )
        if (
            not _whole(self.horizon)
            or self.horizon < 0
            or (self.horizon and self.name != "predict")
        ):
            raise ParameterError(
                f"only 'predict' looks ahead, by 0 or more updates; found {self.horizon!r}",
                f"policy {self.name}",
                "drop the horizon or use the policy 'predict'",
            )

    @property
    def reads_stage_zero(self) -> bool:
        """Whether F(s, m) reads the version index that stage 0 read for m, older ones too."""
        return self.name in ("vertical-sync", "double-buffer")

    @property
    def keeps_forward_version(self) -> bool:
        """Whether B(s, m) uses what F(s, m) read."""
        return self.name != "latest"

    @property
    def keeps_older_versions(self) -> bool:
        """Whether a version is kept for the backward when an update has replaced it.

        A step of ``flush`` needs no second version; where an action U breaks it, there is none.
        """
        return self.keeps_forward_version and self.name != "flush"


def _whole(value: object) -> bool:
    return type(value) is int  # a subclass may compare otherwise
