"""Begin an entry of a public dataset: from a BIDS tree on disk to JSON and pins."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from braino_registry.datasets.content import hash_many, walk_files
from braino_registry.datasets.conversions.bids import recordings
from braino_registry.datasets.names import problem_of_path
from braino_registry.datasets.pins import Mirror, Pin, Variant, content_digest, parse, render
from braino_registry.errors import UsageError


def new_entry(name: str, tree: Path, base: str, url: str, out: Path) -> tuple[Path, Path]:
    """Write the entry and the pins of a BIDS tree that lies on disk.

    What ``dataset_description.json`` says of title, authors and licence is taken over; what it
    does not say is called unknown, for a person to fill in.

    Parameters
    ----------
    name : str
        Identifier in kebab-case.
    tree : Path
        The BIDS root; every file below it is read and pinned.
    base : str
        Address to which the paths are joined, ending with a slash.
    url : str
        Page of the dataset.
    out : Path
        Folder ``datasets`` of a registry; it must not hold an entry of this name.

    Returns
    -------
    tuple of Path
        The entry and its pins.

    Raises
    ------
    EntryError
        If what was made is no valid entry, for example because the name is not in kebab-case.
    UsageError
        If there is no BIDS tree, or the entry exists.
    """
    entry, table = out / f"{name}.json", out / f"{name}.pins.tsv"
    for file in (entry, table):
        if file.exists():
            raise UsageError("the entry exists already", where=str(file), hint="Name another one.")
    description = _description(tree)
    pins = pins_of_tree(tree)
    mirror = Mirror("upstream", base)
    text = render(pins, [mirror], {pin.path: ["="] for pin in pins})
    parse(text, [mirror], str(table))
    doc = _document(name, description, url, mirror, [pin.path for pin in pins])
    doc["pins"] = {
        "file": table.name,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "content": content_digest(text),
    }
    _check(doc, entry)
    out.mkdir(parents=True, exist_ok=True)
    table.write_text(text, encoding="utf-8", newline="\n")
    written = json.dumps(doc, indent=2, ensure_ascii=False) + "\n"
    entry.write_text(written, encoding="utf-8", newline="\n")
    return entry, table


def _description(tree: Path) -> dict[str, Any]:
    file = tree / "dataset_description.json"
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            "this is no BIDS root: dataset_description.json cannot be read",
            where=str(file),
            hint="Name the folder that holds it.",
        ) from error
    if not isinstance(found, dict):
        raise UsageError("dataset_description.json is no object", where=str(file), hint="Mend it.")
    return found


def pins_of_tree(tree: Path) -> list[Pin]:
    """Return the pins of every file below a folder, sorted by path; every file is read.

    Raises
    ------
    UsageError
        If a file has a name that some system cannot hold, or is a pipe, a socket, a device, or a
        link that leads to no file.
    """
    found = sorted(walk_files(tree), key=lambda item: item[0])
    files = {name: Path(item.path) for name, item in found}
    for path in files:
        problem = problem_of_path(path)
        if problem is not None:
            raise UsageError(f"the path {path!r} {problem}", hint="Rename the file.")
        if not files[path].is_file():
            raise UsageError(f"{path!r} is no regular file", where=str(tree), hint="Remove it.")
    hashes = hash_many(list(files.values()))
    return [
        Pin(path, (Variant({"sha256": sha256}, file.stat().st_size),))
        for (path, file), sha256 in zip(files.items(), hashes, strict=True)
    ]


def _document(
    name: str, description: dict[str, Any], url: str, mirror: Mirror, paths: list[str]
) -> dict[str, Any]:
    conversion = {"use": "bids@1.0.0", "parameters": {"leave_out": []}}
    found = recordings({"conversion": conversion}, paths)
    subjects = {row.entities["bids_subject"] for row in found}
    title = str(description.get("Name") or name)
    authors = [str(each) for each in description.get("Authors") or ()] or ["unknown"]
    licence = str(description.get("License") or "NOASSERTION")
    spdx = licence if licence.isascii() and " " not in licence else "NOASSERTION"
    upstream: dict[str, Any] = {"name": title, "version": "unknown", "url": url}
    doi = str(description.get("DatasetDOI", "")).removeprefix("doi:")
    if doi.startswith("10."):
        upstream["doi"] = doi
    return {
        "schema": "dataset/1",
        "id": name,
        "version": "0.1.0",
        "title": title[:120],
        "upstream": {**upstream, "authors": authors},
        "licence": {"spdx": spdx, "statement": licence, "source": url, "conflicts": []},
        "access": "open",
        "redistribution": "unknown",
        "citation": [{"text": f"{', '.join(authors)}. {title}."}],
        "mirrors": [{"id": mirror.id, "name": "Upstream", "base": mirror.base}],
        "pins": {},
        "subjects": {
            "identifiable": True,
            "groups": [],
            "about": "Subjects as labelled by the source.",
        },
        "conversion": conversion,
        "labels": {"dataset": {}, "recordings": {}},
        "invariants": [
            {"kind": "recording_count", "equals": len(found)},
            {"kind": "subject_count", "equals": len(subjects)},
        ],
        "expects": {},
        "defects": [],
    }


def _check(doc: dict[str, Any], file: Path) -> None:
    from braino_registry.registry import schemas

    problems = schemas.check(doc, "dataset-1")
    if problems:
        raise problems[0].error(file, "Mend dataset_description.json, or give other options.")
