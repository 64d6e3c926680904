"""Where drivers of vendors stand beside the felt of the Debian package.

Its launcher looks into these folders after its own, and into no other; so does the signature.
"""

from __future__ import annotations

from pathlib import Path

from controller.daemon.signature import LISTED, ROOT

#: Below the folder that felt's own lies below (/usr): what `felt driver` unpacks, and what a
#: vendor's Debian package brings, which may put nothing into /usr/local.
FOLDERS = ("local/lib/felt", "lib/felt-drivers")


def folder(root: Path = ROOT) -> Path | None:
    """The one that `felt driver` writes; none where felt is not the one of a package."""
    return root.parents[1] / FOLDERS[0] if (root / LISTED).is_file() else None
