"""``python -m gpu_validation``, which is also what ``torchrun -m gpu_validation`` starts."""

import sys

from gpu_validation.cli import main

if __name__ == "__main__":
    sys.exit(main())
