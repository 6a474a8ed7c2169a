"""`braino data list`, `info`, `path` and `cite`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options
from braino_registry.cli.data import describing
from braino_registry.cli.data.selecting import (
    Chosen,
    build_of_dataset,
    part_of_dataset,
    selection_of,
)


@click.command("list")
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
                _size(row["bytes"], row["sizes_unknown"]),
                _here(row),
                row["title"] if row["problem"] is None else row["problem"],
            )
            for row in rows
        ],
        drop=("files", "kind", "size"),
    )
    options.printer().line(
        "here: `yes`, its files are here, or a recipe makes them; `built`, it lies ready in the "
        "cache as BIDS."
    )


def _here(row: dict[str, Any]) -> str:
    if row["problem"] is not None:
        return "BROKEN"
    return "built" if row["built"] else ("yes" if row["present"] else "no")


def _size(known: int, unknown: int) -> str | None:
    if not known:
        return "unknown" if unknown else None
    return f"{options.size(known)} and more" if unknown else options.size(known)


@click.command()
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
    for line in describing.lines(document):
        printer.line(line)


@click.command()
@build_of_dataset
@options.as_json
def path(chosen: Chosen, as_json: bool) -> None:
    """Print the BIDS root of DATASET and nothing else."""
    from braino_registry import datasets

    found = datasets.path(chosen.entry, chosen.store, chosen.salt, chosen.part)
    if as_json:
        select = chosen.part.document()
        options.emit({"dataset": chosen.entry.ref, "select": select, "bids": str(found)})
    else:
        click.echo(str(found))


@click.command()
@click.argument("dataset")
@click.option("--bibtex", "form", flag_value="bibtex", help="Print BibTeX.")
@click.option("--cff", "form", flag_value="cff", help="Print a CITATION.cff.")
@click.option("--text", "form", flag_value="text", default=True, help="Print text (the default).")
@part_of_dataset
@options.registry_folders
@options.as_json
def cite(
    dataset: str,
    form: str,
    folders: tuple[Path, ...],
    as_json: bool,
    **entities: tuple[str, ...],
) -> None:
    """Print how to cite exactly this version of DATASET."""
    from braino_registry.datasets import citing

    entry = options.open_registry(folders).dataset(dataset)
    part = selection_of(entities)
    if as_json:
        options.emit(citing.document(entry, part))
    else:
        click.echo(citing.cite(entry, form, part), nl=False)
