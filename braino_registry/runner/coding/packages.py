"""Which packages code finds: those of the extra ``code`` that are installed here."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

#: By the name under which each is installed; the extra `code` of the project names the same.
NAMES = (
    "numpy", "scipy", "pandas", "matplotlib", "seaborn", "scikit-learn", "mne", "mne-bids",
    "yasa", "pyEDFlib", "edfio", "wfdb", "openpyxl", "antropy", "mne-connectivity", "neurokit2",
)  # fmt: skip


@cache
def packages() -> dict[str, str]:
    """Return the version of each package that is there."""
    found = {}
    for name in NAMES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
