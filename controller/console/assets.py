"""The pages' files, read once when the console starts: what is not among them can't be asked for.

A name that climbs out of the folder names nothing here, however it is written: no path of a request
is ever opened.
"""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import NamedTuple

from controller.rules.faults import Refused

#: The pages that come with felt.
PAGES = Path(__file__).parent / "pages"
MAX_BYTES = 16 << 20

#: What a page is made of; a file of another kind is not served.
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}


#: What is packed already would only grow.
PACKED = (".woff2", ".png", ".ico")


class Asset(NamedTuple):
    data: bytes
    kind: str
    etag: str
    #: The same, packed, for a browser that unpacks it; nothing where it would be no smaller.
    packed: bytes


class Assets:
    def __init__(self, folder: Path = PAGES) -> None:
        self._files: dict[str, Asset] = {}
        whole = hashlib.sha256()
        size = 0
        for file in sorted(folder.rglob("*")) if folder.is_dir() else ():
            name = file.relative_to(folder).as_posix()
            kind = KINDS.get(file.suffix)
            if kind is None or file.is_symlink() or not file.is_file():
                continue
            data = file.read_bytes()
            size += len(data)
            if size > MAX_BYTES:
                raise Refused(str(folder), f"has more than {MAX_BYTES} bytes of pages")
            digest = hashlib.sha256(data).hexdigest()
            whole.update(f"{name} {digest}\n".encode())
            packed = b"" if file.suffix in PACKED else gzip.compress(data, mtime=0)
            self._files[name] = Asset(
                data, kind, digest[:32], packed if len(packed) < len(data) else b""
            )
        #: Of all of them: a page whose digest is another one loads itself anew.
        self.digest = whole.hexdigest()[:16]

    def get(self, name: str) -> Asset | None:
        return self._files.get(name)
