"""How to cite a release together with the datasets that its tasks use."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from braino_registry.datasets import citing
from braino_registry.datasets.entries import is_synthetic
from braino_registry.registry.entries import Entry

Lock = Mapping[str, Any]


def cite(lock: Lock, entries: Sequence[Entry], form: str) -> str:
    """Return what to cite for a release, in one of the forms of `FORMS`.

    Parameters
    ----------
    lock : mapping
        A ``release/1`` document.
    entries : sequence of Entry
        The datasets that the lock lists. Synthetic ones are built by the release itself, so they
        are cited with it; public ones are the work of others, and are cited each.
    form : str
        ``text``, ``bibtex`` or ``cff``.
    """
    return FORMS[form](lock, [entry for entry in entries if not is_synthetic(entry)])


def _title(lock: Lock) -> str:
    suites = ", ".join(suite["id"] for suite in lock["suites"])
    return f"braino-registry release {lock['id']}: EEG-analysis tasks of {suites}"


def _used(lock: Lock) -> str:
    return f"{len(lock['tasks'])} tasks, {lock['status']}, lock {lock['seal']}"


def _year(lock: Lock) -> str:
    return str(lock["id"]).partition(".")[0]


def _text(lock: Lock, public: Sequence[Entry]) -> str:
    doi = f" https://doi.org/{lock['doi']}" if lock.get("doi") else ""
    own = f"{citing.AUTHORS} ({_year(lock)}). {_title(lock)}.{doi}\nUsed: {_used(lock)}.\n"
    return "\n".join([own, *(citing.cite(entry, "text") for entry in public)])


def _bibtex(lock: Lock, public: Sequence[Entry]) -> str:
    rows = {
        "title": f"{{{_title(lock)}}}",
        "author": f"{{{citing.AUTHORS}}}",
        "year": _year(lock),
        "version": lock["id"],
        "doi": lock.get("doi"),
        "note": f"Used: {_used(lock)}",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in rows.items() if value is not None]
    own = "\n".join([f"@misc{{braino-registry-{lock['id']},", *lines, "}"]) + "\n"
    return "\n".join([own, *(citing.cite(entry, "bibtex") for entry in public)])


def _cff(lock: Lock, public: Sequence[Entry]) -> str:
    """Return a CITATION.cff (format 1.2.0) of the release with its datasets as references."""
    rows = [
        ("cff-version", "1.2.0"), ("message", f"Used: {_used(lock)}"), ("type", "dataset"),
        ("title", _title(lock)), ("version", lock["id"]), ("doi", lock.get("doi")),
        ("date-released", lock.get("date")),
    ]  # fmt: skip
    lines = [f"{name}: {json.dumps(value)}" for name, value in rows if value is not None]
    lines += ["authors:", f"  - name: {json.dumps(citing.AUTHORS)}"]
    if public:
        lines.append("references:")
    for entry in public:
        facts = citing.document(entry)
        lines += ["  - type: data", f"    title: {json.dumps(facts['title'])}",
                  f"    version: {json.dumps(facts['upstream_version'])}"]  # fmt: skip
        lines += [f"    doi: {json.dumps(facts['doi'])}"] if facts["doi"] else []
        lines.append("    authors:")
        lines += [f"      - name: {json.dumps(name)}" for name in facts["authors"]]
    return "\n".join(lines) + "\n"


FORMS: dict[str, Callable[[Lock, Sequence[Entry]], str]] = {
    "text": _text,
    "bibtex": _bibtex,
    "cff": _cff,
}
"""Ways to print the citation of a release by name."""
