"""Bundles: the verified files of a dataset in one tar file, for machines without network.

A bundle holds ``bundle.json``, which names every file with its SHA-256 and pins, and the files
under ``files/<sha256>``. Reading one never uses a name of the archive as a path, and takes a file
only when its content is the one that the manifest names.
"""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.datasets import layout
from braino_registry.datasets.building import Portion
from braino_registry.datasets.content import PIECE, hash_file, judge
from braino_registry.datasets.entries import is_synthetic
from braino_registry.datasets.hosts import host_errors
from braino_registry.datasets.missing import not_here
from braino_registry.datasets.names import problem_of_path
from braino_registry.datasets.pins import DIGITS, Pin, Variant
from braino_registry.datasets.selection import ALL, Selection
from braino_registry.datasets.sources import stage
from braino_registry.errors import HostError, UsageError

if TYPE_CHECKING:
    from braino_registry.datasets.store import Store
    from braino_registry.registry.entries import Entry

SCHEMA = "bundle/1"
LARGEST_MANIFEST = 64 * 2**20
_HEX = re.compile(r"[0-9a-f]{64}")


def export(store: Store, entry: Entry, target: Path, selection: Selection = ALL) -> dict[str, Any]:
    """Write the files of a dataset that are on this machine into a bundle.

    Parameters
    ----------
    store : Store
        The cache.
    entry : PublicDataset
        A recipe needs no bundle: it is built anywhere.
    target : Path
        The tar file; it must not exist.
    selection : Selection
        Which part; all of it by default.

    Returns
    -------
    dict
        The manifest.

    Raises
    ------
    HostError
        If files are missing, or the bundle cannot be written.
    UsageError
        If ``target`` exists, or the dataset is synthetic.
    """
    portion = Portion.of(entry, selection)
    if is_synthetic(entry):
        raise UsageError(
            f"{entry.ref} is synthetic", hint="It is built anywhere with `braino data build`."
        )
    if target.exists():
        raise UsageError("the bundle exists already", where=str(target), hint="Name another file.")
    found = portion.found(store.finder)
    if found.missing or not portion.pins:
        raise not_here(store, portion, found.missing)
    with host_errors(f"exporting {entry.ref}", target), layout.work_folder(store.root) as work:
        files = stage(found, work / "sources")
        rows = [_row(pin, files[pin.path]) for pin in portion.pins if pin.path in files]
        manifest = {
            "schema": SCHEMA,
            "dataset": entry.ref,
            "pins": entry.doc["pins"]["sha256"],
            "select": portion.selection.document(),
            "licence": entry.doc["licence"]["spdx"],
            "redistribution": entry.doc["redistribution"],
            "files": rows,
        }
        part = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            _write(part, manifest, {row["sha256"]: files[row["path"]] for row in rows})
            os.replace(part, target)
        finally:
            with suppress(FileNotFoundError):
                part.unlink()
    return manifest


def import_(store: Store, source: Path) -> dict[str, Any]:
    """Take the files of a bundle into the content store.

    Returns
    -------
    dict
        ``dataset``, ``taken`` (number of files) and ``bytes``.

    Raises
    ------
    HostError
        If a file is not what the manifest says; those before it stay.
    UsageError
        If it is not there, or no bundle.
    """
    if not source.is_file():
        what = "is no file" if os.path.lexists(source) else "does not exist"
        raise UsageError(
            f"the bundle {what}",
            where=str(source),
            hint="`braino data export DATASET BUNDLE` makes one on a machine with network.",
        )
    taken = size = 0
    with host_errors("importing a bundle", source), layout.work_folder(store.root) as work:
        try:
            with tarfile.open(source, "r:") as bundle:
                manifest = _manifest(bundle, source)
                rows: dict[str, list[Mapping[str, Any]]] = {}
                for row in manifest["files"]:
                    rows.setdefault(row["sha256"], []).append(row)
                for name, member in _members(bundle):
                    for row in rows.pop(name, ()):
                        _take(store, bundle, member, row, work / "one")
                        taken, size = taken + 1, size + row["size"]
        except tarfile.TarError as error:
            raise _no_bundle(source, str(error)) from error
    if rows:
        first = next(iter(rows.values()))[0]["path"]
        raise HostError(
            f"the bundle lacks {len(rows)} of its files, the first is {first}",
            where=str(source),
            hint="It was cut off; copy it again. What it holds has been taken.",
        )
    return {"dataset": manifest["dataset"], "taken": taken, "bytes": size}


def _row(pin: Pin, file: Path) -> dict[str, Any]:
    hashes = {kind: value for v in pin.variants for kind, value in v.hashes.items()}
    found = hash_file(file, sorted({"sha256", *hashes}))
    weak = {kind: found[kind] for kind in hashes if kind != "sha256"}
    return {"path": pin.path, "size": file.stat().st_size, "sha256": found["sha256"], "weak": weak}


def _write(part: Path, manifest: Mapping[str, Any], files: Mapping[str, Path]) -> None:
    """Write the same bytes for the same files, whoever writes them and when."""
    with tarfile.open(part, "x:", format=tarfile.PAX_FORMAT) as bundle:
        text = json.dumps(manifest, indent=1, ensure_ascii=False).encode()
        bundle.addfile(_header("bundle.json", len(text)), io.BytesIO(text))
        for sha256, file in sorted(files.items()):
            with file.open("rb") as stream:
                bundle.addfile(_header(f"files/{sha256}", file.stat().st_size), stream)
    layout.sync_file(part)


def _header(name: str, size: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.size, header.mode, header.mtime = size, 0o444, 0
    return header


def _manifest(bundle: tarfile.TarFile, source: Path) -> dict[str, Any]:
    first = bundle.next()
    stream = None if first is None or first.name != "bundle.json" else bundle.extractfile(first)
    if first is None or stream is None or first.size > LARGEST_MANIFEST:
        raise _no_bundle(source, "it does not begin with bundle.json")
    try:
        document = json.loads(stream.read().decode("utf-8"))
        if document["schema"] != SCHEMA:
            raise _no_bundle(source, f"its schema is {document['schema']!r}")
        for row in document["files"]:
            _check_row(row)
        return {"dataset": str(document["dataset"]), "files": document["files"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _no_bundle(source, f"its manifest is broken ({error})") from error


def _check_row(row: Mapping[str, Any]) -> None:
    problem = problem_of_path(row["path"])
    if problem is not None:
        raise ValueError(f"the path {row['path']!r} {problem}")
    weak = row["weak"].items()
    good = all(kind in DIGITS and len(value) == DIGITS[kind] for kind, value in weak)
    if not good or not _HEX.fullmatch(row["sha256"]) or not isinstance(row["size"], int):
        raise ValueError(f"the row of {row['path']!r} has no good hashes")


def _members(bundle: tarfile.TarFile) -> Iterator[tuple[str, tarfile.TarInfo]]:
    for member in bundle:
        if member.isreg():
            yield member.name.removeprefix("files/"), member


def _take(
    store: Store, bundle: tarfile.TarFile, member: tarfile.TarInfo, row: Mapping[str, Any],
    target: Path,
) -> None:  # fmt: skip
    stream = bundle.extractfile(member)
    if stream is None or member.size != row["size"]:
        raise _wrong(row, f"{member.size} bytes instead of {row['size']}")
    with target.open("wb") as writing:
        while piece := stream.read(PIECE):
            writing.write(piece)
    # What weak hashes stand for is computed here: a manifest is believed in nothing.
    strong = judge(target, [Variant({"sha256": row["sha256"]}, row["size"])])
    if strong.variant is None:
        raise _wrong(row, strong.reason)
    if row["weak"]:
        try:
            store.keep.note(target, Variant(dict(row["weak"]), row["size"]))
        except ValueError as error:
            raise _wrong(row, str(error)) from error
    store.keep.put(target, strong, Pin(row["path"], (strong.variant,)))


def _wrong(row: Mapping[str, Any], reason: str) -> HostError:
    return HostError(
        f"{row['path']} in the bundle is not what it should be: {reason}",
        where="bundle",
        hint="Copy the bundle again, or export it anew.",
    )


def _no_bundle(source: Path, why: str) -> UsageError:
    return UsageError(
        f"this is no bundle: {why}",
        where=str(source),
        hint="Bundles are written by `braino data export`.",
    )
