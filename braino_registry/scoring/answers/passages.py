"""The passage of a report that a field of type text stands for."""

from __future__ import annotations

import re

from braino_registry.scoring.answers.layout import Layout, bare
from braino_registry.scoring.answers.matching import Names, tokens

_BULLET = re.compile(r"^\s*(?:[-*•+–]|\d{1,3}[.)])\s+")
_RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*")


def read_passage(
    name: str, found: Layout, text: str, names: Names, alone: bool
) -> tuple[str | None, str]:
    """Return the section or the line that bears the name of a field, or None and why.

    Parameters
    ----------
    name : str
        Name of the field.
    found : Layout
        Layout of the report.
    text : str
        The text without markup, which a field that nothing names stands for.
    names : Names
        Phrases of all fields.
    alone : bool
        The contract has no other field of type text.
    """
    passages = [
        _plain(body)
        for title, body in found.sections
        if title and names.best(frozenset(tokens(title))) == name
    ]
    passages += [
        pair.value.strip()
        for pair in found.pairs
        if len(tokens(pair.label)) <= 6 and names.best(frozenset(tokens(pair.label))) == name
    ]
    distinct = list(dict.fromkeys(passage for passage in passages if passage))
    if len(distinct) == 1:
        return distinct[0], ""
    if distinct:
        return None, f"the text has {len(distinct)} passages of that name"
    if alone and text.strip():
        return text.strip(), ""
    return None, "no passage of the text bears its name"


def _plain(body: str) -> str:
    lines = [line for line in body.split("\n") if not _RULE.fullmatch(line)]
    return "\n".join(bare(_BULLET.sub("", line)) for line in lines).strip()
