"""Place of the hardware harness; it holds no runner in this version.

The harness will run real schedules with torch, on CPU threads or on GPUs, record which weight
version every forward and backward used, and compare the record with what the model predicts.
Nothing here runs or measures anything yet.

It will import torch, numpy and the package `schedules`, and nothing else of this project. It must
import on a node without z3, jinja2, rich and matplotlib; the import contracts check that.
"""

__all__: list[str] = []
