"""`braino release`: locks by which results stay comparable, and how to cite one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options

#: Exit code of a registry that is not what a release says.
DIFFERENT = 1


@click.group()
def group() -> None:
    """Freeze a release, and verify that nothing in it has moved."""


@group.command()
@click.argument("name")
@click.option("--suite", "suites", multiple=True, help="Only this suite; may be repeated.")
@click.option(
    "--salt-hash", "salts", multiple=True, metavar="sha256:…",
    help="Hash of a salt that results of this release will be made with; may be repeated.",
)  # fmt: skip
@click.option("--activate", is_flag=True, help="Put it in force: from then on it is never edited.")
@click.option("--supersedes", metavar="NAME", help="The release in whose place this one comes.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="releases/NAME.json otherwise.")
@options.registry_folders
@options.as_json
def freeze(
    name: str,
    suites: tuple[str, ...],
    salts: tuple[str, ...],
    activate: bool,
    supersedes: str | None,
    out: Path | None,
    folders: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Write the lock of release NAME, for example 2026.1, from the entries that are here."""
    from braino_registry.registry import locks

    made = locks.write(
        options.open_registry(folders), name, suites=suites, salts=salts,
        activate=activate, supersedes=supersedes, out=out,
    )  # fmt: skip
    lock = made.lock
    if as_json:
        options.emit({"file": str(made.file), "id": name, "status": lock["status"],
                      "seal": lock["seal"], "tasks": len(lock["tasks"]),
                      "datasets": len(lock["datasets"])})  # fmt: skip
    else:
        say = options.printer()
        say.line(f"Release {name} ({lock['status']}): {len(lock['tasks'])} tasks, "
                 f"{len(lock['datasets'])} datasets, seal {lock['seal']}")  # fmt: skip
        say.line(f"Lock: {made.file}")
        if lock["status"] == "active":
            say.line("It is in force: from now on it is never edited.")
    return 0


@group.command("hash")
@click.argument("salt", type=click.Path(path_type=Path))
@options.as_json
def hash_(salt: Path, as_json: bool) -> None:
    """Print the hash of the salt in file SALT, to be committed to with `freeze --salt-hash`."""
    found = options.read_salt(salt).hash
    if as_json:
        options.emit({"salt": found})
    else:
        click.echo(found)


@group.command()
@click.argument("release")
@click.option(
    "--report", type=click.Path(path_type=Path), metavar="REPORT",
    help="Verify this report, or the one in a run folder, instead of the entries.",
)  # fmt: skip
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def verify(
    release: str,
    report: Path | None,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> int:
    """Compare RELEASE, a name or a lock's file, with the entries that are here, or with a report.

    Exit code 1 if anything differs: each difference names the entry, the field and the version
    that is due. Of a report, the seal, the digests and the committed salt are verified; with
    --salt, once it is revealed, every synthetic dataset is built again and has to come out alike.
    """
    from braino_registry.registry import locks, releases

    if report is None and salt_file is not None:
        raise click.UsageError("--salt is for a report that was made with it: add --report.")
    registry = options.open_registry(folders)
    lock = locks.read(registry, release)
    part: dict[str, Any] | None = None
    if report is None:
        found = releases.differences(lock, registry)
        subject = f"Release {lock['id']} ({lock['status']})"
    else:
        from braino_registry import reports
        from braino_registry.runner import releasing

        document = reports.read(report, verify=True)
        found = releasing.check_report(
            lock, document, registry, options.open_store(cache), options.read_salt(salt_file)
        )
        part = releasing.covered(lock, document)
        subject = f"Report {report} against release {lock['id']} ({lock['status']})"
    if as_json:
        rows: list[dict[str, Any]] = [vars(each) for each in found]
        options.emit({"id": lock["id"], "status": lock["status"], "verified": not found,
                      "differences": rows,
                      **({} if part is None else {"covered": part})})  # fmt: skip
    else:
        say = options.printer()
        for each in found:
            say.line(str(each))
        many = "1 difference" if len(found) == 1 else f"{len(found)} differences"
        verdict = many if found else "nothing differs"
        say.line(f"{subject}: {verdict}.")
        if part is not None and not part["whole"]:
            say.line(
                f"It covers only part of the release: {part['run']} of {part['released']} "
                "tasks of its suite, or not all their instances. The rest is not verified."
            )
    return DIFFERENT if found else 0
