"""Ranks as processes that PyTorch's own runtime drives, `torch.distributed.pipelining`.

docs/how-to/transports.md says whose work is what. On CPUs its messages travel with gloo, on GPUs
with NCCL; they are not in the log.
"""
