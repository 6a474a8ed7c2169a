"""Which file a report names for a field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from braino_registry.scoring.answers.matching import Names, phrase_tokens, tokens

_ENDINGS = (
    "npy|npz|csv|tsv|json|jsonl|edf|bdf|fif|set|fdt|vhdr|vmrk|eeg|cnt|mat|h5|hdf5|parquet|txt|md"
    "|png|svg|pdf|jpg|jpeg|tif|tiff|html|xlsx|pkl|gz|zip"
)
_PATH = re.compile(
    rf"(?<![\w/.:\\-])(?:[A-Za-z]:\\|~/|\.{{1,2}}/|/)?(?:[\w.+@=-]{{1,120}}[/\\]){{0,20}}[\w.+@=-]{{1,160}}\.(?:{_ENDINGS})(?![\w/]|\.\w)",
    re.IGNORECASE,
)
_MADE = re.compile(
    r"\b(?:sav\w+|wr(?:ote|itten|ites?)|export\w*|stor(?:ed|es|ing)|creat\w+|generat\w+|produc\w+|output\w*"
    r"|plott?\w*|results?|artifacts?|deliver\w*|available|located|put|path|file)\b|→|->",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"\b(?:load\w*|read(?:ing)?|open(?:ed|ing)?|input|source|original|raw|from|given|provided|using|recording\s+is"
    r"|not\s+(?:find|found|exist|saved|written|created)|n't\s+(?:find|found|exist|save|write|create)|missing"
    r"|could\s+not|couldn't|cannot|can't|fail\w*|no\s+(?:such\s+)?file|would)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|cannot|unable|failed|fails|without|instead of|no)\b|n't\b|\bwould\b", re.IGNORECASE
)
_SORTS = {
    "png svg pdf jpg jpeg tif tiff html": "figure plot image picture chart graph spectrogram"
    " hypnogram heatmap visual",
    "npy npz mat h5 hdf5": "array matrix",
    "edf bdf fif set vhdr cnt": "recording segment edf eeg signal export",
    "csv tsv xlsx parquet": "table csv sheet",
}


def read_file(
    name: str,
    spec: Mapping[str, Any],
    text: str,
    fields: Mapping[str, Mapping[str, Any]],
    names: Names,
) -> tuple[str | None, str]:
    """Return the path that a report names for a field, or None and why.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    text : str
        The text without markup.
    fields : mapping
        All fields of the contract.
    names : Names
        Their phrases.
    """
    files = [other for other, field in fields.items() if field.get("type") == "file"]
    named: dict[str, str | None] = {}
    for line in text.split("\n"):
        start = 0
        marks = list(_PATH.finditer(line))
        for index, mark in enumerate(marks):
            stop = marks[index + 1].start() if index + 1 < len(marks) else len(line)
            before = line[start : mark.start()][-160:]
            after = re.split(r"[.;]\s|\band\b", line[mark.end() : stop][:120])[0]
            start = mark.end()
            cut = re.split(r"[.;!?]\s", before)[-1]
            if _NOT.search(cut):
                continue
            if _GIVEN.search(cut) and not _MADE.search(cut[_last(_GIVEN, cut) :]):
                continue
            path = mark.group()
            owner = _owner(path, cut, after, files, fields, names)
            if owner is not None or path not in named:
                named[path] = owner
    own = [path for path, owner in named.items() if owner == name]
    if not own and len(files) == 1:
        own = list(named)
    fitting = [path for path in own if _sort_fits(path, name, spec)] or own
    if len(fitting) == 1:
        return fitting[0], ""
    if not fitting:
        return None, "the text names no file for it"
    return None, f"the text names several files: {', '.join(fitting[:4])}"


def _last(pattern: re.Pattern[str], text: str) -> int:
    at = 0
    for match in pattern.finditer(text):
        at = match.end()
    return at


def _owner(
    path: str,
    before: str,
    after: str,
    files: list[str],
    fields: Mapping[str, Mapping[str, Any]],
    names: Names,
) -> str | None:
    """Return the field that the words before a path, behind it, or the path itself name."""
    for said in (before, after, path.rsplit("/", 1)[-1]):
        owner = names.best(frozenset(tokens(said)), among=files)
        if owner is not None:
            return owner
    fitting = [each for each in files if _sort_fits(path, each, fields[each])]
    return fitting[0] if len(fitting) == 1 else None


def _sort_fits(path: str, name: str, spec: Mapping[str, Any]) -> bool:
    """Tell whether the ending of a path is one that the words of a field suggest."""
    ending = path.rsplit(".", 1)[-1].lower()
    words = {word for phrase in phrase_tokens(name, spec) for word in phrase}
    words |= set(tokens(str(spec.get("description", ""))))
    for endings, sorts in _SORTS.items():
        if ending in endings.split():
            return bool(words & set(tokens(sorts)))
    return False
