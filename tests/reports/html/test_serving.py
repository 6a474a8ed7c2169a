from __future__ import annotations

import fcntl
import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from braino_registry.errors import HostError
from braino_registry.reports.html.serving import Server
from braino_registry.reports.html.watching import Watched
from tests.reports.html.folders import some_trials, write_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_run(tmp_path / "done", some_trials(4), agent="first")
    write_run(tmp_path / "deeper" / "stopped", some_trials(4), sealed=False)
    journal = tmp_path / "deeper" / "stopped" / "journal.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:2]) + '{"type":"fin')
    (tmp_path / "empty").mkdir()
    (tmp_path / "secret.txt").write_text("a secret")
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with Server(folder) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def asked(
    server: Server, path: str, host: str | None = None
) -> tuple[http.client.HTTPResponse, str]:
    port = server.server_address[1]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def test_runs_are_found_with_how_far_they_have_come(folder: Path) -> None:
    states = {state.name: state for state in Watched(folder).states()}
    assert states.keys() == {"done", "deeper/stopped"}
    assert states["done"].status == "finished"
    assert states["done"].outcomes == {"failed": 2, "passed": 2}
    assert states["deeper/stopped"].status == "interrupted"
    assert (states["deeper/stopped"].finished, states["deeper/stopped"].planned) == (2, 4)


def test_a_run_that_goes_on_is_followed(folder: Path) -> None:
    watched = Watched(folder)
    journal = folder / "deeper" / "stopped" / "journal.jsonl"
    lines = (folder / "done" / "journal.jsonl").read_text().splitlines(keepends=True)
    with journal.open("r+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        before = next(s for s in watched.states() if s.name == "deeper/stopped")
        journal.write_text("".join(lines[:3]))
        after = next(s for s in watched.states() if s.name == "deeper/stopped")
    assert (before.status, before.finished) == ("running", 2)
    assert (after.status, after.finished) == ("running", 3)
    ended = next(s for s in watched.states() if s.name == "deeper/stopped")
    assert ended.status == "interrupted"


def test_a_run_itself_can_be_watched(folder: Path) -> None:
    assert [state.name for state in Watched(folder / "done").states()] == ["."]


def test_the_list_and_the_page_of_a_run_are_served(server: Server) -> None:
    answer, text = asked(server, "/")
    assert answer.status == 200
    assert '<a href="/run/deeper/stopped">' in text
    _, state = asked(server, "/state")
    assert {row["name"] for row in json.loads(state)} == {"done", "deeper/stopped"}
    answer, text = asked(server, "/run/deeper/stopped")
    assert answer.status == 200
    assert "has written no report yet" in text
    assert answer.getheader("Cache-Control") == "no-store"


def test_a_page_is_made_once_for_as_long_as_nothing_changes(server: Server, folder: Path) -> None:
    first = server.page(folder / "done")
    assert server.page(folder / "done") is first
    (folder / "done" / "journal.jsonl").write_text("")
    assert server.page(folder / "done") is not first


@pytest.mark.parametrize(
    "path",
    ["/run/../secret.txt", "/run/%2e%2e/secret.txt", "/secret.txt", "/run/", "/run/done/run.json",
     "/run//etc/passwd", "/run/empty", "/%00"],
)  # fmt: skip
def test_nothing_but_runs_is_served(server: Server, path: str) -> None:
    answer, text = asked(server, path)
    assert answer.status == 404
    assert "secret" not in text


def test_a_page_of_the_web_cannot_ask_under_its_own_name(server: Server) -> None:
    port = server.server_address[1]
    assert asked(server, "/state", host=f"evil.example:{port}")[0].status == 403
    assert asked(server, "/state", host=f"localhost:{port}")[0].status == 200


def test_a_port_that_is_taken_is_said(server: Server, folder: Path) -> None:
    with pytest.raises(HostError, match="cannot listen on port"):
        Server(folder, port=server.server_address[1])


def test_only_this_computer_can_connect(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("score", ["NaN", "1" + 400 * "0", "-1", '"much"'])
def test_a_score_that_is_none_ends_no_list(score: str, server: Server, folder: Path) -> None:
    journal = folder / "deeper" / "stopped" / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    record = json.loads(lines[0])["record"]
    odd = json.dumps({"type": "finished", "record": {**record, "score": "odd"}})
    journal.write_text(odd.replace('"odd"', score) + "\n")
    answer, text = asked(server, "/state")
    assert answer.status == 200
    states = {each["name"]: each for each in json.loads(text, parse_constant=pytest.fail)}
    assert states["deeper/stopped"]["score"] is None
    assert asked(server, "/")[0].status == 200
