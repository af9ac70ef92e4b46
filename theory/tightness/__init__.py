"""How far bounds are from what can happen: exact extremal instances, and worst cases by PEPit.

An extremal instance is played in fractions and shows exactly what it says. A worst case is the
value of a semidefinite program in floating point: evidence, never a proof.
"""
