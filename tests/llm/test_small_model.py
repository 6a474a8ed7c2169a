"""A real language model of 135 million parameters, on the processor: nothing may break.

What it scores says nothing: it is a floor. What is looked at is that every trial ends with an
outcome, that limits hold, that usage is counted, and that the report is valid.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from braino_registry.registry import schemas
from braino_registry.runner import RunSettings, run

HERE = Path(__file__).parent
ENTRIES = HERE.parent / "runner" / "entries"
SCORED = {"passed", "failed", "limit", "agent_error"}
TURNS = 3
OPTIONS = ("temperature=1.0", "max_tokens=64", "context_tokens=8192")

pytestmark = pytest.mark.slow


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    """The small suite of the runner's tests, with a limit of turns and with both paradigms."""
    shutil.copytree(ENTRIES, tmp_path / "entries")
    file = tmp_path / "entries" / "tasks" / "probe" / "suite.json"
    suite = json.loads(file.read_text())
    suite["limits"] |= {"turns": TURNS, "seconds": 240}
    suite["paradigms"] = ["tools", "code"]
    file.write_text(json.dumps(suite))
    return tmp_path / "entries"


@pytest.fixture
def measured(tmp_path: Path, entries: Path, small_model: str) -> Any:
    """Run an agent that asks the model."""

    def one(agent: str, *options: str, **settings: Any) -> dict[str, Any]:
        asked = RunSettings(
            agent=agent,
            model="smollm2-135m",
            tasks=("probe-sum/large", "probe-rate/synthetic"),
            agent_options=(f"base_url={small_model}", *OPTIONS, *options),
            registry=(entries,),
            run_dir=tmp_path / "run",
            cache=tmp_path / "cache",
            **settings,
        )
        run(asked)
        report: dict[str, Any] = json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))
        assert schemas.check(report, "report-1") == []
        return report

    return one


def usage_of(run_dir: Path, trial: dict[str, Any]) -> list[dict[str, Any]]:
    text = (run_dir / trial["transcript"]).read_text().splitlines()
    return [e["usage"] for e in map(json.loads, text) if e["type"] == "usage"]


def check_trials(report: dict[str, Any], run_dir: Path, expected: int) -> None:
    trials = report["trials"]
    assert len(trials) == expected
    assert report["coverage"]["scored"] == expected
    for trial in trials:
        assert trial["outcome"] in SCORED, trial["reason"]
        reported = usage_of(run_dir, trial)
        assert 1 <= sum(each.get("turns", 0) for each in reported) <= TURNS + 1
        for name in ("input_tokens", "output_tokens"):
            told = sum(each.get(name, 0) for each in reported)
            assert trial["usage"][name] == told > 0, trial["reason"]
        assert trial["usage"]["cost"] is None  # a model without a price costs what nobody knows
        assert trial["usage"]["output_tokens"] <= 64 * (TURNS + 1)


@pytest.mark.parametrize("protocol", ["native", "text"])
def test_ten_trials_end_with_an_outcome(measured: Any, tmp_path: Path, protocol: str) -> None:
    report = measured("llm", f"protocol={protocol}", repeats=5)
    check_trials(report, tmp_path / "run", 10)
    assert report["agent"]["model"] == "smollm2-135m"


def test_code_of_a_small_model_ends_with_an_outcome(measured: Any, tmp_path: Path) -> None:
    report = measured("codeact", "rounds=3", paradigm="code", allow_unsandboxed_code=True)
    check_trials(report, tmp_path / "run", 2)
