"""`braino eval report`: one page to look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import FILE

if TYPE_CHECKING:
    from braino_registry.reports.html import Source
    from braino_registry.reports.html.album import Locate


@click.command()
@click.argument("paths", metavar="RUN|REPORT...", type=FILE, nargs=-1, required=True)
@click.option(
    "-o", "output", type=FILE, metavar="FILE", default=Path("report.html"), show_default=True,
    help="The page to write.",
)  # fmt: skip
@click.option("--title", help="Its heading; by default suite and agents.")
@click.option("--no-pictures", is_flag=True, help="Draw no recordings.")
@options.registry_folders
@options.cache_folder
@options.salt_file
@options.as_json
def report(
    paths: tuple[Path, ...],
    output: Path,
    title: str | None,
    no_pictures: bool,
    folders: tuple[Path, ...],
    cache: Path | None,
    salt_file: Path | None,
    as_json: bool,
) -> None:
    """Write one self-contained HTML page of runs or reports, side by side where there are several.

    The page needs no network. It shows what can be shown of a run that is incomplete or damaged,
    and says so. Recordings are drawn where their datasets are in the cache; those of a salted run
    need its --salt.
    """
    from braino_registry.reports.files import write_atomic
    from braino_registry.reports.html import build, with_sources

    locate = None if no_pictures else locator(folders, cache, salt_file)

    def made(found: list[Source]) -> tuple[list[Source], bytes]:
        told = difficulties(found, folders)
        return found, build(found, locate=locate, difficulties=told, title=title)

    sources, page = with_sources(paths, made)
    write_atomic(output, page)
    notes = [text for source in sources for text in source.banners]
    if as_json:
        ids = [source.report["run_id"] for source in sources]
        file = str(output.absolute())
        options.emit({"page": file, "bytes": len(page), "reports": ids, "notes": notes})
        return
    printer = options.printer()
    for text in notes:
        printer.line(f"Note: {text}")
    printer.line(f"Page: {output} ({options.size(len(page))})")


def locator(folders: tuple[Path, ...], cache: Path | None, salt_file: Path | None) -> Locate:
    """Return what finds a dataset that is built in the cache; it builds and fetches nothing."""
    salt = options.read_salt(salt_file)
    registries: dict[tuple[Path, ...], Any] = {}

    def locate(source: Source, ref: str) -> list[Any]:
        from braino_registry.datasets.selection import ALL, Selection
        from braino_registry.errors import BrainoError
        from braino_registry.reports.html.album import Located

        if (source.report["settings"].get("salt") or None) != salt.hash:
            return []
        further = tuple(dict.fromkeys((*folders, *(f for f in source.registry if f.is_dir()))))
        found = []
        try:
            if further not in registries:
                registries[further] = options.open_registry(further)
            entry = registries[further].dataset(ref)
            store = options.open_store(cache or source.cache)
            for part in (ALL, *(Selection.of(each) for each in source.parts.get(ref, ()))):
                if store.status(entry, salt, part).built:
                    found.append(store.build_or_find(entry, salt, part))
        except BrainoError:
            return []  # an entry of another version, or a cache that is closed: no picture
        return [Located(f.bids, f.truth if f.truth.get("recordings") else f.labels) for f in found]

    return locate


def difficulties(sources: list[Source], folders: tuple[Path, ...]) -> dict[str, str]:
    """Return the difficulty of the tasks of reports whose run folder does not tell it."""
    from braino_registry.errors import BrainoError

    if all(source.plan for source in sources):
        return {}
    wanted = {trial["task"] for source in sources for trial in source.report["trials"]}
    registry = options.open_registry(folders)
    found = {}
    for name in wanted:
        try:
            found[name] = registry.task(name).difficulty
        except BrainoError:
            continue  # a task of another registry, or of another version
    return found


COMMANDS: tuple[Callable[..., Any], ...] = (report,)
