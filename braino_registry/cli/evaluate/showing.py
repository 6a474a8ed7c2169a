"""`braino eval show`: the trials of a report."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import FILE


@click.command()
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

    with reports.suspected(report):
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


COMMANDS = (show,)
