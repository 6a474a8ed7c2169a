"""The Model Context Protocol both ways, with the official client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from braino.agent import AgentAnswer, Session
from braino_registry.datasets import Store
from braino_registry.errors import HostError, UsageError
from braino_registry.registry import Registry
from braino_registry.runner import try_task
from braino_registry.runner.served import serve_task
from tests.agents.llm.support import entries
from tests.runner.test_programs import lines

mcp = pytest.importorskip("mcp")
pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")

REPO = Path(__file__).parents[2]
ENTRIES = Path(__file__).parent / "entries"
Call = Callable[..., Awaitable[Any]]
Work = Callable[[Call], Awaitable[None]]


class Failed(Exception):
    """What a server says of a call that was not done."""


def meet(target: Any, work: Work, mode: str = "auto") -> None:
    """Let the official client work on a server."""
    import anyio

    async def main() -> None:
        async with mcp.Client(target, read_timeout_seconds=60, mode=mode) as client:

            async def call(name: str, **args: Any) -> Any:
                reply = await client.call_tool(name, args)
                (part,) = reply.content
                if reply.is_error:
                    raise Failed(part.text)
                return json.loads(part.text)

            call.client = client  # type: ignore[attr-defined]
            await work(call)

    anyio.run(main)


def over_http(task: str, work: Work, mode: str = "auto", **options: Any) -> dict[str, Any]:
    """Serve a task in this process, let a client work on it, and return the record."""
    address: list[str] = []
    listening = threading.Event()
    failures: list[BaseException] = []

    def tell(where: str) -> None:
        address.append(where)
        listening.set()

    def visit() -> None:
        listening.wait(60)
        try:
            meet(address[0], work, mode)
        except BaseException as error:  # told by the test, which waits for the record
            failures.append(error)

    visitor = threading.Thread(target=visit)
    visitor.start()
    record = serve_task(task, transport="http", tell=tell, **options)
    visitor.join(60)
    if failures:
        raise failures[0]
    return record


async def mark(call: Call) -> None:
    """Solve ``bad-channels-ask``."""
    view = (await call("preprocess__filter", view="sub-02_task-rest", l_freq=1.0))["view"]
    found = await call("quality__bad_channels", view=view)
    proposal = {"channels": found["channels"]}
    decision = await call("request_decision", kind="mark-bad-channels", proposal=proposal)
    assert decision["status"] == "edited"
    applied = ", ".join(decision["applied"]["channels"])
    await call("submit_answer", text=f"Marked {applied} as bad in subject 02.")


class Marks:
    """The same steps in Python."""

    name, model = "marks", None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        view = session.call("preprocess.filter", {"view": "sub-02_task-rest", "l_freq": 1.0})
        found = session.call("quality.bad_channels", {"view": view.result["view"]})
        proposal = {"channels": found.result["channels"]}
        applied = session.decide("mark-bad-channels", proposal).applied["channels"]
        return AgentAnswer(f"Marked {', '.join(applied)} as bad in subject 02.")


async def add(call: Call) -> None:
    """Solve ``probe-sum``."""
    total = (await call("calc", expression="20 + 22"))["value"]
    await call("submit_answer", text=f"The total is {total}.", data={"total": total})


async def tell_rate(call: Call) -> None:
    """Solve ``probe-rate``."""
    view = (await call("dataset__inspect"))["recordings"][0]["recording"]
    rate = (await call("recording__info", view=view))["sfreq"]
    await call("submit_answer", text=f"The sampling rate is {rate} Hz.", data={"rate": rate})


def test_a_client_leaves_the_transcript_of_the_same_steps_in_python(
    tmp_path: Path, cache: Path
) -> None:
    record = over_http("bad-channels-ask/sub-02", mark, keep=tmp_path / "one", store=Store(cache))
    assert (record["outcome"], record["score"]) == ("passed", 1.0), record["checks"]
    try_task(
        "bad-channels-ask", agent=Marks(), instance="sub-02", store=Store(cache),
        keep=tmp_path / "two",
    )  # fmt: skip
    assert lines(tmp_path / "one") == lines(tmp_path / "two")


@pytest.mark.parametrize(("task", "work"), [("probe-sum", add), ("probe-rate", tell_rate)])
def test_a_client_solves_further_tasks(
    task: str, work: Work, registry: Registry, cache: Path
) -> None:
    record = over_http(task, work, registry=registry, store=Store(cache))
    assert record["outcome"] == "passed", (record["reason"], record["checks"])


def test_what_a_client_did_not_get_decided_is_not_applied(tmp_path: Path, cache: Path) -> None:
    async def cheat(call: Call) -> None:
        listed = {tool.name for tool in (await call.client.list_tools()).tools}  # type: ignore[attr-defined]
        assert not [name for name in listed if "mark" in name or "approve" in name]
        with pytest.raises(Failed, match=r"no decision|there is no"):
            await call("request_decision", kind="approve-everything", proposal={})
        with pytest.raises(Failed):
            await call("request_decision", kind="mark-bad-channels", proposal={"chanels": ["Cz"]})
        for folder in ("../inputs/participants.tsv", "/etc/cron.d/x", "a/../../inputs/x"):
            with pytest.raises(Failed, match="does not lie in the folder"):
                await call("write_file", path=folder, text="status\nbad\n")
        await call("submit_answer", text="Marked T8 as bad in subject 02.")

    record = over_http("bad-channels-ask/sub-02", cheat, keep=tmp_path / "run", store=Store(cache))
    assert record["outcome"] == "failed"
    verdicts = {check["id"]: check["passed"] for check in record["checks"]}
    assert not verdicts["asks-before-marking"]
    assert not verdicts["reports-what-was-applied"]
    decided = [each for each in lines(tmp_path / "run") if each["type"] == "decide"]
    assert [each["status"] for each in decided] == ["invalid", "invalid"]
    assert all(not each["applied"] and not each["written"] for each in decided)


def test_the_server_keeps_its_head(registry: Registry, cache: Path) -> None:
    async def rave(call: Call) -> None:
        told = await call("read_request")
        assert told["request"].startswith("What is 20 plus 22?")
        assert told["fields"] == {"total": {"type": "number"}}
        for name, args, says in (
            ("calc", {"expresion": "1"}, "has no argument"),
            ("calc", {"expression": 7}, "Pass expression"),
            ("no__such", {}, "there is no tool 'no__such'"),
            ("ask_user", {}, "no 'question'"),
            ("submit_answer", {"text": 3}, "is a string"),
            ("submit_answer", {"text": "x", "data": [1]}, "are an object"),
            ("list_files", {"folder": "/"}, "inputs or workspace"),
            ("read_file", {"folder": "workspace", "path": ".."}, "does not lie in"),
            ("read_file", {"folder": "workspace", "path": "none.txt"}, "cannot be read"),
            ("write_file", {"path": "a.txt"}, "either text or base64"),
            ("write_file", {"path": "a.txt", "base64": "?"}, "base64 is none"),
        ):
            with pytest.raises(Failed, match=says):
                await call(name, **args)
        assert (await call("ask_user", question="May I round the result?"))["reply"]
        await call("write_file", path="notes/a.txt", text="20 + 22")
        listed = await call("list_files", folder="workspace")
        assert listed == {"files": [{"path": "notes/a.txt", "bytes": 7}], "not_shown": 0}
        read = await call("read_file", folder="workspace", path="notes/a.txt", offset=5)
        assert (read["text"], read["next_offset"]) == ("22", None)
        await add(call)

    record = over_http("probe-sum", rave, registry=registry, store=Store(cache))
    assert record["outcome"] == "passed", record["checks"]
    assert record["usage"]["questions"] == 1


def test_a_limit_ends_the_session_of_a_client(registry: Registry, cache: Path) -> None:
    async def insist(call: Call) -> None:
        for _ in range(20):
            await call("calc", expression="20 + 22")
        with pytest.raises(Failed, match="the limit tool_calls is reached"):
            await call("calc", expression="20 + 22")

    record = over_http("probe-sum", insist, registry=registry, store=Store(cache))
    assert record["outcome"] == "limit"
    assert "tool_calls" in record["reason"]


def test_a_client_that_cancels_calls_and_makes_several_at_once(
    registry: Registry, cache: Path
) -> None:
    """Calls that are cut short are done or not; the session goes on."""

    async def hurry(call: Call) -> None:
        import anyio

        for seconds in (0.0, 0.001, 0.01):
            with anyio.move_on_after(seconds):
                await call("calc", expression="20 + 22")
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(lambda: call("calc", expression="20 + 22"))
        await add(call)

    record = over_http("probe-sum", hurry, registry=registry, store=Store(cache))
    assert record["outcome"] == "passed", record["checks"]
    assert 6 <= record["usage"]["tool_calls"] <= 9


def test_a_client_that_never_answers_meets_the_time_limit(tmp_path: Path, cache: Path) -> None:
    async def leave(call: Call) -> None:
        await call("calc", expression="20 + 22")

    registry = entries(tmp_path, seconds=2)
    record = over_http("probe-sum", leave, registry=registry, store=Store(cache))
    assert record["outcome"] == "limit"
    assert "seconds" in record["reason"]


def braino(*words: str, cache: Path) -> dict[str, Any]:
    """Return how the official client starts a server of ours."""
    environ = {**os.environ, "BRAINO_DATA": str(cache), "PYTHONPATH": str(REPO)}
    return {
        "command": sys.executable,
        "args": ["-m", "braino_registry.cli", *words, "--registry", str(ENTRIES)],
        "env": environ,
    }


@pytest.mark.parametrize(
    ("task", "work"),
    [
        ("probe-sum", add),
        pytest.param("probe-rate", tell_rate, marks=pytest.mark.slow),
        pytest.param("bad-channels-ask/sub-02", mark, marks=pytest.mark.slow),
    ],
)
def test_a_client_over_stdio(tmp_path: Path, cache: Path, task: str, work: Work) -> None:
    run = tmp_path / "run"
    words = ("mcp", "serve", "--task", task, "--run-dir", str(run), "--json")
    server = mcp.StdioServerParameters(**braino(*words, cache=cache))
    meet(server, work)
    events = lines(run)
    assert (events[0]["type"], events[-2]["type"]) == ("start", "answer")
    assert events[-1]["outcome"] == "finished"


@pytest.mark.slow
def test_a_client_of_the_former_protocol(registry: Registry, cache: Path) -> None:
    record = over_http("probe-sum", add, mode="legacy", registry=registry, store=Store(cache))
    assert record["outcome"] == "passed", record["reason"]


@pytest.mark.slow
def test_rubbish_on_the_wire_is_passed_over(cache: Path) -> None:
    """Lines that are no JSON, no request, no text; an unknown method; then a session as ever.

    And when it is over, its client ends the server before it has scored the answer.
    """

    def line(method: str, **params: Any) -> bytes:
        told = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        return json.dumps(told).encode() + b"\n"

    version = {"protocolVersion": "2025-11-25", "capabilities": {}}
    hello = line("initialize", **version, clientInfo={"name": "x", "version": "0"})
    ready = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
    answer = line("tools/call", name="submit_answer", arguments={"text": "It is 42."})
    rubbish = (b"no json\n", b"\xff\xfe\n", b"[]\n", b"7\n", b"{}\n", b"[" * 50_000 + b"\n",
               b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}\n',
               b'{"jsonrpc": "2.0", "id": {}, "method": [], "params": 3}\n')  # fmt: skip
    server = braino("mcp", "serve", "--task", "probe-sum", "--json", cache=cache)
    with subprocess.Popen(
        [server["command"], *server["args"]], env=server["env"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for piece in (hello, ready, *rubbish, answer):
            process.stdin.write(piece)
            process.stdin.flush()
        replies = iter(process.stdout.readline, b"")
        found = next(each for each in map(json.loads, replies) if each.get("id") == "tools/call")
        assert not found["result"].get("isError")
        assert "session is over" in found["result"]["content"][0]["text"]
        process.terminate()  # as clients do soon after; the score is printed all the same
        process.stdin.close()
        told = process.stderr.read().splitlines()
    record = json.loads(told[-1])
    assert record["outcome"] == "failed", record["reason"]  # it has called no tool
    assert process.returncode == 0


@pytest.mark.slow
def test_the_score_goes_to_standard_error_and_a_client_that_leaves_is_told(cache: Path) -> None:
    server = braino("mcp", "serve", "--task", "probe-sum", "--json", cache=cache)
    done = subprocess.run(
        [server["command"], *server["args"]], input=b"not json\n\xff\n", env=server["env"],
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    record = json.loads(done.stderr.splitlines()[-1])
    assert record["outcome"] == "agent_error"
    assert "the client left without an answer" in record["reason"]
    assert b"agent_error" not in done.stdout
    assert done.returncode == 0


def test_what_cannot_be_served_is_told_at_once(
    tmp_path: Path, registry: Registry, cache: Path
) -> None:
    import socket

    (tmp_path / "old").write_text("")
    with pytest.raises(UsageError, match="not empty"):
        serve_task("probe-sum", transport="http", keep=tmp_path, registry=registry)
    with pytest.raises(UsageError, match="no task"):
        serve_task("no-such-task", transport="http", registry=registry, store=Store(cache))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(HostError, match="nothing can listen there"):
            serve_task("probe-sum", transport="http", port=taken.getsockname()[1])


CLIENT = """
import json, os, anyio
from mcp import Client

async def main():
    settings = json.load(open(os.environ["BRAINO_MCP_CONFIG"]))
    assert settings["mcpServers"]["braino"]["url"] == os.environ["BRAINO_MCP_URL"]
    async with Client(os.environ["BRAINO_MCP_URL"], read_timeout_seconds=60) as client:
        async def call(name, **args):
            return json.loads((await client.call_tool(name, args)).content[0].text)
        total = (await call("calc", expression="20 + 22"))["value"]
        await call("submit_answer", text=f"The total is {total}.", data={"total": total})

anyio.run(main)
"""


@pytest.mark.parametrize("isolation", ["process", pytest.param("sandbox", marks=pytest.mark.slow)])
def test_a_client_that_is_started_for_each_trial(
    attempt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    from braino_registry.runner.sandbox.bubblewrap import Bubblewrap

    if isolation == "sandbox" and not Bubblewrap().probe().works:
        pytest.skip("bubblewrap does not work here")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "client.py").write_text(CLIENT)
    record = attempt("mcp:python client.py", isolation=isolation)
    assert record["outcome"] == "passed", record["reason"]
