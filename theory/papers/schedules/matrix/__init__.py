"""Family × invariant: what every schedule family keeps, as rows ``schedules.FAMILY.INVARIANT``.

========== =====================================================================================
module     holds
========== =====================================================================================
`table`    what is stated of each family, as data
`forms`    bounds as formulas
`grid`     the finite domains
`runs`     what the checker says of every size
`checking` a statement against all of them
`spoiled`  schedules that have to be refused
`wording`  statements as sentences
`rows`     the claims
========== =====================================================================================
"""
