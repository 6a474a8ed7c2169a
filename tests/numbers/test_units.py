"""Units: spelling, conversion, and names of fields."""

from __future__ import annotations

import pytest

from braino_registry.numbers import convert, convertible, find_unit, unit_of


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("peak_uv", "µV"), ("absolute_uv2", "µV²"), ("density_uv2_per_hz", "µV²/Hz"),
        ("amplitude_v", "V"), ("frequency_hz", "Hz"), ("latency_s", "s"), ("window_ms", "ms"),
        ("share_percent", "%"), ("snr_db", "dB"), ("epoch_count", "count"), ("n_epochs", "count"),
        ("sfreq", "Hz"), ("l_freq", "Hz"), ("h_freq", "Hz"), ("line_frequency", "Hz"),
        ("onset", "s"), ("duration", "s"), ("latency", "s"), ("tmin", "s"), ("peak_latency", "s"),
        ("relative", "1"), ("relative_alpha", "1"), ("p_value", "1"), ("p_values", "1"),
        ("artefact_fraction", "1"), ("ratio", "1"), ("heart_rate_bpm", "bpm"),
        ("t", None), ("s", None), ("v", None), ("df", None), ("cohen_d", None), ("channels", None),
        ("value", None), ("amplitude_min", None),
    ],
)  # fmt: skip
def test_unit_of(name: str, unit: str | None) -> None:
    assert unit_of(name) == unit


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [(0.43, "s", "ms", 430), (430, "ms", "s", 0.43), (3.12e-5, "V", "uV", 31.2),
     (31.2, "µV", "V", 3.12e-5), (0.14, "1", "%", 14), (0.25, "kHz", "Hz", 250),
     (2, "minutes", "s", 120), (1e-12, "V²", "µV²", 1)],
)  # fmt: skip
def test_convert(value: float, source: str, target: str, expected: float) -> None:
    assert convert(value, source, target) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("one", "two"), [("s", "Hz"), ("µV", "µV²"), ("bpm", "Hz"), ("µV²", "µV²/Hz")]
)
def test_what_does_not_convert(one: str, two: str) -> None:
    assert not convertible(one, two)
    with pytest.raises(ValueError, match="does not convert"):
        convert(1.0, one, two)


def test_spellings() -> None:
    for text in ("uV", "µV", "μV", "microvolts"):
        unit = find_unit(text)
        assert unit is not None
        assert unit.name == "µV"
    assert find_unit("furlong") is None
    assert find_unit(None) is None
