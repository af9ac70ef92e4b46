"""Claims of the RPD paper about LocalSGD: appendix D, in its order, and the schedule of E.2."""

from theory.judging.origins import rows_of, with_origins
from theory.papers.localsgd.bounds import SUPPLY
from theory.papers.localsgd.origins import ORIGINS
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.localsgd.tightness import TIGHTNESS
from theory.record import Paper

_ROWS = rows_of(
    __name__,
    """
    lemmas.slope_gap:THEOREM lemmas.mean_gradient:THEOREM lemmas.mean_noise:THEOREM
    lemmas.one_step:THEOREM drift:THEOREM eq_11 lemmas.sharp_drift lemmas.sharp_eq_11
    lemmas.noise_drift:THEOREM lemmas.homogeneous_drift lemmas.homogeneous_eq_11:THEOREM
    eq_12 lemmas.sharp_eq_12 eq_5:THEOREM lemmas.crude:THEOREM
    eq_13 eq_13:SECOND eq_13:FIRST eq_6 speedup schedule length matched_budget
    """,
)

PAPER = Paper(with_origins(_ROWS, ORIGINS), CHALLENGES, SUPPLY, TIGHTNESS)
