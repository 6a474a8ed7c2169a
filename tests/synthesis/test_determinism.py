"""The same bytes from any process and interpreter, other bytes from any other salt."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from braino_registry.synthesis import build
from tests.synthesis.small import (
    NOISE,
    REGULAR,
    digest_in_process,
    recipe,
    shipped,
    this_python,
)
from tests.synthesis.test_layers import EVOKED, MEASURE

SALT = b"salt of sixteen b"


def _everything() -> dict[str, Any]:
    """Return a small recipe with nearly every layer."""
    return recipe(
        [
            *EVOKED,
            *NOISE,
            {
                "layer": "rhythm",
                "with": {
                    "name": "alpha",
                    "frequency_hz": {"draw": {"uniform": [9, 11]}},
                    "bandwidth_hz": 1.4,
                    "amplitude_uv": {"draw": {"lognormal": [5, 0.3]}},
                    "sites": ["O1", "O2"],
                    "width_deg": 40,
                },
            },
            {"layer": "blinks", "with": {"per_minute": 10, "amplitude_uv": 200}},
            {"layer": "saccades", "with": {"per_minute": 6, "amplitude_uv": 60}},
            {"layer": "muscle", "with": {"rms_uv": 1, "bursts_per_minute": 4, "burst_uv": 8}},
            {"layer": "line_noise", "with": {"amplitude_uv": 2, "spread": 0.5}},
            {"layer": "channel_levels", "with": {"spread": 0.1}},
            {"layer": "noisy_channels", "with": {"channels": ["T8"], "excess_sd": 12}},
            {"layer": "drifting_channels", "with": {"channels": ["P4"], "rms_uv": 200}},
            {"layer": "flat_channels", "with": {"channels": ["Cz"], "rms_uv": 0.1}},
            {"layer": "drift", "with": {"rms_uv": 8, "corner_hz": 0.05}},
            MEASURE,
        ],
        duration=92,
    )


def other_python() -> str:
    """Return another interpreter with the packages, or skip with the reason."""
    python = os.environ.get("BRAINO_PYTHON_OTHER")
    if python is None:
        pytest.skip("BRAINO_PYTHON_OTHER names no other interpreter with the packages")
    return python


def test_fresh_processes_make_the_same_bytes(tmp_path: Path) -> None:
    doc = _everything()
    digests = {
        digest_in_process(doc, tmp_path / "a", this_python(), "1"),
        digest_in_process(doc, tmp_path / "b", this_python(), "2"),
        build(doc, SALT, tmp_path / "out").digest,
    }
    assert len(digests) == 1


def test_another_interpreter_makes_the_same_bytes(tmp_path: Path) -> None:
    doc = _everything()
    digest = digest_in_process(doc, tmp_path / "a", other_python(), "3")
    assert digest == build(doc, SALT, tmp_path / "out").digest


def test_another_salt_or_seed_makes_other_bytes_and_other_truth(tmp_path: Path) -> None:
    doc = _everything()
    made = [
        build(doc, b"", tmp_path / "a"),
        build(doc, SALT, tmp_path / "b"),
        build(doc, SALT + b".", tmp_path / "c"),
        build({**doc, "seed": 12}, b"", tmp_path / "d"),
    ]
    assert len({result.digest for result in made}) == 4
    assert len({str(result.truth["recordings"]) for result in made}) == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", REGULAR)
def test_shipped_recipes_are_the_same_in_another_interpreter(name: str, tmp_path: Path) -> None:
    doc = shipped(name)
    digest = digest_in_process(doc, tmp_path / "a", other_python(), "4")
    assert digest == digest_in_process(doc, tmp_path / "b", this_python(), "5")
