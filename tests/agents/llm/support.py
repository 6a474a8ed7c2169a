"""Trials of models that a script plays, in this process and over real HTTP."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from braino_registry.agents import codeact
from braino_registry.agents.llm import make
from braino_registry.datasets import Store
from braino_registry.registry import Registry
from braino_registry.runner.trial import realise
from braino_registry.runner.trying import make_spec, open_bench, try_task
from braino_registry.runner.work import bind, scripts
from tests.agents.scripted_server import Script, ScriptedServer

ENTRIES = Path(__file__).parents[2] / "runner" / "entries"
TASK = "probe-sum"
#: What a scripted server's replies take, in US dollars per million tokens.
PRICES = {"input_price": 1.0, "output_price": 2.0}
SUM = ("calc", {"expression": "a + b", "values": {"a": 20, "b": 22}})
RIGHT = ("submit_answer", {"text": "The total is 42.", "data": {"total": 42}})


def entries(folder: Path, *, paradigm: str = "tools", **limits: float) -> Registry:
    """Return the entries of the runner's tests, with paradigm and limits of the task changed."""
    if not limits and paradigm == "tools":
        return _entries()
    root = folder / "entries"
    shutil.copytree(ENTRIES, root)
    changes = {
        "suite": {"paradigms": [paradigm]},
        **({"sum": {"limits": limits}} if limits else {}),
    }
    for name, change in changes.items():
        file = root / "tasks" / "probe" / f"{name}.json"
        file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **change}), "utf-8")
    return Registry.open([root])


@cache
def _entries() -> Registry:
    return Registry.open([ENTRIES])


class Tried:
    """A trial that has ended.

    Parameters
    ----------
    record : dict
        Its record.
    server : ScriptedServer
        What the model was asked.
    folder : Path
        What it has left.
    """

    def __init__(self, record: dict[str, Any], server: ScriptedServer, folder: Path) -> None:
        self.record, self.server, self.folder = record, server, folder

    @property
    def outcome(self) -> str:
        return str(self.record["outcome"])

    @property
    def reason(self) -> str:
        return str(self.record["reason"])

    @property
    def usage(self) -> dict[str, Any]:
        used: dict[str, Any] = self.record["usage"]
        return used

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of a kind in the transcript."""
        text = next(self.folder.rglob("events.jsonl")).read_text("utf-8")
        return [event for line in text.splitlines() if (event := json.loads(line))["type"] == kind]


def try_script(
    script: Script,
    folder: Path,
    *,
    limits: dict[str, float] | None = None,
    factory: Callable[..., Any] = make,
    **options: Any,
) -> Tried:
    """Run one trial of the probe with a model that follows a script."""
    paradigm = "code" if factory is codeact.make else "tools"
    with ScriptedServer(script) as server:
        agent = factory("scripted", base_url=server.url, **{**PRICES, **options})
        kept = folder / "run"
        record = try_task(
            TASK, agent=agent, registry=entries(folder, paradigm=paradigm, **(limits or {})),
            store=Store(folder / "store"), keep=kept, paradigm=paradigm,
            allow_unsandboxed_code=True,
        )  # fmt: skip
    return Tried(record, server, kept)


def reference_of(
    task: str, registry: Registry, store: Store, instance: str | None = None
) -> dict[str, Any]:
    """Return a task's reference solution, filled in."""
    with open_bench(registry, store, None) as bench:
        spec = replace(make_spec(bench, task, instance=instance), reference=True)
        work = bind(spec, bench.registry, bench.salt)
        realised = None if work.entry is None else realise(work, bench)
        reference = scripts(work, realised, spec).reference
    assert reference is not None
    return reference
