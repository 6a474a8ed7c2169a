"""`braino eval analyse`: what several reports of one suite say together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options


@click.command()
@click.argument(
    "files", metavar="REPORT...", type=click.Path(path_type=Path), nargs=-1, required=True
)
@click.option(
    "--family",
    "families",
    multiple=True,
    metavar="NAME=MODEL,MODEL",
    help="Models that are variants of one; may be given several times.",
)
@options.as_json
def analyse(files: tuple[Path, ...], families: tuple[str, ...], as_json: bool) -> None:
    """Print the analyses of the BrainBench, or EEGAgentBench, paper over REPORTs or run folders.

    By subset, difficulty and validation unit, the spread within tasks, tokens; paradigms stand
    apart, and are paired where one model has both. `--json` has the points of every figure.
    """
    from braino_registry import reports
    from braino_registry.reports.brainbench import analyse as compute
    from braino_registry.reports.brainbench.printing import show_analyses

    with reports.suspected(*files):
        documents = [reports.read(file) for file in files]
        if all(each["summary"]["rule"] == "eegagentbench" for each in documents):
            _of_eegagentbench(documents, as_json)
            return
        found = compute(documents, _by_model(families))
        if as_json:
            options.emit(found)
        else:
            show_analyses(options.printer(), found)


def _of_eegagentbench(documents: list[dict[str, Any]], as_json: bool) -> None:
    from braino_registry.reports.eegagentbench import analyses
    from braino_registry.reports.eegagentbench_tables import show_eegagentbench

    found = analyses(documents)
    if as_json:
        options.emit(found)
    else:
        show_eegagentbench(options.printer(), found)


def _by_model(families: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in families:
        name, equals, models = text.partition("=")
        if not name or not equals or not models:
            raise click.BadParameter(f"{text!r} is not NAME=MODEL,MODEL", param_hint="--family")
        found |= dict.fromkeys((model.strip() for model in models.split(",")), name)
    return found


COMMANDS = (analyse,)
