"""`braino eval sweep`: agents, models and suites under one budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import FILE, progress


@click.command()
@click.argument("file", type=FILE)
@click.option("--run-dir", type=FILE, metavar="DIR", help="Folder of the sweep; runs/ID if none.")
@click.option("--jobs", type=int, metavar="N", help="Trials at a time.")
@click.option("--dry-run", is_flag=True, help="Print which runs it has.")
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def sweep(
    file: Path,
    run_dir: Path | None,
    jobs: int | None,
    dry_run: bool,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> int:
    """Run every agent and model of FILE on every suite of it, and compare them.

    Started again, it goes on where it stopped. When the budget is used up, no further trial is
    begun.

    Exit code 0: every run is complete; 2: usage; 3: incomplete; 130: interrupted.
    """
    from braino_registry.runner import sweeps

    plan = sweeps.read_sweep(file)
    if dry_run:
        return _show_plan(plan, as_json)
    place = (run_dir or Path("runs", plan.id)).absolute()
    result = sweeps.sweep(
        plan, place, jobs=jobs, registry=folders, salt=salt_file, cache=cache, observer=_observer()
    )
    if as_json:
        options.emit(result.document)
    else:
        _show(result)
    return result.exit_code


def _observer() -> Any:
    tell = progress()

    def observe(event: dict[str, Any]) -> None:
        if event["type"] == "cell":
            tell({"type": "note", "text": event["name"]})
        else:
            tell(event)

    return observe


def _show_plan(plan: Any, as_json: bool) -> int:
    rows = [(cell.group, cell.name, cell.folder) for cell in plan.cells]
    if as_json:
        options.emit([{"suite": a, "name": b, "folder": c} for a, b, c in rows])
    else:
        printer = options.printer()
        printer.table(f"{len(rows)} runs of {plan.id}", ("suite", "agent", "folder"), rows)
    return 0


def _show(result: Any) -> None:
    from braino_registry.reports.tables import show_comparison

    printer = options.printer()
    document = result.document
    columns = (
        "suite", "agent", "state", "score", "95 %", "passed", "cost", "tokens", "seconds", "why",
    )  # fmt: skip
    printer.table(
        f"Sweep {document['sweep']}",
        columns,
        [
            (
                row["suite"], row["name"], row["state"], _scaled(row), _interval(row),
                _passed(row),
                row["cost"], row["tokens"], row["seconds"], row["reason"],
            )
            for row in document["rows"]
        ],
        drop=("tokens", "seconds"),
    )  # fmt: skip
    for each in document["comparisons"]:
        printer.line()
        printer.line(f"{each['suite']}: {each['after']} against {each['before']}")
        show_comparison(printer, each["comparison"])
    if document["warning"]:
        printer.line(f"WARNING: {document['warning']}, so that the budget may be exceeded.")
    printer.line(f"Sweep: {result.path}")


def _scaled(row: dict[str, Any]) -> float | None:
    return None if row["score"] is None else row["score"] * row["scale"]


def _interval(row: dict[str, Any]) -> str | None:
    if row["interval"] is None:
        return None
    low, high = (value * row["scale"] for value in row["interval"])
    return f"{low:.3g}–{high:.3g}"


def _passed(row: dict[str, Any]) -> str | None:
    return None if row["planned"] is None else f"{row['passed']}/{row['planned']}"


COMMANDS = (sweep,)
