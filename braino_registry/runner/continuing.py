"""Going on with a run that exists: finish it, run its errors again, or score it again."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import ReportError, UsageError
from braino_registry.reports import SCORED
from braino_registry.runner import coding, folder, journal, levels, records, releasing, tiers
from braino_registry.runner.crews import gather, start_worker
from braino_registry.runner.interruptions import check_reason, note
from braino_registry.runner.plan import Plan
from braino_registry.runner.preflight import AgentChoice, choose_agent
from braino_registry.runner.result import RunResult, check_bound, check_target, write_report
from braino_registry.runner.run import Undertaking, carry_out
from braino_registry.runner.settings import RunSettings
from braino_registry.runner.sources import Observer, Sources, ignore, make_specs
from braino_registry.runner.spec import TrialSpec
from braino_registry.runner.supervise import WorkerDied, WorkerFailed
from braino_registry.runner.testimony import progress_of

#: What is given instead of a cluster's address to do without one.
NO_CLUSTER = "none"

if TYPE_CHECKING:
    from braino_registry.registry import Salt
    from braino_registry.runner.models import Endpoint
    from braino_registry.runner.parsing import Parser


def resume(
    run_dir: Path,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    salt: Path | None = None,
    report: Path | None = None,
    retry_errors: bool = False,
    interrupted: Sequence[str] = (),
    why: str = "",
    observer: Observer | None = None,
    fail_under: float | None = None,
) -> RunResult:
    """Continue a run: trials that were in flight get a second attempt, finished ones none.

    Parameters
    ----------
    run_dir : Path
        Folder of the run, or the report in it.
    jobs : int | None
        Trials at a time; as before if None.
    cluster : str | None
        Who runs them: as before if None, ``none`` for this computer.
    salt : Path | None
        The salt's file, if it is not where it was.
    report : Path | None
        Where a copy of the report is written.
    retry_errors : bool
        Run unscored trials again as well.
    interrupted : sequence of str
        Scored trials, ``TASK/INSTANCE/REPEAT``, that something outside has verifiably
        interrupted; see `interruptions`.
    why : str
        What that was; it stands in the report.
    observer, fail_under : optional
        See `run`.

    Raises
    ------
    UsageError
        If the entries, the salt or the agent are no longer those of the run.
    """
    tell = observer or ignore
    check_target(report)
    check_reason(interrupted, why)
    place, document = folder.open_run(run_dir)
    settings = RunSettings.from_document(document["asked"], run_dir=place.path, report=report)
    where = settings.cluster if cluster is None else cluster
    settings = replace(
        settings,
        jobs=jobs or settings.jobs,
        cluster=None if where == NO_CLUSTER else where,
        salt=salt or settings.salt,
    )
    check_bound(fail_under, document["rule"])
    tier = tiers.get(settings.tier)
    level = levels.get(settings.isolation)
    coding.check(settings.paradigm, settings.allow_unsandboxed_code)
    sources = Sources.open(settings)
    planned = sources.plan(settings)
    _refuse_changes(document, planned, sources.salt)
    agent = AgentChoice.from_document(document["agent"])
    made = choose_agent(
        settings.agent, settings.model, tier, level, path=agent.path,
        endpoints=settings.endpoints, passed=settings.passed, options=agent.options,
    )  # fmt: skip
    if made.factory != agent.factory:
        raise UsageError("the agent's name now means another factory", where=str(place.run_file))
    with gather(settings, sources) as crew, journal.Journal(place.journal) as log:
        progress = progress_of(place, document)
        if interrupted:
            note(log, progress, interrupted, why)
            progress = progress_of(place, document)
        done = {
            key: record
            for key, record in progress.counted().items()
            if not (retry_errors and record["outcome"] not in SCORED)
        }
        specs = []
        for spec in make_specs(planned, agent, settings, place):
            if spec.key not in done:
                attempt = progress.started.get(spec.key, 0) + 1
                _set_aside(spec, attempt)
                specs.append(spec.retried(attempt))
        work = Undertaking(
            planned, settings, sources, place, document, log, crew, progress.interrupted
        )
        return carry_out(work, specs, done, tell)


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


def rescore(
    run_dir: Path,
    *,
    salt: Path | None = None,
    report: Path | None = None,
    profile: str | None = None,
    parser: Endpoint | None = None,
    observer: Observer | None = None,
) -> RunResult:
    """Score the transcripts of a run with the checks of today; no agent is run.

    Parameters
    ----------
    run_dir : Path
        Folder of the run, or the report in it.
    salt : Path | None
        The salt's file, if it is not where it was.
    report : Path | None
        Where the new report is written; ``RUN/rescored.json`` by default.
    profile : str | None
        By which it is scored now; as before if None.
    parser : Endpoint | None
        A language model that reads the reports, in place of the rules.
    observer : callable | None
        See `run`.

    Raises
    ------
    UsageError
        If the work of a task has changed since: then its transcripts answer another question.
    HostError
        If the parser cannot be asked; what it has answered until then is kept.
    """
    tell = observer or ignore
    check_target(report)
    place, document = folder.open_run(run_dir)
    settings = RunSettings.from_document(document["asked"], run_dir=place.path)
    settings = replace(
        settings,
        salt=salt or settings.salt,
        report=report,
        profile=profile or settings.profile,
    )
    sources = Sources.open(settings)
    planned = sources.plan(settings)
    _refuse_other_work(document, planned, sources.salt)
    former = progress_of(place, document).counted()
    if not former:
        raise ReportError("no trial of this run has finished", where=str(place.journal))
    agent = AgentChoice.from_document(document["agent"])
    specs = [s for s in make_specs(planned, agent, settings, place) if s.key in former]
    reader = None if parser is None else _reader(parser, sources, place.path)
    rows = _regrade_all(specs, former, settings, sources, tell, reader)
    new = {
        **document,
        "asked": {**document["asked"], "profile": settings.profile},
        **({} if reader is None else {"parser": reader.document()}),
        "plan": {**document["plan"], "digests": planned.digests},
        "release": releasing.standing(settings, planned, sources),
    }
    every = [*rows, *(records.not_planned(row) for row in planned.left_out)]
    return write_report(new, every, place.path / "rescored.json", settings, interrupted=False)


def _reader(parser: Endpoint, sources: Sources, run: Path) -> Parser:
    from braino_registry.runner.bench import Bench
    from braino_registry.runner.parsing import Parser

    return Parser.open(parser, Bench(sources.registry, sources.store, sources.salt, run), run)


def _regrade_all(
    specs: Sequence[TrialSpec],
    former: Mapping[journal.Key, dict[str, Any]],
    settings: RunSettings,
    sources: Sources,
    tell: Observer,
    reader: Parser | None,
) -> list[dict[str, Any]]:
    worker = start_worker(settings, sources.salt)
    rows = []
    try:
        for number, spec in enumerate(specs, start=1):
            message: dict[str, Any] = {
                "type": "rescore",
                "spec": spec.document(),
                "former": former[spec.key],
            }
            try:
                if reader is not None:
                    message["parsed"] = reader.values(spec, former[spec.key])
                record = worker.request(message)["record"]
            # What cannot be scored again must not take the others with it.
            except ReportError as damaged:
                record = records.unscored(former[spec.key], str(damaged))
            except WorkerFailed as failure:
                record = records.unscored(former[spec.key], str(failure.as_error()))
            except WorkerDied as death:
                record = records.unscored(former[spec.key], str(death))
                worker.close()
                worker = start_worker(settings, sources.salt)
            rows.append(record)
            tell({"type": "finished", "record": record, "done": number, "planned": len(specs)})
    finally:
        worker.close()
        if reader is not None:
            reader.close()
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
