"""`braino data`: datasets by name and version."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from braino_registry.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable


@click.group()
def group() -> None:
    """Datasets: list, build, fetch, verify."""


@group.command("list")
@options.registry_folders
@options.cache_folder
@options.as_json
def list_(folders: tuple[Path, ...], cache: Path | None, as_json: bool) -> None:
    """List the datasets, and say which are here."""
    from braino_registry import datasets

    registry, store = options.open_registry(folders), options.open_store(cache)
    rows = datasets.listing(registry.datasets(), store)
    if as_json:
        options.emit(rows)
        return
    options.printer().table(
        f"{len(rows)} datasets",
        ("dataset", "kind", "files", "size", "here", "title"),
        [
            (
                f"{row['id']}@{row['version']}",
                row["kind"],
                row["files"] or None,
                options.size(row["bytes"]) if row["bytes"] else None,
                "built" if row["built"] else ("yes" if row["present"] else "no"),
                row["title"],
            )
            for row in rows
        ],
        drop=("files", "kind", "size"),
    )


@group.command()
@click.argument("dataset")
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def info(
    dataset: str,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Say everything about DATASET (id or id@version)."""
    from braino_registry import datasets

    entry = options.open_registry(folders).dataset(dataset)
    document = datasets.info(entry, options.open_store(cache), options.read_salt(salt_file))
    if as_json:
        options.emit(document)
        return
    printer = options.printer()
    for name, value in document.items():
        if value not in (None, "", [], {}):
            printer.line(f"{name}: {_prose(value)}")


def _prose(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name} {_prose(inner)}" for name, inner in value.items() if inner)
    if isinstance(value, list | tuple):
        return ", ".join(_prose(inner) for inner in value)
    return str(value)


@group.command()
@click.argument("dataset")
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def build(
    dataset: str,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Build DATASET from its recipe, or convert it from fetched files."""
    from braino_registry import datasets

    entry = options.open_registry(folders).dataset(dataset)
    realised = datasets.build(entry, options.open_store(cache), options.read_salt(salt_file))
    if as_json:
        options.emit(
            {
                "dataset": realised.entry_ref,
                "bids": str(realised.bids),
                "digest": realised.digest,
                "verified": realised.verified,
                "bytes": realised.bytes,
            }
        )
        return
    click.echo(str(realised.bids))


@group.command()
@click.argument("dataset")
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def path(
    dataset: str,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Print the BIDS root of DATASET and nothing else."""
    from braino_registry import datasets

    entry = options.open_registry(folders).dataset(dataset)
    found = datasets.path(entry, options.open_store(cache), options.read_salt(salt_file))
    if as_json:
        options.emit({"dataset": entry.ref, "bids": str(found)})
    else:
        click.echo(str(found))


@group.command()
@click.argument("dataset")
@click.option("--deep", is_flag=True, help="Read and hash every file.")
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def verify(
    dataset: str,
    deep: bool,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> int:
    """Check DATASET on disk against its entry; exit code 3 if anything is wrong."""
    from braino_registry import datasets

    entry = options.open_registry(folders).dataset(dataset)
    salt = options.read_salt(salt_file)
    found = datasets.verify(entry, options.open_store(cache), salt, deep=deep)
    if as_json:
        options.emit(found)
    else:
        printer = options.printer()
        for problem in found["problems"]:
            printer.line(problem)
        state = "whole" if found["ok"] else "DAMAGED"
        printer.line(f"{entry.ref} is {state}: {found['files']} files, {found['digest']}")
    return 0 if found["ok"] else 3


@group.command()
@click.argument("dataset")
@options.registry_folders
@options.cache_folder
@options.as_json
def fetch(dataset: str, folders: tuple[Path, ...], cache: Path | None, as_json: bool) -> None:
    """Fetch the files of DATASET that are not on this machine."""
    from braino_registry import datasets

    entry = options.open_registry(folders).dataset(dataset)
    report = datasets.fetch(entry, options.open_store(cache), _meter())
    if as_json:
        options.emit(report)
    else:
        count = len(report["fetched"])
        click.echo(f"{entry.ref}: {count} files fetched, {options.size(report['bytes'])}")


def _meter() -> Callable[[str, int, int], None]:
    """Return what shows how a download goes on: one line per file, on standard error."""
    last: list[str] = []

    def show(name: str, done: int, size: int) -> None:
        if done >= size and last[-1:] != [name]:
            last.append(name)
            click.echo(f"{name}: {options.size(size)}", err=True)

    return show if not sys.stderr.isatty() else _bar()


def _bar() -> Callable[[str, int, int], None]:
    def show(name: str, done: int, size: int) -> None:
        share = 100 * done / size if size else 100
        click.echo(f"\r\x1b[K{name}: {share:.0f} %", err=True, nl=done >= size)

    return show
