"""`braino eval export`: a report in the formats of others."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import FILE

ATIF, EVERY_EVAL = "atif", "every-eval-ever"


@click.command("export")
@click.argument("report", type=FILE)
@click.option(
    "--format", "form", required=True, type=click.Choice([ATIF, EVERY_EVAL]),
    help="atif: a trajectory per trial; every-eval-ever: a record and a line per trial.",
)  # fmt: skip
@click.option("-o", "--out", type=FILE, required=True, metavar="DIR", help="A new folder for it.")
@options.as_json
def export(report: Path, form: str, out: Path, as_json: bool) -> None:
    """Write REPORT, or that of a run folder, in the format of others to a new folder.

    Trials whose transcripts are not here are left out, and counted.
    """
    from braino_registry import reports
    from braino_registry.errors import UsageError
    from braino_registry.reports.exchange import writing
    from braino_registry.reports.showing import home_of

    if out.exists():
        raise UsageError("this exists already", where=f"--out {out}", hint="Name a new folder.")
    with reports.suspected(report):
        file = reports.file_of(report)
        document = reports.read(file)
        home = home_of(document, file)
        write = {ATIF: writing.atif, EVERY_EVAL: writing.every_eval}[form]
        done = write(document, home, out)
        if as_json:
            options.emit({"folder": str(out.absolute()), "format": form, **done})
            return
        printer = options.printer()
        printer.line(f"{out}: {done['trials']} trials")
        if done["left_out"]:
            printer.line(
                f"{done['left_out']} trials have no transcript here, no outcome that says "
                "something of the agent, or no place in this format, and are left out."
            )


COMMANDS = (export,)
