"""What is known of a recording, and how entries refer to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from braino_registry.errors import EntryError
from braino_registry.registry.templates import TemplateProblem, lookup


def scope(known: Mapping[str, Any] | None, recording: str | None) -> dict[str, Any]:
    """Return what paths of an instance start from.

    Parameters
    ----------
    known : mapping | None
        Truth or labels of a dataset: ``{"recordings": {id: {…}}, "dataset": {…}}``.
    recording : str | None
        The instance's recording. Its facts stand at the top; without one, those of the dataset do.

    Returns
    -------
    scope : dict
        ``dataset`` holds the facts of the dataset in either case; without a recording,
        ``recordings`` holds those of every recording.
    """
    known = known or {}
    whole = dict(known.get("dataset") or {})
    recordings = dict(known.get("recordings") or {})
    if recording is None:
        return {**whole, "dataset": whole, "recordings": recordings}
    return {**recordings.get(recording, {}), "dataset": whole}


def look_up(path: str, known: Mapping[str, Any], *, what: str, where: str) -> Any:
    """Return what a path finds; nothing found is an error, never a value.

    Parameters
    ----------
    path : str
        JMESPath.
    known : mapping
        Result of `scope`.
    what : str
        What is looked into, for the message: ``"truth"``, ``"labels"``.
    where : str
        Which entry refers to it.

    Raises
    ------
    EntryError
        If there is nothing at the path; it names the path and what there is.
    """
    try:
        found = lookup(path, known)
    except TemplateProblem as error:
        raise EntryError(
            f"the {what} has nothing at {path!r}: {error.problem}",
            where=where,
            hint=f"Available: {_available(path, known)}.",
        ) from error
    if found is None:
        raise EntryError(
            f"the {what} has nothing at {path!r}",
            where=where,
            hint=f"Available: {_available(path, known)}.",
        )
    return found


def _available(path: str, known: Mapping[str, Any]) -> str:
    """Return the names that stand where a path leaves the known."""
    here: Any = known
    prefix = ""
    for part in re.findall(r"[A-Za-z_]\w*|\"[^\"]+\"", path):
        name = part.strip('"')
        if not isinstance(here, Mapping) or not isinstance(here.get(name), Mapping):
            break
        here, prefix = here[name], f"{prefix}{name}."
    names = sorted(str(key) for key in here) if isinstance(here, Mapping) else []
    shown = ", ".join(prefix + name for name in names[:20]) or "nothing"
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def substitute(doc: Any, known: Mapping[str, Any]) -> Any:
    """Return a document in which every ``{"truth": path}`` is replaced by what it finds.

    Parameters
    ----------
    doc : JSON value
        A scripted user, a reference or a counterexample; it is not changed.
    known : mapping
        Result of `scope`.

    Raises
    ------
    EntryError
        If there is nothing at a path.
    """
    if isinstance(doc, Mapping):
        if set(doc) == {"truth"} and isinstance(doc["truth"], str):
            return look_up(
                doc["truth"], known, what="truth", where=f'{{"truth": "{doc["truth"]}"}}'
            )
        return {key: substitute(value, known) for key, value in doc.items()}
    if isinstance(doc, list | tuple):
        return [substitute(value, known) for value in doc]
    return doc
