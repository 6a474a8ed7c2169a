"""Where optional reference material for tests may be found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared(*parts: str) -> Path:
    """Return a path below the reference folder, or skip the test with the reason."""
    default = Path(__file__).resolve().parents[2] / "shared"
    path = Path(os.environ.get("BRAINO_SHARED", default)).joinpath(*parts)
    if not path.exists():
        pytest.skip(f"reference material not found: {path} (set BRAINO_SHARED)")
    return path
