"""Programs of ranks as affine data, and what is proved of them for all p and M.

============== =================================================================================
module         holds
============== =================================================================================
`program`      `Program`: what stands where on a rank, for symbolic p, M and stage
`proofs`       what is proved of any of them: places, actions, channels
`waits`        the same for what waits: a rank function, and the earliest slots
`parts`        the same, part by part, as outcomes
`gpipe`        programs of all forwards, then all backwards
`batched_1f1b` programs of 1F1B with messages posted together
`turns`        ranks of what is issued in rounds, as lowering does
`slots`        start times of a rule as an order by stamps
`order`        where F and B of a stage stand, of a program or by stamps
`in_flight`    microbatches in flight: the exact peak of a stage
`versions`     versions that F reads and B uses; the exact maximum of local staleness
`as_built`     programs compared with what families build, on a grid of sizes
============== =================================================================================
"""
