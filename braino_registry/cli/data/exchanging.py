"""`braino data croissant`: a dataset as others describe theirs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from braino_registry.cli import options

#: Exit code of a folder that is not what a document says.
DIFFERENT = 1


@click.command()
@click.argument("dataset")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="A file, instead of printing.")
@click.option(
    "--check", "checked", type=click.Path(path_type=Path), metavar="FILE",
    help="Compare the dataset with the Croissant document in FILE, file by file.",
)  # fmt: skip
@options.registry_folders
@options.cache_folder
@options.as_json
def croissant(
    dataset: str,
    out: Path | None,
    checked: Path | None,
    folders: tuple[Path, ...],
    cache: Path | None,
    as_json: bool,
) -> int:
    """Describe DATASET as Croissant 1.0, every file with its hash; it has to be built.

    With --check, exit code 1 if a file has another length or hash, or is on one side alone.
    """
    from braino_registry import datasets
    from braino_registry.datasets import croissant as format_
    from braino_registry.datasets.content import tree_records
    from braino_registry.reports.files import write_atomic

    entry = options.open_registry(folders).dataset(dataset)
    bids = datasets.path(entry, options.open_store(cache))
    if checked is not None:
        found = format_.problems(format_.read(checked), bids)
        if as_json:
            options.emit({"dataset": entry.ref, "bids": str(bids), "problems": found})
        else:
            for line in found:
                click.echo(line)
            click.echo(f"{entry.ref}: {len(found)} problems" if found else f"{entry.ref}: agrees")
        return DIFFERENT if found else 0
    document = format_.describe(entry, bids, tree_records(bids))
    if out is None:
        options.emit(document)
        return 0
    write_atomic(out, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())
    if as_json:
        options.emit({"dataset": entry.ref, "file": str(out.absolute())})
    else:
        click.echo(f"{entry.ref}: {len(document['distribution'])} files, {out}")
    return 0
