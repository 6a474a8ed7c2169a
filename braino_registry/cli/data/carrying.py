"""`braino data export`, `import` and `new`."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options
from braino_registry.cli.data.selecting import part_of_dataset, selection_of


@click.command()
@click.argument("dataset")
@click.argument("bundle", type=click.Path(path_type=Path))
@part_of_dataset
@options.registry_folders
@options.cache_folder
@options.as_json
def export(
    dataset: str,
    bundle: Path,
    folders: tuple[Path, ...],
    cache: Path | None,
    as_json: bool,
    **entities: tuple[str, ...],
) -> None:
    """Write the fetched files of DATASET into BUNDLE (a tar file), for a machine offline."""
    from braino_registry.datasets import bundles

    entry = options.open_registry(folders).dataset(dataset)
    part = selection_of(entities)
    manifest = bundles.export(options.open_store(cache), entry, bundle, part)
    if as_json:
        options.emit({**manifest, "bundle": str(bundle)})
        return
    size = sum(row["size"] for row in manifest["files"])
    click.echo(f"{entry.ref}: {len(manifest['files'])} files, {options.size(size)}, in {bundle}")
    if manifest["redistribution"] != "permitted":
        click.echo(
            f"Redistribution is {manifest['redistribution']} (licence {manifest['licence']}): "
            "carry it to machines of your own only.",
            err=True,
        )


@click.command("import")
@click.argument("bundle", type=click.Path(path_type=Path))
@options.cache_folder
@options.as_json
def import_(bundle: Path, cache: Path | None, as_json: bool) -> None:
    """Take the files of BUNDLE into the cache; each is verified."""
    from braino_registry.datasets import bundles

    report = bundles.import_(options.open_store(cache), bundle)
    if as_json:
        options.emit(report)
    else:
        click.echo(f"{report['dataset']}: {report['taken']} files, {options.size(report['bytes'])}")


@click.command()
@click.argument("dataset")
@click.option(
    "--from", "source", required=True, metavar="DIR|DATASET",
    help="A BIDS root with every file that is to be pinned, or a synthetic dataset to begin with.",
)  # fmt: skip
@click.option("--base", metavar="URL", help="Where the files of DIR can be fetched.")
@click.option("--url", metavar="URL", help="The page of the dataset in DIR.")
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path),
    help="The folder datasets/, or generators/, of a registry; by default here.",
)  # fmt: skip
@options.registry_folders
@options.as_json
def new(
    dataset: str,
    source: str,
    base: str | None,
    url: str | None,
    out: Path | None,
    folders: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Begin the entry DATASET.

    From a BIDS tree: pins, and what its description says. From a synthetic dataset: a recipe like
    it, with another seed, that builds from the first moment.
    """
    if Path(source).is_dir():
        if base is None or url is None:
            raise click.UsageError("For a BIDS tree, say --base and --url.")
        _public(dataset, Path(source), base, url, out or Path("datasets"), as_json)
    else:
        _synthetic(dataset, source, folders, out or Path("generators"), as_json)


def _public(dataset: str, tree: Path, base: str, url: str, out: Path, as_json: bool) -> None:
    from braino_registry.datasets.scaffold import new_entry

    entry, pins = new_entry(dataset, tree, base, url, out)
    if as_json:
        options.emit({"entry": str(entry), "pins": str(pins)})
    else:
        click.echo(f"{entry}\n{pins}")
        click.echo("Fill in what is called unknown, and add invariants.", err=True)


def _synthetic(
    dataset: str, source: str, folders: tuple[Path, ...], out: Path, as_json: bool
) -> None:
    from braino_registry.datasets.recipes import new_recipe

    file = new_recipe(dataset, options.open_registry(folders).recipe(source), out)
    if as_json:
        options.emit({"entry": str(file)})
    else:
        click.echo(str(file))
        click.echo(
            "Change layers and draws; `braino data build --json` tells the digest.", err=True
        )
