"""What a run costs: utilisation, critical path, peaks of memory, messages.

Examples
--------
>>> from schedules import build, timeline
>>> line = timeline(build("gpipe", 2, 3))
>>> [str(part) for part in utilisation(line)], peaks(line).activations_by_rank
(['3/4', '3/4'], (3, 3))
"""

from schedules.analysis.critical_path import Share, critical_path, critical_shares
from schedules.analysis.exposed import Exposed, exposed_communication
from schedules.analysis.peaks import BytePeaks, Peaks, byte_peaks, peaks
from schedules.analysis.sizes import Sizes, StageSizes, parse_sizes, read_sizes
from schedules.analysis.traffic import Channel, traffic
from schedules.analysis.utilisation import utilisation

__all__ = [
    "BytePeaks",
    "Channel",
    "Exposed",
    "Peaks",
    "Share",
    "Sizes",
    "StageSizes",
    "byte_peaks",
    "critical_path",
    "critical_shares",
    "exposed_communication",
    "parse_sizes",
    "peaks",
    "read_sizes",
    "traffic",
    "utilisation",
]
