"""Auditing a run, with a scripted server in place of the models."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from braino_registry import runner
from braino_registry.cli import braino
from braino_registry.errors import HostError, ReportError, UsageError
from braino_registry.runner.audit import audit
from braino_registry.runner.models import Endpoint, Model, ReplyLog
from braino_registry.runner.settings import RunSettings
from tests.runner.conftest import ENTRIES, HERE
from tests.runner.reporters import REPORT

Answer = Callable[[list[dict[str, Any]]], str]
EXTRACT = json.dumps({"total": 42, "parity": "even", "mean": None})
TASK = {
    "schema": "task/1", "id": "probe-report", "version": "1.0.0", "suite": "probe",
    "title": "Add two numbers and report in words", "category": "arithmetic", "difficulty": "easy",
    "request": "What is {{ a }} plus {{ b }}, and is it even or odd?", "toolset": "probe",
    "instances": [{"id": "one", "dataset": None, "params": {"a": 20, "b": 22},
                   "expected": {"total": {"literal": 42}, "parity": {"literal": "even"}}}],
    "user": {"answers": []},
    "answer": {"fields": {
        "total": {"type": "number", "said_as": ["sum of the two numbers", "total"]},
        "parity": {"type": "label", "labels": ["even", "odd"], "said_as": ["parity"]},
        "mean": {"type": "number", "unit": "1", "said_as": ["mean of the two"]}}},
    "reference": {"kind": "steps", "steps": [
        {"call": "calc", "as": "sum",
         "args": {"expression": "a + b", "values": {"a": {"$": "a"}, "b": {"$": "b"}}}}],
        "answer": "The total is {{ sum.value }}, the parity is even."},
    "checks": [
        {"id": "calculates", "kind": "called", "tool": "calc", "required": True},
        {"id": "total", "kind": "number", "field": "total", "expected": {"instance": "total"},
         "tolerance": {"abs": 0.001}, "required": True},
        {"id": "parity", "kind": "label", "field": "parity", "expected": {"instance": "parity"}},
        {"id": "says-even", "kind": "semantic", "findings": [{"says": ["even"]}]},
        {"id": "grounded", "kind": "grounded", "required": True}],
    "counterexamples": [
        {"why": "does it in the head", "without": ["calc"], "fails": ["calculates", "grounded"],
         "answer": "The total is {{ a + b }}, the parity is even."},
        {"why": "off by one and odd",
         "answer": "The total is {{ sum.value + 1 }}, the parity is odd.",
         "fails": ["total", "parity", "says-even", "grounded"]}],
    "saltable": False,
}  # fmt: skip


class Server:
    """A chat completions API that follows a script, and keeps what it was asked."""

    def __init__(self, http: HTTPServer) -> None:
        self.url = http.url_for("/v1")
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.script: dict[str, Answer | str] = {}
        http.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._say)

    def _say(self, request: Request) -> Response:
        body = json.loads(request.data)
        self.asked.append(body)
        self.headers.append(dict(request.headers))
        said = self.script[_purpose(body["messages"])]
        text = said if isinstance(said, str) else said(body["messages"])
        given = {
            "id": "1", "object": "chat.completion", "created": 0, "model": f"{body['model']}-0613",
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        }  # fmt: skip
        return Response(json.dumps(given), content_type="application/json")


def _purpose(messages: list[dict[str, Any]]) -> str:
    system = messages[0]["content"]
    starts = {
        "You transcribe": "extract", "You audit a transcription": "audit-extraction",
        "You judge": "judge", "You audit a score": "audit-judgement",
    }  # fmt: skip
    return next(name for start, name in starts.items() if system.startswith(start))


@pytest.fixture
def server(httpserver: HTTPServer) -> Server:
    return Server(httpserver)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one trial with a report in words."""
    return _finish(tmp_path_factory.mktemp("audit"))


def _finish(folder: Path, repeats: int = 1) -> Path:
    entries = folder / "entries"
    shutil.copytree(ENTRIES, entries)
    (entries / "tasks/probe/report.json").write_text(json.dumps(TASK))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HERE)
        result = runner.run(
            RunSettings(
                agent="reporters:plain", tasks=("probe-report",), registry=(entries,),
                run_dir=folder / "run", cache=folder / "cache", repeats=repeats,
            )
        )  # fmt: skip
    assert [trial["score"] for trial in result.report["trials"]] == [1.0] * repeats
    return folder / "run"


@pytest.fixture(scope="module")
def finished_twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two trials."""
    return _finish(tmp_path_factory.mktemp("twice"), repeats=2)


@pytest.fixture
def twice(finished_twice: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished_twice, tmp_path / "twice"))


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


def test_without_a_model_the_rules_of_today_read_again(run: Path) -> None:
    before = {p: p.read_bytes() for p in run.rglob("*") if p.is_file()}
    document = audit(run)
    (trial,) = document["trials"]
    assert {name: field["by_rule"] for name, field in trial["fields"].items()} == {
        "total": 42.0, "parity": "even", "mean": None,
    }  # fmt: skip
    assert document["agreement"] == {
        "checks by today's rules": {
            "decided": 2, "agree": 2, "disputed": 0, "unresolved": 0, "share": 1.0,
        }
    }  # fmt: skip
    assert document["model"] is None
    assert trial["asked"] == []
    assert json.loads((run / "audit.json").read_text()) == document
    assert {p: p.read_bytes() for p in before} == before


def _torn(run: Path) -> None:
    """Cut off the transcript of the second of two trials."""
    (torn,) = run.rglob("*/2/events.jsonl")
    torn.write_bytes(torn.read_bytes()[:-40])


def test_one_torn_transcript_is_skipped_and_listed(twice: Path) -> None:
    _torn(twice)
    document = audit(twice)
    assert [trial["repeat"] for trial in document["trials"]] == [1]
    (skipped,) = document["skipped"]
    assert (skipped["task"], skipped["repeat"]) == ("probe-report", 2)
    assert "cut off" in skipped["reason"]
    shown = CliRunner().invoke(braino, ["eval", "audit", str(twice)])
    assert shown.exit_code == 0, shown.output
    assert "skipped probe-report/one/2" in shown.output
    for other in twice.rglob("*/1/events.jsonl"):
        other.write_text("")
    with pytest.raises(ReportError, match="2 cannot be read"):
        audit(twice)


def test_torn_expectations_are_skipped_and_listed(twice: Path) -> None:
    (twice / "expected/probe-report/one/1.json").write_text('{"checks": [')
    document = audit(twice)
    assert [trial["repeat"] for trial in document["trials"]] == [2]
    assert "what the checks expected" in document["skipped"][0]["reason"]


def test_a_reader_skips_one_torn_transcript_too(twice: Path, server: Server) -> None:
    server.script = {"extract": EXTRACT}
    _torn(twice)
    report = runner.rescore(twice, parser=Endpoint(server.url, "reader")).report
    assert [trial["outcome"] for trial in report["trials"]] == ["passed", "harness_error"]


def test_a_model_extracts_and_judges_and_all_of_it_is_kept(run: Path, server: Server) -> None:
    server.script = {"extract": EXTRACT, "judge": '{"score": 1, "passed": true, "reason": "said"}'}
    document = audit(run, endpoint=Endpoint(server.url, "reader"))
    (trial,) = document["trials"]
    assert all(field["agrees"] for field in trial["fields"].values())
    assert document["agreement"]["fields by the model"]["agree"] == 3
    assert document["agreement"]["checks by the model"]["agree"] == 2
    assert document["agreement"]["rubrics by the judge"]["share"] == 1.0
    extraction, judged = trial["asked"]
    assert extraction["answer"] == EXTRACT
    assert extraction["model"] == "reader-0613"
    assert extraction["prompt"]["id"] == "extract"
    assert extraction["tokens"] == [11, 7]
    assert judged["purpose"] == "judge"
    kept = [json.loads(line) for line in (run / "audit-replies.jsonl").read_text().splitlines()]
    assert [reply["text"] for reply in kept] == [extraction["answer"], judged["answer"]]


def test_the_extractor_is_told_fields_and_report_and_no_truth(run: Path, server: Server) -> None:
    server.script = {"extract": EXTRACT, "judge": "{}"}
    expected = run / "expected/probe-report/one/1.json"
    document = json.loads(expected.read_text())
    document["checks"][0]["expected"] = 918273.5
    expected.write_text(json.dumps(document))
    audit(run, endpoint=Endpoint(server.url, "reader"))
    told = next(a for a in server.asked if _purpose(a["messages"]) == "extract")
    text = json.dumps(told)
    assert "918273" not in text
    assert "sum of the two numbers" in text
    assert json.dumps(REPORT) in told["messages"][1]["content"]
    assert told["temperature"] == 0


def test_what_was_answered_is_not_asked_again(run: Path, server: Server) -> None:
    server.script = {"extract": EXTRACT, "judge": '{"score": 1, "passed": true}'}
    first = audit(run, endpoint=Endpoint(server.url, "reader"))
    count = len(server.asked)
    with (run / "audit-replies.jsonl").open("a") as log:
        log.write('{"question": "cut off')
    assert audit(run, endpoint=Endpoint(server.url, "reader")) == first
    assert len(server.asked) == count


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("I think the total is 42.", "not one JSON object"),
        ('{"total": 43, "parity": "even", "mean": null}', "does not print it"),
        ('{"total": "many", "parity": "even", "mean": null}', "not a number"),
        ('{"parity": "even", "mean": null}', "leaves it out"),
        ('{"total": 42} {"total": 41}', "not one JSON object"),
        ('{"total": true, "parity": "even", "mean": null}', "not a number"),
    ],
)
def test_a_value_that_the_report_does_not_give_is_not_taken(
    run: Path, server: Server, reply: str, problem: str
) -> None:
    server.script = {"extract": reply, "judge": '{"score": 1, "passed": true}'}
    document = audit(run, endpoint=Endpoint(server.url, "reader"))
    field = document["trials"][0]["fields"]["total"]
    assert (field["by_model"], field["agrees"]) == (None, False)
    assert problem in field["problem"]
    checks = {check["id"]: check for check in document["trials"][0]["checks"]}
    assert (checks["total"]["by_model"], checks["total"]["recorded"]) == (False, True)
    assert document["agreement"]["checks by the model"]["disputed"] >= 1


def test_an_auditor_who_contradicts_itself_is_asked_once_more(run: Path, server: Server) -> None:
    wrong = json.dumps({"faithful": True, "fields": {"total": False, "parity": True, "mean": True}})
    right = json.dumps({"faithful": True, "fields": {"total": True, "parity": True, "mean": True}})

    def extraction(messages: list[dict[str, Any]]) -> str:
        return right if len(messages) > 2 else wrong

    server.script = {
        "audit-extraction": extraction,
        "audit-judgement": '{"consistent": true, "score": 0, "reason": "no"}',
    }
    document = audit(run, auditor=Endpoint(server.url, "auditor"))
    assert document["agreement"]["extractions, audited"]["agree"] == 1
    # the score was 1; "consistent" with 0 is no decision, not even the second time
    assert document["agreement"]["rubrics, audited"] == {
        "decided": 0, "agree": 0, "disputed": 0, "unresolved": 1, "share": None,
    }  # fmt: skip
    assert len(server.asked) == 4


def test_a_disputed_score_is_counted(run: Path, server: Server) -> None:
    server.script = {
        "audit-extraction": '{"faithful": false, "fields": {"total": false, "parity": true,'
        ' "mean": true}, "reason": "it says 41"}',
        "audit-judgement": '{"consistent": false, "score": 0.0, "reason": "it is hedged"}',
    }
    agreement = audit(run, auditor=Endpoint(server.url, "auditor"))["agreement"]
    assert agreement["extractions, audited"]["disputed"] == 1
    assert agreement["rubrics, audited"]["disputed"] == 1


@pytest.mark.parametrize(
    ("status", "error"), [(401, UsageError), (404, UsageError), (400, UsageError)]
)
def test_a_server_that_refuses_is_told_of_in_three_lines(
    tmp_path: Path, httpserver: HTTPServer, status: int, error: type[Exception]
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data("no", status=status)
    model = Model(Endpoint(httpserver.url_for("/v1"), "m"), ReplyLog(tmp_path / "log"))
    with pytest.raises(error) as told:
        model.ask([{"role": "user", "content": "hello"}])
    model.close()
    assert str(status) in str(told.value)
    assert "OPENAI_API_KEY" in str(told.value)
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("body", ["{}", '{"choices": []}', "<html>"])
def test_a_server_that_speaks_something_else(
    tmp_path: Path, httpserver: HTTPServer, body: str
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data(
        body, content_type="application/json"
    )
    model = Model(Endpoint(httpserver.url_for("/v1"), "m"), ReplyLog(tmp_path / "log"))
    with pytest.raises(HostError):
        model.ask([{"role": "user", "content": "hello"}])
    model.close()


def test_the_key_comes_from_the_variable_that_is_named(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READER_KEY", "a-key-of-a-test")
    server.script = {"judge": "{}"}
    model = Model(Endpoint(server.url, "m", "READER_KEY"), ReplyLog(tmp_path / "log"))
    model.ask([{"role": "system", "content": "You judge"}])
    model.close()
    assert server.headers[0]["Authorization"] == "Bearer a-key-of-a-test"
    assert "a-key-of-a-test" not in (tmp_path / "log").read_text()


def test_a_damaged_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text('{"question": 1}\n{}\n')
    with pytest.raises(ReportError, match="line 1"):
        ReplyLog(path)


def test_the_command(run: Path, server: Server) -> None:
    server.script = {"extract": EXTRACT, "judge": '{"score": 1, "passed": true}'}
    command = ["eval", "audit", str(run), "--endpoint", server.url, "--model", "reader"]
    shown = CliRunner().invoke(braino, command)
    assert shown.exit_code == 0
    assert "fields by the model" in shown.output
    assert "100.00 %" in shown.output
    refused = CliRunner().invoke(braino, ["eval", "audit", str(run), "--model", "reader"])
    assert refused.exit_code == 2
    assert "--endpoint" in refused.output
