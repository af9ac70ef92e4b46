"""Messages between ranks: channels, queues, what can run to its end and why the rest cannot.

========== ===================================================================================
module     holds
========== ===================================================================================
`model`    `QueueModel`: queues by rank, peer or direction; messages that a channel holds
`channels` which send meets which receive
`queues`   the compute queue and the communication queues of every rank
`progress` what starts and what completes in a model
`capacity` the least buffer with which a schedule completes
`waits`    why it does not: a cycle of queue heads, or a chain to an orphan
`steps`    the last steps before it hangs, in words
========== ===================================================================================

The model, and why the order of execution cannot matter in it, is in
``docs/explanation/deadlock.md``.
"""
