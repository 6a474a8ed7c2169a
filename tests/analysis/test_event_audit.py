from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.events import audit, edges


def planted() -> list[dict[str, object]]:
    """Stimuli every 2 s from 1 s on, each with a photodiode 15 ms later; trouble planted."""
    stimuli = [1.0 + 2.0 * k for k in range(30) if k not in (7, 8, 20)]
    events = [{"onset": t, "trial_type": "standard"} for t in stimuli]
    events += [
        {"onset": t + (0.065 if t in (21.0, 51.0) else 0.015), "trial_type": "photodiode"}
        for t in stimuli
        if t != 31.0
    ]
    events.append({"onset": 11.004, "trial_type": "standard"})
    events.append({"onset": 75.0, "trial_type": "standard"})
    return events


def test_planted_trouble_is_found():
    found = audit(planted(), 70.0, paired_with="photodiode")
    assert found["counts"] == {"standard": 29, "photodiode": 26}
    assert found["duplicates"] == [{"trial_type": "standard", "onset": 11.004}]
    assert found["outside"] == [{"trial_type": "standard", "onset": 75.0}]
    assert found["median_interval_s"] == pytest.approx(2.0)
    assert (found["n_gaps"], found["n_missed"]) == (2, 3)
    assert [(gap["onset"], gap["n_missed"]) for gap in found["gaps"]] == [(13.0, 2), (39.0, 1)]
    assert (found["n_paired"], found["n_unpaired"], found["n_extra"]) == (26, 1, 0)
    assert found["median_latency_ms"] == pytest.approx(15.0)
    assert found["max_latency_ms"] == pytest.approx(65.0)
    assert [row["onset"] for row in found["late"]] == [21.0, 51.0]
    assert [row["onset"] for row in found["unpaired"]] == [31.0]


def test_limits_decide_what_is_late_and_what_is_a_partner():
    events = planted()
    assert audit(events, 70.0, paired_with="photodiode", late_ms=60.0)["n_late"] == 0
    short = audit(events, 70.0, paired_with="photodiode", max_latency=0.03)
    assert (short["n_paired"], short["n_unpaired"], short["n_extra"]) == (24, 3, 2)


def test_only_the_events_asked_for_are_examined():
    events = [{"onset": float(t), "trial_type": "ab"[t % 2]} for t in range(10)]
    assert audit(events, 20.0)["median_interval_s"] == 1.0
    assert audit(events, 20.0, event="a")["median_interval_s"] == 2.0
    assert audit(events, 20.0, event=["a", "b"])["median_interval_s"] == 1.0
    assert audit(events[:2], 20.0)["median_interval_s"] is None
    alone = audit(events, 20.0)
    assert (alone["n_paired"], alone["n_unpaired"], alone["median_latency_ms"]) == (0, 0, None)


def test_events_without_a_type_count_by_their_value():
    events = [{"onset": 1.0, "value": "7"}, {"onset": 2.0}]
    assert audit(events, 5.0)["counts"] == {"7": 1, "n/a": 1}


@given(
    st.lists(
        st.tuples(st.floats(-10, 100).map(lambda t: round(t, 3)), st.sampled_from("sr")),
        max_size=40,
    )
)
def test_every_event_is_accounted_for(pairs):
    events = [{"onset": onset, "trial_type": name} for onset, name in pairs]
    found = audit(events, 60.0, event="s", paired_with="r")
    assert sum(found["counts"].values()) == len(events)
    kept = len(events) - found["n_duplicates"] - found["n_outside"]
    stimuli = found["n_paired"] + found["n_unpaired"]
    assert stimuli + found["n_paired"] + found["n_extra"] == kept
    if found["n_paired"]:
        assert 0 <= found["min_latency_ms"] <= found["max_latency_ms"] <= 2000 + 1e-6
    assert np.all(np.diff([row["onset"] for row in found["outside"]]) >= 0)


def photodiode(onsets: list[float], sfreq: float = 500.0, seconds: float = 70.0):
    """Return a channel that is bright for 100 ms after each onset, with noise, and its times."""
    times = np.arange(int(sfreq * seconds)) / sfreq
    bright = np.zeros(times.size)
    for onset in onsets:
        bright[(times >= onset - 1e-9) & (times < onset + 0.1)] = 1.0
    noise = 0.02 * np.random.default_rng(0).standard_normal(times.size)
    return (2e-3 * (bright + noise))[None], times


def test_events_are_paired_with_the_edges_of_a_channel():
    events = [row for row in planted() if row["trial_type"] == "standard"]
    seen = [float(row["onset"]) for row in planted() if row["trial_type"] == "photodiode"]
    found = edges(*photodiode(seen))
    assert found["n_edges"] == len(seen) == 26
    np.testing.assert_allclose(found["onsets"], sorted(seen), atol=0.002)
    by_event = audit(planted(), 70.0, paired_with="photodiode")
    by_channel = audit(events, 70.0, partners=found["onsets"])
    for key in ("n_paired", "n_unpaired", "n_extra", "n_late"):
        assert by_channel[key] == by_event[key]
    assert by_channel["median_latency_ms"] == pytest.approx(15.0, abs=2)
    assert by_channel["unpaired"] == by_event["unpaired"]


def test_what_has_no_edges():
    with pytest.raises(SignalError, match="does not switch"):
        edges(np.random.default_rng(1).standard_normal((1, 5000)), np.arange(5000) / 250.0)
    with pytest.raises(SignalError, match="does not switch"):
        edges(np.zeros((1, 5000)), np.arange(5000) / 250.0)
    with pytest.raises(SignalError, match="one channel"):
        edges(np.zeros((2, 5000)), np.arange(5000) / 250.0)
    with pytest.raises(SignalError, match="one kind"):
        audit(planted(), 70.0, paired_with="photodiode", partners=[1.0])


@pytest.mark.parametrize("onset", [0.1, 1.0, 4.1, 1000.3])
def test_twenty_milliseconds_are_twenty_whatever_the_onset(onset):
    events = [{"onset": t, "trial_type": "a"} for t in (onset, onset + 0.02, onset + 0.041)]
    assert audit(events, 2000.0)["n_duplicates"] == 1
