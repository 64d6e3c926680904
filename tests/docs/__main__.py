"""Writes the pages again: python -m tests.docs"""

from __future__ import annotations

from tests.docs import pages

for path, text in pages.written().items():
    path.write_text(text, encoding="utf-8")
