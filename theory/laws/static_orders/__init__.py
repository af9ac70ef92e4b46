"""Programs of ranks as affine data, and what is proved of them for all p and M.

============== =================================================================================
module         holds
============== =================================================================================
`program`      `Program`: what stands where on a rank, for symbolic p, M and stage
`proofs`       what is proved of any of them: places, actions, channels
`waits`        the same for what waits: a rank function, and the earliest slots
`parts`        the same, part by part, as outcomes
`gpipe` …      one module a program: `gpipe`, `naive`, `one_f_one_b`, messages as lowered
`turns`        ranks of what is issued in rounds, as lowering does
`slots`        the order in which start times put actions and messages
`order`        where F and B of a stage stand, of a program or by start times
`in_flight`    microbatches in flight: the exact peak of a stage
`versions`     versions that F reads and B uses; the exact maximum of local staleness
`replays`      the same numbers in runs
`as_built`     programs compared with what families build, on a grid of sizes
`subjects`     families whose order is affine, and what is stated of each
`matrix`       family × invariant: `prove`
============== =================================================================================
"""
