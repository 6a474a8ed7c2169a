"""`braino data fetch`, `build` and `verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options
from braino_registry.cli.data.meter import meter
from braino_registry.cli.data.selecting import (
    Chosen,
    build_of_dataset,
    part_of_dataset,
    selection_of,
)


@click.command()
@click.argument("dataset")
@part_of_dataset
@click.option("--dry-run", is_flag=True, help="Say what would be fetched, and fetch nothing.")
@click.option("--no-build", is_flag=True, help="Fetch the files and do not make the BIDS tree.")
@options.registry_folders
@options.cache_folder
@options.as_json
def fetch(
    dataset: str,
    dry_run: bool,
    no_build: bool,
    folders: tuple[Path, ...],
    cache: Path | None,
    as_json: bool,
    **entities: tuple[str, ...],
) -> None:
    """Fetch DATASET, verify every file, and make the BIDS tree."""
    from braino_registry import datasets

    entry = options.open_registry(folders).dataset(dataset)
    store, part = options.open_store(cache), selection_of(entities)
    if dry_run:
        _tell_plan(datasets.plan(entry, store, part, build_too=not no_build), as_json)
        return
    with meter() as progress:
        report = datasets.fetch(entry, store, progress, selection=part, build_too=not no_build)
    if as_json:
        options.emit(report)
        return
    if report["built_before"]:
        click.echo(f"{entry.ref}: already here", err=True)
    else:
        count = len(report["fetched"])
        fetched = f"{count} files fetched, {options.size(report['bytes'])}"
        here = _told_here(report["here"], "were")
        click.echo(f"{entry.ref}: {fetched}{here and f'; {here}'}", err=True)
    if report["bids"] is not None:
        click.echo(report["bids"])


def _told_here(here: dict[str, int], verb: str) -> str:
    if not here:
        return ""
    places = ", ".join(f"{count} in {folder}" for folder, count in here.items())
    return f"{sum(here.values())} files {verb} on this machine: {places}"


def _tell_plan(plan: dict[str, Any], as_json: bool) -> None:
    if as_json:
        options.emit(plan)
        return
    printer = options.printer()
    if plan["bids"] is not None:
        printer.line(f"already here: {plan['bids']}")
        printer.line("0 files to fetch, 0 B")
        return
    for name in plan["files"]:
        printer.line(name)
    if plan["whole"]:
        amount = "its size is not pinned" if plan["sizes_unknown"] else options.size(plan["bytes"])
        printer.line(
            f"the whole archive has to be fetched ({amount}) for a part of it; only the part is "
            "laid out"
        )
        printer.line(f"about the dataset: {plan['about']}")
    unknown = plan["sizes_unknown"]
    more = f" and {unknown} files of unknown size" if unknown else ""
    printer.line(f"{len(plan['files'])} files to fetch, {options.size(plan['bytes'])}{more}")
    if plan["here"]:
        printer.line(_told_here(plan["here"], "are"))
    printer.line(
        f"disk: up to {options.size(plan['disk_needed'])}{more} needed, "
        f"{options.size(plan['disk_free'])} free"
    )
    printer.line(plan["command"])


@click.command()
@build_of_dataset
@options.as_json
def build(chosen: Chosen, as_json: bool) -> None:
    """Build DATASET from its recipe, or convert it from fetched files."""
    from braino_registry import datasets

    realised = datasets.build(chosen.entry, chosen.store, chosen.salt, chosen.part)
    if as_json:
        options.emit(
            {
                "dataset": realised.entry_ref,
                "select": chosen.part.document(),
                "bids": str(realised.bids),
                "digest": realised.digest,
                "verified": realised.verified,
                "bytes": realised.bytes,
            }
        )
        return
    click.echo(str(realised.bids))


@click.command()
@click.argument("dataset")
@part_of_dataset
@click.option("--deep", is_flag=True, help="Read and hash every file, and mend what is damaged.")
@click.option("--no-repair", is_flag=True, help="With --deep: mend nothing, only tell.")
@click.option(
    "--path", "copy", metavar="DIR", type=click.Path(path_type=Path),
    help="Check a copy of your own against the pins, and say what else it looks like.",
)  # fmt: skip
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def verify(
    dataset: str,
    deep: bool,
    no_repair: bool,
    copy: Path | None,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
    **entities: tuple[str, ...],
) -> int:
    """Check DATASET on disk against its entry; exit code 3 if anything is wrong still."""
    from braino_registry import datasets

    registry = options.open_registry(folders)
    entry = registry.dataset(dataset)
    if copy is not None:
        return _tell_copy(datasets.check_copy(entry, copy, registry.datasets()), as_json)
    salt, part = options.read_salt(salt_file), selection_of(entities)
    with meter() as progress:
        found = datasets.verify(
            entry, options.open_store(cache), salt, deep=deep, repair=not no_repair,
            selection=part, progress=progress,
        )  # fmt: skip
    if as_json:
        options.emit(found)
    else:
        printer = options.printer()
        for problem in found["repaired"]:
            printer.line(f"mended: {problem}")
        for problem in found["problems"]:
            printer.line(problem)
        state = "whole" if found["ok"] else "DAMAGED"
        printer.line(f"{entry.ref} is {state}: {found['files']} files, {found['digest']}")
    return 0 if found["ok"] else 3


def _tell_copy(found: dict[str, Any], as_json: bool) -> int:
    if as_json:
        options.emit(found)
        return 0 if found["ok"] else 3
    printer = options.printer()
    for name in found["wrong"]:
        printer.line(f"{name}: another content")
    for name in found["missing"]:
        printer.line(f"{name}: missing")
    for problem in found["problems"]:
        printer.line(problem)
    if found["looks_like"] is not None:
        printer.line(f"it looks like {found['looks_like']}")
    state = "is whole" if found["ok"] else "is NOT what the entry says"
    printer.line(f"the copy of {found['dataset']} {state}: {found['right']} files are right")
    return 0 if found["ok"] else 3
