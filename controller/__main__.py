"""``python -m controller`` is ``felt``.

So is this file by itself: for a Python that is isolated, and looks nowhere but into its own
library (``python -ISB .../controller/__main__.py``). felt and the packages that it was installed
with stand in one folder then, and that is the only other one.
"""

import sys

if not __package__:
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from controller.cli import main

sys.exit(main())
