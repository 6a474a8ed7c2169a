"""Agents that guess, and the one that applies rules: what they answer, and on what it rests."""

from __future__ import annotations

from typing import Any

import pytest

from braino.agent import AgentAnswer, ToolOutcome, ToolSpec
from braino_registry import agents
from braino_registry.agents.baselines import as_runs, record_of
from braino_registry.agents.baselines.classical import Classical
from braino_registry.agents.baselines.guessing import Guess, usual_night
from braino_registry.agents.baselines.measuring import Bench, quantile, smooth
from braino_registry.agents.baselines.seizures import stretches
from braino_registry.agents.phrases import make_constant
from braino_registry.scoring.corpus import STAGES, expand

LABELS = {"classification": {"type": "label", "labels": ["clean", "ocular_contaminated",
                                                         "muscle_contaminated"]}}  # fmt: skip
EVENTS = {"seizure_events": {"type": "events"}}
NIGHT = {"hypnogram_rle": {"type": "hypnogram"}}
REQUEST = "Record EEG_00C0FFEE is an epoch. Record nothing else."
INFO = {"duration_sec": 3601.5, "n_epochs_30s": 120, "channel_names": ["EEG Fpz-Cz"]}


class Scene:
    """A session whose tools say what they are told to say."""

    inputs = workspace = paradigm = limits = None

    def __init__(self, fields: Any, results: dict[str, Any], seed: int = 1) -> None:
        self.fields, self.results, self.seed = fields, results, seed
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def tools(self) -> list[ToolSpec]:
        return [ToolSpec(name, "1.0.0", "", {}, {}) for name in (*self.results, "compute_psd")]

    def call(self, tool: str, args: dict[str, Any]) -> ToolOutcome:
        self.calls.append((tool, args))
        found = self.results[tool]
        return ToolOutcome(True, found(args) if callable(found) else found)


def solved(agent: Any, fields: Any, results: dict[str, Any] | None = None, seed: int = 1) -> Any:
    scene = Scene(fields, {"get_recording_info": INFO, **(results or {})}, seed)
    answer = agent.solve(REQUEST, scene)
    assert isinstance(answer, AgentAnswer)
    assert all(args["record_id"] == "EEG_00C0FFEE" for _, args in scene.calls)
    return answer.data


def test_they_are_baselines() -> None:
    table = {each.name_hint: each for each in agents.builtin()}
    assert all(table[name].baseline for name in ("random", "prior", "classical"))
    assert not table["constant"].baseline


def test_random_draws_evenly_and_again_alike() -> None:
    drawn = [solved(Guess("random"), LABELS, seed=s)["classification"] for s in range(300)]
    assert drawn == [solved(Guess("random"), LABELS, seed=s)["classification"] for s in range(300)]
    assert all(70 < drawn.count(label) < 130 for label in LABELS["classification"]["labels"])
    night = expand(solved(Guess("random"), NIGHT)["hypnogram_rle"], 120)
    assert night.covered == 120
    assert set(night.stages) == set(STAGES)
    for seed in range(20):
        for event in solved(Guess("random"), EVENTS, seed=seed)["seizure_events"]:
            assert 0 <= event["onset_sec"] < event["offset_sec"] <= 3601.5


@pytest.mark.parametrize("agent", [Guess("constant"), make_constant()])
def test_constant_says_always_the_same(agent: Any) -> None:
    assert solved(agent, LABELS) == {"classification": "clean"}
    assert solved(agent, EVENTS) == {"seizure_events": [{"onset_sec": 0.0, "offset_sec": 3601.5}]}
    assert solved(agent, NIGHT) == {
        "hypnogram_rle": [{"start_epoch": 0, "end_epoch": 119, "stage": "W"}]
    }


def test_prior_says_what_is_usual() -> None:
    assert solved(Guess("prior"), EVENTS) == {"seizure_events": []}
    night = usual_night(960)
    assert set(night) == set(STAGES)
    assert night.index("N3") < night.index("REM")
    half = len(night) // 2
    assert night[:half].count("N3") > night[half:].count("N3")
    assert night[:half].count("REM") < night[half:].count("REM")
    assert len(usual_night(7)) == 7


@pytest.mark.parametrize(
    ("high", "low", "label"),
    [(0.6, 0.2, "muscle_contaminated"), (0.02, 0.9, "ocular_contaminated"), (0.2, 0.4, "clean")],
)
def test_the_rule_for_artefacts(high: float, low: float, label: str) -> None:
    results = {
        "compute_noise_metrics": {"channels": [{"hf_noise_ratio": high}]},
        "compute_band_power": {"channels": [{"relative_power": {"delta": low}}]},
    }
    assert solved(Classical(), LABELS, results) == {"classification": label}


@pytest.mark.parametrize(
    ("size", "theta", "alpha", "label"),
    [
        (300.0, 0.1, 0.4, "epileptic"),
        (90.0, 0.4, 0.1, "epileptic"),
        (90.0, 0.1, 0.4, "normal"),
        (40.0, 0.4, 0.1, "normal"),
        (None, None, None, "normal"),
    ],
)
def test_the_rule_for_segments(
    size: float | None, theta: float | None, alpha: float | None, label: str
) -> None:
    results = {
        "compute_temporal_features": {"channels": [{"std_uv": size}]},
        "compute_band_power": {"channels": [{"relative_power": {"theta": theta, "alpha": alpha}}]},
    }
    fields = {"classification": {"type": "label", "labels": ["normal", "epileptic"]}}
    assert solved(Classical(), fields, results) == {"classification": label}


def test_a_rule_survives_what_is_null() -> None:
    results = {
        "compute_noise_metrics": {"channels": [{"hf_noise_ratio": None}]},
        "compute_band_power": {"channels": [{"relative_power": {"delta": None}}]},
    }
    assert solved(Classical(), LABELS, results) == {"classification": "clean"}


def test_classical_guesses_where_there_is_no_rule() -> None:
    fields = {"answer": {"type": "label", "labels": ["A", "B", "C", "D"]}}
    assert solved(Classical(), fields)["answer"] in "ABCD"


def test_long_records_are_measured_in_parts() -> None:
    def windows(args: dict[str, Any]) -> dict[str, Any]:
        first, last = (round(args[name] / 10) for name in ("tmin", "tmax"))
        values = [None if i == 5 else float(i) for i in range(first, last)]
        return {
            "channels": [{"channel": c, "values": {"rms_uv": values}} for c in args["channels"]]
        }

    scene = Scene({}, {"compute_windowed_features": windows})
    names = [f"c{i}" for i in range(23)]
    found = Bench(scene, "r").windows(names, ["rms_uv"], 10.0, 400)
    assert len(scene.calls) > 1
    assert found["c7"]["rms_uv"] == [0.0 if i == 5 else float(i) for i in range(400)]


def test_small_helpers() -> None:
    assert as_runs(["W", "W", "N1"]) == [
        {"start_epoch": 0, "end_epoch": 1, "stage": "W"},
        {"start_epoch": 2, "end_epoch": 2, "stage": "N1"},
    ]
    assert smooth([0, 0, 9, 0, 0], 1) == [0, 0, 0, 0, 0]
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([], 0.5) == 0.0
    assert stretches([False, True, True, False, True, False, False, False, True]) == [(1, 5)]
    assert record_of("Nothing here.") == ""
    assert record_of("The record EEG_DBEDCFCB is short.") == "EEG_DBEDCFCB"
    assert record_of("A recording holds record 17-b.") == "17-b"
