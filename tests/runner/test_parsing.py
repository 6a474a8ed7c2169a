"""A run scored again as a language model reads its reports, by a scripted server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from braino_registry import reports, runner
from braino_registry.cli import braino
from braino_registry.errors import HostError
from braino_registry.runner.models import Endpoint
from braino_registry.runner.parsing import REPLIES
from tests.runner.test_audit import Server
from tests.runner.test_audit import finished as finished  # a fixture
from tests.runner.test_audit import run as run  # a fixture
from tests.runner.test_audit import server as server  # a fixture

READ = {"total": 42, "parity": "even", "mean": None}


def _rescored(run: Path, server: Server, **read: object) -> dict[str, bool]:
    server.script = {"extract": json.dumps(READ | read)}
    result = runner.rescore(run, parser=Endpoint(server.url, "reader"))
    (trial,) = result.report["trials"]
    return {check["id"]: check["passed"] for check in trial["checks"]}


def test_what_the_model_reads_is_scored(run: Path, server: Server) -> None:
    assert all(_rescored(run, server).values())
    report = json.loads((run / "rescored.json").read_text())
    assert report["settings"]["parser"]["model"] == "reader"
    assert report["settings"]["parser"]["prompt"]["id"] == "extract"
    found = reports.compare(
        reports.read(run / "report.json"), reports.read(run / "rescored.json")
    ).document
    assert {"what": "parser", "before": None, "after": "reader"} in found["differences"]
    assert found["comparable"] == 1


def test_a_field_that_the_model_does_not_find_is_not_there(run: Path, server: Server) -> None:
    passed = _rescored(run, server, parity=None)
    assert (passed["total"], passed["parity"]) == (True, False)


def test_a_value_that_the_report_does_not_print_is_not_taken(run: Path, server: Server) -> None:
    assert not _rescored(run, server, total=43)["total"]


def test_nothing_is_asked_twice(run: Path, server: Server) -> None:
    _rescored(run, server)
    _rescored(run, server)
    assert len(server.asked) == 1
    assert len((run / REPLIES).read_text().splitlines()) == 1
    assert "expected" not in json.dumps(server.asked[0]["messages"])


def test_a_server_that_is_not_there_ends_it_and_takes_nothing(run: Path) -> None:
    before = (run / "report.json").read_bytes()
    with pytest.raises(HostError):
        runner.rescore(run, parser=Endpoint("http://127.0.0.1:9/v1", "reader"))
    assert (run / "report.json").read_bytes() == before
    assert not (run / "rescored.json").exists()


def test_from_the_shell(run: Path, server: Server) -> None:
    server.script = {"extract": json.dumps(READ)}
    args = ["eval", "rescore", str(run), "--parser", "reader", "--json"]
    done = CliRunner().invoke(braino, [*args, "--endpoint", server.url], standalone_mode=False)
    assert json.loads(done.stdout)["settings"]["parser"]["url"] == server.url
    alone = CliRunner().invoke(braino, args)
    assert alone.exit_code == 2
    assert "--endpoint" in alone.output
