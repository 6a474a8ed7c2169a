"""A report as a record of Every Eval Ever, with one line per trial.

The schema (evaleval/every_eval_ever, version 0.2.1) tells an evaluation by its source, its model,
its library and its scores. Only what means the same there is told: a trial without a pass rule, or
one that says nothing of the agent, has no ``is_correct`` and no line. What the reference answers
are stays out: they would be an answer key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from braino_registry import __version__
from braino_registry.registry.canary import CANARY
from braino_registry.reports.outcomes import SCORED

SCHEMA = "0.2.1"
LIBRARY = "braino-registry"
Report = Mapping[str, Any]
Event = Mapping[str, Any]


def aggregate(report: Report, interval: tuple[float, float] | None = None) -> dict[str, Any]:
    """Return the record of a report: its headline, and one result per task.

    Parameters
    ----------
    report : mapping
        A ``report/1`` document.
    interval : tuple of float | None
        Limits of the headline's 95 % interval on the scale of `summary.score`, 0–1.

    Returns
    -------
    dict
        A document of schema 0.2.1. A task without a score has no result.
    """
    summary = report["summary"]
    results = []
    if summary["score"] is not None:
        whole = _result(report, report["suite"], summary["score"], summary["scored"], interval)
        results.append(whole)
    for row in summary["by_task"]:
        if row["score"] is not None:
            name = f"{report['suite']}/{row['name']}"
            results.append(_result(report, name, row["score"], row["scored"], None))
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation_id(report),
        "evaluation_timestamp": report["started"],
        "retrieved_timestamp": str(_epoch(report["finished"])),
        "source_metadata": {
            "source_name": f"braino-registry, suite {report['suite']}",
            "source_type": "evaluation_run",
            # A report does not say who ran it, and nobody is made up.
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": _texts({
                "run_id": report["run_id"], "report_seal": report.get("seal"),
                "release": (report["release"] or {}).get("id"), "verified": report["verified"],
                "coverage_complete": report["coverage"]["complete"], "canary": CANARY,
            }),
        },
        "eval_library": {
            "name": LIBRARY,
            "version": report["computer"]["packages"].get(LIBRARY, __version__),
        },
        "model_info": _model(report),
        "evaluation_results": results,
    }  # fmt: skip


def instance_rows(
    report: Report, events_of: Callable[[Mapping[str, Any]], Sequence[Event]]
) -> Iterator[dict[str, Any]]:
    """Yield one row per trial that passed or failed, in the order of the report.

    Parameters
    ----------
    report : mapping
        A ``report/1`` document.
    events_of : callable
        From a trial to its transcript; empty where that is not here, and then the trial has no row.
    """
    for trial in report["trials"]:
        events = events_of(trial) if trial["outcome"] in SCORED else ()
        start = next((event for event in events if event.get("type") == "start"), None)
        if start is None or trial["passed"] is None:
            continue
        messages = list(_messages(events))
        request = start["request"]
        yield {
            "schema_version": f"instance_level_eval_{SCHEMA}",
            "evaluation_id": evaluation_id(report),
            "model_id": _model(report)["id"],
            "evaluation_name": f"{report['suite']}/{trial['task']}",
            "sample_id": f"{trial['task']}/{trial['instance']}/{trial['repeat']}",
            "sample_hash": hashlib.sha256(request.encode()).hexdigest(),
            "interaction_type": "agentic",
            "input": {"raw": request, "reference": []},
            "output": None,
            "messages": messages,
            "answer_attribution": [],
            "evaluation": {
                "score": float(trial["score"]),
                "is_correct": bool(trial["passed"]),
                "num_turns": len(messages),
                "tool_calls_count": trial["usage"]["tool_calls"],
            },
            "token_usage": _tokens(trial["usage"]),
            "error": trial["reason"],
            "metadata": _texts({
                "task_version": trial["version"], "category": trial["category"],
                "dataset": trial["dataset"], "outcome": trial["outcome"],
            }),
        }  # fmt: skip


def evaluation_id(report: Report) -> str:
    """Return the id of an evaluation: suite, model and time, as its schema asks for."""
    model = _model(report)["id"].replace("/", "_")
    return f"{report['suite']}/{model}/{_epoch(report['finished'])}"


def _model(report: Report) -> dict[str, Any]:
    agent = report["agent"]
    return {
        "name": agent["model"] or agent["name"],
        "id": agent["model"] or f"braino-registry/{agent['name']}",
        "additional_details": _texts({"agent": agent["name"], "factory": agent["factory"],
                                      "paradigm": report["settings"]["paradigm"],
                                      "isolation": report["settings"]["isolation"]}),
    }  # fmt: skip


def _result(
    report: Report, name: str, score: float, scored: int, interval: tuple[float, float] | None
) -> dict[str, Any]:
    details: dict[str, Any] = {"score": float(score)}
    uncertainty: dict[str, Any] = {"num_samples": scored}
    if interval is not None:
        uncertainty["confidence_interval"] = {
            "lower": interval[0], "upper": interval[1], "confidence_level": 0.95,
            "method": "bootstrap over tasks",
        }  # fmt: skip
    details["uncertainty"] = uncertainty
    return {
        "evaluation_name": name,
        "source_data": {
            "dataset_name": name,
            "source_type": "other",
            "additional_details": _texts({
                "suite_version": report["settings"]["suite_version"],
                "salt": report["settings"]["salt"],
            }),
        },
        "evaluation_timestamp": report["started"],
        "metric_config": {
            "evaluation_description": f"rule {report['summary']['rule']}, profile "
            f"{report['settings']['profile']}, 0-1",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": details,
    }  # fmt: skip


def _messages(events: Sequence[Event]) -> Iterator[dict[str, Any]]:
    """Yield the conversation; arguments are texts, for the schema has no others."""
    turn = 0
    for event in events:
        for message in _turns(event):
            yield {"turn_idx": turn, **message}
            turn += 1


def _turns(event: Event) -> Iterator[dict[str, Any]]:
    kind = event.get("type")
    if kind == "start":
        yield {"role": "user", "content": event["request"]}
    elif kind == "answer":
        yield {"role": "assistant", "content": event["text"]}
    elif kind == "ask":
        yield {"role": "assistant", "content": event["question"]}
        yield {"role": "user", "content": event["reply"]}
    elif kind in ("call", "decide", "execute"):
        name = event["tool"] if kind == "call" else str(event.get("kind", kind))
        given = {"call": "args", "decide": "proposal", "execute": "code"}[kind]
        args = event[given] if isinstance(event[given], dict) else {given: event[given]}
        back = {key: event[key] for key in ("result", "error", "output", "status", "applied")
                if event.get(key) is not None}  # fmt: skip
        call = f"call_{event['n']}"
        yield {"role": "assistant", "content": None,
               "tool_calls": [{"id": call, "name": name, "arguments": _texts(args)}]}  # fmt: skip
        yield {"role": "tool", "content": _text(back), "tool_call_id": [call]}


def _tokens(usage: Mapping[str, Any]) -> dict[str, int] | None:
    """Return the tokens of a trial; None if they are not known, for unknown is not 0."""
    given, written = usage["input_tokens"], usage["output_tokens"]
    if given is None or written is None:
        return None
    return {"input_tokens": given, "output_tokens": written, "total_tokens": given + written}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return values as texts, without those that are not there."""
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _epoch(time: str) -> int:
    return int(datetime.fromisoformat(time).timestamp())
