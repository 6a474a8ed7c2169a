"""`braino eval run`: measure an agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import (
    FILE,
    conclude,
    fail_under,
    progress,
    report_file,
)

#: Instances of a task that a dry run names.
_NAMED = 3


@click.command()
@click.argument("tasks", metavar="[TASK[/INSTANCE]]...", nargs=-1)
@click.option("--suite", help="Suite to run; braino if no TASK is given.")
@click.option("--subset", help="One subset of the suite.")
@click.option(
    "--agent",
    help="A built-in agent, module:factory, cmd:COMMAND, mcp:COMMAND, human or replay:PATH; not "
    "needed with --dry-run.",
)
@click.option("--model", help="Passed to the agent's factory.")
@click.option(
    "--agent-option",
    "agent_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Passed to the agent's factory as a named argument; may be given several times.",
)
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
@report_file
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
@click.option(
    "--allow-unsandboxed-code",
    is_flag=True,
    help="With --paradigm code: run the code without a sandbox where there is none.",
)
@click.option("--profile", default="strict", show_default=True, help="strict or published.")
@click.option(
    "--release",
    metavar="NAME",
    help="Run what release NAME, or the lock in this file, has of the suite; the report says "
    "whether all is as locked.",
)
@fail_under
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
    result = runner.run(asked, observer=progress(agent or ""), fail_under=fail_under)
    return conclude(result, as_json, fail_under)


def _show_plan(plan: Any, as_json: bool) -> int:
    from braino_registry.reports.leaving_out import show_not_planned

    document = plan.document()
    if as_json:
        options.emit(document)
        return 0
    printer = options.printer()
    printer.table(
        f"{document['trials']} trials of suite {document['suite']} "
        f"({plan.repeats} for each instance)",
        ("task", "instances", "which (all with --json)"),
        list(_by_task(plan)),
    )
    ready = [row for row in plan.datasets if row.state == "built"]
    others = [row for row in plan.datasets if row.state != "built"]
    if ready:
        printer.line()
        printer.line(f"Built, with nothing to do: {len(ready)} of {len(plan.datasets)} datasets.")
    if others:
        printer.table(
            "Datasets that are not built",
            ("dataset", "state", "to get", "files missing"),
            [(row.dataset, row.state, _to_get(row), row.files_missing) for row in others],
            drop=("files missing",),
        )
    show_not_planned(printer, document["not_planned"])
    return 0


def _by_task(plan: Any) -> Iterator[tuple[str, int, str]]:
    """Yield each task with the number of its instances and the first of them."""
    groups: dict[str, list[str]] = {}
    for row in plan.rows:
        groups.setdefault(row.task, []).append(row.instance)
    for task, instances in groups.items():
        more = len(instances) - _NAMED
        named = ", ".join(instances[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        yield task, len(instances), named


def _to_get(row: Any) -> str | None:
    """Return how much has to be fetched: nothing for a recipe, unknown where no size is pinned."""
    if not row.bytes_to_get:
        return "unknown" if row.files_missing else None
    return options.size(row.bytes_to_get)


COMMANDS = (run,)
