from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.analysis import golden_signals


@pytest.fixture(scope="session")
def golden() -> dict[str, dict[str, Any]]:
    return json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def eeg_uv() -> np.ndarray:
    data = golden_signals.eeg()
    assert data.sum() == pytest.approx(293728.30309840775, rel=1e-12)
    return data


@pytest.fixture(scope="session")
def filtered_uv(eeg_uv: np.ndarray) -> np.ndarray:
    from braino_registry.analysis.filters import band_pass

    return band_pass(eeg_uv, golden_signals.SFREQ, 0.5, 40.0)
