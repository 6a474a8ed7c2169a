"""A trial's transcript as an ATIF trajectory.

The Agent Trajectory Interchange Format, version 1.4 (Harbor's RFC 0001), tells a session as steps:
what the user said, what the agent did, and what came back. Each call, question, decision and
execution is one step of the agent with one tool call and its observation. Tokens are told for the
whole session, for a transcript does not know which step spent them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from braino_registry import __version__
from braino_registry.registry.canary import CANARY

SCHEMA = "ATIF-v1.4"
Event = Mapping[str, Any]

#: By type of event: the function's name, its arguments and what came back, as members of the event.
_ACTS = {
    "ask": ("ask_user", ("question", "options"), ("reply",)),
    "decide": ("request_decision", ("kind", "proposal", "why"), ("status", "applied", "say")),
    "execute": ("execute", ("code",), ("ok", "output", "error")),
}


def trajectory(
    report: Mapping[str, Any], trial: Mapping[str, Any], events: Sequence[Event]
) -> dict[str, Any]:
    """Return a trial as a trajectory.

    Parameters
    ----------
    report : mapping
        The ``report/1`` document that the trial is of.
    trial : mapping
        One of its trials.
    events : sequence of mapping
        The trial's transcript, possibly cut short; then the steps are those that are known.

    Returns
    -------
    dict
        A document whose steps are numbered from 1. The outcome and what every check saw stand in
        ``extra``, for ATIF has no place for a score.
    """
    steps = [
        {"step_id": number, **step} for number, step in enumerate(_steps(report, events), start=1)
    ]
    agent = report["agent"]
    model = {"model_name": agent["model"]} if agent["model"] else {}
    return {
        "schema_version": SCHEMA,
        "session_id": f"{report['run_id']}/{_name(trial)}/{trial['attempt']}",
        "agent": {
            "name": agent["name"],
            # What others wrote has no version that a report knows.
            "version": __version__ if _is_own(agent["factory"]) else "unknown",
            **model,
            "extra": {"factory": agent["factory"]},
        },
        "steps": steps,
        "notes": CANARY,
        "final_metrics": _metrics(trial["usage"], len(steps)),
        "extra": {
            "task": trial["task"],
            "task_version": trial["version"],
            "instance": trial["instance"],
            "dataset": trial["dataset"],
            "outcome": trial["outcome"],
            "score": trial["score"],
            "checks": [
                {name: check[name] for name in ("id", "passed", "score", "evidence")}
                for check in trial["checks"]
            ],
        },
    }


def _name(trial: Mapping[str, Any]) -> str:
    return f"{trial['task']}/{trial['instance']}/{trial['repeat']}"


def _is_own(factory: str) -> bool:
    return factory.startswith("braino_registry.")


def _steps(report: Mapping[str, Any], events: Sequence[Event]) -> Iterator[dict[str, Any]]:
    for event in events:
        kind = event.get("type")
        if kind == "start":
            yield {"source": "user", "message": event["request"]}
        elif kind == "call":
            back = event.get("result") if event.get("ok") else event.get("error")
            yield _act(event, event["tool"], event["args"], back)
        elif kind in _ACTS:
            name, given, back_names = _ACTS[kind]
            args = {key: event[key] for key in given if event.get(key) is not None}
            back = {key: event[key] for key in back_names if event.get(key) is not None}
            yield _act(event, name, args, back)
        elif kind == "answer":
            extra = {key: event[key] for key in ("data", "artifacts") if event.get(key)}
            more = {"extra": extra} if extra else {}
            yield {"source": "agent", "message": event["text"], **more}
        elif kind == "end" and event.get("outcome") != "finished":
            yield {"source": "system", "message": f"{event['outcome']}: {event['reason']}"}


def _act(event: Event, name: str, args: Any, back: Any) -> dict[str, Any]:
    """Return a step of the agent: one call and its observation."""
    call = f"call_{event['n']}"
    arguments = args if isinstance(args, dict) else {"value": args}
    return {
        "source": "agent",
        "message": "",
        "tool_calls": [{"tool_call_id": call, "function_name": name, "arguments": arguments}],
        "observation": {"results": [{"source_call_id": call, "content": _text(back)}]},
        "extra": {"seconds_since_start": event["t"]},
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _metrics(usage: Mapping[str, Any], steps: int) -> dict[str, Any]:
    """Return what a session used; what is unknown is left out, and never 0."""
    known = {
        "total_prompt_tokens": usage["input_tokens"],
        "total_completion_tokens": usage["output_tokens"],
        "total_cost_usd": usage["cost"],
        "total_steps": steps,
    }
    return {name: value for name, value in known.items() if value is not None}
