"""What is proved for all p and M of programs as affine data (`schedules.programs`).

============== =================================================================================
module         holds
============== =================================================================================
`proofs`       what is proved of any of them: places, actions, channels
`waits`        the same for what waits: a rank function, and the earliest slots
`parts`        the same, part by part, as outcomes
`slots`        start times of a rule as an order by stamps
`order`        where F and B of a stage stand, of a program or by stamps
`in_flight`    microbatches in flight: the exact peak of a stage
`versions`     versions that F reads and B uses; the exact maximum of local staleness
============== =================================================================================
"""
