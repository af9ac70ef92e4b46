"""Pipeline schedules: actions, DAG, timeline, weight versions and exact delays."""

from schedules.actions import Action, Kind
from schedules.delays import Delays, Steady, Unsteady, delays, equivalent_delays, steady
from schedules.errors import ScheduleError
from schedules.families import FAMILIES, Family, build, get_family
from schedules.linearization import LINEARIZATIONS, Linearization, get_linearization
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Group, Schedule
from schedules.timeline import Timeline, timeline
from schedules.versions import Versions, versions

__all__ = [
    "FAMILIES",
    "LINEARIZATIONS",
    "Action",
    "Delays",
    "Family",
    "Group",
    "Kind",
    "Linearization",
    "Placement",
    "Schedule",
    "ScheduleError",
    "Steady",
    "Timeline",
    "Unsteady",
    "Versions",
    "WeightPolicy",
    "build",
    "delays",
    "equivalent_delays",
    "get_family",
    "get_linearization",
    "steady",
    "timeline",
    "versions",
]
