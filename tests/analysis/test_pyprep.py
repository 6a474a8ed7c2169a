"""The noisy channels that recipes plant are found by pyprep, which flags few others."""

from __future__ import annotations

import pytest

from benchmarks.independent import DETECTORS, NOTHING, Flagged, planted, pyprep_flags

RECIPES = ("two-subject-rest", "faulty-channels", "clean-rest")


def _flags(recipes: tuple[str, ...], salt: bytes) -> dict[str, Flagged]:
    total = dict.fromkeys((*DETECTORS, "any"), NOTHING)
    for recipe in recipes:
        for one in planted(recipe, salt):
            found = pyprep_flags(one)
            total = {name: total[name] + found[name] for name in total}
    return total


@pytest.mark.slow
@pytest.mark.parametrize("salt", [b"", pytest.param(b"salt 1", marks=pytest.mark.slow)])
def test_planted_noise_is_found_and_little_else(salt: bytes) -> None:
    found = _flags(RECIPES, salt)
    assert found["any"].planted >= 6
    for name in ("any", "deviation", "hf_noise", "correlation", "ransac"):
        assert found[name].found >= 0.8 * found[name].planted, name
    assert found["any"].good > 100
    for name, flagged in found.items():
        assert flagged.false <= 0.1 * flagged.good, name


@pytest.mark.slow
@pytest.mark.parametrize("salt", [b"", b"salt 1", b"salt 2"])
def test_few_electrodes_and_a_quiet_laboratory(salt: bytes) -> None:
    found = _flags(("oddball-mastoids",), salt)["any"]
    assert found.planted == found.found == 2
    assert found.false <= 0.25 * found.good
