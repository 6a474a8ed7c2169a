"""How to cite exactly the data that were used: BibTeX, CFF or plain text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from braino_registry import __version__
from braino_registry.datasets.building import Portion
from braino_registry.datasets.entries import is_synthetic
from braino_registry.datasets.selection import ALL, Selection
from braino_registry.registry.digests import dataset_identity
from braino_registry.registry.entries import Entry

AUTHORS = "braino-registry contributors"
_ESCAPED = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}"}


def cite(entry: Entry, form: str, selection: Selection = ALL) -> str:
    """Return what to cite for a dataset, in one of the forms of `FORMS`.

    The dataset is cited with its upstream version, and with the digest by which this registry
    tells one content from another; the publications that upstream asks to be cited follow.

    Parameters
    ----------
    entry : Recipe or PublicDataset
        The dataset.
    form : str
        ``text``, ``bibtex`` or ``cff``.
    selection : Selection
        The part of it that was used; all of it by default.

    Raises
    ------
    UsageError
        If the dataset has nothing like the selection.
    """
    return FORMS[form](entry, _facts(entry, selection))


def document(entry: Entry, selection: Selection = ALL) -> dict[str, Any]:
    """Return the citation as JSON values, with every form of it; parameters as for `cite`."""
    facts = _facts(entry, selection)
    forms = {name: write(entry, facts) for name, write in FORMS.items()}
    return {"id": entry.id, "version": entry.version, **facts, **forms}


def _facts(entry: Entry, selection: Selection) -> dict[str, Any]:
    part = {"select": Portion.of(entry, selection).selection.document()} if selection else {}
    return {**_stated(entry), **part}


def _stated(entry: Entry) -> dict[str, Any]:
    if is_synthetic(entry):
        return {
            "title": entry.title,
            "authors": [AUTHORS],
            "upstream_version": entry.version,
            "url": None,
            "doi": None,
            "released": None,
            "licence": None,
            "identity": dataset_identity(entry),
            "works": [],
        }
    upstream = entry.doc["upstream"]
    return {
        "title": upstream["name"],
        "authors": list(upstream["authors"]),
        "upstream_version": upstream["version"],
        "url": upstream["url"],
        "doi": upstream.get("doi"),
        "released": upstream.get("released"),
        "licence": entry.doc["licence"]["spdx"],
        "identity": dataset_identity(entry),
        "works": [dict(work) for work in entry.doc["citation"]],
    }


def _used(entry: Entry, facts: Mapping[str, Any]) -> str:
    """Return which content it was; where no file is pinned, that nobody here can tell."""
    registry = f"braino-registry {__version__}"
    part = "".join(
        f", only {entity} {' '.join(labels)}" for entity, labels in facts.get("select", {}).items()
    )
    if not is_synthetic(entry) and entry.doc.get("pins") is None:
        return (
            f"Described in {registry} as {entry.ref}, which pins no file of it: "
            f"say which copy you used{part}"
        )
    kind = "built from its recipe by" if is_synthetic(entry) else "as pinned in"
    return f"Used: {entry.ref} {kind} {registry}, {facts['identity']}{part}"


def _text(entry: Entry, facts: Mapping[str, Any]) -> str:
    authors = ", ".join(facts["authors"])
    year = f" ({facts['released'][:4]})" if facts["released"] else ""
    where = f"https://doi.org/{facts['doi']}" if facts["doi"] else facts["url"]
    first = f"{authors}{year}. {facts['title']}, version {facts['upstream_version']}."
    lines = [f"{first} {where}" if where else first, f"{_used(entry, facts)}."]
    for work in facts["works"]:
        doi = f" https://doi.org/{work['doi']}" if "doi" in work else ""
        lines.append(f"{work['text']}{doi}")
    return "\n".join(lines) + "\n"


def _bibtex(entry: Entry, facts: Mapping[str, Any]) -> str:
    fields = {
        "title": f"{{{_tex(facts['title'])}}}",
        "author": " and ".join(_author(name) for name in facts["authors"]),
        "year": facts["released"][:4] if facts["released"] else None,
        "version": _tex(facts["upstream_version"]),
        "doi": facts["doi"],
        "url": facts["url"],
        "note": _tex(_noted(entry, facts)),
    }
    others = [work for work in facts["works"] if not _same_doi(work, facts["doi"])]
    items = [_item("misc", entry.id, fields)]
    items += [_work(f"{entry.id}-{number}", work) for number, work in enumerate(others, 1)]
    return "\n".join(items)


def _work(key: str, work: Mapping[str, Any]) -> str:
    """Return the item of a reference that is known as one text: nobody guesses its fields."""
    doi = work.get("doi")
    fields = {
        "key": key,  # what styles sort by where there is no author
        "note": _tex(work["text"]),
        "howpublished": None if doi is None else _tex(f"https://doi.org/{doi}"),
        "doi": doi,
    }
    return _item("misc", key, fields)


def _same_doi(work: Mapping[str, Any], doi: str | None) -> bool:
    """Tell whether a work is what has this DOI, which names things without regard to case."""
    return doi is not None and work.get("doi", "").casefold() == doi.casefold()


def _noted(entry: Entry, facts: Mapping[str, Any]) -> str:
    """Return what was used, and how upstream wants the dataset itself to be cited."""
    asked = [work["text"] for work in facts["works"] if _same_doi(work, facts["doi"])]
    return ". ".join([_used(entry, facts), *(f"Cited as: {text.rstrip('.')}" for text in asked)])


def _item(kind: str, key: str, fields: Mapping[str, str | None]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value is not None]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"]) + "\n"


def _author(name: str) -> str:
    """Return an author for BibTeX; a group is braced, so that it has no family name."""
    return f"{{{_tex(name)}}}" if name == AUTHORS else _tex(name)


def _tex(text: str) -> str:
    return "".join(_ESCAPED.get(char, char) for char in text)


def _cff(entry: Entry, facts: Mapping[str, Any]) -> str:
    """Return a CITATION.cff (format 1.2.0); every scalar is quoted as JSON, which YAML reads."""
    rows: list[tuple[str, Any]] = [
        ("cff-version", "1.2.0"),
        ("message", _used(entry, facts)),
        ("type", "dataset"),
        ("title", facts["title"]),
        ("version", facts["upstream_version"]),
        ("doi", facts["doi"]),
        ("url", facts["url"]),
        ("date-released", facts["released"] if _is_day(facts["released"]) else None),
    ]
    lines = [f"{name}: {_quoted(value)}" for name, value in rows if value is not None]
    lines += ["authors:", *_names(facts["authors"], "  ")]
    if facts["works"]:
        lines.append("references:")
        for work in facts["works"]:
            lines += ["  - type: generic", f"    title: {_quoted(work['text'])}"]
            lines += [f"    doi: {_quoted(work['doi'])}"] if "doi" in work else []
            lines += ["    authors:", *_names([_first_author(work["text"])], "      ")]
    return "\n".join(lines) + "\n"


def _names(authors: list[str], indent: str) -> Iterator[str]:
    return (f"{indent}- name: {_quoted(name)}" for name in authors)


def _first_author(text: str) -> str:
    """Return how a reference begins, up to its year: its authors as they are printed."""
    return text.split(" (")[0].rstrip(".,") or text


def _is_day(date: str | None) -> bool:
    return date is not None and len(date) == 10


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


FORMS: dict[str, Callable[[Entry, Mapping[str, Any]], str]] = {
    "text": _text,
    "bibtex": _bibtex,
    "cff": _cff,
}
"""Ways to print a citation by name."""
