"""``python -m staleproof``."""

import sys

from staleproof.cli import main

sys.exit(main())
