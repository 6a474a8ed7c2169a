"""Sweeps: many runs under one budget, that go on where they stopped, and one comparison."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.errors import BrainoError, EntryError, UsageError
from braino_registry.runner import sweeps
from braino_registry.runner.sweeps.budget import Budget

HERE = Path(__file__).parent
ENTRIES = HERE / "entries"
GOOD: dict[str, Any] = {
    "schema": "sweep/1",
    "id": "first",
    "agents": [{"agent": "zoo:idle"}, {"agent": "zoo:with_model", "models": ["a", "b"]}],
    "suites": [{"suite": "probe", "tasks": ["probe-sum"]}, {"suite": "braino"}],
    "settings": {"repeats": 2},
    "budget": {"cost": 3.5, "trials": 7},
}


def write(folder: Path, document: Any) -> Path:
    file = folder / "sweep.json"
    file.write_text(json.dumps(document))
    return file


def started(place: Path) -> Counter[tuple[str, str]]:
    """Return how often each trial of each run has been begun."""
    found: Counter[tuple[str, str]] = Counter()
    for journal in place.glob("*/journal.jsonl"):
        for line in journal.read_text().splitlines():
            entry = json.loads(line)
            if entry["type"] == "started":
                found[journal.parent.name, entry["instance"]] += 1
    return found


@pytest.mark.slow
def test_a_sweep_stops_at_its_budget_goes_on_and_compares(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE)
    document = {
        **GOOD,
        "agents": [{"agent": "zoo:idle"}, {"agent": "oracle"}, {"agent": "no-such-agent"}],
        "suites": [{"suite": "probe", "tasks": ["probe-sum"]}],
        "settings": {"isolation": "process"},
        "budget": {"trials": 3},
    }
    plan = sweeps.read_sweep(write(tmp_path, document))
    place = tmp_path / "sweep"
    where: dict[str, Any] = {"registry": (ENTRIES,), "cache": cache}
    first = sweeps.sweep(plan, place, **where)
    assert first.exit_code == 3
    assert [row["state"] for row in first.document["rows"]] == ["done", "stopped", "not run"]
    assert "3 of 3 trials are used" in first.document["rows"][1]["reason"]
    assert first.document["budget"]["trials"] == {"used": 3.0, "of": 3, "unknown": 0}

    told: list[dict[str, Any]] = []
    again = sweeps.sweep(replace(plan, budget={"trials": 9}), place, observer=told.append, **where)
    rows = again.document["rows"]
    assert [row["state"] for row in rows] == ["done", "done", "error"]
    assert "there is no agent called 'no-such-agent'" in rows[2]["reason"]
    assert [row["score"] for row in rows] == [pytest.approx(0.25), 1.0, None]
    assert again.exit_code == 3
    assert [event["name"].split()[0] for event in told if event["type"] == "cell"] == [
        "oracle", "no-such-agent",
    ]  # fmt: skip
    (compared,) = again.document["comparisons"]
    assert (compared["before"], compared["after"]) == ("zoo:idle", "oracle")
    assert len(compared["comparison"]["fixed"]) == 2
    # The one that was in flight when the budget was used up is begun again, no other is.
    assert sorted(started(place).values()) in ([1, 1, 1, 1], [1, 1, 1, 2])
    assert json.loads((place / "sweep.json").read_text()) == again.document


def test_the_cells_of_a_sweep(tmp_path: Path) -> None:
    plan = sweeps.read_sweep(write(tmp_path, GOOD))
    assert [(cell.group, cell.name) for cell in plan.cells] == [
        ("probe, probe-sum", "zoo:idle"),
        ("probe, probe-sum", "zoo:with_model a"),
        ("probe, probe-sum", "zoo:with_model b"),
        ("braino", "zoo:idle"),
        ("braino", "zoo:with_model a"),
        ("braino", "zoo:with_model b"),
    ]
    assert len({cell.folder for cell in plan.cells}) == 6
    assert plan.budget == {"cost": 3.5, "trials": 7}
    other = sweeps.read_sweep(write(tmp_path, {**GOOD, "settings": {"repeats": 3}}))
    assert not {cell.folder for cell in plan.cells} & {cell.folder for cell in other.cells}
    asked = plan.cells[1].run_settings(jobs=2)
    assert (asked.agent, asked.model, asked.repeats, asked.jobs) == ("zoo:with_model", "a", 2, 2)


def test_options_of_an_agent_are_those_of_the_command_line(tmp_path: Path) -> None:
    agent = {
        "agent": "llm", "models": ["m"], "options": {"temperature": 0.2, "stop": ["x"]},
        "endpoints": ["http://127.0.0.1:1"], "pass_env": ["KEY"], "paradigm": "code",
    }  # fmt: skip
    (cell, _) = sweeps.read_sweep(write(tmp_path, {**GOOD, "agents": [agent]})).cells
    asked = cell.run_settings()
    assert asked.agent_options == ("temperature=0.2", 'stop=["x"]')
    assert (asked.endpoints, asked.passed, asked.paradigm) == (
        ("http://127.0.0.1:1",), ("KEY",), "code",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema": "sweep/2"}, "$.schema"),
        ({"agents": []}, "$.agents"),
        ({"agents": [{"model": "x"}]}, "$.agents[0]"),
        ({"suites": [{"suite": "braino", "task": "x"}]}, "$.suites[0]"),
        ({"budget": {}}, "$.budget"),
        ({"budget": {"cost": 0}}, "$.budget.cost"),
        ({"settings": {"salt": "file"}}, "$.settings"),
        ({"agents": [{"agent": "null"}, {"agent": "null"}]}, "is there twice"),
    ],
)
def test_what_is_no_sweep_is_told_with_its_place(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    with pytest.raises(EntryError) as caught:
        sweeps.read_sweep(write(tmp_path, {**GOOD, **change}))
    assert says in str(caught.value)
    assert caught.value.hint


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        sweeps.read_sweep(tmp_path / "none.json")
    with pytest.raises(UsageError, match="cannot be read"):
        sweeps.read_sweep(tmp_path)


@given(st.one_of(st.binary(), st.from_regex(r"\{.*\}").map(str.encode)))
def test_rubbish_is_no_sweep(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "rubbish.json"
    file.write_bytes(data)
    with pytest.raises(BrainoError):
        sweeps.read_sweep(file)


def test_a_budget_counts_what_trials_tell() -> None:
    budget = Budget({"cost": 1.0, "tokens": 100})
    assert budget.spent() is None
    usage = {"cost": 0.6, "input_tokens": 30, "output_tokens": 10}
    budget.take([{"outcome": "passed", "seconds": 2.0, "usage": usage}])
    budget.take([{"outcome": "not_planned", "seconds": None, "usage": None}])
    assert (budget.spent(), budget.blind()) == (None, None)
    budget.take([{"outcome": "failed", "seconds": 1.0, "usage": {**usage, "output_tokens": None}}])
    assert budget.spent() == "1.2 of 1 cost are used"
    assert budget.blind() == "1 trials did not tell their tokens"
    assert budget.document()["seconds"] == {"used": 3.0, "of": None, "unknown": 0}
