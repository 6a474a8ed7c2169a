"""The operations of ``tool_golden.json`` by id; they call the product and no more."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from braino_registry.analysis import (
    bands,
    bodily,
    complexity,
    connectivity,
    erp,
    filters,
    hrv,
    hypnogram,
    lagging,
    nirs,
    oximetry,
    physio,
    relating,
    selectors,
    sleep_events,
    spectra,
    stats,
    thresholds,
    timedomain,
    windows,
)
from braino_registry.scoring import corpus
from tests.analysis import golden_signals as signals

CH, SFREQ = signals.CH_NAMES, signals.SFREQ
V = 1e-6
DELTA_TO_BETA = {"delta": (0.5, 4), "theta": (4, 8), "alpha": (8, 13), "beta": (13, 30)}
LEFT = [name for name in CH if name[-1] in "1357"]
P = [0.01, 0.04, 0.03, 0.005, 0.5]
WELCH: dict[str, Any] = {"window": "hamming"}


@cache
def _raw() -> np.ndarray:
    return signals.eeg() * V


@cache
def _band(l_freq: float, h_freq: float) -> np.ndarray:
    return filters.band_pass(_raw(), SFREQ, l_freq, h_freq)


def _whole(*names: str) -> np.ndarray:
    """Return the filtered recording, of some channels."""
    return _band(0.5, 40.0)[[CH.index(name) for name in names]]


def _short() -> np.ndarray:
    """Return ten seconds of the filtered O2."""
    return _whole("O2")[:, 2500:5000]


def _per_channel(found: dict[str, Any], key: str) -> float:
    return float(found[key]["O2"])


def _moment(key: str) -> Callable[[], float]:
    return lambda: _per_channel(timedomain.moments(_short(), ["O2"]), key)


def _hjorth(key: str) -> Callable[[], float]:
    return lambda: _per_channel(timedomain.hjorth(_short(), ["O2"]), key)


def _complexity(measure: Callable[..., dict[str, Any]]) -> Callable[[], float]:
    return lambda: _per_channel(measure(_short(), ["O2"]), "values")


def _o2(measure: Callable[..., dict[str, Any]], **given: Any) -> dict[str, Any]:
    return measure(_whole("O2"), SFREQ, ["O2"], **given, **WELCH)


def _ratio(names: list[str], above: tuple[float, float], below: tuple[float, float]) -> float:
    found = bands.ratio(
        _whole(*names), SFREQ, names, numerator=above, denominator=below, **WELCH
    )  # fmt: skip
    return float(found["mean"])


def _asymmetry() -> float:
    """Return the natural log of alpha at F4 minus that at F3."""
    freqs, psd = spectra.welch_psd(_whole("F3", "F4"), SFREQ, **WELCH)
    left, right = np.log(spectra.band_power(freqs, psd, 8, 13))
    return float(right - left)


def _pearson() -> dict[str, Any]:
    return connectivity.connectivity(_band(0.5, 40.0), SFREQ, CH, method="pearson")


def _plv() -> dict[str, Any]:
    return connectivity.connectivity(_band(8.0, 13.0), SFREQ, CH, method="plv")


def _wpli() -> float:
    data = _band(8.0, 13.0)[[CH.index(name) for name in LEFT]]
    return float(connectivity.connectivity(data, SFREQ, LEFT, method="wpli")["mean"])


def _coherence() -> float:
    pair = _raw()[[CH.index("F3"), CH.index("F4")]]
    found = connectivity.connectivity(pair, SFREQ, ["F3", "F4"], method="coherence", fmin=4, fmax=8)
    return float(found["mean"])


def _field_peaks() -> list[list[float]]:
    data = _band(0.5, 40.0)
    times = np.arange(data.shape[1]) / SFREQ
    found = timedomain.gfp_peaks(data, SFREQ, times, windows=[(0, 20), (20, 40), (40, 60)])
    return [[peak["time"], peak["gfp_uv"]] for peak in found["peaks"]]


@cache
def _stages() -> tuple[str | None, ...]:
    return tuple(hypnogram.stage_of(label) for label in signals.hypnogram())


def _slept(key: str) -> Callable[[], Any]:
    return lambda: hypnogram.architecture(_stages())[key]


def _held(key: str) -> Callable[[], Any]:
    return lambda: hypnogram.continuity(_stages())[key]


def _halves() -> list[float]:
    found = hypnogram.architecture(_stages())
    return [found["n3_first_half_percent"], found["rem_second_half_percent"]]


def _longest_wake() -> list[float]:
    found = hypnogram.continuity(_stages())
    return [found["longest_wake_min"], found["longest_wake_onset_min"]]


def _bouts() -> list[float]:
    found = hypnogram.continuity(_stages())["bouts"]["N3"]
    return [found["n"], found["mean_min"]]


def _detected(detect: Callable[..., Any], onsets: tuple[float, ...], length: float) -> list[int]:
    """Return how many were detected, and how many of the injected ones are among them."""
    found = detect(signals.sleep_eeg() * V, 100.0)
    hits = sum(
        any(e["onset"] < onset + length and e["onset"] + e["duration"] > onset for e in found)
        for onset in onsets
    )
    return [len(found), hits]


def _saturation() -> list[float]:
    found = oximetry.levels(signals.spo2(), 1.0)
    return [found["mean_percent"], found["min_percent"]]


def _below(level: str) -> Callable[[], float]:
    return lambda: oximetry.levels(signals.spo2(), 1.0)["minutes_below"][level]


def _desaturations(drop: float) -> Callable[[], float]:
    return lambda: oximetry.desaturations(signals.spo2(), 1.0, baseline=96.0, drop=drop)["per_hour"]


def _heart(*keys: str) -> Callable[[], Any]:
    def value() -> Any:
        found = hrv.variability(signals.r_times())
        return found[keys[0]] if len(keys) == 1 else [found[key] for key in keys]

    return value


def _heart_spectrum() -> list[float]:
    found = hrv.spectrum(signals.r_times())
    return [found["lf_ms2"], found["hf_ms2"], found["lf_hf_ratio"]]


def _skin(key: str) -> Callable[[], Any]:
    return lambda: bodily.skin_responses(signals.eda()[None], 100.0)[key]


def _breath(key: str) -> Callable[[], Any]:
    return lambda: bodily.breathing(signals.respiration()[None], 50.0)[key]


def _blinks(key: str) -> Callable[[], Any]:
    return lambda: bodily.blinks(signals.eog()[None] * V, SFREQ)[key]


def _haemoglobin() -> list[float]:
    found = nirs.haemoglobin_change(
        signals.fnirs(), 10.0, wavelengths=[760, 850], baseline=(0, 20), window=(25, 35)
    )
    return [found["hbo_um"], found["hbr_um"]]


def _lag() -> list[float]:
    found = lagging.lagged_correlation(*signals.lagged())
    return [found["lag_samples"], found["r"]]


def _line() -> list[float]:
    found = lagging.regression(*signals.lagged())
    return [found["intercept"], found["slope"], found["r_squared"]]


def _both_correlations() -> list[float]:
    return [
        relating.correlation(*signals.lagged(), method=method)["r"]
        for method in ("pearson", "spearman")
    ]


def _student() -> list[float]:
    found = stats.ttest(*signals.groups())
    return [found["t"], found["p_value"]]


def _staging() -> list[float]:
    found = corpus.score_staging(
        ["W"] * 4 + ["N2"] * 7 + ["N3"] * 3,
        {"hypnogram_rle": [
            {"start_epoch": 0, "end_epoch": 4, "stage": "W"},
            {"start_epoch": 5, "end_epoch": 10, "stage": "N2"},
            {"start_epoch": 11, "end_epoch": 13, "stage": "REM"},
        ]},
    )  # fmt: skip
    return [found.macro_f1, found.kappa]


def _p300() -> list[float]:
    trials, times = signals.p300_trials()
    data = trials[:, None] * V
    baseline = data[..., times < -1e-9].mean(axis=-1, keepdims=True)
    found = erp.peak(
        data - baseline, times, ["Pz"], channel="Pz", tmin=0.25, tmax=0.5, polarity="positive"
    )
    return [found["amplitude_uv"], found["latency"]]


def _outliers() -> list[str]:
    data = signals.eeg()
    data[CH.index("F3")] *= 12
    data[CH.index("T7")] = 0
    variances = {name: float(row.var()) for name, row in zip(CH, data, strict=True)}
    return list(thresholds.iqr_outliers(variances)["outliers"])


def _drift() -> float:
    row = _raw()[[CH.index("T7")]]
    return float(timedomain.drift(row, SFREQ, ["T7"])["slope_uv_per_s"]["T7"])


def _delta_ranking() -> list[str]:
    data = filters.resample(_band(0.5, 4.0), SFREQ, 100.0)
    variances = timedomain.moments(data, CH)["variance_uv2"]
    return list(selectors.top(variances, n=3)["names"])


GOLDEN: dict[str, Callable[[], Any]] = {
    "alpha_relative_power_FA01": lambda: 100 * bands.relative(
        _band(0.5, 40.0), SFREQ, CH, fmin=8, fmax=13, **WELCH)["mean"],
    "alpha_absolute_power_O2": lambda: bands.powers(
        _raw()[[CH.index("O2")]], SFREQ, ["O2"], bands={"alpha": (8, 13)}, **WELCH
    )["absolute_uv2"]["alpha"]["O2"],
    "theta_beta_ratio_frontal": lambda: _ratio(["Fp1", "Fp2", "F3", "F4", "Fz"], (4, 8), (13, 30)),
    "alpha_beta_ratio_prefrontal": lambda: _ratio(["Fp1", "Fp2"], (8, 13), (13, 30)),
    "dominant_bands_Fz": lambda: bands.dominant(
        _whole("Fz"), SFREQ, bands=DELTA_TO_BETA, **WELCH)["names"],
    "SEF95_O2": lambda: _o2(bands.edge)["values"]["O2"],
    "peak_alpha_frequency_O2": lambda: spectra.spectral_peak(
        _whole("O2"), SFREQ, fmin=8, fmax=13, rule="grid", **WELCH)["frequency_hz"],
    "personal_alpha_relative_power_O2": lambda: 100 * _o2(bands.personal_band)["mean"],
    "frontal_alpha_asymmetry": _asymmetry,
    "notch_attenuation_50Hz_O2": lambda: bands.notch_attenuation(
        _raw()[[CH.index("O2")]], SFREQ, ["O2"], notch_hz=50, **WELCH)["mean_db"],
    "spectral_entropy_O2": lambda: spectra.spectral_entropy(
        spectra.welch_psd(_whole("O2"), SFREQ)[1][0]),
    "variance_O2": _moment("variance_uv2"),
    "rms_O2": _moment("rms_uv"),
    "skewness_O2": _moment("skewness"),
    "kurtosis_O2": _moment("kurtosis"),
    "line_length_O2": _moment("line_length_uv"),
    "zero_crossings_O2": lambda: int(_moment("zero_crossings")()),
    "hjorth_activity_O2": _hjorth("activity_uv2"),
    "hjorth_mobility_O2": _hjorth("mobility"),
    "hjorth_complexity_O2": _hjorth("complexity"),
    "gfp_peaks": _field_peaks,
    "sample_entropy_O2": _complexity(complexity.sample_entropy),
    "approximate_entropy_O2": _complexity(complexity.approximate_entropy),
    "permutation_entropy_O2": _complexity(complexity.permutation_entropy),
    "higuchi_fd_O2": _complexity(complexity.higuchi),
    "petrosian_fd_O2": _complexity(complexity.petrosian),
    "lziv_complexity_O2": _complexity(complexity.lempel_ziv),
    "dfa_O2": _complexity(complexity.fluctuation),
    "pearson_top3_pairs": lambda: selectors.top(_pearson()["pairs"], n=3)["names"],
    "plv_alpha_global_mean": lambda: _plv()["mean"],
    "plv_alpha_top_pair": lambda: selectors.argmax(_plv()["pairs"])["name"],
    "wpli_alpha_left_mean": _wpli,
    "coherence_theta_F3F4": _coherence,
    "plv_weighted_degree_top3": lambda: selectors.top(_plv()["degree"], n=3)["names"],
    "sleep_TIB": _slept("tib_min"),
    "sleep_TST": _slept("tst_min"),
    "sleep_efficiency": _slept("efficiency_percent"),
    "sleep_onset_latency": _slept("onset_latency_min"),
    "sleep_WASO": _slept("waso_min"),
    "sleep_REM_latency": _slept("rem_latency_min"),
    "sleep_stage_percent_TST": lambda: list(
        hypnogram.architecture(_stages())["percent_of_tst"].values()),
    "sleep_NREM_minutes": _slept("nrem_min"),
    "sleep_transitions": _held("n_transitions"),
    "sleep_N3_to_W": lambda: hypnogram.continuity(_stages())["transitions"].get("N3-W", 0),
    "sleep_awakenings": _held("n_awakenings"),
    "sleep_longest_wake": _longest_wake,
    "sleep_N3_bouts": _bouts,
    "sleep_longest3_episodes": lambda: hypnogram.continuity(_stages())["episodes_min"][:3],
    "sleep_fragmentation_index": _held("fragmentation_per_hour"),
    "sleep_light_deep_ratio": _slept("light_deep_ratio"),
    "sleep_half_concentration": _halves,
    "rk_to_aasm": lambda: [hypnogram.stage_of(label) for label in "012345M?"],
    "spindles": lambda: _detected(sleep_events.spindles, signals.SPINDLES, 1.0),
    "slow_waves": lambda: _detected(sleep_events.slow_waves, signals.SLOW_WAVES, 1.25),
    "spo2_mean_min": _saturation,
    "T90": _below("90"),
    "T80": _below("80"),
    "ODI3": _desaturations(3.0),
    "ODI4": _desaturations(4.0),
    "ecg_beat_count": lambda: int(physio.r_peaks(signals.ecg(), SFREQ).size),
    "hr_mean_min_max": _heart("mean_bpm", "min_bpm", "max_bpm"),
    "hrv_RMSSD": _heart("rmssd_ms"),
    "hrv_SDNN": _heart("sdnn_ms"),
    "hrv_pNN50": _heart("pnn50_percent"),
    "hrv_LF_HF": _heart_spectrum,
    "eda_scr_count": _skin("n_responses"),
    "eda_scl_mean": _skin("tonic_us"),
    "resp_rate": _breath("per_minute"),
    "resp_interval_cv": _breath("interval_cv"),
    "blink_rate": _blinks("per_minute"),
    "blink_mean_duration": _blinks("mean_duration_s"),
    "sem_power": lambda: bodily.slow_power(signals.eog()[None] * V, SFREQ)["power_uv2"],
    "fnirs_od_change": lambda: nirs.density_change(
        signals.fnirs(), 10.0, baseline=(0, 20), window=(25, 35))["changes"],
    "fnirs_mbll": _haemoglobin,
    "lagged_xcorr": _lag,
    "holm": lambda: stats.correct(P, method="holm")["p_adjusted"],
    "fdr_bh": lambda: stats.correct(P, method="fdr_bh")["p_adjusted"],
    "ttest_ind": _student,
    "cohen_d": lambda: stats.cohen_d(*signals.groups()),
    "pearson_spearman": _both_correlations,
    "ols_slope": _line,
    "macro_f1_kappa": _staging,
    "window_to_samples": lambda: [
        list(windows.window_to_samples(12.34, 15.67, rate)) for rate in (256.0, 100.0)],
    "epochs_at_end": lambda: windows.complete_epochs(3050, 100.0, 30.0),
    "p300_peak": _p300,
    "variance_iqr_outliers": _outliers,
    "drift_T7": _drift,
    "resample_filter_variance": _delta_ranking,
    "filter_then_crop_alpha": lambda: 100 * bands.relative(
        _short(), SFREQ, ["O2"], fmin=8, fmax=13, **WELCH)["mean"],
}  # fmt: skip
