"""What ``llm`` adds to a turn, beyond the time of the model's server.

``python -m benchmarks.llm_turns [--turns N] [--repeats K] [--json]``

A scripted server in a process of its own answers at once and looks at the clock: what passes
between the last byte of one reply and the next request is what the agent, the session and the
connection take for a turn. Each turn of a trial calls a tool that adds two numbers. The same
requests sent by a bare loop over the ``openai`` client stand beside it. A trial of N turns is
compared with one of five, so that starting up cancels out, for what it takes of the processor, for
the size of the transcript without what it has to hold (arguments, results), and for the peak
memory of the agent's process.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import resource
import shutil
import statistics
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from braino_registry.runner import RunSettings, run
from tests.agents.scripted_server import Say, ScriptedServer

ENTRIES = Path(__file__).resolve().parent.parent / "tests" / "runner" / "entries"
FEW = 5
TARGETS = {"ms_per_turn": 10.0, "transcript_kb_per_50_turns": 40.0}


class TimedServer(ScriptedServer):
    """A server that notes when each request came and when its reply had left."""

    def __init__(self, script: Any) -> None:
        super().__init__(script)
        self.spans: list[tuple[float, float]] = []

    def _complete(self, handler: Any) -> None:
        began = time.perf_counter()
        super()._complete(handler)
        handler.wfile.flush()
        self.spans.append((began, time.perf_counter()))


def serve(pipe: Connection) -> None:
    """Run a server; each message through the pipe asks when it was at work, and starts anew."""

    def script(body: Any) -> Say:
        turns = sum(message["role"] == "assistant" for message in body["messages"])
        if turns < int(body["most"]):
            values = {"a": turns, "b": 2}
            return Say(calls=[("calc", {"expression": "a + b", "values": values})])
        return Say(calls=[("submit_answer", {"text": "The total is 42.", "data": {"total": 42}})])

    with TimedServer(script) as server:
        pipe.send(server.url)
        while pipe.recv() is not None:
            pipe.send(server.spans)
            server.spans = []
            server.requests.clear()


def one_trial(url: str, turns: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the record of a trial and its transcript."""
    options = {
        "base_url": url,
        "extra_body": {"most": turns - 1},
        "max_turns": turns + 1,
        "context_tokens": 10_000_000,
    }
    with tempfile.TemporaryDirectory() as folder:
        asked = RunSettings(
            agent="llm",
            model="scripted",
            tasks=("probe-sum/small",),
            registry=(entries(Path(folder), turns),),
            run_dir=Path(folder) / "run",
            agent_options=tuple(f"{name}={json.dumps(value)}" for name, value in options.items()),
        )
        result = run(asked)
        record = result.report["trials"][0]
        assert record["usage"]["tool_calls"] == turns - 1, record
        lines = (result.run_dir / record["transcript"]).read_text("utf-8").splitlines()
    return record, [json.loads(line) for line in lines]


def processor_ms(url: str, turns: int) -> float:
    """Return the processor milliseconds per turn of agent, connection and session together.

    Unlike the clock on the wall it hardly depends on what else the computer does. The trial is run
    by this process's own children, whose time is known once they have ended.
    """
    spent = []
    for count in (FEW, FEW + turns):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        one_trial(url, count)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * (spent[1] - spent[0]) / turns


def entries(folder: Path, turns: int) -> Path:
    """Return the entries of the probe, with as many tool calls as turns."""
    root = folder / "entries"
    shutil.copytree(ENTRIES, root)
    file = root / "tasks" / "probe" / "sum.json"
    document = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**document, "limits": {"tool_calls": turns}}), "utf-8")
    return root


def bare(url: str, turns: int) -> None:
    """Send the same number of turns in a loop over the client alone."""
    import openai

    client = openai.OpenAI(base_url=url, api_key="none")
    messages: list[Any] = [{"role": "user", "content": "What is 20 plus 22?"}]
    for _ in range(turns):
        stream = client.chat.completions.create(
            model="scripted", messages=messages, stream=True, extra_body={"most": turns}
        )
        called: dict[str, Any] = {}
        for chunk in stream:
            for choice in chunk.choices:
                for call in choice.delta.tool_calls or ():
                    called.setdefault("id", call.id)
                    part = call.function.arguments if call.function else ""
                    called["arguments"] = called.get("arguments", "") + (part or "")
        function = {"name": "calc", "arguments": called["arguments"]}
        said = {"id": called["id"], "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [said]},
            {"role": "tool", "tool_call_id": called["id"], "content": '{"value": 3}'},
        ]


def beyond_payload(events: list[dict[str, Any]]) -> int:
    """Return the bytes of a transcript without arguments and results of its calls."""
    whole = sum(len(json.dumps(event, separators=(",", ":"))) + 1 for event in events)
    payload = sum(
        len(json.dumps(event[part], separators=(",", ":")))
        for event in events
        for part in ("args", "result", "request", "text", "data")
        if event.get(part) is not None
    )
    return whole - payload


def gaps_ms(spans: list[tuple[float, float]]) -> float:
    """Return the median milliseconds from one reply to the next request."""
    pairs = itertools.pairwise(spans)
    return 1000 * statistics.median(following[0] - before[1] for before, following in pairs)


def measured(turns: int, repeats: int) -> dict[str, float]:
    """Return the numbers, as medians over repeats."""
    rows: dict[str, list[float]] = {}
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = here.recv()

    def spans() -> list[tuple[float, float]]:
        here.send("spans")
        found: list[tuple[float, float]] = here.recv()
        return found

    for _ in range(repeats):
        small, first = one_trial(url, FEW)
        spans()
        large, last = one_trial(url, FEW + turns)
        of_trial = spans()
        bare(url, FEW + turns)
        alone = spans()
        size = beyond_payload(last) - beyond_payload(first)
        memory = [each["process"]["peak_memory_bytes"] or 0 for each in (small, large)]
        found = {
            "ms_per_turn": gaps_ms(of_trial),
            "server_ms_per_turn": 1000 * statistics.median(end - start for start, end in of_trial),
            "processor_ms_per_turn": processor_ms(url, turns),
            "bare_client_ms_per_turn": gaps_ms(alone),
            "transcript_kb_per_50_turns": size / turns * 50 / 1000,
            "memory_growth_mb": (memory[1] - memory[0]) / 2**20,
        }
        for name, value in found.items():
            rows.setdefault(name, []).append(value)
    here.send(None)
    server.join(10)
    return {name: statistics.median(values) for name, values in rows.items()}


def main() -> None:
    """Print the numbers, and whether they are within their targets."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measured(given.turns, given.repeats)
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        target = TARGETS.get(name)
        told = (
            ""
            if target is None
            else f"  at most {target:g}: {'ok' if value <= target else 'MISSED'}"
        )
        print(f"{name:28}{value:10.2f}{told}")
    ratio = found["ms_per_turn"] / found["bare_client_ms_per_turn"]
    print(f"{'beside a bare client loop':28}{ratio:10.2f} ×")
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    if load > processors:
        print(f"The load is {load:.0f} on {processors} processors: milliseconds tell little.")


if __name__ == "__main__":
    main()
