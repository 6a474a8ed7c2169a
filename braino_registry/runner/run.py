"""A run from the parent's side: plan, supervise, journal, report."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import BrainoError, HostError, ReportError, UsageError
from braino_registry.reports import SCORED, write
from braino_registry.reports.files import write_atomic
from braino_registry.runner import compose, folder, isolation, journal, records, tiers, trees, wire
from braino_registry.runner.computer import describe
from braino_registry.runner.plan import Plan, Row, make_plan
from braino_registry.runner.preflight import AgentChoice, choose_agent
from braino_registry.runner.settings import RunSettings
from braino_registry.runner.spec import TrialSpec
from braino_registry.runner.supervise import Hooks, Roster, Supervisor, Worker

if TYPE_CHECKING:
    from braino_registry.datasets import Store
    from braino_registry.registry import Registry
    from braino_registry.registry.salt import Salt

Observer = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class RunResult:
    """What a run ended with.

    Parameters
    ----------
    report : dict
        The report, as written.
    path : Path
        Where it stands.
    exit_code : int
        0 complete, 3 incomplete, 130 interrupted.
    """

    report: dict[str, Any]
    path: Path
    exit_code: int

    def exit_code_with(self, fail_under: float | None) -> int:
        """Return the exit code, 1 if the printed score of a complete run is below a bound."""
        if self.exit_code or fail_under is None:
            return self.exit_code
        summary = self.report["summary"]
        score = summary["score"]
        return 1 if score is None or score * summary["scale"] < fail_under else 0


@dataclass(frozen=True)
class Sources:
    """Entries, data and salt of a run.

    Parameters
    ----------
    registry : Registry
        The entries.
    store : Store
        The datasets.
    salt : Salt
        The salt of this run.
    """

    registry: Registry
    store: Store
    salt: Salt

    @classmethod
    def open(cls, settings: RunSettings) -> Sources:
        """Open what the settings name."""
        from braino_registry.datasets import Store
        from braino_registry.registry import Registry
        from braino_registry.registry.salt import Salt

        return cls(
            registry=Registry.open(settings.registry),
            store=Store(settings.cache),
            salt=Salt.none() if settings.salt is None else Salt.read(settings.salt),
        )

    def plan(self, settings: RunSettings) -> Plan:
        """Resolve settings into trials."""
        return make_plan(settings, self.registry, self.store, self.salt)


def plan(settings: RunSettings) -> Plan:
    """Return what a run with these settings would do, without doing any of it."""
    tiers.get(settings.tier)
    isolation.get(settings.isolation)
    return Sources.open(settings).plan(settings)


def run(settings: RunSettings, *, observer: Observer | None = None) -> RunResult:
    """Run an agent on the tasks that ``settings`` name.

    Parameters
    ----------
    settings : RunSettings
        What to run, on what, and how.
    observer : callable | None
        Told what happens, one dict with a ``type`` per event: ``planned``, ``started``,
        ``finished``, ``note``, ``ended``.

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
    tell = observer or _ignore
    tier = tiers.get(settings.tier)
    level = isolation.get(settings.isolation)
    _check_target(settings.report)
    sources = Sources.open(settings)
    planned = _fetched_plan(settings, sources, tell)
    agent = choose_agent(settings.agent, settings.model)
    place = folder.create(settings.run_dir, suite=planned.suite.id, agent=agent.name)
    document = compose.run_document(
        run_id=_run_id(planned.suite.id, agent.name),
        asked=settings.document(),
        agent=agent.document(),
        plan=planned.document(),
        tier=tier.limits(),
        enforcement=level.enforcement(tier),
        salt=sources.salt.hash,
        rule=planned.suite.rule,
        computer=describe(),
    )
    with journal.Journal(place.journal) as log:
        folder.write_run_file(place, document)
        specs = _specs(planned, agent, settings, place)
        return _carry_out(specs, planned, settings, sources, place, document, log, {}, tell)


def resume(
    run_dir: Path,
    *,
    jobs: int | None = None,
    salt: Path | None = None,
    report: Path | None = None,
    retry_errors: bool = False,
    observer: Observer | None = None,
) -> RunResult:
    """Continue a run: trials that were in flight get a second attempt, finished ones none.

    Parameters
    ----------
    run_dir : Path
        Folder of the run.
    jobs : int | None
        Trials at a time; as before if None.
    salt : Path | None
        The salt's file, if it is not where it was.
    report : Path | None
        Where a copy of the report is written.
    retry_errors : bool
        Run unscored trials again as well.
    observer : callable | None
        See `run`.

    Raises
    ------
    UsageError
        If the entries, the salt or the agent are no longer those of the run.
    """
    tell = observer or _ignore
    place, document = folder.open_run(run_dir)
    settings = RunSettings.from_document(document["asked"], run_dir=place.path, report=report)
    settings = replace(settings, jobs=jobs or settings.jobs, salt=salt or settings.salt)
    _check_target(report)
    tiers.get(settings.tier)
    isolation.get(settings.isolation)
    sources = Sources.open(settings)
    planned = sources.plan(settings)
    _refuse_changes(document, planned, sources.salt)
    choice = {**document["agent"], "path": tuple(document["agent"]["path"])}
    agent = AgentChoice(**choice)
    if choose_agent(settings.agent, settings.model, path=agent.path).factory != agent.factory:
        raise UsageError("the agent's name now means another factory", where=str(place.run_file))
    with journal.Journal(place.journal) as log:
        progress = journal.read(place.journal)
        done = {
            key: record
            for key, record in progress.finished.items()
            if not (retry_errors and record["outcome"] not in SCORED)
        }
        specs = []
        for spec in _specs(planned, agent, settings, place):
            if spec.key not in done:
                attempt = progress.started.get(spec.key, 0) + 1
                _set_aside(spec, attempt)
                specs.append(spec.retried(attempt))
        return _carry_out(specs, planned, settings, sources, place, document, log, done, tell)


def _carry_out(
    specs: Sequence[TrialSpec],
    planned: Plan,
    settings: RunSettings,
    sources: Sources,
    place: folder.RunFolder,
    document: dict[str, Any],
    log: journal.Journal,
    done: Mapping[journal.Key, dict[str, Any]],
    tell: Observer,
) -> RunResult:
    finished = dict(done)
    rows = {(row.task, row.instance): row for row in planned.rows}

    def started(spec: TrialSpec) -> None:
        log.started(spec.key, spec.attempt)
        tell({"type": "started", "spec": spec.document()})

    def ended(spec: TrialSpec, record: dict[str, Any]) -> None:
        log.finished(record)
        finished[spec.key] = record
        tell(
            {
                "type": "finished",
                "record": record,
                "done": len(finished),
                "planned": planned.size,
            }
        )

    def lost(spec: TrialSpec, reason: str) -> dict[str, Any]:
        return records.lost(spec, rows[(spec.task, spec.instance)], reason)

    tell({"type": "planned", "trials": len(specs)})
    try:
        whole = _supervise(specs, settings, sources, Hooks(started, ended), lost)
    finally:
        tell({"type": "ended"})
    every = [*finished.values(), *(records.not_planned(row) for row in planned.left_out)]
    return _write_report(document, every, place.report, settings, interrupted=not whole)


def _supervise(
    specs: Sequence[TrialSpec],
    settings: RunSettings,
    sources: Sources,
    hooks: Hooks,
    lost: Callable[[TrialSpec, str], dict[str, Any]],
) -> bool:
    if not specs:
        return True
    scratch = _scratch()
    roster = Roster()

    def hire(slot: int) -> Worker:
        return start_worker(settings, sources.salt, scratch / f"slot-{slot}", roster)

    try:
        return Supervisor(specs, settings.jobs, hire, hooks, roster, lost).run()
    finally:
        trees.remove_tree(scratch)


def start_worker(
    settings: RunSettings, salt: Salt, scratch: Path, roster: Roster | None = None
) -> Worker:
    """Start one trusted worker with an empty scratch folder."""
    scratch.mkdir(mode=0o700)
    init = wire.init_message(
        registry=tuple(path.absolute() for path in settings.registry),
        cache=None if settings.cache is None else settings.cache.absolute(),
        salt=salt.material or None,
        scratch=scratch,
    )
    return Worker(init, roster or Roster())


def _scratch() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix="braino-"))
    except OSError as error:
        raise HostError(
            f"cannot make a temporary folder: {error.strerror}",
            where=tempfile.gettempdir(),
            hint="Free some space there, or set TMPDIR.",
        ) from error


def _write_report(
    document: Mapping[str, Any],
    rows: Sequence[dict[str, Any]],
    path: Path,
    settings: RunSettings,
    *,
    interrupted: bool,
) -> RunResult:
    report = compose.report(document, rows, interrupted=interrupted)
    data = write(path, report)
    if settings.report is not None:
        write_atomic(settings.report, data)
        path = settings.report
    return RunResult(report, path, _exit_code(report, settings))


def _exit_code(report: Mapping[str, Any], settings: RunSettings) -> int:
    coverage = report["coverage"]
    if coverage["interrupted"]:
        return 130
    if not coverage["complete"] or coverage["planned"] == 0:
        return 3
    wanted_more = settings.fetch or settings.include_large
    return 3 if wanted_more and coverage["not_planned"] else 0


def _specs(
    planned: Plan, agent: AgentChoice, settings: RunSettings, place: folder.RunFolder
) -> list[TrialSpec]:
    return [
        TrialSpec(
            task=row.task,
            version=row.version,
            instance=row.instance,
            repeat=repeat,
            factory=agent.factory,
            run_dir=str(place.path),
            model=agent.asked_model,
            path=agent.path,
            reference=agent.reference,
            tier=settings.tier,
            isolation=settings.isolation,
            paradigm=settings.paradigm,
            profile=settings.profile,
        )
        for row in planned.rows
        for repeat in range(1, planned.repeats + 1)
    ]


def _fetched_plan(settings: RunSettings, sources: Sources, tell: Observer) -> Plan:
    """Plan, and where it was asked for, fetch what is missing and plan again."""
    planned = sources.plan(settings)
    if not (settings.fetch or settings.include_large):
        return planned
    failures: dict[str, str] = {}
    for row in planned.datasets:
        large = any(
            _is_large(sources, each) for each in planned.left_out if each.dataset == row.dataset
        )
        if row.state == "missing" and (settings.fetch or large):
            tell({"type": "note", "text": f"fetching {row.dataset}"})
            try:
                sources.store.fetch(sources.registry.dataset(row.dataset))
            except BrainoError as error:
                failures[row.dataset] = str(error).replace("\n", "; ")
                tell({"type": "note", "text": f"{row.dataset}: {failures[row.dataset]}"})
    planned = sources.plan(settings)
    left_out = tuple(
        replace(row, reason=f"fetching failed: {failures[row.dataset]}")
        if row.dataset in failures
        else row
        for row in planned.left_out
    )
    return replace(planned, left_out=left_out)


def _is_large(sources: Sources, row: Row) -> bool:
    return sources.registry.task(row.task).instance(row.instance).large


def _refuse_changes(document: Mapping[str, Any], planned: Plan, salt: Salt) -> None:
    """Refuse to mix what was measured with what would be measured now."""
    before = document["plan"]["digests"]
    changed = sorted(
        task
        for task in before.keys() | planned.digests.keys()
        if before.get(task) != planned.digests.get(task)
    )
    if document["salt"] != salt.hash:
        changed.append("the salt")
    now = planned.document()
    if [_key(row) for row in document["plan"]["planned"]] != [_key(row) for row in now["planned"]]:
        changed.append("which data are there")
    if changed:
        raise UsageError(
            f"the run cannot be continued, for this has changed: {', '.join(changed)}",
            where=document["run_id"],
            hint="Restore it, or start a new run.",
        )


def _key(row: Mapping[str, Any]) -> tuple[str, str]:
    return (row["task"], row["instance"])


def _set_aside(spec: TrialSpec, attempt: int) -> None:
    """Keep what a former attempt has left, under another name."""
    if spec.folder.exists():
        former = spec.folder.with_name(f"{spec.folder.name}.attempt-{attempt - 1}")
        shutil.move(spec.folder, former)


def _check_target(path: Path | None) -> None:
    if path is not None and not path.absolute().parent.is_dir():
        raise UsageError(
            "the folder of the report does not exist", where=str(path), hint="Make it first."
        )


def _run_id(suite: str, agent: str) -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{suite}-{agent}-{secrets.token_hex(4)}"


def _ignore(event: dict[str, Any]) -> None:
    """Tell nobody."""


def rescore(
    run_dir: Path,
    *,
    salt: Path | None = None,
    report: Path | None = None,
    observer: Observer | None = None,
) -> RunResult:
    """Score the transcripts of a run with the checks of today; no agent is run.

    Parameters
    ----------
    run_dir : Path
        Folder of the run.
    salt : Path | None
        The salt's file, if it is not where it was.
    report : Path | None
        Where the new report is written; ``RUN/rescored.json`` by default.
    observer : callable | None
        See `run`.

    Raises
    ------
    UsageError
        If the work of a task has changed since: then its transcripts answer another question.
    """
    tell = observer or _ignore
    place, document = folder.open_run(run_dir)
    settings = RunSettings.from_document(document["asked"], run_dir=place.path)
    settings = replace(settings, salt=salt or settings.salt, report=report)
    sources = Sources.open(settings)
    planned = sources.plan(settings)
    _refuse_other_work(document, planned, sources.salt)
    former = journal.read(place.journal).finished
    if not former:
        raise ReportError("no trial of this run has finished", where=str(place.journal))
    choice = {**document["agent"], "path": tuple(document["agent"]["path"])}
    specs = [s for s in _specs(planned, AgentChoice(**choice), settings, place) if s.key in former]
    rows = _regrade_all(specs, former, settings, sources, tell)
    new = {**document, "plan": {**document["plan"], "digests": planned.digests}}
    every = [*rows, *(records.not_planned(row) for row in planned.left_out)]
    return _write_report(new, every, place.path / "rescored.json", settings, interrupted=False)


def _regrade_all(
    specs: Sequence[TrialSpec],
    former: Mapping[journal.Key, dict[str, Any]],
    settings: RunSettings,
    sources: Sources,
    tell: Observer,
) -> list[dict[str, Any]]:
    scratch = _scratch()
    worker = start_worker(settings, sources.salt, scratch / "slot-0")
    rows = []
    try:
        for number, spec in enumerate(specs, start=1):
            message = {"type": "rescore", "spec": spec.document(), "former": former[spec.key]}
            record = worker.request(message)["record"]
            rows.append(record)
            tell({"type": "finished", "record": record, "done": number, "planned": len(specs)})
    finally:
        worker.close()
        trees.remove_tree(scratch)
    return rows


def _refuse_other_work(document: Mapping[str, Any], planned: Plan, salt: Salt) -> None:
    before = document["plan"]["digests"]
    changed = [
        task
        for task, now in planned.digests.items()
        if task in before and before[task]["work"] != now["work"]
    ]
    if document["salt"] != salt.hash:
        changed.append("the salt")
    if changed:
        raise UsageError(
            f"the transcripts cannot be scored again, for this has changed: {', '.join(changed)}",
            where=document["run_id"],
            hint="Run the agent again.",
        )
