"""What an agent does beside its task becomes a flag, and changes no score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry import reports
from braino_registry.datasets import Store
from braino_registry.registry import Registry
from braino_registry.registry.canary import CANARY, MARK
from braino_registry.reports.integrity import flagged
from braino_registry.runner import run
from braino_registry.runner.integrity import KINDS, reviewed
from braino_registry.runner.isolation import Measured
from tests.runner.conftest import ENTRIES


def flags(record: dict[str, Any]) -> list[str]:
    found: list[str] = record["process"].get("flags", [])
    return found


def test_an_honest_agent_has_no_flag(attempt: Any) -> None:
    for agent in ("good", "chats", ":oracle"):
        assert flags(attempt(agent)) == [], agent


def test_what_is_read_imported_and_reached_is_flagged_and_scores_as_ever(
    attempt: Any, tmp_path: Path
) -> None:
    record = attempt("looks_about", keep=tmp_path / "run")
    assert record["outcome"] == "passed", record["reason"]
    found = flags(record)
    assert f"reads outside: {Path(__file__).parent / 'entries/tasks/probe/sum.json'}" in found
    assert "scorer imported: braino_registry.scoring" in found
    assert any(each.startswith("network tried: 127.0.0.1:") for each in found)
    log = next((tmp_path / "run").rglob("agent.log"), None)
    assert log is None or b"braino-watch" not in log.read_bytes()


def test_a_canary_in_an_answer_is_seen(attempt: Any) -> None:
    record = attempt("repeats_what_it_read")
    assert flags(record) == ["canary seen: it has read an entry or a transcript"]


def test_a_transcript_holds_the_canary_and_the_agent_is_not_told(
    registry: Registry, cache: Path, tmp_path: Path, attempt: Any
) -> None:
    attempt("good", keep=tmp_path / "run")
    (path,) = (tmp_path / "run").rglob("events.jsonl")
    lines = path.read_text().splitlines()
    assert json.loads(lines[0])["canary"] == CANARY
    assert MARK not in "".join(lines[1:])


def test_a_declared_endpoint_is_no_flag() -> None:
    log = b"hello\nbraino-watch: network api.example.org:443\nbraino-watch: network other:80\n"
    seen = reviewed(Measured(log=log), [], ["https://api.example.org/v1"])
    assert seen.flags == ("network tried: other:80",)
    assert seen.log == b"hello\n"


@pytest.mark.parametrize(
    "note", [b"\xff\xfe\n", b"\n", b"opened\n", b"nonsense here\n", b"canary\n", b"opened \n"]
)
def test_notes_that_an_agent_makes_up_do_no_harm(note: bytes) -> None:
    assert reviewed(Measured(log=b"braino-watch: " + note), [], []).flags == ()


def test_no_more_than_twenty_flags() -> None:
    log = b"".join(b"braino-watch: opened /x/%d\n" % number for number in range(1000))
    assert len(reviewed(Measured(log=log), [], []).flags) == 20


def test_the_report_tells_of_flags(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(settings("looks_about", "probe-sum"))
    reports.read(result.path, verify=True)
    (line, first) = flagged(result.report["trials"])
    assert line.startswith("FLAGS: 2 trials have flags, which change no score")
    assert all(f"{kind} in 2" in line for kind in (*KINDS.values(),) if kind != "canary seen")
    assert "probe-sum/small/1" in first


def test_a_change_of_the_cached_data_is_noted(attempt: Any, tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    attempt("good", "probe-rate", store=store)
    (tree,) = (tmp_path / "cache" / "built").glob("*/bids")
    record = attempt(
        "writes_where_its_model_says", "probe-rate", store=store, model=str(tree / "extra.txt")
    )
    assert record["outcome"] == "passed", record["reason"]
    assert any("the cached data were changed" in note for note in record["notes"])
    assert "notes" not in attempt(":oracle", "probe-rate", store=store)
    assert not (tree / "extra.txt").exists()


def test_entries_of_the_tests_need_no_canary() -> None:
    assert MARK not in (ENTRIES / "tasks" / "probe" / "sum.json").read_text()
