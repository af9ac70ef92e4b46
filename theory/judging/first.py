"""Imported first by the process that is copied: it makes theorems, and none of them is garbage."""

import gc

gc.disable()
