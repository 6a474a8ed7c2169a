"""Tables of contents from plain links.

A page of contents lists other pages as links at the start of list items or table rows, which
reads well wherever Markdown is shown. Here each of those links also becomes an entry of a hidden
``toctree``. A page that nobody lists is a warning of Sphinx, so the lists stay complete.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath
from typing import Any

#: Pages of contents: these, and whatever is called README in a folder below.
PAGES = frozenset({"README", "start", "guides", "scores", "reference", "background"})
_LISTED = re.compile(r"^(?:- |\| )\[([^\]]+)\]\(([^)#:]+)\.md\)", re.MULTILINE)


def is_contents(page: str) -> bool:
    """Return whether a page, named without its ending, lists other pages."""
    return page in PAGES or PurePosixPath(page).name == "README"


def listed(text: str) -> list[str]:
    """Return the pages that a text lists, each once, in their order.

    Parameters
    ----------
    text : str
        Markdown.

    Returns
    -------
    list of str
        Paths without ending, relative to the text's own folder; none that leads out of it.
    """
    targets = (target for _, target in _LISTED.findall(text))
    return [each for each in dict.fromkeys(targets) if not each.startswith("..")]


def toctree(pages: list[str]) -> str:
    """Return a hidden table of contents in MyST's notation."""
    return "\n".join(["", "```{toctree}", ":hidden:", "", *pages, "```", ""])


def _add(app: Any, page: str, source: list[str]) -> None:
    if is_contents(page) and (pages := listed(source[0])):
        source[0] += toctree(pages)


def _begin(app: Any, failure: Exception | None) -> None:
    """Let the site begin with the page that GitHub shows first, under the name servers look for."""
    made = Path(app.outdir) / f"{app.config.root_doc}.html"
    if failure is None and made.is_file():
        shutil.copyfile(made, made.with_name("index.html"))


def setup(app: Any) -> dict[str, Any]:
    """Join Sphinx."""
    app.connect("source-read", _add)
    app.connect("build-finished", _begin)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
