from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.errors import EntryError
from braino_registry.registry import schemas
from braino_registry.synthesis import build, plan
from braino_registry.synthesis.component import LAYERS
from tests.synthesis.small import ALL, HED, NOISE, recipe, shipped

STIMULUS = {"count": 8, "duration": 0.1, "code": 1, "description": "A letter.", "hed": HED}


def _trials(**more: Any) -> dict[str, Any]:
    shown = {"start": 1, "interval": 1.5, "tail": 2, "stimuli": {"letter": dict(STIMULUS)}}
    return {"layer": "trials", "with": {**shown, **more}}


def _evoked(**more: Any) -> dict[str, Any]:
    wave = {"name": "P3", "latency": 0.4, "width": 0.08, "sites": ["Pz"], "width_deg": 50}
    return {"layer": "evoked", "with": {**wave, "amplitude_uv": {"letter": 5}, **more}}


def _response(**more: Any) -> dict[str, Any]:
    timing = {"missed": 1, "median": 0.4, "spread": 0.1, "earliest": 0.2, "latest": 1}
    notes = {"code": 9, "description": "A key.", "hed": HED}
    return {"name": "key", "to": "letter", **timing, **notes, **more}


def _flat(*names: str) -> dict[str, Any]:
    return {"layer": "flat_channels", "with": {"channels": list(names)}}


def _noisy(*names: str) -> dict[str, Any]:
    return {"layer": "noisy_channels", "with": {"channels": list(names), "excess_sd": 9}}


RHYTHM = {
    "name": "alpha",
    "frequency_hz": 10,
    "bandwidth_hz": 1,
    "amplitude_uv": 5,
    "sites": ["Oz"],
    "width_deg": 40,
}

IMPOSSIBLE = {
    "a channel that the montage lacks": (
        [_flat("Cz", "FCz")],
        "$.recordings[0].layers[0].with.channels[1]",
        "no channel 'FCz'",
    ),
    "two faults on one channel": (
        [_flat("Cz"), _noisy("Pz", "Cz")],
        "$.recordings[0].layers[1].with.channels[1]",
        "two faults",
    ),
    "a site that does not exist": (
        [{"layer": "rhythm", "with": {**RHYTHM, "sites": ["O3"]}}],
        "$.recordings[0].layers[0].with.sites[0]",
        "'O3'",
    ),
    "a rhythm above half the sampling frequency": (
        [{"layer": "rhythm", "with": {**RHYTHM, "frequency_hz": 64}}],
        "$.recordings[0].layers[0].with.frequency_hz",
        "64 Hz",
    ),
    "a sequence longer than the recording": (
        [_trials(interval=3)],
        "$.recordings[0].layers[0].with",
        "needs 24 s",
    ),
    "stimuli that change places": (
        [_trials(jitter=0.8)],
        "$.recordings[0].layers[0].with.jitter",
        "change places",
    ),
    "a first stimulus before the recording": (
        [_trials(start=0.1, jitter=0.2)],
        "$.recordings[0].layers[0].with.start",
        "before the recording",
    ),
    "a last stimulus that lasts too long": (
        [_trials(stimuli={"letter": {**STIMULUS, "duration": 3}})],
        "$.recordings[0].layers[0].with.stimuli.letter.duration",
        "beyond the end",
    ),
    "more misses than stimuli": (
        [_trials(responses=[_response(missed=9)])],
        "$.recordings[0].layers[0].with.responses[0].missed",
        "cannot be missed",
    ),
    "a response after the end": (
        [_trials(responses=[_response(latest=2.5)])],
        "$.recordings[0].layers[0].with.responses[0].latest",
        "after the end",
    ),
    "rare stimuli that are not rare": (
        [_trials(apart="letter")],
        "$.recordings[0].layers[0].with.apart",
        "kept apart",
    ),
    "an event that is presented twice": (
        [_trials(), _trials()],
        "$.recordings[0].layers[1].with",
        "presented twice",
    ),
    "a response to an event that nothing presents": (
        [_evoked(), _trials()],
        "$.recordings[0].layers[0].with.amplitude_uv.letter",
        "no earlier layer",
    ),
    "a component beyond the recording's end": (
        [_trials(), _evoked(latency=1.9)],
        "$.recordings[0].layers[1].with.latency",
        "beyond the recording",
    ),
    "a segment beyond the recording's end": (
        [
            {
                "layer": "segments",
                "with": {
                    "segments": [
                        {
                            "name": "rest",
                            "onset": 5,
                            "duration": 16,
                            "code": 1,
                            "description": "Rest.",
                            "hed": HED,
                        }
                    ]
                },
            }
        ],
        "$.recordings[0].layers[0].with.segments[0]",
        "ends at 21 s",
    ),
    "an unknown layer": ([{"layer": "blink"}], "$.recordings[0].layers[0].layer", "'blink'"),
    "an unknown parameter": (
        [{"layer": "sensor_noise", "with": {"rms_uv": 1, "spred": 0}}],
        "$.recordings[0].layers[0].with",
        "spred",
    ),
    "a parameter out of range": (
        [{"layer": "sensor_noise", "with": {"rms_uv": -1}}],
        "$.recordings[0].layers[0].with.rms_uv",
        "-1",
    ),
    "a draw of the wrong form": (
        [{"layer": "sensor_noise", "with": {"rms_uv": {"draw": {"unifrom": [1, 2]}}}}],
        "$.recordings[0].layers[0].with.rms_uv.draw",
        "unifrom",
    ),
    "a draw with its ends swapped": (
        [{"layer": "sensor_noise", "with": {"rms_uv": {"draw": {"uniform": [2, 1]}}}}],
        "$.recordings[0].layers[0].with.rms_uv.draw.uniform",
        "2 is above 1",
    ),
    "a sample larger than its source": (
        [
            {
                "layer": "flat_channels",
                "with": {"channels": {"draw": {"sample": {"from": ["Cz"], "count": 2}}}},
            }
        ],
        "$.recordings[0].layers[0].with.channels.draw.sample.count",
        "2 of 1",
    ),
    "an unknown named draw": (
        [{"layer": "sensor_noise", "with": {"rms_uv": {"drawn": "level"}}}],
        "$.recordings[0].layers[0].with.rms_uv.drawn",
        "'level'",
    ),
    "a case that nobody thought of": (
        [
            {
                "layer": "sensor_noise",
                "with": {"rms_uv": {"case": {"of": {"entity": "bids_task"}, "when": {"go": 1}}}},
            }
        ],
        "$.recordings[0].layers[0].with.rms_uv.case.when",
        "'rest'",
    ),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_impossible_plans_are_refused_before_building(name: str, tmp_path: Path) -> None:
    layers, path, problem = IMPOSSIBLE[name]
    with pytest.raises(EntryError) as caught:
        build(recipe(layers), b"", tmp_path / "out")
    place = caught.value.where.partition(" (")[0].removeprefix("recipe small: ")
    assert place.startswith(path)
    assert problem in caught.value.problem
    assert list(tmp_path.iterdir()) == []


def _changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    doc = copy.deepcopy(recipe(NOISE))
    change(doc)
    return doc


MALFORMED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "an unknown field": (lambda d: d.update(sed=1), "$.sed"),
    "no seed": (lambda d: d.pop("seed"), "$"),
    "a negative duration": (lambda d: d["recordings"][0].update(duration=-1), "$.recordings[0]"),
    "an unknown cap": (
        lambda d: d["recordings"][0].update(montage="cap"),
        "$.recordings[0].montage",
    ),
    "a site outside the system": (
        lambda d: d["recordings"][0].update(montage={"channels": ["Cz", "A1"]}),
        "$.recordings[0].montage.channels[1]",
    ),
    "a task without description": (
        lambda d: d["recordings"][0].update(over={"bids_task": ["go"]}),
        "$.recordings[0].over.bids_task",
    ),
    "an unknown participant": (
        lambda d: d["recordings"][0]["over"].update(bids_subject=["07"]),
        "$.recordings[0].over.bids_subject",
    ),
    "a recording twice": (
        lambda d: d["recordings"].append(d["recordings"][0]),
        "$.recordings[1]",
    ),
    "a label that BIDS does not allow": (
        lambda d: d["participants"].update(labels=["0-1"]),
        "$.participants.labels[0]",
    ),
    "a drawn duration that is no number": (
        lambda d: d["recordings"][0].update(duration={"draw": {"choice": ["long"]}}),
        "$.recordings[0].duration",
    ),
    "too few cards": (
        lambda d: d["participants"].update(
            labels=["01", "02"],
            columns={"group": {"description": "Group.", "value": {"draw": {"deal": ["a"]}}}},
        ),
        "$.participants.columns.group.value",
    ),
    "a column that is not there": (
        lambda d: d["recordings"][0]["layers"][0].update(only={"group": ["a"]}),
        "$.recordings[0].layers[0].only.group",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_recipes_are_refused_with_the_path(name: str) -> None:
    change, path = MALFORMED[name]
    with pytest.raises(EntryError) as caught:
        plan(_changed(change))
    assert caught.value.where.removeprefix("recipe small: ").startswith(path)


def test_only_keeps_a_layer_to_some_recordings() -> None:
    doc = recipe([*NOISE, {**_flat("Cz"), "only": {"bids_subject": ["02"]}}])
    doc["participants"]["labels"] = ["01", "02"]
    kinds = [[step.kind for step in recording.layers] for recording in plan(doc).recordings]
    assert kinds == [
        ["background", "sensor_noise"],
        ["background", "sensor_noise", "flat_channels"],
    ]


def test_recordings_are_all_combinations_of_entities() -> None:
    doc = recipe(NOISE)
    doc["recordings"][0]["over"] = {
        "bids_run": ["1", "2"],
        "bids_task": ["rest"],
        "bids_session": ["a"],
    }
    ids = [recording.id for recording in plan(doc).recordings]
    assert ids == ["sub-01_ses-a_task-rest_run-1", "sub-01_ses-a_task-rest_run-2"]


def test_planning_is_what_building_uses_and_salt_changes_it() -> None:
    doc = shipped("two-subject-rest")

    def drawn(salt: bytes) -> list[Any]:
        recordings = plan(doc, salt).recordings
        return [step.params for recording in recordings for step in recording.layers]

    assert drawn(b"one") == drawn(b"one")
    assert drawn(b"one") != drawn(b"two")


@pytest.mark.parametrize("name", ALL)
def test_shipped_recipes_follow_the_schema_and_can_be_planned_under_any_salt(name: str) -> None:
    doc = shipped(name)
    assert schemas.check(doc, "recipe-1") == []
    assert doc["id"] == name
    for salt in (b"", b"a", b"b", b"c", b"d"):
        assert plan(doc, salt).recordings


@pytest.mark.parametrize("name", LAYERS.names())
def test_layers_describe_themselves_with_strict_schemas(name: str) -> None:
    from jsonschema import Draft202012Validator

    layer = LAYERS.get(name)
    Draft202012Validator.check_schema(layer.parameters)
    assert layer.parameters["additionalProperties"] is False
    assert layer.summary.endswith(".")
