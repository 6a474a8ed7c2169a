"""Templates, in an environment in which every text is escaped and shows what is invisible."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from braino_registry import __version__
from braino_registry.reports.plain import shown

#: Characters of any text that a template prints.
LONGEST = 2_000


def page_of(template: str, *, script: str | None = None, **values: Any) -> bytes:
    """Return a page that is one file and fetches nothing.

    Parameters
    ----------
    template : str
        A file of ``templates/``; it gets ``style``, ``script``, ``script_hash`` and ``version``.
    script : str or None
        The file of ``templates/`` that is its script; no other may run.
    **values
        What it is filled with. Texts are escaped, whoever wrote them.
    """
    folder = files("braino_registry.reports.html") / "templates"
    code = "" if script is None else (folder / script).read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=_harmless,
    )  # fmt: skip
    page = environment.from_string((folder / template).read_text("utf-8")).render(
        **values,
        style=(folder / "page.css").read_text("utf-8"),
        script=code,
        script_hash=digest,
        version=__version__,
    )
    return page.encode("utf-8", "replace")


def _harmless(value: Any) -> Any:
    """Return what a template prints, texts without anything invisible; markup of ours as it is."""
    return shown(value, LONGEST) if type(value) is str else value
