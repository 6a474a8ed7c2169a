"""`braino eval resume, retry-errors, rescore, merge`: what is done with a run that exists."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import (
    FILE,
    conclude,
    fail_under,
    progress,
    report_file,
)

jobs_as_before = click.option(
    "--jobs", type=int, metavar="N", help="Trials at a time; as before if not given."
)
cluster_as_before = click.option(
    "--cluster", metavar="ADDRESS", help="As for run; none to do without."
)


@click.command()
@click.argument("run_dir", type=FILE)
@jobs_as_before
@cluster_as_before
@report_file
@fail_under
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
        observer=progress(),
        fail_under=fail_under,
    )
    return conclude(result, as_json, fail_under)


@click.command("retry-errors")
@click.argument("run_dir", type=FILE)
@jobs_as_before
@cluster_as_before
@report_file
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
        observer=progress(),
        retry_errors=True,
        interrupted=interrupted,
        why=why,
    )
    return conclude(result, as_json, None)


@click.command()
@click.argument("run_dir", type=FILE)
@click.option(
    "-o",
    "report",
    type=FILE,
    metavar="REPORT",
    help="New report; RUN_DIR/rescored.json by default.",
)
@click.option("--profile", help="strict or published; as before if not given.")
@click.option(
    "--parser", metavar="MODEL", help="A language model that reads the reports, not the rules."
)
@click.option("--endpoint", metavar="URL", help="OpenAI-compatible server of the parser.")
@options.key_variable
@options.salt_file
@options.as_json
def rescore(
    run_dir: Path,
    report: Path | None,
    profile: str | None,
    parser: str | None,
    endpoint: str | None,
    key_variable: str,
    salt_file: Path | None,
    as_json: bool,
) -> int:
    """Score the transcripts of RUN_DIR again with the checks of today; no agent is run.

    With --parser a language model reads the answers' fields in the reports, in place of the rules.
    What it was asked and answered is kept in RUN_DIR, and is not asked again.
    """
    if (parser is None) != (endpoint is None):
        raise click.UsageError("A parser is asked with --parser MODEL and --endpoint URL.")
    from braino_registry import runner
    from braino_registry.runner.models import Endpoint

    result = runner.rescore(
        run_dir,
        salt=salt_file,
        report=report,
        profile=profile,
        parser=None
        if parser is None or endpoint is None
        else Endpoint(endpoint, parser, key_variable),
        observer=progress(),
    )
    return conclude(result, as_json, None)


@click.command()
@click.argument("shards", metavar="DIR...", type=FILE, nargs=-1, required=True)
@click.option("--run-dir", type=FILE, metavar="OUT", help="Folder of the whole run.")
@report_file
@fail_under
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
    return conclude(result, as_json, fail_under)


COMMANDS = (
    resume,
    retry_errors,
    rescore,
    merge,
)
