"""`braino eval`: measure an agent, continue a run, compare reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from braino_registry.cli import options, tell
from braino_registry.cli.analyse import analyse
from braino_registry.cli.audit import audit

if TYPE_CHECKING:
    from braino_registry.runner import RunResult

FILE = click.Path(path_type=Path)


@click.group()
def group() -> None:
    """Measure an agent on tasks, and compare reports."""


group.add_command(analyse)


group.add_command(audit)


@group.command("list")
@click.option("--suite", help="Only this suite.")
@options.registry_folders
@options.as_json
def list_(suite: str | None, folders: tuple[Path, ...], as_json: bool) -> int:
    """List the tasks."""
    survey = options.open_registry(folders).survey(suite)
    rows = list(survey.rows)
    if as_json:
        options.emit(rows)
    else:
        options.printer().table(
            f"{len(rows)} tasks",
            ("task", "version", "category", "difficulty", "instances", "reference", "title"),
            [
                (
                    row["id"],
                    row["version"],
                    row["category"],
                    row["difficulty"],
                    len(row["instances"]),
                    _reference(row),
                    row["title"],
                )
                for row in rows
            ],
            drop=("reference", "version", "difficulty", "instances", "category"),
        )
    for problem in survey.problems:
        tell(problem, as_json)
    return 2 if survey.problems else 0


def _reference(row: dict[str, Any]) -> str:
    kind = str(row["reference"])
    return f"{kind}, large" if row["large"] is True else kind


@group.command()
@click.argument("tasks", metavar="[TASK[/INSTANCE]]...", nargs=-1)
@click.option("--suite", help="Suite to run; braino if no TASK is given.")
@click.option("--subset", help="One subset of the suite.")
@click.option("--agent", help="A built-in agent or module:factory; not needed with --dry-run.")
@click.option("--model", help="Passed to the agent's factory.")
@click.option("--tier", default="minimum", show_default=True, help="Hardware tier.")
@click.option("--repeats", default=1, show_default=True, metavar="K", help="Sessions per instance.")
@click.option(
    "--seed", default=0, show_default=True, metavar="N", help="From it come the agents' seeds."
)
@click.option(
    "--jobs",
    type=int,
    metavar="N",
    help="Trials at a time; by default 1, on a cluster as many as it can run.",
)
@click.option("--shard", metavar="I/N", help="Run only the I-th of N parts; see `eval merge`.")
@click.option(
    "--cluster", metavar="ADDRESS", help="A Dask scheduler that runs the trials, or `local`."
)
@click.option("--isolation", default="process", show_default=True, help="none, process or sandbox.")
@click.option("--run-dir", type=FILE, metavar="DIR", help="Folder of the run.")
@click.option("-o", "report", type=FILE, metavar="REPORT", help="Also write the report here.")
@click.option("--include-large", is_flag=True, help="Plan large datasets too, and fetch them.")
@click.option("--fetch", is_flag=True, help="Fetch missing data first.")
@click.option(
    "--data",
    default="all",
    show_default=True,
    help="public: only instances on recordings of people, which tasks mark as public; twin: only "
    "the synthetic ones that are marked as their twins; all: these and the unmarked ones.",
)
@click.option(
    "--endpoint",
    "endpoints",
    multiple=True,
    metavar="URL",
    help="A model's address that an agent in a sandbox may reach; may be given several times.",
)
@click.option(
    "--pass-env",
    "passed",
    multiple=True,
    metavar="NAME",
    help="An environment variable that an agent in a sandbox needs, a model's key for example.",
)
@click.option("--paradigm", default="tools", show_default=True, help="tools or code.")
@click.option("--profile", default="strict", show_default=True, help="strict or published.")
@click.option("--fail-under", type=float, metavar="X", help="Exit 1 if the score is below X.")
@click.option("--dry-run", is_flag=True, help="Print what would be run, and what is missing.")
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def run(
    folders: tuple[Path, ...],
    salt_file: Path | None,
    as_json: bool,
    dry_run: bool,
    fail_under: float | None,
    agent: str | None,
    **settings: Any,
) -> int:
    """Measure an agent on TASKs, on single instances of them, or on a whole suite.

    Exit code 0: all planned trials are scored; 1: the score is below --fail-under; 2: usage or an
    invalid entry; 3: incomplete; 130: interrupted.
    """
    from braino_registry import runner

    if agent is None and not dry_run:
        raise click.UsageError("Missing option '--agent'.")
    asked = runner.RunSettings(agent=agent or "", registry=folders, salt=salt_file, **settings)
    if dry_run:
        plan = runner.plan(asked)
        runner.check_bound(fail_under, plan.suite.rule)
        return _show_plan(plan, as_json)
    result = runner.run(asked, observer=_progress(), fail_under=fail_under)
    return _conclude(result, as_json, fail_under)


@group.command()
@click.argument("run_dir", type=FILE)
@click.option("--jobs", type=int, metavar="N", help="Trials at a time; as before if not given.")
@click.option("--cluster", metavar="ADDRESS", help="As for run; none to do without.")
@click.option("-o", "report", type=FILE, metavar="REPORT", help="Also write the report here.")
@click.option("--fail-under", type=float, metavar="X", help="Exit 1 if the score is below X.")
@options.salt_file
@options.as_json
def resume(
    run_dir: Path,
    jobs: int | None,
    cluster: str | None,
    report: Path | None,
    fail_under: float | None,
    salt_file: Path | None,
    as_json: bool,
) -> int:
    """Finish the interrupted run in RUN_DIR; finished trials are never run again."""
    from braino_registry import runner

    result = runner.resume(
        run_dir,
        jobs=jobs,
        cluster=cluster,
        salt=salt_file,
        report=report,
        observer=_progress(),
        fail_under=fail_under,
    )
    return _conclude(result, as_json, fail_under)


@group.command("retry-errors")
@click.argument("run_dir", type=FILE)
@click.option("--jobs", type=int, metavar="N", help="Trials at a time; as before if not given.")
@click.option("--cluster", metavar="ADDRESS", help="As for run; none to do without.")
@click.option("-o", "report", type=FILE, metavar="REPORT", help="Also write the report here.")
@click.option(
    "--interrupted",
    multiple=True,
    metavar="TRIAL",
    help="Also run TASK/INSTANCE/REPEAT again, which something outside has verifiably "
    "interrupted; may be given several times. Stands in the report.",
)
@click.option("--why", default="", metavar="TEXT", help="What has interrupted them.")
@options.salt_file
@options.as_json
def retry_errors(
    run_dir: Path,
    jobs: int | None,
    cluster: str | None,
    report: Path | None,
    interrupted: tuple[str, ...],
    why: str,
    salt_file: Path | None,
    as_json: bool,
) -> int:
    """Run again what failed in RUN_DIR through no fault of the agent."""
    from braino_registry import runner

    result = runner.resume(
        run_dir,
        jobs=jobs,
        cluster=cluster,
        salt=salt_file,
        report=report,
        observer=_progress(),
        retry_errors=True,
        interrupted=interrupted,
        why=why,
    )
    return _conclude(result, as_json, None)


@group.command()
@click.argument("run_dir", type=FILE)
@click.option(
    "-o",
    "report",
    type=FILE,
    metavar="REPORT",
    help="New report; RUN_DIR/rescored.json by default.",
)
@click.option("--profile", help="strict or published; as before if not given.")
@options.salt_file
@options.as_json
def rescore(
    run_dir: Path,
    report: Path | None,
    profile: str | None,
    salt_file: Path | None,
    as_json: bool,
) -> int:
    """Score the transcripts of RUN_DIR again with the checks of today; no agent is run."""
    from braino_registry import runner

    result = runner.rescore(
        run_dir, salt=salt_file, report=report, profile=profile, observer=_progress()
    )
    return _conclude(result, as_json, None)


@group.command()
@click.argument("shards", metavar="DIR...", type=FILE, nargs=-1, required=True)
@click.option("--run-dir", type=FILE, metavar="OUT", help="Folder of the whole run.")
@click.option("-o", "report", type=FILE, metavar="REPORT", help="Also write the report here.")
@click.option("--fail-under", type=float, metavar="X", help="Exit 1 if the score is below X.")
@options.as_json
def merge(
    shards: tuple[Path, ...],
    run_dir: Path | None,
    report: Path | None,
    fail_under: float | None,
    as_json: bool,
) -> int:
    """Make one run, in --run-dir OUT, of the shards in DIR...; it can be resumed like any run.

    Exit code 2 if the shards do not belong together, or one is missing or given twice; 3 if
    trials of theirs have not finished or are not scored.
    """
    from braino_registry import runner

    result = runner.merge(shards, run_dir=run_dir, report=report, fail_under=fail_under)
    return _conclude(result, as_json, fail_under)


@group.command()
@click.argument("before", type=FILE)
@click.argument("after", type=FILE)
@click.option("--fail-on-regression", is_flag=True, help="Exit 1 if anything broke.")
@click.option("--verify", is_flag=True, help="Also validate both reports against their schema.")
@options.as_json
def compare(
    before: Path, after: Path, fail_on_regression: bool, verify: bool, as_json: bool
) -> int:
    """Say what got fixed and what broke between two reports, or run folders."""
    from braino_registry import reports
    from braino_registry.reports.tables import show_comparison

    found = reports.compare(reports.read(before, verify=verify), reports.read(after, verify=verify))
    if as_json:
        options.emit(found.document)
    else:
        show_comparison(options.printer(), found.document)
    return found.exit_code(fail_on_regression=fail_on_regression)


@group.command()
@options.as_json
def doctor(as_json: bool) -> None:
    """Say what this computer can enforce, and why: isolation, sandboxes, tiers."""
    from braino_registry.reports.tables import show_doctor
    from braino_registry.runner.doctor import examine

    document = examine()
    if as_json:
        options.emit(document)
    else:
        show_doctor(options.printer(), document)


@group.command()
@click.argument("report", type=FILE)
@click.argument("trial", metavar="[TASK[/INSTANCE[/REPEAT]]]", required=False)
@click.option("--failed", is_flag=True, help="Only trials that did not pass, or were not scored.")
@options.as_json
def show(report: Path, trial: str | None, failed: bool, as_json: bool) -> None:
    """Show the trials of REPORT, or of a run folder: request, answer, checks, usage, transcript.

    All trials are shown, or only those of a task, an instance, a repeat. Request and answer stand
    in the run folder; of a copy of a report it is looked for beside it and in runs/.
    """
    from braino_registry import reports
    from braino_registry.reports.showing import chosen, home_of, show_trials, told
    from braino_registry.reports.tables import show_summary

    file = reports.file_of(report)
    document = reports.read(file)
    home = home_of(document, file)
    trials = [told(each, home) for each in chosen(document, trial, failed=failed)]
    if as_json:
        folder = None if home is None else str(home.absolute())
        options.emit({"report": str(file.absolute()), "run_dir": folder, "trials": trials})
        return
    printer = options.printer()
    if home is None:
        printer.line(
            f"This is a copy of the report of run {document['run_id']}. What was asked and "
            "answered stands in the folder of that run: `braino eval show RUN_DIR`."
        )
    show_trials(printer, trials)
    if trial is None:
        show_summary(printer, document)


def _show_plan(plan: Any, as_json: bool) -> int:
    from braino_registry.reports.leaving_out import show_not_planned

    document = plan.document()
    if as_json:
        options.emit(document)
        return 0
    printer = options.printer()
    printer.table(
        f"{document['trials']} trials of suite {document['suite']}",
        ("task", "instance", "dataset", "repeats"),
        [(row.task, row.instance, row.dataset, plan.repeats) for row in plan.rows],
        drop=("repeats", "dataset"),
    )
    printer.table(
        "Datasets",
        ("dataset", "state", "to get", "files missing"),
        [
            (row.dataset, row.state, options.size(row.bytes_to_get), row.files_missing)
            for row in plan.datasets
        ],
        drop=("files missing",),
    )
    show_not_planned(printer, document["not_planned"])
    return 0


def _conclude(result: RunResult, as_json: bool, fail_under: float | None) -> int:
    from braino_registry.reports import failed_everywhere
    from braino_registry.reports.tables import show_report

    if as_json:
        # The very bytes of the file, so that what is printed can be read as a report again. The
        # folder is no part of it: reports are given to others.
        click.echo(result.path.read_bytes(), nl=False)
        beside = {"run_dir": str(result.run_dir), "report": str(result.path.absolute())}
        reason = failed_everywhere(result.report["trials"])
        if reason is not None:
            beside["warning"] = f"the agent failed in every trial: {reason}"
        click.echo(json.dumps(beside, ensure_ascii=False), err=True)
    else:
        printer = options.printer()
        show_report(printer, result.report)
        printer.line(f"Report: {result.path}")
        printer.line(f"Run folder: {result.run_dir}")
    return result.exit_code_with(fail_under)


def _progress() -> Any:
    from braino_registry.cli.progress import observer

    return observer()
