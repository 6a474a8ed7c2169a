"""What every command that ends in a report prints, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from braino_registry.cli import options

if TYPE_CHECKING:
    from braino_registry.runner import RunResult

FILE = click.Path(path_type=Path)

report_file = click.option(
    "-o", "report", type=FILE, metavar="REPORT", help="Also write the report here."
)
fail_under = click.option(
    "--fail-under", type=float, metavar="X", help="Exit 1 if the score is below X."
)


def conclude(result: RunResult, as_json: bool, fail_under: float | None) -> int:
    """Print the report of a run, and where it stands; return the exit code."""
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


def progress(agent: str = "") -> Any:
    """Return what shows a run's progress; nothing moves where the agent is at the terminal."""
    from braino_registry.agents import at_terminal
    from braino_registry.cli.progress import lines, observer

    return lines if at_terminal(agent) else observer()
