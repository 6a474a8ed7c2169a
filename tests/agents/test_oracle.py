"""The oracle carries out references, and says where one cannot be carried out."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from braino_registry.session import apply_counterexample
from tests.session.support import SCRIPT, open_session, run_agent

ORACLE = "braino_registry.agents.oracle:make"
# As in the documentation of tasks: the user edits the proposal down to T8.
REFERENCE: dict[str, Any] = {
    "kind": "steps",
    "steps": [
        {
            "call": "preprocess.filter",
            "args": {"view": {"$": "recording"}, "l_freq": 1.0},
            "as": "clean",
        },
        {"call": "quality.bad_channels", "args": {"view": {"$": "clean.view"}}, "as": "found"},
        {
            "decide": "mark-bad-channels",
            "proposal": {"channels": {"$": "found.channels"}},
            "as": "decision",
        },
    ],
    "answer": "Marked {{ decision.applied.channels | join(', ') }} as bad in {{ bids_subject }}.",
    "context": {"recording": "sub-02_task-rest", "bids_subject": "02"},
}


def run(
    root: Path, folder: Path, reference: dict[str, Any] | None, script: Any = SCRIPT
) -> tuple[Any, list[dict[str, Any]]]:
    session = open_session(folder / "t", root, script=script)
    more = {} if reference is None else {"reference": reference}
    ending, _, _ = run_agent(session, ORACLE, **more)
    return ending, session.transcript.events


def of_type(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def test_the_documented_reference(root: Path, tmp_path: Path) -> None:
    ending, events = run(root, tmp_path, REFERENCE)
    assert ending.answer.text == "Marked T8 as bad in 02."
    assert of_type(events, "decide")[0]["proposal"] == {"channels": ["Cz", "T8"]}
    assert of_type(events, "call")[1]["args"] == {"view": "filtered-sub-02_task-rest"}
    assert "reference" not in events[0]


def test_its_counterexamples(root: Path, tmp_path: Path) -> None:
    with_truth = deepcopy(REFERENCE)
    with_truth["context"]["truth"] = {"noisy_channels": ["T8"]}
    counterexample = {"without": ["decide"], "answer": "{{ truth.noisy_channels[0] }} is bad."}
    reference, user = apply_counterexample(with_truth, SCRIPT, counterexample)
    ending, events = run(root, tmp_path / "1", reference, user)
    assert ending.answer.text == "T8 is bad."
    assert not of_type(events, "decide")
    approve = {"decisions": [{"kind": "mark-bad-channels", "respond": "approve"}]}
    reference, user = apply_counterexample(REFERENCE, SCRIPT, {"user": approve})
    ending, _ = run(root, tmp_path / "2", reference, user)
    assert ending.answer.text == "Marked Cz, T8 as bad in 02."


def test_every_sort_of_step(root: Path, tmp_path: Path) -> None:
    reference = {
        "steps": [
            {"call": "dataset.inspect", "as": "all"},
            {"ask": "Is it {{ low }} or 60 Hz?", "options": ["50", "60"], "as": "hum"},
            {"ask": "Never asked", "when": False, "as": "never"},
            {"ask": "Not asked either", "when": {"$": "all.n_subjects > `2`"}},
            {
                "for_each": {"$": "all.recordings[].recording"},
                "as": "one",
                "collect": "rounds",
                "steps": [
                    {"call": "recording.info", "args": {"view": {"$": "one"}}, "as": "info"},
                    {
                        "call": "measure",
                        "args": {"view": {"$": "one"}},
                        "when": {"$": "one == 'sub-02_task-rest'"},
                        "as": "size",
                    },
                ],
            },
            {
                "for_each": [1, 2],
                "as": "n",
                "when": {"$": "n != `1`"},
                "collect": "measured",
                "steps": [{"call": "measure", "args": {"n": {"$": "n"}}, "as": "size"}],
            },
        ],
        "answer": "{{ hum.reply }} {{ rounds[0].info.sfreq }} {{ never is none }}",
        "data": {
            "rates": {"$": "rounds[].info.sfreq"},
            "sizes": {"$": "rounds[].size.amplitude_uv"},
            "measured": {"$": "measured[].size.amplitude_uv"},
            "text": "{{ all.n_subjects }} subjects",
            "plain": [1, True, None],
        },
        "context": {"low": 50},
    }
    ending, events = run(root, tmp_path, reference)
    assert ending.answer.text == "50 Hz, we are in Europe. 100.0 True"
    assert ending.answer.data == {
        "rates": [100.0, 100.0],
        "sizes": [12.345],
        "measured": [12.345],
        "text": "2 subjects",
        "plain": [1, True, None],
    }
    assert [event["question"] for event in of_type(events, "ask")] == ["Is it 50 or 60 Hz?"]
    assert [event["tool"] for event in of_type(events, "call")].count("measure") == 2


def test_an_answer_alone(root: Path, tmp_path: Path) -> None:
    reference = {"kind": "answer", "answer": "{{ label }}", "context": {"label": "B"}}
    ending, events = run(root, tmp_path, reference)
    assert ending.answer.text == "B"
    assert not of_type(events, "call")


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (None, "ReferenceFailed: this session was started without a reference"),
        ({"steps": [{"call": "nothing"}]}, "step 1: nothing {} failed: there is no tool"),
        (
            {"steps": [{"decide": "mark-bad-channels", "proposal": {"channels": ["Nz"]}}]},
            "has no channel called 'Nz'",
        ),
        (
            {"steps": [{"for_each": {"$": "n"}, "as": "x", "steps": [{"ask": "?"}]}]},
            "for_each needs a list",
        ),
        ({"answer": "{{ nobody }}"}, "'nobody' is undefined"),
        ({"answer": "{{ ''.__class__.__mro__ }}"}, "unsafe"),
        ({"answer": "x", "data": {"a": {"$": "nobody.x"}}}, "unknown name 'nobody'"),
    ],
)
def test_what_cannot_be_carried_out(
    root: Path, tmp_path: Path, reference: dict[str, Any] | None, reason: str
) -> None:
    full = None if reference is None else {"context": {"n": 3}, **reference}
    ending, _ = run(root, tmp_path, full)
    assert ending.outcome == "agent_error"
    assert reason in ending.reason
