"""Trials and reports in the formats of others: what is told, and what is left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from braino_registry.registry.canary import MARK
from braino_registry.reports.exchange import aggregate, instance_rows, trajectory, writing
from tests.reports import samples

TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
#: What ATIF 1.4 asks of a document, as its RFC has it.
STEP = {
    "type": "object",
    "required": ["step_id", "source", "message"],
    "properties": {
        "step_id": {"type": "integer", "minimum": 1},
        "source": {"enum": ["system", "user", "agent"]},
        "message": {"type": "string"},
        "tool_calls": {"type": "array", "items": {
            "type": "object", "required": ["tool_call_id", "function_name", "arguments"],
            "properties": {"arguments": {"type": "object"}}, "additionalProperties": True}},
        "observation": {"type": "object", "required": ["results"]},
        "extra": {"type": "object"},
    },
    "additionalProperties": False,
}  # fmt: skip
ATIF = {
    "type": "object",
    "required": ["schema_version", "session_id", "agent", "steps"],
    "properties": {
        "schema_version": {"const": "ATIF-v1.4"},
        "session_id": {"type": "string"},
        "agent": {"type": "object", "required": ["name", "version"],
                  "properties": {"name": {"type": "string"}, "version": {"type": "string"},
                                 "model_name": {"type": "string"}, "extra": {"type": "object"}},
                  "additionalProperties": False},
        "steps": {"type": "array", "items": STEP},
        "notes": {"type": "string"},
        "final_metrics": {"type": "object", "properties": {
            "total_prompt_tokens": {"type": "integer"},
            "total_completion_tokens": {"type": "integer"},
            "total_cost_usd": {"type": "number"}, "total_steps": {"type": "integer"}},
            "additionalProperties": False},
        "extra": {"type": "object"},
    },
    "additionalProperties": False,
}  # fmt: skip
#: What Every Eval Ever 0.2.1 asks of the members that are written.
RESULT = {
    "type": "object",
    "required": ["evaluation_name", "source_data", "metric_config", "score_details"],
    "properties": {
        "source_data": {"required": ["dataset_name", "source_type"], "properties": {
            "source_type": {"const": "other"}, "additional_details": TEXTS}},
        "metric_config": {"required": ["lower_is_better", "min_score", "max_score"]},
        "score_details": {"required": ["score"], "properties": {"score": {"type": "number"}}},
    },
}  # fmt: skip
RECORD = {
    "type": "object",
    "required": ["schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata",
                 "model_info", "eval_library", "evaluation_results"],
    "properties": {
        "schema_version": {"type": "string"}, "evaluation_id": {"type": "string"},
        "evaluation_timestamp": {"type": "string"},
        "retrieved_timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "source_metadata": {
            "required": ["source_type", "source_organization_name", "evaluator_relationship"],
            "properties": {"source_type": {"enum": ["documentation", "evaluation_run"]},
                           "additional_details": TEXTS}},
        "eval_library": {"required": ["name", "version"]},
        "model_info": {"required": ["name", "id"], "properties": {"additional_details": TEXTS}},
        "evaluation_results": {"type": "array", "items": RESULT},
        "detailed_evaluation_results": {"type": "object"},
    },
    "additionalProperties": False,
}  # fmt: skip
ROW = {
    "type": "object",
    "required": ["schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id",
                 "interaction_type", "input", "answer_attribution", "evaluation", "messages"],
    "properties": {
        "interaction_type": {"const": "agentic"}, "output": {"type": "null"},
        "input": {"required": ["raw", "reference"]},
        "messages": {"type": "array", "items": {
            "required": ["turn_idx", "role"], "properties": {
                "content": {"type": ["string", "null"]},
                "tool_calls": {"type": "array", "items": {
                    "required": ["id", "name"], "properties": {"arguments": TEXTS}}},
                "tool_call_id": {"type": "array", "items": {"type": "string"}}}}},
        "evaluation": {"required": ["score", "is_correct"], "properties": {
            "score": {"type": "number"}, "is_correct": {"type": "boolean"}}},
        "token_usage": {"type": ["object", "null"]}, "error": {"type": ["string", "null"]},
        "metadata": TEXTS,
    },
}  # fmt: skip

EVENTS: list[dict[str, Any]] = [
    {"n": 0, "t": 0.0, "type": "start", "request": "Which channel is noisy?"},
    {"n": 1, "t": 0.1, "type": "call", "tool": "recording.info", "version": "1.0.0",
     "args": {"view": "sub-01"}, "ok": True, "result": {"n_channels": 32}, "seconds": 0.1},
    {"n": 2, "t": 0.2, "type": "call", "tool": "quality.bad_channels", "version": "1.0.0",
     "args": {"view": "nothing"}, "ok": False,
     "error": {"problem": "no such view", "instead": "sub-01"}, "seconds": 0.1},
    {"n": 3, "t": 0.3, "type": "ask", "question": "50 or 60 Hz?", "options": None,
     "reply": "50 Hz.", "about": "line-frequency"},
    {"n": 4, "t": 0.4, "type": "decide", "kind": "mark-bad-channels",
     "proposal": {"channels": ["T8"]}, "why": "noisy", "status": "edited",
     "applied": {"channels": ["T7"]}, "say": None},
    {"n": 5, "t": 0.5, "type": "execute", "code": "print(1)", "ok": True, "output": "1\n",
     "error": None, "seconds": 0.1},
    {"n": 6, "t": 0.6, "type": "log", "source": "agent", "message": "thinking", "data": None},
    {"n": 7, "t": 0.7, "type": "answer", "text": "T7 <script>", "data": {"bad": ["T7"]},
     "artifacts": [], "refused": False},
    {"n": 8, "t": 0.8, "type": "end", "outcome": "finished", "reason": ""},
]  # fmt: skip


def valid(document: Any, schema: dict[str, Any]) -> bool:
    errors = list(Draft202012Validator(schema).iter_errors(document))
    assert errors == [], [f"{each.json_path}: {each.message}" for each in errors]
    return True


def one_report(*trials: dict[str, Any]) -> dict[str, Any]:
    return samples.report(trials or [samples.trial()])


def told(events: Sequence[dict[str, Any]] = EVENTS, **changes: Any) -> dict[str, Any]:
    return trajectory(one_report(), samples.trial(**changes), events)


def test_a_trajectory_tells_the_session_step_by_step() -> None:
    found = told()
    assert valid(found, ATIF)
    steps = found["steps"]
    assert [step["step_id"] for step in steps] == list(range(1, 8))
    assert [step["source"] for step in steps] == ["user", *["agent"] * 6]
    calls = [step["tool_calls"][0] for step in steps if "tool_calls" in step]
    assert [call["function_name"] for call in calls] == [
        "recording.info", "quality.bad_channels", "ask_user", "request_decision", "execute",
    ]  # fmt: skip
    for step in steps:
        if "tool_calls" in step:
            (result,) = step["observation"]["results"]
            assert result["source_call_id"] == step["tool_calls"][0]["tool_call_id"]
    assert "no such view" in steps[2]["observation"]["results"][0]["content"]
    assert '"T7"' in steps[4]["observation"]["results"][0]["content"]
    assert steps[-1]["message"] == "T7 <script>"
    assert MARK in found["notes"]
    assert found["extra"]["score"] == 1.0


def test_what_is_not_known_is_left_out_and_never_0() -> None:
    assert told()["final_metrics"] == {"total_steps": 7}
    usage = {**samples.trial()["usage"], "input_tokens": 10, "output_tokens": 0, "cost": 0.5}
    assert told(usage=usage)["final_metrics"] == {
        "total_prompt_tokens": 10, "total_completion_tokens": 0, "total_cost_usd": 0.5,
        "total_steps": 7,
    }  # fmt: skip


@given(st.integers(0, len(EVENTS)))
def test_a_transcript_that_was_cut_short_is_told_as_far_as_it_goes(length: int) -> None:
    assert valid(told(EVENTS[:length]), ATIF)


def test_a_limit_is_told() -> None:
    end = {"n": 2, "t": 9.0, "type": "end", "outcome": "limit", "reason": "120 s are over"}
    assert told([*EVENTS[:2], end])["steps"][-1] == {
        "step_id": 3, "source": "system", "message": "limit: 120 s are over",
    }  # fmt: skip


def test_a_record_tells_headline_and_tasks() -> None:
    report = one_report(samples.trial(), samples.trial(task="count-events", outcome="failed"))
    record = aggregate(report, (0.1, 0.9))
    assert valid(record, RECORD)
    names = [row["evaluation_name"] for row in record["evaluation_results"]]
    assert names == ["braino", "braino/bad-channels-ask", "braino/count-events"]
    whole = record["evaluation_results"][0]["score_details"]
    assert whole["score"] == report["summary"]["score"]
    assert whole["uncertainty"]["confidence_interval"]["upper"] == 0.9
    assert record["source_metadata"]["source_organization_name"] == "unknown"


def test_rows_are_those_trials_that_say_something_of_the_agent() -> None:
    trials = [
        samples.trial(),
        samples.trial(repeat=2, outcome="failed"),
        samples.trial(repeat=3, outcome="harness_error"),
        samples.trial(repeat=4, outcome="scored", passed=None),
        samples.trial(repeat=5),
    ]
    report = one_report(*trials)
    rows = list(instance_rows(report, lambda trial: () if trial["repeat"] == 5 else EVENTS))
    assert all(valid(row, ROW) for row in rows)
    assert [row["evaluation"]["is_correct"] for row in rows] == [True, False]
    assert len({row["sample_id"] for row in rows}) == 2
    roles = [message["role"] for message in rows[0]["messages"]]
    assert roles == [
        "user", "assistant", "tool", "assistant", "tool", "assistant", "user", "assistant", "tool",
        "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert [message["turn_idx"] for message in rows[0]["messages"]] == list(range(12))
    assert rows[0]["token_usage"] is None
    assert {row["evaluation_id"] for row in rows} == {aggregate(report)["evaluation_id"]}


def test_the_answer_key_stays_here() -> None:
    """What a check expected is part of its evidence, and of no file of this format."""
    rows = list(instance_rows(one_report(), lambda trial: EVENTS))
    assert rows[0]["input"]["reference"] == []
    assert "expected T8" not in json.dumps(rows)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a run folder with the transcript of one trial."""
    file = tmp_path / "run" / "trials" / "events.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    return tmp_path / "run"


def test_files_are_written_whole_and_count_what_is_left_out(home: Path, tmp_path: Path) -> None:
    transcript = next(home.rglob("events.jsonl")).relative_to(home).as_posix()
    report = one_report(
        samples.trial(transcript=transcript),
        samples.trial(repeat=2, transcript=None),
        samples.trial(repeat=3, transcript="trials/gone.jsonl"),
    )
    assert writing.atif(report, home, tmp_path / "atif") == {"trials": 1, "left_out": 2}
    (file,) = (tmp_path / "atif").rglob("*.json")
    assert valid(json.loads(file.read_text()), ATIF)
    done = writing.every_eval(report, home, tmp_path / "eee")
    assert done == {"trials": 1, "left_out": 2}
    record = json.loads((tmp_path / "eee" / "evaluation.json").read_text())
    assert valid(record, RECORD)
    assert record["detailed_evaluation_results"]["total_rows"] == 1
    assert writing.atif(report, None, tmp_path / "none") == {"trials": 0, "left_out": 3}
