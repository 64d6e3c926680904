"""The pages' files, read once when the console starts: what is not among them can't be asked for.

A name that climbs out of the folder names nothing here, however it is written: no path of a request
is ever opened.
"""

from __future__ import annotations

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


class Asset(NamedTuple):
    data: bytes
    kind: str
    etag: str


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
            self._files[name] = Asset(data, kind, f'"{digest[:32]}"')
        #: Of all of them: a page whose digest is another one loads itself anew.
        self.digest = whole.hexdigest()[:16]

    def get(self, name: str) -> Asset | None:
        return self._files.get(name)
