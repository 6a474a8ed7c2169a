"""What a request costs that goes through a program or an MCP client, beside one in Python.

``python -m benchmarks.programs`` runs the same number of requests that compute nothing by an agent
in Python and by a program (``cmd:``), which have an empty answer reviewed, and by a client of the
official SDK (``mcp:``, where it is installed), which lists an empty folder; each in a process of
its own. What MCP takes is the SDK's two event loops; on a busy computer it is several times as
much.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from braino_registry.runner import try_task

TASK, INSTANCE = "missing-run", "rest-runs-03"
REQUESTS = 200
AGENT = """
import json, time
from braino.agent import AgentAnswer

class Measuring:
    name, model = "measuring", None
    def solve(self, request, session):
        took = []
        for _ in range({requests}):
            began = time.perf_counter()
            session.review({{}})
            took.append(time.perf_counter() - began)
        return AgentAnswer(json.dumps(took))
"""
PROGRAM = """
import http.client, json, os, time, urllib.parse

at = urllib.parse.urlsplit(os.environ["BRAINO_ENDPOINT"])
connection = http.client.HTTPConnection(at.netloc)
took = []
for _ in range({requests}):
    began = time.perf_counter()
    connection.request("POST", at.path + "/review", '{{"data": {{}}}}')
    connection.getresponse().read()
    took.append(time.perf_counter() - began)
print(json.dumps(took))
"""
CLIENT = """
import anyio, json, os, time
from mcp import Client

async def main():
    took = []
    async with Client(os.environ["BRAINO_MCP_URL"]) as client:
        for _ in range({requests}):
            began = time.perf_counter()
            await client.call_tool("list_files", {{"folder": "workspace"}})
            took.append(time.perf_counter() - began)
    print(json.dumps(took))

anyio.run(main)
"""


def measured(folder: Path, agent: str, code: str) -> float:
    """Return the median time of one request, in ms."""
    (folder / "measuring_agent.py").write_text(code.format(requests=REQUESTS))
    run = folder / agent.partition(":")[0]
    record = try_task(TASK, agent=agent, instance=INSTANCE, isolation="process", keep=run)
    (transcript,) = run.rglob("events.jsonl")
    events = map(json.loads, transcript.read_text(encoding="utf-8").splitlines())
    text = next((event["text"] for event in events if event["type"] == "answer"), None)
    if text is None:
        raise SystemExit(f"{agent}: {record['outcome']}: {record['reason']}")
    return median(json.loads(text)) * 1000


def main() -> None:
    """Print the medians and their ratios."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        plain = measured(folder, "measuring_agent:Measuring", AGENT)
        rows = [
            ("in Python", plain),
            ("cmd:", measured(folder, "cmd:python measuring_agent.py", PROGRAM)),
        ]
        if find_spec("mcp") is None:
            print("mcp: is not measured, for the package mcp is not installed", file=sys.stderr)
        else:
            rows.append(("mcp:", measured(folder, "mcp:python measuring_agent.py", CLIENT)))
    for label, value in rows:
        print(f"{label:10} {value:7.3f} ms a request, {value / plain:5.1f} x")


if __name__ == "__main__":
    main()
