"""Running single trials in this very process: for tests, notebooks and task authors."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.runner import trees

if TYPE_CHECKING:
    from braino.agent import Agent
    from braino_registry.datasets import Store
    from braino_registry.registry import Registry, Salt, Task
    from braino_registry.runner.bench import Bench


def try_task(
    task: str,
    *,
    agent: str | Agent = "oracle",
    instance: str | None = None,
    counterexample: int | None = None,
    isolation: str = "none",
    model: str | None = None,
    tier: str = "minimum",
    registry: Registry | None = None,
    store: Store | None = None,
    salt: Salt | None = None,
    keep: Path | None = None,
) -> dict[str, Any]:
    """Run one trial and return its record.

    Parameters
    ----------
    task : str
        Task id.
    agent : str or Agent
        A built-in agent's name, ``module:factory``, or an agent object (isolation ``none``).
    instance : str | None
        Instance id; the task's first one by default.
    counterexample : int | None
        Number of the task's counterexample by which reference and user are changed; the agent
        is then the oracle, or the built-in agent that the counterexample names.
    isolation : str
        ``none``, ``process`` or ``sandbox``.
    model : str | None
        Given to the agent's factory.
    tier : str
        What the agent's processes may use.
    registry, store, salt : optional
        By default the built-in entries, the platform's cache and no salt.
    keep : Path | None
        New run folder to keep transcript and artifacts in; otherwise they are removed.

    Returns
    -------
    dict
        The trial record, as it would stand in a report.
    """
    from braino_registry.runner import levels
    from braino_registry.runner.inprocess import NoIsolation
    from braino_registry.runner.records import LIFTED
    from braino_registry.runner.spec import TrialSpec
    from braino_registry.runner.trial import run_trial

    with _bench(registry, store, salt) as bench:
        entry = bench.registry.task(task)
        chosen = instance or entry.instances[0].id
        entry.instance(chosen)
        if counterexample is not None:
            agent = _agent_of(entry, counterexample)
        given = None if isinstance(agent, str) else agent
        factory, reference = _factory(agent) if isinstance(agent, str) else ("object", False)
        run_dir = keep.absolute() if keep is not None else bench.scratch / "run"
        spec = TrialSpec(
            task=task,
            version=entry.version,
            instance=chosen,
            repeat=1,
            factory=factory,
            run_dir=str(run_dir),
            model=model,
            path=(str(Path.cwd()),),
            reference=reference,
            tier=tier,
            isolation=isolation,
            paradigm=entry.home.paradigms[0],
            counterexample=counterexample,
        )
        level = levels.get(isolation) if given is None else NoIsolation(given)
        record = run_trial(spec, bench, level=level).record
        return {key: value for key, value in record.items() if key not in LIFTED}


def run_counterexample(task: str, number: int, **options: Any) -> dict[str, Any]:
    """Run counterexample ``number`` of a task; options as for `try_task`."""
    return try_task(task, counterexample=number, **options)


def _agent_of(task: Task, counterexample: int) -> str:
    return str(task.counterexamples[counterexample].get("agent", "oracle"))


def _factory(agent: str) -> tuple[str, bool]:
    from braino_registry import agents

    found = agents.resolve(agent)
    return found.factory, found.reference


@contextmanager
def _bench(registry: Registry | None, store: Store | None, salt: Salt | None) -> Iterator[Bench]:
    from braino_registry.datasets import Store as DatasetStore
    from braino_registry.registry import Registry as Entries
    from braino_registry.registry import Salt as AnySalt
    from braino_registry.runner.bench import Bench

    scratch = Path(tempfile.mkdtemp(prefix="braino-"))
    try:
        yield Bench(
            registry=registry or Entries.open(),
            store=store or DatasetStore(),
            salt=salt or AnySalt.none(),
            scratch=scratch,
        )
    finally:
        trees.remove_tree(scratch)
