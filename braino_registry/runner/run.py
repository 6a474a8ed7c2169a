"""A run from the parent's side: plan, supervise, journal, report."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from braino_registry.expected import refusal
from braino_registry.runner import (
    agent_options,
    coding,
    compose,
    folder,
    journal,
    levels,
    records,
    releasing,
    tiers,
)
from braino_registry.runner.computer import describe
from braino_registry.runner.crews import Crew, gather
from braino_registry.runner.plan import Plan, Row
from braino_registry.runner.preflight import choose_agent
from braino_registry.runner.result import RunResult, check_bound, check_target, write_report
from braino_registry.runner.settings import RunSettings
from braino_registry.runner.shelf import Shelf
from braino_registry.runner.sources import Observer, Sources, fetch_missing, ignore, make_specs
from braino_registry.runner.spec import AGENT_STEPS, TrialSpec
from braino_registry.runner.supervise import CrewGone, Hand, Hooks, Supervisor, WorkerSilent


def plan(settings: RunSettings) -> Plan:
    """Return what a run with these settings would do, without doing any of it."""
    tiers.get(settings.tier)
    levels.get(settings.isolation)
    coding.check(settings.paradigm, settings.allow_unsandboxed_code)
    return Sources.open(settings).plan(settings)


def run(
    settings: RunSettings, *, observer: Observer | None = None, fail_under: float | None = None
) -> RunResult:
    """Run an agent on the tasks that ``settings`` name.

    Parameters
    ----------
    settings : RunSettings
        What to run, on what, and how.
    observer : callable | None
        Told what happens, one dict with a ``type`` per event: ``planned``, ``started``,
        ``finished``, ``note``, ``ended``.
    fail_under : float | None
        A bound that the score will be held against; refused if it cannot be reached.

    Returns
    -------
    RunResult
        The report and the exit code; the report has been written.

    Raises
    ------
    BrainoError
        Before any trial, if something asked for does not exist or cannot be used; during the
        run, if the run folder can no longer be written.
    """
    tell = observer or ignore
    tier = tiers.get(settings.tier)
    level = levels.get(settings.isolation)
    held_by = coding.check(settings.paradigm, settings.allow_unsandboxed_code)
    check_target(settings.report)
    sources = Sources.open(settings)
    planned = sources.plan(settings)
    check_bound(fail_under, planned.suite.rule)
    planned = fetch_missing(planned, settings, sources, tell)
    agent = choose_agent(
        settings.agent, settings.model, tier, level,
        endpoints=settings.endpoints, passed=settings.passed,
        options=agent_options.parse(settings.agent_options),
    )  # fmt: skip
    with gather(settings, sources) as crew:
        settings = replace(settings, jobs=crew.size)
        place = folder.create(settings.run_dir, suite=planned.suite.id, agent=agent.name)
        document = compose.run_document(
            run_id=new_run_id(planned.suite.id, agent.name),
            asked=settings.document(),
            agent=agent.document(),
            plan=planned.document(),
            tier=tier.limits(),
            enforcement={
                **level.enforcement(tier),
                **({} if held_by is None else {"code": held_by}),
            },
            salt=sources.salt.hash,
            rule=planned.suite.rule,
            computer=describe(),
            release=releasing.standing(settings, planned, sources),
        )
        with journal.Journal(place.journal) as log:
            folder.refuse_run(place)
            folder.write_run_file(place, document)
            specs = make_specs(planned, agent, settings, place)
            work = Undertaking(planned, settings, sources, place, document, log, crew)
            return carry_out(work, specs, {}, tell)


#: Datasets that are named of those that have to be built.
_NAMED = 3


@dataclass(frozen=True)
class Undertaking:
    """A run in its folder, with all that it needs.

    Parameters
    ----------
    planned : Plan
        What is to be run.
    settings : RunSettings
        How.
    sources : Sources
        On what.
    place : RunFolder
        Where it is kept.
    document : dict
        Its ``run.json``.
    log : Journal
        Its journal, open for writing.
    crew : Crew
        Those who run its trials.
    interrupted : mapping
        Attempts that do not count, by trial; see `Progress`.
    """

    planned: Plan
    settings: RunSettings
    sources: Sources
    place: folder.RunFolder
    document: dict[str, Any]
    log: journal.Journal
    crew: Crew
    interrupted: Mapping[journal.Key, list[dict[str, Any]]] = field(default_factory=dict)


def _first_builds(planned: Plan) -> str:
    """Return what has to be built, so that nobody wonders what the first trials wait for."""
    names = [row.dataset for row in planned.datasets if row.state == "to build"]
    if not names:
        return ""
    more = len(names) - _NAMED
    named = ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    what = "one dataset is" if len(names) == 1 else f"{len(names)} datasets are"
    return f"Before the first trial that needs it, {what} built: {named}"


def carry_out(
    work: Undertaking,
    specs: Sequence[TrialSpec],
    done: Mapping[journal.Key, dict[str, Any]],
    tell: Observer,
) -> RunResult:
    """Run trials, journal each, and write the report.

    Parameters
    ----------
    work : Undertaking
        The run.
    specs : sequence of TrialSpec
        The trials that are left.
    done : mapping
        The records of those that have finished before.
    tell : callable
        See `run`.
    """
    planned, settings = work.planned, work.settings
    finished = Shelf(done)
    rows = {(row.task, row.instance): row for row in planned.rows}

    def started(spec: TrialSpec) -> None:
        work.log.started(spec.key, spec.attempt)
        tell({"type": "started", "spec": spec.document()})

    def ended(spec: TrialSpec, record: dict[str, Any]) -> None:
        if spec.key in work.interrupted:
            record = {**record, "interruptions": work.interrupted[spec.key]}
        work.log.finished(record)
        finished.put(spec.key, record)
        tell(
            {
                "type": "finished",
                "record": record,
                "done": len(finished),
                "planned": planned.size,
            }
        )

    def lost(spec: TrialSpec, why: Exception) -> dict[str, Any]:
        return record_without_worker(spec, rows[(spec.task, spec.instance)], why)

    tell({"type": "planned", "trials": len(specs)})
    if specs and (text := _first_builds(planned)):
        tell({"type": "note", "text": text})
    if (reason := refusal(work.sources.store.root / "expected")) is not None:
        tell({"type": "note", "text": reason})
    whole = True
    try:
        whole = _supervise(specs, work, Hooks(started, ended), lost)
    except CrewGone as error:
        tell({"type": "note", "text": str(error)})
    else:
        work.crew.dismiss(work.place.path)
    finally:
        tell({"type": "ended"})
    every = [*finished.take(), *(records.not_planned(row) for row in planned.left_out)]
    return write_report(work.document, every, work.place.report, settings, interrupted=not whole)


def record_without_worker(spec: TrialSpec, row: Row, why: Exception) -> dict[str, Any]:
    """Return the record of a trial that its worker could not bring to an end.

    Parameters
    ----------
    spec, row : TrialSpec, Row
        The trial.
    why : Exception
        What became of the worker, or what it said.
    """
    # In these steps a worker does only what the agent's requests and its answer ask for.
    if isinstance(why, WorkerSilent) and why.step in AGENT_STEPS:
        return records.outlasted(spec, row, why.step, why.seconds)
    return records.lost(spec, row, str(why))


def _supervise(
    specs: Sequence[TrialSpec],
    work: Undertaking,
    hooks: Hooks,
    lost: Callable[[TrialSpec, Exception], dict[str, Any]],
) -> bool:
    if not specs:
        return True
    crew = work.crew

    def hire() -> Hand:
        return crew.hire(work.place.path)

    return Supervisor(specs, crew.size, hire, hooks, crew.roster, lost).run()


def new_run_id(suite: str, agent: str) -> str:
    """Return an id that no other run has."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{suite}-{agent}-{secrets.token_hex(4)}"
