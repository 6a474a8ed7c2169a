"""``cmd:COMMAND``: a program that knows only an address, through the same session as any agent."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from braino_registry.errors import HostError
from braino_registry.runner.sandbox.bubblewrap import Bubblewrap

PROGRAM = """
import json, os, sys, urllib.request

def send(kind, **body):
    at = os.environ["BRAINO_ENDPOINT"] + "/" + kind
    with urllib.request.urlopen(at, json.dumps(body).encode()) as reply:
        return json.load(reply)

def add():
    return send("call", tool="calc", args={"expression": "20 + 22"})["result"]["value"]

def answer(total):
    send("answer", text=f"The total is {total}.", data={"total": total})

"""


def lines(run: Path) -> list[dict[str, Any]]:
    """Return a transcript without what differs from one moment to the next."""
    (path,) = run.glob("trials/*/*/*/events.jsonl")
    events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    moments = {"time", "t", "seconds", "at"}
    return [
        {name: value for name, value in event.items() if name not in moments}
        for event in events
        if event["type"] != "log"  # an agent's name is its own
    ]


@pytest.fixture
def program(attempt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run one trial of a program, and return its record."""
    monkeypatch.chdir(tmp_path)

    def run(code: str, **options: Any) -> dict[str, Any]:
        (tmp_path / "solve.py").write_text(PROGRAM + code)
        return attempt(f"cmd:{sys.executable} solve.py", **options)

    return run


def test_it_solves_a_task_and_leaves_the_transcript_of_any_agent(
    program: Any, attempt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = program("answer(add())", keep=tmp_path / "one")
    assert (record["outcome"], record["score"]) == ("passed", 1.0)
    monkeypatch.chdir(Path(__file__).parent)
    assert attempt("good", keep=tmp_path / "two")["outcome"] == "passed"
    assert lines(tmp_path / "one") == lines(tmp_path / "two")
    assert {event["type"] for event in lines(tmp_path / "one")} == {
        "start", "call", "answer", "end",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("code", "outcome", "reason"),
    [
        ("print('The total is', add())", "passed", None),
        ("add(); sys.exit(5)", "agent_error", "ended with code 5"),
        ("while True: add()", "limit", "tool_calls"),
        ("answer('x'); os.kill(os.getpid(), 9)", "failed", None),
        ("print('y' * 4_000_000)", "limit", "printed more than 3000000 bytes"),
        ("send('answer', text='42', artifacts=['../../../etc/passwd'])", "failed", None),
    ],
)
def test_whatever_it_does_is_a_scored_outcome(
    program: Any, code: str, outcome: str, reason: str | None
) -> None:
    record = program(code)
    assert record["outcome"] == outcome, record["reason"]
    assert reason is None or reason in record["reason"]


def test_what_a_model_has_used_may_be_told_after_the_answer(program: Any) -> None:
    record = program("answer(add()); send('usage', usage={'input_tokens': 7, 'cost': 0.5})")
    assert record["outcome"] == "passed"
    assert (record["usage"]["input_tokens"], record["usage"]["cost"]) == (7, 0.5)


def test_it_is_told_nothing_of_the_registry(program: Any) -> None:
    code = (
        "told = sorted(name for name in os.environ if name.startswith('BRAINO_'))\n"
        "assert told == ['BRAINO_ENDPOINT', 'BRAINO_INPUTS', 'BRAINO_REQUEST', "
        "'BRAINO_WORKSPACE'], told\nanswer(add())"
    )
    assert program(code)["outcome"] == "passed"


@pytest.mark.slow
def test_it_solves_a_task_in_a_sandbox(program: Any) -> None:
    found = Bubblewrap().probe()
    if not found.works:
        pytest.skip(f"bubblewrap does not work here: {found.detail}")
    tasks = Path(__file__).parents[2] / "tasks"
    code = (
        "seen = sorted(set(os.listdir('/agent')) - {'__pycache__'})\n"
        "assert seen == ['braino', 'braino_registry', 'solve.py'], seen\n"
        f"assert not os.path.exists({str(tasks)!r}) and os.getcwd() == '/workspace'\n"
        "answer(add())"
    )
    record = program(code, isolation="sandbox")
    assert record["outcome"] == "passed", record["reason"]
    assert record["process"].get("flags", []) == []


def test_a_program_that_is_missing_stops_the_run_before_its_first_trial(settings: Any) -> None:
    from braino_registry import runner

    with pytest.raises(HostError, match="there is no program 'no-such-solver'") as caught:
        runner.run(settings("cmd:no-such-solver --fast"))
    assert caught.value.exit_code == 3
