"""Closed forms of a schedule family, proved for all p: start times, counts, delays, staleness.

In the order of a proof: `start_times` (with `greedy_induction`, `static_induction`), `counts`,
`matrix`, `whole_run`, `staleness`; `law` holds what came out. Terms and domains are in
`symbols` and `domains`, exact polynomial facts in `polynomials` and `comparison`.
"""
