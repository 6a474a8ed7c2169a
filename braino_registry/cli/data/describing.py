"""What `braino data info` prints for people: one fact per line, what belongs together indented."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from braino_registry.cli import options

Document = Mapping[str, Any]
MOST_LISTED = 20
"""How many recordings are printed before they are only counted."""


def lines(document: Document) -> Iterator[str]:
    """Return the lines that describe a dataset, from what `datasets.info` says of it."""
    yield f"{document['id']}@{document['version']}: {document['title']}"
    if document["about"]:
        yield document["about"]
    yield f"kind: {document['kind']}"
    for part in _PARTS:
        yield from part(document)
    yield f"path: {document['path']}"
    yield f"entry: {document['entry']}"


def _problem(document: Document) -> Iterator[str]:
    if document["problem"] is not None:
        yield f"problem: {document['problem']}"


def _state(document: Document) -> Iterator[str]:
    state = document["status"]
    yield f"here: {'yes' if state['present'] else 'no'} ({state['reason']})"
    local = document.get("local")
    if local is not None:
        yield f"how to get it: {local['about']}"
        if local["apply"]:
            yield f"where to ask: {local['apply']}"
        yield f"what a copy holds: {', '.join(local['layout'])}"
        yield f"check a copy: {state['command']}"
    elif state["command"]:
        yield f"command: {state['command']}"


def _size(document: Document) -> Iterator[str]:
    if document["files"]:
        unknown = document["sizes_unknown"]
        more = f" and {unknown} files of unknown size" if unknown else ""
        yield f"files: {document['files']}, {options.size(document['bytes'])}{more}"


def _upstream(document: Document) -> Iterator[str]:
    upstream = document.get("upstream")
    if upstream is not None:
        yield f"upstream: {upstream['name']}, version {upstream['version']}"
        yield from (
            f"  {upstream[name]}" for name in ("url", "doi", "released") if name in upstream
        )
        yield f"  by {', '.join(upstream['authors'])}"


def _licence(document: Document) -> Iterator[str]:
    licence = document.get("licence_details")
    if licence is not None:
        yield f"access: {document['access']}"
        name = "not stated" if licence["spdx"] == "NOASSERTION" else licence["spdx"]
        yield f"licence: {name}. {licence['statement']}"
        yield f"  source: {licence['source']}"
        for conflict in licence["conflicts"]:
            yield f"  conflict: {conflict['says']} ({conflict['source']})"
        yield f"redistribution: {document['redistribution']}"


def _citation(document: Document) -> Iterator[str]:
    if document.get("citation"):
        yield "cite:"
        for work in document["citation"]:
            doi = f" https://doi.org/{work['doi']}" if "doi" in work else ""
            yield f"  {work['text']}{doi}"


def _mirrors(document: Document) -> Iterator[str]:
    if document.get("mirrors"):
        yield "mirrors:"
        yield from (f"  {mirror['name']}: {mirror['base']}" for mirror in document["mirrors"])


def _people(document: Document) -> Iterator[str]:
    subjects = document.get("subjects")
    if subjects is not None:
        yield f"subjects: {subjects['about']}"
        yield from (f"  one person: {', '.join(group)}" for group in subjects["groups"])
    yield from _few("recordings", document.get("recordings") or ())
    if document.get("withheld"):
        yield "withheld:"
        yield from (
            f"  {row['what']} ({row['where']}): {row['about']}" for row in document["withheld"]
        )


def _defects(document: Document) -> Iterator[str]:
    if document.get("defects"):
        yield "defects:"
        yield from (f"  {defect['about']} {defect['effect']}" for defect in document["defects"])


def _tried(document: Document) -> Iterator[str]:
    if document.get("tried") is not None:
        yield f"tried: {document['tried']['about']}"
    if document.get("twin") is not None:
        yield f"twin: {document['twin']}"


def _few(name: str, values: Sequence[str]) -> Iterator[str]:
    if values:
        more = len(values) - MOST_LISTED
        rest = f", and {more} more" if more > 0 else ""
        yield f"{name}: {', '.join(values[:MOST_LISTED])}{rest}"


_PARTS: tuple[Callable[[Document], Iterator[str]], ...] = (
    _problem, _size, _state, _licence, _citation, _defects, _people, _upstream, _mirrors, _tried,
)  # fmt: skip
