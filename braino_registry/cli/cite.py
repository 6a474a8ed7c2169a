"""`braino cite`: how to cite a release and exactly the datasets that its tasks use."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options


@click.command("cite")
@click.argument("release")
@click.option("--bibtex", "form", flag_value="bibtex", help="As BibTeX items.")
@click.option("--cff", "form", flag_value="cff", help="As a CITATION.cff.")
@click.option("--text", "form", flag_value="text", default=True, help="As text (default).")
@options.registry_folders
@options.as_json
def group(release: str, form: str, folders: tuple[Path, ...], as_json: bool) -> int:
    """Print what to cite for RELEASE: the release, and the datasets that its tasks use."""
    from braino_registry.datasets import release_citation
    from braino_registry.registry import locks
    from braino_registry.reports.printing import clean

    registry = options.open_registry(folders)
    lock = locks.read(registry, release)
    entries = [registry.dataset(f"{row['id']}@{row['version']}") for row in lock["datasets"]]
    if as_json:
        options.emit({name: release_citation.cite(lock, entries, name)
                      for name in ("text", "bibtex", "cff")})  # fmt: skip
    else:
        click.echo(clean(release_citation.cite(lock, entries, form)), nl=False)
    return 0
