"""`braino leaderboard`: verified reports as tables of what can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options


@click.command("leaderboard")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "-o", "output", type=click.Path(path_type=Path), metavar="FILE",
    default=Path("leaderboard.html"), show_default=True, help="The page to write.",
)  # fmt: skip
@click.option("--title", default="Leaderboard", show_default=True, help="Its heading.")
@options.registry_folders
@options.cache_folder
@options.as_json
def group(
    folder: Path,
    output: Path,
    title: str,
    folders: tuple[Path, ...],
    cache: Path | None,
    as_json: bool,
) -> None:
    """Write a static page of the reports in DIR: per suite, release, tier and paradigm.

    Every report is verified: its seal, its schema, and the release that it claims. What cannot be
    compared is never in one table. Baselines and exploit agents always stand in it.
    """
    from braino_registry.errors import UsageError
    from braino_registry.reports.files import write_atomic
    from braino_registry.reports.html.board import page
    from braino_registry.reports.leaderboard import board, collect

    if not folder.is_dir():
        raise UsageError(
            "there is no such folder", where=str(folder), hint="Give a folder of runs."
        )
    found, refused = collect(folder, _Examiner(folders, cache))
    made = board(found, refused, _known())
    write_atomic(output, page(made, title))
    if as_json:
        options.emit({**made, "page": str(output.absolute())})
        return
    printer = options.printer()
    for table in made["tables"]:
        release = table["release"] or "no release"
        printer.table(
            f"{table['suite']}, {release}, tier {table['tier']}, paradigm {table['paradigm']}",
            ("rank", "agent", "model", "kind", "score", "from", "to", "not ranked because"),
            [
                (
                    row["rank"], row["agent"], row["model"], row["kind"], row["score"],
                    row["low"], row["high"],
                    "; ".join(row["objections"]) if row["kind"] == "agent" else "no contestant",
                )
                for row in table["rows"]
            ],
            drop=("model", "kind"),
        )  # fmt: skip
        if table["absent"]:
            printer.line("Not run here: " + ", ".join(row["agent"] for row in table["absent"]))
    for each in refused:
        printer.line(f"Refused: {each['file']}: {each['problem']}")
    printer.line(f"Page: {output}")


class _Examiner:
    """Says in what a report differs from the release that it claims."""

    def __init__(self, folders: tuple[Path, ...], cache: Path | None) -> None:
        self._registry = options.open_registry(folders)
        self._store = options.open_store(cache)

    def __call__(self, report: Mapping[str, Any]) -> Sequence[str]:
        from braino_registry.errors import BrainoError
        from braino_registry.registry.salt import Salt
        from braino_registry.runner.releasing import check_report

        name = report["release"]["id"]
        try:
            lock = self._registry.release(name).doc
            found = check_report(lock, report, self._registry, self._store, Salt.none())
        except BrainoError as error:
            return [f"release {name}: {error.problem}"]
        draft = [] if lock["status"] != "draft" else [f"release {name} is a draft"]
        return draft + [f"{each.what} {each.problem}" for each in found[:3]]


def _known() -> dict[str, Any]:
    """Return the agents that come with the registry, by factory."""
    from braino_registry.agents import builtin
    from braino_registry.reports.leaderboard import Known

    found = {}
    for agent in builtin():
        kind = "reference" if agent.reference else "baseline" if agent.baseline else "exploit"
        found[agent.factory] = Known(agent.name_hint, kind, agent.about)
    return found
