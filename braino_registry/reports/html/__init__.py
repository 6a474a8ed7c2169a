"""One self-contained page of one or several reports; see `page.build`.

Nothing that an agent wrote becomes markup: the page holds it as compressed JSON, its script sets
it as text, and a content security policy allows that one script only.
"""

from __future__ import annotations

from braino_registry.reports.html.page import build
from braino_registry.reports.html.sources import Source, open_source, with_sources

__all__ = ["Source", "build", "open_source", "with_sources"]
