"""Chromium, driven by Playwright; where either is missing, what imports this is skipped."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = os.environ.get("BRAINO_CHROMIUM") or shutil.which("chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this computer"),
]


def serious(page: Any) -> list[str]:
    """Return the serious violations that axe-core finds on a page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    return [each["id"] for each in found if each["impact"] in ("serious", "critical")]
