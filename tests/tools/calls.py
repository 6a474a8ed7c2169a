"""One good call of every tool, on the recording of :mod:`tests.tools.body`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from braino_registry.numbers import Ledger
from braino_registry.tools.catalog import catalog
from braino_registry.tools.state import ToolState
from tests.tools import body

ID = body.ID
WINDOW = {"tmin": 0.1037, "tmax": 0.5137}
CH = {"channel": "Pz"}
# view-1 is filtered, view-2 and view-3 its epochs; result-1 and result-2 averages, result-3 an ica;
# result-4 holds the alpha of channels, view-4 shows eight seconds of view-1
EPOCHS, ERP = {"view": "view-2"}, {"erp": "result-1"}
AGES = [31.0, 42.0, 55.0]
AB: dict[str, Any] = {"a": [31.0, 42.0, 55.0], "b": [31.0, 42.0, 55.0]}
GOOD: dict[str, dict[str, Any]] = {
    "calc": {"expression": "x + sum(y)", "values": {"x": 31, "y": [42.0, 55.0]}},
    "channels.inspect": {"view": ID},
    "complexity.features": {"view": "view-4", "measure": "sample_entropy", "channels": ["Pz"],
                            "m": 2, "r_percent": 20.0},
    "compute_asymmetry": {"record_id": ID, "feature": "amplitude", "tmin": 1.0, "tmax": 21.0},
    "compute_band_power": {"record_id": ID, "channels": ["Pz"], "tmin": 1.0, "tmax": 21.0},
    "compute_channel_correlation": {"record_id": ID, "channels": ["Pz", "Fz"], "tmin": 1.0,
                                    "tmax": 21.0, "max_pairs": 40},
    "compute_noise_metrics": {"record_id": ID, "channels": ["Pz"], "line_freq": 50.0},
    "compute_psd": {"record_id": ID, "channels": ["Pz"], "tmin": 1.0, "tmax": 21.0,
                    "method": "welch", "fmin": 0.5, "fmax": 45.0},
    "compute_temporal_features": {"record_id": ID, "channels": ["Pz"], "tmin": 1.0, "tmax": 21.0},
    "compute_windowed_features": {"record_id": ID, "channels": ["Pz"], "features": ["rms_uv"],
                                  "window_sec": 5.5, "step_sec": 2.5, "tmin": 1.0, "tmax": 21.0},
    "connectivity.measure": {"view": ID, "method": "plv", "channels": ["Pz", "Fz", "Cz"],
                             "fmin": 8.0, "fmax": 13.0, "trim_s": 1.0},
    "dataset.audit": {"recordings": [ID]},
    "dataset.inspect": {},
    "dataset.participants": {"columns": ["age"]},
    "dataset.query": {
        "bids_subject": "01", "bids_session": None, "bids_task": "look", "bids_run": None,
        "bids_acquisition": None, "datatype": "eeg", "suffix": "eeg", "extension": ".vhdr",
    },
    "detect_transients": {"record_id": ID, "channels": ["Pz"], "tmin": 1.0, "tmax": 21.0,
                          "min_amplitude_uv": 25.0, "max_candidates_per_channel": 33},
    "epochs.drop": {**EPOCHS, "epochs": [1]},
    "epochs.make": {"view": "view-1", "event": ["face", "press"], "delay": 0.02, "tmin": -0.2,
                    "tmax": 0.8, "baseline": [-0.2, 0.0], "reject_uv": 5000.0},
    "epochs.reject": {**EPOCHS, "peak_to_peak_uv": 300.0, "flat_uv": 0.5, "channels": ["Pz"]},
    "erp.average": EPOCHS,
    "erp.by_recording": {"views": ["view-1"], "events": [["face", "press"]], **CH, **WINDOW,
                         "kind": "peak", "delay": 0.02, "polarity": "positive",
                         "epoch": [-0.2, 0.8], "baseline": [-0.2, 0.0], "reject_uv": 5000.0},
    "erp.difference": {"minuend": "result-1", "subtrahend": "result-2"},
    "erp.latency": {**ERP, **CH, **WINDOW, "kind": "fractional_area", "percent": 50,
                    "polarity": "positive"},
    "erp.measure": {**ERP, **CH, **WINDOW, "kind": "peak", "polarity": "positive"},
    "erp.precision": {**EPOCHS, **CH, **WINDOW, "kind": "mean", "polarity": "positive"},
    "events.audit": {"view": ID, "event": "face", "paired_with": "press", "max_latency_s": 2,
                     "late_ms": 20.0, "paired_channel": None},
    "events.list": {"view": ID, "event": "face"},
    "export.data": {"file": "out.edf", "format": "edf", "view": ID, "channels": ["Pz", "Fz"]},
    "export.figure": {"kind": "psd", "file": "out.png", "view": ID, "channels": ["Pz", "Fz"],
                      "fmin": 1.0, "fmax": 40.0, "segment_seconds": 4.0},
    "features.rank": {"result": "result-4", "path": "values", "order": "descending",
                      "absolute": False, "keep": ["Pz", "Fz", "Cz", "O1"], "without": ["O1"],
                      "groups": {"front": ["Fz"], "back": ["Pz"]}},
    "get_channel_list": {"record_id": ID},
    "get_recording_info": {"record_id": ID},
    "ica.apply": {"view": "view-1", "ica": "result-3", "exclude": [0]},
    "ica.fit": {"view": ID, "n_components": 4},
    "ica.scores": {"ica": "result-3"},
    "physio.blink_rate": {"view": ID, "channel": "VEOG", "threshold_uv": 100.0},
    "physio.heart_rate": {"view": ID, "channel": "ECG"},
    "preprocess.crop": {"view": ID, "tmin": 3.0, "tmax": 20.0},
    "preprocess.filter": {"view": ID, "l_freq": 1.0, "h_freq": 30.0},
    "preprocess.notch": {"view": ID, "freq": 50.0, "harmonics": True},
    "preprocess.pick": {"view": ID, "channels": ["Pz"]},
    "preprocess.reference": {"view": ID, "reference": ["Pz", "Fz"]},
    "preprocess.resample": {"view": ID, "sfreq": 100.0},
    "quality.assess": {"view": ID, "channels": ["Pz", "Fz"], "amplitude_uv": 150.0,
                       "drift_limit_uv": 20.0},
    "quality.bad_channels": {"view": "view-1", "z_threshold": 5.0, "flat_uv": 0.5,
                             "drift_uv": 20.0, "min_correlation": 0.4},
    "quality.bridging": {"view": ID, "limit_uv2": 3.0},
    "quality.clipping": {"view": ID},
    "quality.neighbours": {"view": ID},
    "quality.segments": {"view": ID, "window_s": 5},
    "recording.info": {"view": ID},
    "recording.sidecar": {"view": ID},
    "results.page": {"result": "result-1", "path": "uv.Pz", "offset": 3, "limit": 5},
    "signal.features": {"view": ID, "features": ["variance", "hjorth_mobility"],
                        "channels": ["Pz", "Fz"], "gfp_windows": [[1.0, 21.0]]},
    "spectrum.aperiodic": {"view": ID, "channels": ["Pz"], "fmin": 2.0, "fmax": 40.0,
                           "exclude": [[7.0, 14.0]]},
    "spectrum.band_power": {"view": ID, "channels": ["Pz"], "fmin": 8.0, "fmax": 13.0,
                            "relative_to": [1.0, 40.0], "segment_seconds": 4.0},
    "spectrum.by_recording": {"views": [ID], "measure": "relative_power", "fmin": 8.0,
                              "fmax": 13.0, "channels": ["Pz"], "relative_to": [1.0, 40.0]},
    "spectrum.coherence": {"view": ID, "channel_a": "O1", "channel_b": "O2", "fmin": 8.0,
                           "fmax": 13.0},
    "spectrum.features": {"view": ID, "measure": "relative_power", "channels": ["Pz", "Fz"],
                          "fmin": 8.0, "fmax": 13.0, "relative_to": [0.5, 40.0],
                          "denominator": [13.0, 30.0], "bands": {"a": [1.0, 4.0], "b": [4.0, 8.0]},
                          "percent": 95, "segment_seconds": 4.0, "window": "hann"},
    "spectrum.hum_by_channel": {"view": ID, "channels": ["Pz", "Fz", "Cz", "O1"]},
    "spectrum.line_noise": {"view": ID, "channels": ["Pz"], "threshold": 3.0},
    "spectrum.notch_attenuation": {"view": ID, "notch_hz": 50.0, "line_hz": 50.0, "quality": 30.0,
                                   "channels": ["Pz"], "segment_seconds": 4.0, "window": "hann"},
    "spectrum.peak": {"view": ID, "fmin": 8.0, "fmax": 13.0, "channels": ["Pz"],
                      "segment_seconds": 4.0},
    "stats.ancova": {**AB, "covariate_a": [40.0, 41.0, 43.0], "covariate_b": [40.0, 43.0, 41.0]},
    "stats.anova": {"groups": AB},
    "stats.cluster_permutation": {"a": ["view-2"], "b": ["view-3"], **CH, "tmin": 0.0,
                                  "tmax": 0.2, "paired": False, "n_permutations": 1000},
    "stats.correct": {"p_values": [0.0312, 0.0413], "method": "holm", "alpha": 0.05},
    "stats.correlation": {"x": [*AGES, 44.0], "y": [40.0, 43.0, 41.0, 47.0], "method": "pearson"},
    "stats.effect_size": {**AB, "paired": False},
    "stats.partial_correlation": {"x": [*AGES, 44.0, 46.0], "y": [40.0, 43.0, 41.0, 47.0, 48.0],
                                  "covariate": [51.0, 50.0, 57.0, 53.0, 52.0]},
    "stats.power": {"cohen_d": 0.0312, "n_a": 31, "n_b": 42, "paired": False, "alpha_percent": 5},
    "stats.ttest": {**AB, "paired": False, "equal_variances": True},
    "tfr.power": {"view": "view-3", "fmin": 8.0, "fmax": 12.0, "tmin": 0.2, "tmax": 0.4,
                  "baseline": [-0.4, 0.0], "channels": ["Pz"], "cycles": 3},
    "view.build": {"view": ID, "channels": ["Pz", "Fz"], "notch": [50.0], "l_freq": 1.0,
                   "h_freq": 30.0, "reference": "average", "sfreq": 125.0, "tmin": 3.0,
                   "tmax": 23.0, "event": "face", "epoch": [-0.2, 0.8], "baseline": [-0.2, 0.0]},
}  # fmt: skip


def run(state: ToolState, name: str, args: dict[str, Any]) -> dict[str, Any]:
    return catalog().get(name).run(args, state)


def prepare(inputs: Path, workspace: Path) -> ToolState:
    """Return a session with the views, averages and components that the calls refer to.

    Its ledger knows the numbers that they hand over.
    """
    state = ToolState.open(inputs, workspace, Ledger())
    run(state, "preprocess.filter", {"view": ID, "l_freq": 1.0, "h_freq": 30.0})
    whole = {"view": "view-1", "tmin": -0.8, "tmax": 0.9, "baseline": None}
    run(state, "epochs.make", {**whole, "event": "press"})
    run(state, "epochs.make", {**whole, "event": "face"})
    for view in ("view-2", "view-3"):
        run(state, "erp.average", {"view": view})
    run(state, "ica.fit", {"view": ID, "n_components": 4})
    run(state, "spectrum.features", {"view": ID, "measure": "relative_power", "band": "alpha"})
    run(state, "preprocess.crop", {"view": "view-1", "tmin": 5.0, "tmax": 13.0})
    for number in (*AGES, 40, 41, 43, 44, 46, 47, 48, 51, 50, 57, 53, 52, 1e300, 0.0312, 0.0413):
        for _ in range(4):
            state.ledger.add_value(float(number), None, "a tool")  # type: ignore[attr-defined]
    return state
