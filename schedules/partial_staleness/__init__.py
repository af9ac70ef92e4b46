"""Partial staleness (SAPipe): how few layers need stale gradients so that training never waits."""

from schedules.partial_staleness.chain import fewest_stale
from schedules.partial_staleness.graph import Plan, fewest_stale_of_graph, heuristic
from schedules.partial_staleness.layers import Layer, Model, sequential
from schedules.partial_staleness.orders import Orders
from schedules.partial_staleness.program import Late, late_gradient, printed_fewest_stale
from schedules.partial_staleness.reading import parse_layers, read_layers
from schedules.partial_staleness.simulation import Iteration, Run, iterations, simulate
from schedules.partial_staleness.stalls import stall

__all__ = [
    "Iteration",
    "Late",
    "Layer",
    "Model",
    "Orders",
    "Plan",
    "Run",
    "fewest_stale",
    "fewest_stale_of_graph",
    "heuristic",
    "iterations",
    "late_gradient",
    "parse_layers",
    "printed_fewest_stale",
    "read_layers",
    "sequential",
    "simulate",
    "stall",
]
