"""What an instance may need beside its dataset: extras of this package, and programs."""

from __future__ import annotations

import re
import shutil
from importlib.metadata import PackageNotFoundError, distribution, metadata, requires

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def unmet(need: str) -> tuple[str, str] | None:
    """Return reason and remedy if ``need`` is not there, or None.

    Parameters
    ----------
    need : str
        ``extra:NAME`` or ``program:NAME``; datasets are looked after by the plan itself.
    """
    kind, _, name = need.partition(":")
    if kind == "extra" and not _extra_installed(name):
        return f"needs the extra {name!r}", f"pip install 'braino-registry[{name}]'"
    if kind == "program" and shutil.which(name) is None:
        return f"needs the program {name!r}", f"install {name} so that it is on PATH"
    return None


def _extra_installed(name: str) -> bool:
    """Tell whether every package that an extra requires is installed."""
    if name not in (metadata("braino-registry").get_all("Provides-Extra") or []):
        return False
    wanted = re.compile(rf"""extra\s*==\s*['"]{re.escape(name)}['"]""")
    for requirement in requires("braino-registry") or []:
        package = _NAME.match(requirement)
        if package is None or not wanted.search(requirement):
            continue
        try:
            distribution(package[0])
        except PackageNotFoundError:
            return False
    return True
