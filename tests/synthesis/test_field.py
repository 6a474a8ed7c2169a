from __future__ import annotations

import numpy as np
import pytest

from braino_registry.errors import UsageError
from braino_registry.synthesis import montage
from braino_registry.synthesis.field import add_mixed, mixing
from braino_registry.synthesis.streams import Stream

NAMES = montage.cap("standard-19")


def _covariance(width: float, common: float, own: float) -> np.ndarray:
    v = np.array([montage.POSITIONS[name] for name in NAMES])
    arcs = np.degrees(np.arccos(np.clip(v @ v.T, -1, 1)))
    c = common + (1 - common - own) * np.exp(-(arcs**2) / (2 * width**2))
    np.fill_diagonal(c, 1)
    return c


def test_mixing_is_the_cholesky_factor_of_the_stated_covariance() -> None:
    factor = np.zeros((19, 19))
    for c, row in enumerate(mixing(NAMES, 50.0, 0.3, 0.05)):
        factor[c, : len(row)] = row
    np.testing.assert_allclose(factor, np.linalg.cholesky(_covariance(50, 0.3, 0.05)), atol=2e-4)


def test_mixed_noise_has_the_stated_correlations() -> None:
    out = np.zeros((19, 60_000))
    stream = Stream("t", 1, b"", "f")
    add_mixed(
        out,
        mixing(NAMES, 50.0, 0.3, 0.05),
        lambda k: stream.child(str(k)).gaussian(60_000),
        None,
    )
    np.testing.assert_allclose(np.corrcoef(out), _covariance(50, 0.3, 0.05), atol=0.02)


def test_positions_are_unit_vectors_that_are_symmetric_as_heads_are() -> None:
    for name, place in montage.POSITIONS.items():
        assert np.linalg.norm(place) == pytest.approx(1, abs=2e-4), name
    assert montage.POSITIONS["T7"][0] < -0.9 < 0.9 < montage.POSITIONS["T8"][0]
    assert montage.POSITIONS["Fpz"][1] > 0.9
    assert montage.POSITIONS["Oz"][1] < -0.9
    assert montage.POSITIONS["Cz"][2] > 0.9


def test_positions_agree_with_a_template_that_others_use() -> None:
    import mne

    # The template has been renamed; both names mean the same positions.
    known = mne.channels.get_builtin_montages()
    template = "colin27_1005" if "colin27_1005" in known else "standard_1005"
    theirs = mne.channels.make_standard_montage(template).get_positions()["ch_pos"]
    for name, place in montage.POSITIONS.items():
        other = theirs[name] - np.array([0.00089, -0.01742, 0.00638])
        cosine = other @ np.array(place) / np.linalg.norm(other)
        assert cosine > 0.9999, name


@pytest.mark.parametrize("name", sorted(montage.CAPS))
def test_caps_have_as_many_sites_as_they_say(name: str) -> None:
    sites = montage.cap(name)
    assert len(sites) == len(set(sites)) == int(name.split("-")[-1])
    assert set(sites) <= set(montage.POSITIONS)


def test_an_unknown_cap_is_refused_with_the_likely_one() -> None:
    with pytest.raises(UsageError, match="standard-33") as caught:
        montage.cap("standard-33")
    assert "standard-32" in caught.value.hint


def test_topography_falls_off_with_distance() -> None:
    gains = dict(
        zip(NAMES, montage.topography(NAMES, montage.direction(["Pz"]), 50.0), strict=True)
    )
    assert gains["Pz"] == pytest.approx(1)
    assert gains["Pz"] > gains["P3"] > gains["C3"] > gains["F3"] > gains["Fp1"]
