"""Datasets as Croissant: what a dataset is, and every file of it with its hash.

Croissant 1.0 (MLCommons, http://mlcommons.org/croissant/1.0) is JSON-LD on schema.org. A document
describes the BIDS tree as it is built: each file is a ``cr:FileObject`` with its path, its length
and its SHA-256, and ``participants.tsv`` is a record set. It says nothing of what was planted.
`problems` is a check of its own, without any library: that a document and a folder agree file by
file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.datasets.citing import AUTHORS, document
from braino_registry.datasets.content import FileRecord, hash_many, walk_files
from braino_registry.datasets.names import problem_of_path
from braino_registry.errors import EntryError
from braino_registry.registry import jsonfile
from braino_registry.registry.entries import Entry

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
#: What stands for a value that the source does not tell.
UNKNOWN = "NOASSERTION"
_PARTICIPANTS = "participants.tsv"
_FORMATS = {
    ".bdf": "application/octet-stream", ".edf": "application/octet-stream",
    ".eeg": "application/octet-stream", ".fdt": "application/octet-stream",
    ".json": "application/json", ".md": "text/markdown", ".set": "application/octet-stream",
    ".tsv": "text/tab-separated-values", ".txt": "text/plain", ".vhdr": "text/plain",
    ".vmrk": "text/plain",
}  # fmt: skip
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SIZE = re.compile(r"(0|[1-9][0-9]*) B")
#: Terms of Croissant by their short names, as its specification spells them.
_TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject",
    "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField",
    "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)  # fmt: skip


def describe(entry: Entry, bids: Path, records: Sequence[FileRecord]) -> dict[str, Any]:
    """Return the Croissant document of a dataset.

    Parameters
    ----------
    entry : Recipe or PublicDataset
        The dataset.
    bids : Path
        The root of its BIDS tree.
    records : sequence of FileRecord
        Every file of the tree, sorted by path, with length in bytes and SHA-256.

    Returns
    -------
    dict
        JSON-LD; paths are relative to the root, and ids are paths.
    """
    facts = document(entry)
    works = [work["text"] for work in facts["works"]]
    found: dict[str, Any] = {
        "@context": _context(),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": entry.id,
        "alternateName": facts["title"],
        "description": str(entry.doc.get("about") or entry.title),
        "version": entry.version,
        "creator": [{"@type": "sc:Organization", "name": name} for name in facts["authors"]],
        "publisher": {"@type": "sc:Organization", "name": AUTHORS},
        "license": facts["licence"] or UNKNOWN,
        "citeAs": " ".join(works) or facts["text"].strip(),
        "isLiveDataset": False,
        "identifier": facts["identity"],
        "distribution": [_file(record) for record in records],
        "recordSet": list(_participants(bids, {record.path for record in records})),
    }
    if facts["url"]:
        found["url"] = facts["url"]
    if facts["released"]:
        found["datePublished"] = facts["released"]
    if facts["doi"]:
        found["sameAs"] = f"https://doi.org/{facts['doi']}"
    return found


def _context() -> dict[str, Any]:
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "sc": "https://schema.org/",
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "examples": {"@id": "cr:examples", "@type": "@json"},
        **{name: f"cr:{name}" for name in _TERMS},
    }


def _file(record: FileRecord) -> dict[str, Any]:
    suffix = Path(record.path).suffix.lower()
    return {
        "@type": "cr:FileObject",
        "@id": record.path,
        "name": record.path,
        "contentUrl": record.path,
        "contentSize": f"{record.size} B",
        "encodingFormat": _FORMATS.get(suffix, "application/octet-stream"),
        "sha256": record.sha256,
    }


def _participants(bids: Path, paths: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the record set of the people, if the dataset tells of them."""
    if _PARTICIPANTS not in paths:
        return
    with (bids / _PARTICIPANTS).open(encoding="utf-8-sig") as file:
        columns = file.readline().rstrip("\r\n").split("\t")
    yield {
        "@type": "cr:RecordSet",
        "@id": "participants",
        "name": "participants",
        "key": {"@id": "participants/participant_id"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"participants/{column}",
                "name": f"participants/{column}",
                "dataType": "sc:Text",
                "source": {"fileObject": {"@id": _PARTICIPANTS}, "extract": {"column": column}},
            }
            for column in columns
        ],
    }


def read(path: Path) -> dict[str, Any]:
    """Return a Croissant document from a file.

    Raises
    ------
    EntryError
        If the file holds none of this version.
    """
    found = jsonfile.read(path)
    if not isinstance(found, dict) or found.get("conformsTo") != CONFORMS_TO:
        raise EntryError(
            f"this is no Croissant document of {CONFORMS_TO}",
            where=f"{path}: $.conformsTo",
            hint="Write one with `braino data croissant DATASET -o FILE`.",
        )
    return found


def problems(doc: Mapping[str, Any], tree: Path) -> list[str]:
    """Return in what a document and a folder do not agree; empty if in nothing.

    Parameters
    ----------
    doc : mapping
        A Croissant document, of whatever origin.
    tree : Path
        The folder that it is said to describe.

    Returns
    -------
    list of str
        Files with another length or hash, files that one has and the other lacks, and rows of the
        document that cannot be checked.
    """
    found: list[str] = []
    listed: dict[str, Mapping[str, Any]] = {}
    rows = doc.get("distribution")
    for number, row in enumerate(rows if isinstance(rows, list) else ()):
        problem = _unusable(row, listed)
        if problem is None:
            listed[row["contentUrl"]] = row
        else:
            found.append(f"distribution {number}: {problem}")
    here = {name: Path(item.path) for name, item in sorted(walk_files(tree), key=lambda i: i[0])}
    found += [f"{name}: is not in the folder" for name in listed if name not in here]
    found += [f"{name}: is not in the document" for name in here if name not in listed]
    found += [f"{name}: is no regular file" for name in here if not here[name].is_file()]
    both = [name for name in here if name in listed and here[name].is_file()]
    for name, digest in zip(both, hash_many([here[name] for name in both]), strict=True):
        size = here[name].stat().st_size
        if listed[name]["contentSize"] != f"{size} B":
            found.append(f"{name}: {size} bytes instead of {listed[name]['contentSize']}")
        elif digest != listed[name]["sha256"]:
            found.append(f"{name}: sha256 {digest} instead of {listed[name]['sha256']}")
    return found


def _unusable(row: Any, listed: Mapping[str, Any]) -> str | None:
    """Return why a row of the distribution cannot be compared with a file; None if it can."""
    if not isinstance(row, Mapping) or row.get("@type") != "cr:FileObject":
        return "is no cr:FileObject"
    path = row.get("contentUrl")
    if not isinstance(path, str) or problem_of_path(path) is not None:
        return f"{json.dumps(path)} is no path within the dataset"
    if path in listed:
        return f"{path} stands there twice"
    if not isinstance(row.get("sha256"), str) or not _SHA256.fullmatch(row["sha256"]):
        return f"{path} has no sha256"
    if not isinstance(row.get("contentSize"), str) or not _SIZE.fullmatch(row["contentSize"]):
        return f"{path} has no length in B"
    return None
