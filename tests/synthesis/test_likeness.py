"""Channels that are alike, follow one another in time, or have sharp waves: as stated, in truth."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import butter, hilbert, sosfiltfilt
from scipy.stats import kurtosis, skew

from braino_registry.errors import EntryError
from braino_registry.synthesis import plan
from braino_registry.synthesis.build import paint
from braino_registry.synthesis.canvas import Canvas
from tests.synthesis.small import NOISE, layer, painted, recipe

SALT = b"salt of sixteen b"
ALPHA = layer(
    "rhythm", name="alpha", frequency_hz=10, bandwidth_hz=1.4, amplitude_uv=8, sites=["O1", "O2"],
    width_deg=40,
)  # fmt: skip


def _made(layers: list[dict[str, Any]], **more: Any) -> tuple[Canvas, dict[str, Any]]:
    planned = plan(recipe(layers, **more), SALT)
    return paint(planned, planned.recordings[0])


def _band(row: NDArray[np.float64], low: float, high: float, sfreq: float) -> NDArray[np.float64]:
    sos = butter(4, [low, high], "band", fs=sfreq, output="sos")
    return np.asarray(sosfiltfilt(sos, row))


PAIRS: list[dict[str, Any]] = [
    {"lead": "F7", "follow": "F3", "r": 0.99},
    {"lead": "O1", "follow": "P3", "r": 0.8},
]


@pytest.mark.parametrize(("low", "high"), [(1, 40), (8, 13), (13, 30)])
def test_a_following_channel_is_as_like_as_stated_in_every_band(low: float, high: float) -> None:
    coupling = layer("coupled_channels", pairs=list(reversed(PAIRS)))
    canvas, truth = _made([*NOISE, ALPHA, coupling], duration=60)
    assert truth["coupled_pairs"] == PAIRS
    for pair in PAIRS:
        a, b = (_band(canvas.channel(pair[end]), low, high, 128) for end in ("lead", "follow"))
        # the remainder has the spectrum of the channel that follows, so bands differ a little
        assert np.corrcoef(a, b)[0, 1] == pytest.approx(pair["r"], abs=0.4 * (1 - pair["r"]))


def test_coupling_leaves_other_channels_and_the_level_alone() -> None:
    coupling = layer("coupled_channels", pairs=PAIRS)
    before, _ = _made([*NOISE, ALPHA], duration=60)
    after, _ = _made([*NOISE, ALPHA, coupling], duration=60)
    for name in before.ch_names:
        was, now = (_band(one.channel(name), 1, 40, 128).std() for one in (before, after))
        if name in ("F3", "P3"):
            assert now == pytest.approx(was, rel=0.1)
        else:
            np.testing.assert_array_equal(before.channel(name), after.channel(name))


def test_the_joint_of_a_moved_channel_makes_no_step() -> None:
    coupling = layer("coupled_channels", pairs=[{"lead": "F7", "follow": "F3", "r": 0.05}])
    canvas, _ = _made([*NOISE, layer("drift", rms_uv=60, corner_hz=0.1), coupling], duration=60)
    steps = np.abs(np.diff(canvas.channel("F3")))
    assert steps.max() < 12 * np.median(steps)


@pytest.mark.parametrize(
    ("pairs", "place"),
    [
        ([{"lead": "Cz", "follow": "Cz", "r": 0.5}], "pairs[0]"),
        ([PAIRS[0], {"lead": "Cz", "follow": "F3", "r": 0.5}], "pairs[1].follow"),
        ([{"lead": "F3", "follow": "Cz", "r": 0.5}, PAIRS[0]], "pairs[0].lead"),
    ],
)
def test_coupling_that_undoes_itself_is_refused(pairs: list[dict[str, Any]], place: str) -> None:
    with pytest.raises(EntryError) as caught:
        plan(recipe([*NOISE, layer("coupled_channels", pairs=pairs)]))
    assert place in caught.value.where


def test_a_lagged_rhythm_reaches_one_channel_after_the_other() -> None:
    names = ["F3", "C3", "P3"]
    lagged = layer(
        "lagged_rhythm", name="wave", frequency_hz=10, bandwidth_hz=1.5, amplitude_uv=12,
        channels=names, lag=0.02,
    )  # fmt: skip
    canvas, truth = _made([*NOISE, lagged], sfreq=200, duration=60)
    assert truth["lagged_rhythms"] == {"wave": {"frequency_hz": 10, "channels": names}}
    phases = [np.angle(hilbert(_band(canvas.channel(name), 8, 12, 200))) for name in names]
    for earlier, later in pairwise(phases):
        ahead = np.angle(np.mean(np.exp(1j * (earlier - later))))
        assert ahead / (2 * np.pi * 10) == pytest.approx(0.02, abs=0.005)


def test_a_lag_that_is_no_lag_of_a_rhythm_is_refused() -> None:
    lagged = layer(
        "lagged_rhythm", name="wave", frequency_hz=10, bandwidth_hz=1.5, amplitude_uv=12,
        channels=["F3", "C3", "P3", "O1"], lag=0.05,
    )  # fmt: skip
    with pytest.raises(EntryError) as caught:
        plan(recipe([*NOISE, lagged]))
    assert caught.value.where.startswith("recipe small: $.recordings[0].layers[2].with.lag")


def test_sharp_waves_of_one_polarity_skew_their_channel() -> None:
    rows = [{"channel": "Fz", "amplitude_uv": -170}, {"channel": "Cz", "amplitude_uv": 90}]
    canvas, truth = _made([*NOISE, layer("spiky_channels", channels=rows, count=24)], duration=60)
    assert truth["spiky_channels"] == rows
    values = {n: _band(canvas.channel(n), 1, 40, 128) for n in canvas.ch_names}
    by_kurtosis = sorted(values, key=lambda n: -float(kurtosis(values[n])))
    by_skewness = sorted(values, key=lambda n: float(skew(values[n])))
    assert by_kurtosis[:2] == ["Fz", "Cz"]
    assert (by_skewness[0], by_skewness[-1]) == ("Fz", "Cz")
    plain, _ = _made(NOISE, duration=60)
    added = canvas.channel("Fz") - plain.channel("Fz")
    assert added.max() <= 0
    assert added.min() == pytest.approx(-170, rel=0.1)


@pytest.mark.parametrize(
    ("rows", "count", "place"),
    [
        ([{"channel": "Fz", "amplitude_uv": 50}], 24, "count"),
        (
            [{"channel": "Fz", "amplitude_uv": 50}, {"channel": "Fz", "amplitude_uv": 60}],
            3,
            "channel",
        ),
    ],
)
def test_sharp_waves_without_room_are_refused(
    rows: list[dict[str, Any]], count: int, place: str
) -> None:
    with pytest.raises(EntryError) as caught:
        plan(recipe([*NOISE, layer("spiky_channels", channels=rows, count=count)], duration=20))
    assert place in caught.value.where


def test_the_older_names_of_four_sites_are_the_same_places() -> None:
    old = {"channels": ["T3", "T4", "T5", "T6", "Cz"]}
    new = {"channels": ["T7", "T8", "P7", "P8", "Cz"]}
    rows = []
    for montage in (old, new):
        doc = recipe(NOISE)
        doc["recordings"][0]["montage"] = montage
        rows.append(painted(doc)[0])
    np.testing.assert_array_equal(rows[0], rows[1])
