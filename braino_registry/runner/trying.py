"""Running single trials in this very process: for tests, notebooks and task authors."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.runner import trees

if TYPE_CHECKING:
    from braino.agent import Agent
    from braino_registry.agents import AgentSpec
    from braino_registry.datasets import Store
    from braino_registry.registry import Registry, Salt, Task
    from braino_registry.runner.bench import Bench
    from braino_registry.runner.spec import TrialSpec


def try_task(
    task: str,
    *,
    agent: str | Agent = "oracle",
    instance: str | None = None,
    counterexample: int | None = None,
    isolation: str = "none",
    model: str | None = None,
    options: Mapping[str, Any] | None = None,
    tier: str = "minimum",
    paradigm: str | None = None,
    allow_unsandboxed_code: bool = False,
    registry: Registry | None = None,
    store: Store | None = None,
    salt: Salt | None = None,
    keep: Path | None = None,
    bench: Bench | None = None,
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
    options : mapping of str | None
        Given to it too, as ``--agent-option`` does.
    tier : str
        What the agent's processes may use.
    paradigm : str | None
        ``tools`` or ``code``; by default the first of the suite.
    allow_unsandboxed_code : bool
        Whether code may run without a sandbox where there is none.
    registry, store, salt : optional
        By default the built-in entries, the platform's cache and no salt.
    keep : Path | None
        New run folder to keep transcript and artifacts in; otherwise they are removed.
    bench : Bench | None
        A trusted side that is open already, see `open_bench`, for many trials in a row; then
        registry, store and salt are its own, and `keep` is a folder to keep things in.

    Returns
    -------
    dict
        The trial record, as it would stand in a report.
    """
    from braino_registry.runner import levels
    from braino_registry.runner.inprocess import NoIsolation
    from braino_registry.runner.records import LIFTED
    from braino_registry.runner.trial import run_trial

    with nullcontext(bench) if bench else open_bench(registry, store, salt) as bench:
        if counterexample is not None:
            agent = _agent_of(bench.registry.task(task), counterexample)
        spec = make_spec(
            bench, task, agent=agent, instance=instance, counterexample=counterexample,
            isolation=isolation, model=model, options=options, tier=tier, keep=keep,
            paradigm=paradigm, allow_unsandboxed_code=allow_unsandboxed_code,
        )  # fmt: skip
        level = levels.get(isolation) if isinstance(agent, str) else NoIsolation(agent)
        record = run_trial(spec, bench, level=level).record
        return {key: value for key, value in record.items() if key not in LIFTED}


def make_spec(
    bench: Bench,
    task: str,
    *,
    agent: str | Agent = "oracle",
    instance: str | None = None,
    counterexample: int | None = None,
    isolation: str = "none",
    model: str | None = None,
    options: Mapping[str, Any] | None = None,
    tier: str = "minimum",
    paradigm: str | None = None,
    allow_unsandboxed_code: bool = False,
    keep: Path | None = None,
) -> TrialSpec:
    """Return the trial that `try_task` runs; parameters as there."""
    from braino_registry.agents import AgentSpec
    from braino_registry.runner.spec import TrialSpec

    entry = bench.registry.task(task)
    chosen = instance or entry.instances[0].id
    entry.instance(chosen)
    found = _found(agent) if isinstance(agent, str) else AgentSpec("object", False, "")
    run_dir = keep.absolute() if keep is not None else bench.scratch / "run"
    return TrialSpec(
        task=task,
        version=entry.version,
        instance=chosen,
        repeat=1,
        factory=found.factory,
        run_dir=str(run_dir),
        model=model,
        path=found.path or (str(Path.cwd()),),
        reference=found.reference,
        options={**found.options, **(options or {})},
        tier=tier,
        isolation=isolation,
        paradigm=paradigm or entry.home.paradigms[0],
        allow_unsandboxed_code=allow_unsandboxed_code,
        counterexample=counterexample,
    )


def run_counterexample(task: str, number: int, **options: Any) -> dict[str, Any]:
    """Run counterexample ``number`` of a task; options as for `try_task`."""
    return try_task(task, counterexample=number, **options)


def _agent_of(task: Task, counterexample: int) -> str:
    return str(task.counterexamples[counterexample].get("agent", "oracle"))


def _found(agent: str) -> AgentSpec:
    from braino_registry import agents

    return agents.resolve(agent)


@contextmanager
def open_bench(
    registry: Registry | None = None, store: Store | None = None, salt: Salt | None = None
) -> Iterator[Bench]:
    """Give a trusted side's tools, with a folder for temporary files that is removed again."""
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
