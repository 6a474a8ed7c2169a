"""What layers say that they planted, measured by other means than their own."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import mne
import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt, welch

from tests.synthesis.small import HED, NOISE, ROOT, painted, recipe

STIMULI = {
    "standard": {"count": 60, "duration": 0.1, "code": 1, "description": "Frequent.", "hed": HED},
    "target": {"count": 20, "duration": 0.1, "code": 2, "description": "Rare.", "hed": HED},
}
TRIALS: dict[str, Any] = {
    "layer": "trials",
    "with": {
        "start": 1,
        "interval": 1.1,
        "jitter": 0.1,
        "tail": 2,
        "apart": "target",
        "stimuli": STIMULI,
        "responses": [
            {
                "name": "key",
                "to": "target",
                "missed": 3,
                "median": 0.45,
                "spread": 0.2,
                "earliest": 0.2,
                "latest": 1,
                "code": 9,
                "description": "A key.",
                "hed": HED,
            }
        ],
    },
}
CH_NAMES = "Fp1 Fp2 F7 F3 Fz F4 F8 T7 C3 Cz C4 T8 P7 P3 Pz P4 P8 O1 O2".split()


def _spectrum(x: np.ndarray, sfreq: float) -> tuple[np.ndarray, np.ndarray]:
    return welch(x, sfreq, nperseg=int(4 * sfreq))


def test_rhythm_has_its_frequency_size_and_place() -> None:
    rhythm = {
        "name": "alpha",
        "frequency_hz": 9.5,
        "bandwidth_hz": 1.2,
        "amplitude_uv": 20,
        "sites": ["O1"],
        "width_deg": 40,
        "gain_sd": 0.1,
    }
    x, truth = painted(recipe([*NOISE, {"layer": "rhythm", "with": rhythm}], duration=60))
    f, p = _spectrum(x, 128)
    o1 = CH_NAMES.index("O1")
    assert f[np.argmax(p[o1] * (f > 5))] == pytest.approx(9.5, abs=0.5)
    band = (f > 6) & (f < 13)
    size = np.sqrt(p[:, band].sum(axis=1) * f[1])
    assert size[o1] == pytest.approx(20, rel=0.2)
    assert size.argmax() == o1
    assert size[CH_NAMES.index("Fp2")] < 6
    assert truth["rhythms"] == {"alpha": {"frequency_hz": 9.5, "amplitude_uv": 20}}


@pytest.mark.parametrize("mains", [50, 60])
def test_line_noise_hums_at_the_mains_frequency_of_the_room(mains: int) -> None:
    hum = {"layer": "line_noise", "with": {"amplitude_uv": 10, "harmonics": [0.5]}}
    doc = recipe([*NOISE, hum], sfreq=250)
    doc["recordings"][0]["line_frequency"] = mains
    x, truth = painted(doc)
    f, p = _spectrum(x, 250)
    high = f > 30
    assert np.all(f[high][p[:, high].argmax(axis=1)] == mains)
    amplitude = np.abs(np.exp(-2j * np.pi * mains * np.arange(x.shape[1]) / 250) @ x.T)
    assert np.median(amplitude) * 2 / x.shape[1] == pytest.approx(10, rel=0.1)
    second = np.abs(np.exp(-4j * np.pi * mains * np.arange(x.shape[1]) / 250) @ x.T)
    assert np.median(second / amplitude) == pytest.approx(0.5, rel=0.2)
    assert truth["line_frequency"] == mains


def test_noisy_and_decoy_channels_exceed_the_others_by_what_they_say() -> None:
    doc = recipe(
        [
            *NOISE,
            {"layer": "channel_levels", "with": {"spread": 0.1}},
            {"layer": "noisy_channels", "with": {"channels": ["T8"], "excess_sd": 15}},
            {"layer": "decoy_channels", "with": {"channels": ["C3"], "excess_sd": 7}},
        ],
        duration=60,
    )
    x, truth = painted(doc)
    high = sosfiltfilt(butter(4, 1, "highpass", fs=128, output="sos"), x)
    levels = np.log(high.std(axis=1))
    good = [i for i, name in enumerate(CH_NAMES) if name not in ("T8", "C3")]
    spread = 1.4826 * np.median(np.abs(levels[good] - np.median(levels[good])))
    z = (levels - np.median(levels[good])) / spread
    assert z[CH_NAMES.index("T8")] == pytest.approx(15, abs=3)
    assert z[CH_NAMES.index("C3")] == pytest.approx(7, abs=2)
    assert np.abs(z[good]).max() < 3.5
    assert truth["noisy_channels"] == ["T8"]
    assert truth["decoy_channels"] == ["C3"]


def test_flat_and_drifting_channels() -> None:
    doc = recipe(
        [
            *NOISE,
            {"layer": "flat_channels", "with": {"channels": ["Cz"]}},
            {"layer": "drifting_channels", "with": {"channels": ["P4"], "rms_uv": 250}},
        ],
        duration=60,
    )
    x, truth = painted(doc)
    assert np.ptp(x[CH_NAMES.index("Cz")]) == 0
    assert x.std(axis=1).argmax() == CH_NAMES.index("P4")
    assert x[CH_NAMES.index("P4")].std() == pytest.approx(250, rel=0.05)
    high = sosfiltfilt(butter(4, 1, "highpass", fs=128, output="sos"), x)
    assert high[CH_NAMES.index("P4")].std() < 2 * np.median(high.std(axis=1))
    assert truth["flat_channels"] == ["Cz"]
    assert truth["drifting_channels"] == ["P4"]


def test_blinks_are_where_the_truth_says_and_largest_at_the_front() -> None:
    blinks = {"layer": "blinks", "with": {"per_minute": 14, "amplitude_uv": 250}}
    x, truth = painted(recipe([*NOISE, blinks], duration=60))
    found = mne.preprocessing.find_eog_events(
        mne.io.RawArray(x * 1e-6, mne.create_info(CH_NAMES, 128, "eeg"), verbose="error"),
        ch_name="Fp1",
        verbose="error",
    )[:, 0]
    planted = np.array(truth["blinks"]) * 128
    assert truth["n_blinks"] == len(planted) >= 8
    near = [np.abs(found - onset - 0.1 * 128).min() < 0.15 * 128 for onset in planted]
    assert np.mean(near) > 0.9
    top = x[:, planted.astype(int) + 11].mean(axis=1)
    size = dict(zip(CH_NAMES, top, strict=True))
    assert size["Fp1"] > size["F3"] > size["C3"] > size["O1"]
    assert size["Fp1"] == pytest.approx(225, rel=0.35)


def test_saccades_are_steps_of_opposite_sign() -> None:
    doc = recipe([{"layer": "saccades", "with": {"per_minute": 12, "amplitude_uv": 60}}])
    x, truth = painted(doc)
    f7, f8 = x[CH_NAMES.index("F7")], x[CH_NAMES.index("F8")]
    steps = np.flatnonzero(np.abs(np.diff(f7)) > 30) + 1
    np.testing.assert_allclose(steps / 128, truth["saccades"])
    assert truth["n_saccades"] == len(steps) > 0
    assert np.all(np.sign(np.diff(f7)[steps - 1]) == -np.sign(np.diff(f8)[steps - 1]))


def test_muscle_bursts_are_where_the_truth_says() -> None:
    muscle = {"rms_uv": 0.2, "bursts_per_minute": 12, "burst_uv": 30, "sites": ["T7"]}
    x, truth = painted(recipe([{"layer": "muscle", "with": muscle}], sfreq=250, duration=60))
    t7 = x[CH_NAMES.index("T7")]
    inside = np.zeros(len(t7), dtype=bool)
    for burst in truth["muscle_bursts"]:
        first = round(burst["onset"] * 250)
        inside[first : first + round(burst["duration"] * 250)] = True
        assert burst["site"] == "T7"
    assert truth["n_muscle_bursts"] >= 5
    assert t7[inside].std() > 20 * t7[~inside].std()
    f, p = _spectrum(t7, 250)
    assert p[(f > 20) & (f < 110)].sum() / p.sum() > 0.8


def test_drift_is_gone_after_a_high_pass() -> None:
    drift = {"layer": "drift", "with": {"rms_uv": 100, "corner_hz": 0.05, "spread": 0.4}}
    x, _ = painted(recipe([drift], duration=60))
    high = sosfiltfilt(butter(4, 1, "highpass", fs=128, output="sos"), x)
    assert np.median(x.std(axis=1)) > 30
    assert high.std(axis=1).max() < 2


def test_counts_of_events_are_those_of_the_truth() -> None:
    doc = recipe([TRIALS], duration=92)
    _, truth = painted(doc)
    assert truth["events"] == {"standard": 60, "target": 20, "key": 17}
    assert truth["n_stimulus"] == 80
    assert truth["n_response"] == 17


def test_targets_never_follow_one_another_and_order_depends_on_the_salt() -> None:
    from braino_registry.synthesis.build import paint
    from braino_registry.synthesis.planning import plan

    orders = []
    for salt in (b"a", b"b"):
        planned = plan(recipe([TRIALS], duration=92), salt)
        canvas, _ = paint(planned, planned.recordings[0])
        stimuli = [event for event in canvas.events if event.role == "stimulus"]
        names = [event.trial_type for event in stimuli]
        pairs = pairwise(names)
        assert all(pair != ("target", "target") for pair in pairs)
        gaps = np.diff([event.sample for event in stimuli]) / 128
        assert gaps.min() > 0.88
        assert gaps.max() < 1.32
        shown = {e.sample for e in stimuli if e.trial_type == "target"}
        for key in (event for event in canvas.events if event.role == "response"):
            assert any(0.19 < (key.sample - sample) / 128 < 1.01 for sample in shown)
        orders.append(names)
    assert orders[0] != orders[1]


EVOKED: list[dict[str, Any]] = [
    TRIALS,
    {
        "layer": "evoked",
        "with": {
            "name": "P3",
            "amplitude_uv": {"target": 12, "standard": 1},
            "latency": 0.42,
            "latency_sd": 0.04,
            "width": 0.08,
            "amplitude_sd": 0.3,
            "sites": ["Pz"],
            "width_deg": 52,
        },
    },
]
MEASURE = {
    "layer": "evoked_truth",
    "with": {
        "name": "p3",
        "event": "target",
        "channel": "Pz",
        "baseline": [-0.2, 0],
        "window": [0.3, 0.6],
    },
}


def test_measured_component_is_what_mne_measures_without_noise() -> None:
    from braino_registry.synthesis.build import paint
    from braino_registry.synthesis.planning import plan

    doc = recipe([*EVOKED, MEASURE], sfreq=250, duration=92)
    x, truth = painted(doc)
    planned = plan(doc)
    canvas, _ = paint(planned, planned.recordings[0])
    events = np.array([[e.sample, 0, e.value] for e in canvas.events if e.trial_type == "target"])
    raw = mne.io.RawArray(x * 1e-6, mne.create_info(CH_NAMES, 250, "eeg"), verbose="error")
    epochs = mne.Epochs(
        raw, events, {"t": 2}, -0.2, 0.8, baseline=(-0.2, 0), preload=True, verbose="error"
    )
    pz = epochs.average(picks=["Pz"]).crop(0.3, 0.6)
    measured = truth["measured"]["p3"]
    assert measured["n_trials"] == len(epochs) == 20
    assert measured["peak_amplitude_uv"] == pytest.approx(pz.data.max() * 1e6, abs=0.03)
    assert measured["mean_amplitude_uv"] == pytest.approx(pz.data.mean() * 1e6, abs=0.03)
    _, latency = pz.get_peak(mode="pos")
    assert measured["peak_latency_s"] == pytest.approx(latency, abs=0.009)


def test_measure_is_free_of_noise() -> None:
    _, quiet = painted(recipe([*EVOKED, MEASURE], sfreq=250, duration=92))
    _, noisy = painted(recipe([*NOISE, *EVOKED, MEASURE], sfreq=250, duration=92))
    assert quiet["measured"] == noisy["measured"]


def test_a_changed_layer_leaves_the_others_as_they_were() -> None:
    plain, _ = painted(recipe(NOISE))
    rhythm = {
        "name": "alpha",
        "frequency_hz": 10,
        "bandwidth_hz": 1,
        "amplitude_uv": 0,
        "sites": ["Oz"],
        "width_deg": 40,
    }
    more, _ = painted(recipe([{"layer": "rhythm", "with": rhythm}, *NOISE]))
    np.testing.assert_array_equal(plain, more)


def test_a_new_layer_is_one_function_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "extra_layer.py").write_text(
        "from braino_registry.synthesis.component import POSITIVE, layer, record\n"
        "@layer('step', parameters=record({'size_uv': POSITIVE}), empty={'steps': 0})\n"
        "def step(canvas, params, stream):\n"
        "    '''Add a step.'''\n"
        "    canvas.signal_uv[:, canvas.n_times // 2 :] += params['size_uv']\n"
        "    return {'steps': 1}\n",
        encoding="utf-8",
    )
    info = tmp_path / "extra-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[braino.layers]\nextra = extra_layer\n")
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(tmp_path)!r}]\n"
        "from tests.synthesis.small import painted, recipe\n"
        "x, truth = painted(recipe([{'layer': 'step', 'with': {'size_uv': 40}}]))\n"
        "assert abs(x[:, -1] - 40).max() < 0.06 and abs(x[:, 0]).max() == 0\n"
        "assert truth['steps'] == 1\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
