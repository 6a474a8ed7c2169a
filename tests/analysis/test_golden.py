"""Every operation of the shared vectors, to the definition given there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.vectors import GOLDEN

FILE = Path(__file__).parents[1] / "data" / "vectors" / "tool_golden.json"
OPERATIONS = {entry["id"]: entry for entry in json.loads(FILE.read_bytes())["operations"]}
# the values of these are not given: what their definitions give on the fixed signals
DEFINED = {
    "peak_alpha_frequency_O2": (10.25, 0.0),  # the bin nearest to the true 10.2 Hz
    "dominant_bands_Fz": (["delta", "theta", "alpha", "beta"], None),
    "SEF95_O2": (11.25, 0.0),
    "kurtosis_O2": (-0.443, 1e-3),
    "hjorth_activity_O2": (87.88491135899942, 1e-8),
    "zero_crossings_O2": (187, 0),
    "sleep_TIB": (120.0, 0.0),
    "sleep_NREM_minutes": (71.5, 1e-9),
    "sleep_stage_percent_TST": ([100 * n / 193 for n in (10, 89, 44, 50)], 1e-9),
    "sleep_awakenings": (4, 0),
    "sleep_light_deep_ratio": (99 / 44, 1e-9),
    "sleep_half_concentration": ([100 * 38 / 44, 80.0], 1e-9),
    "spo2_mean_min": ([340056.7 / 3570, 79.0], 1e-9),
    "T90": (131 / 60, 1e-9),
    "ODI3": (9 / (3570 / 3600), 1e-9),
    "ODI4": (7 / (3570 / 3600), 1e-9),
    "ecg_beat_count": (353, 0),
    "slow_waves": ([12, 12], 0),
    "blink_rate": (14.0, 0.0),
    "blink_mean_duration": (12 * 0.15 / 14 + 2 * 0.4 / 14, 0.02),  # of Hann windows, unfiltered
    "eda_scr_count": (7, 0),  # injected rises of more than the threshold
    "epochs_at_end": (1, 0),
    "drift_T7": (0.5, 0.03),  # the line that was added to noise
    "p300_peak": ([5.6, 0.36], 0.05),
}


def same(found: Any, expected: Any, tolerance: float | None) -> bool:
    if tolerance is None:
        return bool(found == expected)
    return np.allclose(
        np.asarray(found, float), np.asarray(expected, float), rtol=0, atol=tolerance
    )


def test_every_operation_is_there():
    assert set(GOLDEN) == set(OPERATIONS)
    assert len(GOLDEN) == 89


@pytest.mark.parametrize("name", sorted(n for n, e in OPERATIONS.items() if e["value"] is not None))
def test_given_values_are_met(name):
    entry = OPERATIONS[name]
    assert same(GOLDEN[name](), entry["value"], entry["tol_abs"])


@pytest.mark.parametrize("name", sorted(DEFINED))
def test_definitions_are_met(name):
    assert same(GOLDEN[name](), *DEFINED[name])


@pytest.mark.parametrize(
    "name", sorted(n for n, e in OPERATIONS.items() if e["value"] is None and n not in DEFINED)
)
def test_other_operations_give_plain_finite_values(name):
    value = GOLDEN[name]()
    assert json.loads(json.dumps(value, allow_nan=False)) == value


def test_other_definitions_give_other_values():
    """What the vectors show for other definitions is not what is computed here."""
    compared = 0
    for name, entry in OPERATIONS.items():
        if not isinstance(entry["value"], float) or not entry["tol_abs"]:
            continue
        found = GOLDEN[name]()
        for other in entry["differ"].values():
            if isinstance(other, float) and abs(other - entry["value"]) > 2 * entry["tol_abs"]:
                assert not same(found, other, entry["tol_abs"])
                compared += 1
    assert compared > 60
