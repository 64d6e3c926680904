"""``python -m controller`` is ``felt``."""

import sys

from controller.cli import main

sys.exit(main())
