"""The ten tools of EEGAgentBench: bounds that help, nothing silent, ids that tell nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from braino_registry.analysis.windowed import FEATURES
from braino_registry.numbers import Ledger
from braino_registry.tools.catalog import Toolset, catalog
from braino_registry.tools.eegagentbench_windows import BUDGET_TOKENS, most_windows
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState
from tests.tools import body

NAMES = (
    "get_recording_info", "get_channel_list", "compute_noise_metrics", "compute_psd",
    "compute_band_power", "detect_transients", "compute_temporal_features", "compute_asymmetry",
    "compute_channel_correlation", "compute_windowed_features",
)  # fmt: skip
SFREQ, SECONDS = 173.61, 23.6


@pytest.fixture(scope="module")
def tools() -> Toolset:
    return Toolset([f"{name}@1.0.0" for name in NAMES])


@pytest.fixture(scope="module")
def many(body_data: tuple[Path, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A recording of 22 channels under an id that tells nothing."""
    records = {"EEG_0A1B2C3D": body.ID}
    return ToolState.open(body_data[0], tmp_path_factory.mktemp("w"), Ledger(), records)


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> ToolState:
    """One intracranial channel, flat for a while."""
    import pybv

    root = tmp_path_factory.mktemp("single") / "bids"
    folder = root / "sub-E" / "ieeg"
    folder.mkdir(parents=True)
    (root / "dataset_description.json").write_text('{"Name": "x", "BIDSVersion": "1.10.0"}')
    n = round(SFREQ * SECONDS)
    data = 40e-6 * np.random.default_rng(2).standard_normal((1, n))
    data[0, : round(6 * SFREQ)] = 0
    stem = "sub-E_task-seizure_run-001"
    pybv.write_brainvision(
        data=data, sfreq=SFREQ, ch_names=["SEEG"], fname_base=f"{stem}_ieeg", folder_out=folder
    )
    (folder / f"{stem}_channels.tsv").write_text("name\ttype\tunits\nSEEG\tSEEG\tµV\n")
    return ToolState.open(root, root.parent, Ledger(), {"EEG_00000001": stem})


def one(state: ToolState) -> str:
    return next(iter(state.records))


def test_the_toolset_is_that_of_the_suite() -> None:
    suite = json.loads(Path("tasks/eegagentbench/suite.json").read_text(encoding="utf-8"))
    assert suite["toolsets"]["eegagentbench"] == [f"{name}@1.0.0" for name in NAMES]
    assert {f"{name}@1.0.0" for name in NAMES} <= set(catalog().names())


@pytest.mark.parametrize("name", NAMES)
def test_results_are_json_without_the_recordings_name(
    name: str, tools: Toolset, many: ToolState, single: ToolState
) -> None:
    for state in (many, single):
        if state is single and name == "compute_channel_correlation":
            continue
        found = tools.run(name, {"record_id": one(state)}, state)
        text = json.dumps(found, allow_nan=False)
        assert not re.search(r"sub-|task-|seizure|SEEG|seeg", text)
        assert found["_meta"]["approx_response_tokens"] < BUDGET_TOKENS
        with pytest.raises(ToolError, match="no record"):
            tools.run(name, {"record_id": state.records[one(state)]}, state)


def test_the_only_channel_is_called_eeg(tools: Toolset, single: ToolState) -> None:
    info = tools.run("get_recording_info", {"record_id": one(single)}, single)
    assert info["channel_names"] == ["EEG"]
    assert info["sampling_rate_hz"] == pytest.approx(SFREQ, rel=1e-5)
    assert info["duration_sec"] == pytest.approx(round(SFREQ * SECONDS) / SFREQ, rel=1e-5)
    (row,) = tools.run("get_channel_list", {"record_id": one(single)}, single)["channels"]
    assert (row["name"], row["type"], row["hemisphere"]) == ("EEG", "eeg", "unknown")


def test_what_is_not_defined_is_null_and_said(tools: Toolset, single: ToolState) -> None:
    found = tools.run(
        "compute_windowed_features",
        {"record_id": one(single), "window_sec": 3, "features": ["kurtosis", "alpha_relative"]},
        single,
    )
    values = found["channels"][0]["values"]
    assert values["kurtosis"][:2] == [None, None]
    assert None not in values["kurtosis"][2:]
    assert found["notes"] == [
        "null in flat windows, or not shown by the rate: alpha_relative, kurtosis"
    ]
    assert found["n_windows"] == 7
    assert found["left_over"].startswith("2.59")
    whole = tools.run("compute_temporal_features", {"record_id": one(single), "tmax": 5}, single)
    assert whole["channels"][0]["kurtosis"] is None
    assert "EEG" in whole["notes"][0]


@pytest.mark.parametrize(
    ("tool", "args", "says"),
    [
        ("compute_psd", {"tmin": -1}, "not within the record"),
        ("compute_psd", {"tmax": 90.5}, r"tmax <= 90 \(its end\)"),
        ("compute_psd", {"tmin": 5, "tmax": 5}, "not within"),
        ("compute_psd", {"tmin": 5, "tmax": 5.1}, "at least 0.5 s"),
        ("compute_psd", {"fmin": 45, "fmax": 4}, "fmin < fmax"),
        ("compute_psd", {"fmin": 10, "fmax": 10.2}, "two bins"),
        ("compute_psd", {"method": "fft"}, "welch"),
        ("compute_band_power", {"channels": []}, "empty"),
        ("compute_band_power", {"channels": ["Cz", "nose"]}, "'nose'"),
        ("compute_band_power", {"channels": ["Cz", "cz"]}, "named twice"),
        ("compute_band_power", {"channel": "Cz"}, "no argument 'channel'"),
        ("compute_noise_metrics", {"line_freq": 1e9}, "line_freq"),
        ("detect_transients", {"min_amplitude_uv": 0}, "min_amplitude_uv"),
        ("detect_transients", {"max_candidates_per_channel": 5, "max_events_per_channel": 5},
         "two names"),
        ("compute_asymmetry", {"feature": "power"}, "feature"),
        ("compute_channel_correlation", {"channels": ["Cz"]}, "two or more"),
        ("compute_windowed_features", {"features": ["rms_uv", "entropy"]}, "entropy"),
        ("compute_windowed_features", {"features": []}, "empty"),
        ("compute_windowed_features", {"window_sec": 1000}, "too short"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_says_what_can(
    tool: str, args: dict[str, Any], says: str, tools: Toolset, many: ToolState
) -> None:
    with pytest.raises(ToolError) as error:
        tools.run(tool, {"record_id": one(many), **args}, many)
    assert re.search(says, f"{error.value.problem} {error.value.instead}"), error.value
    assert error.value.instead


def test_names_count_in_any_case(tools: Toolset, many: ToolState) -> None:
    args = {"record_id": one(many), "channels": ["CZ", "fp1"]}
    found = tools.run("compute_band_power", args, many)
    assert [row["channel"] for row in found["channels"]] == ["Cz", "Fp1"]
    listed = tools.run("compute_asymmetry", {"record_id": one(many)}, many)["pairs"]
    assert {row["pair"] for row in listed} >= {"T7-T8", "P7-P8", "Fp1-Fp2"}


def test_only_eeg_channels_by_default(tools: Toolset, many: ToolState) -> None:
    found = tools.run("compute_band_power", {"record_id": one(many)}, many)
    assert [row["channel"] for row in found["channels"]] == list(body.NAMES)
    assert tools.run("compute_band_power", {"record_id": one(many), "channels": ["ECG"]}, many)


@pytest.mark.parametrize("window", [0.5, 0.7, 1.3])
@pytest.mark.parametrize("features", [1, 7, 21])
def test_the_window_that_a_refusal_names_is_accepted(
    window: float, features: int, tools: Toolset, many: ToolState
) -> None:
    args: dict[str, Any] = {
        "record_id": one(many), "window_sec": window, "features": list(FEATURES[:features]),
        "step_sec": 0.05 if features == 1 else 0.1,
    }  # fmt: skip
    with pytest.raises(ToolError, match="would take about") as error:
        tools.run("compute_windowed_features", args, many)
    named = re.search(r"tmin (\S+) and tmax (\S+) \((\d+) windows\), and go on from (\S+);",
                      error.value.instead)  # fmt: skip
    assert named is not None
    args |= {"tmin": float(named[1]), "tmax": float(named[2])}
    found = tools.run("compute_windowed_features", args, many)
    assert found["n_windows"] == int(named[3]) == most_windows(len(body.NAMES), features)
    assert found["_meta"]["approx_response_tokens"] <= BUDGET_TOKENS


def test_welch_and_multitaper_agree_on_power(tools: Toolset, many: ToolState) -> None:
    rows = [
        tools.run("compute_psd", {"record_id": one(many), "method": method, "fmin": 8}, many)
        for method in ("welch", "multitaper")
    ]
    for a, b in zip(rows[0]["channels"], rows[1]["channels"], strict=True):
        assert a["total_power_uv2"] == pytest.approx(b["total_power_uv2"], rel=0.15)
