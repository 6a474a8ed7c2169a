"""What an agent did beside its task: advisory flags, for people and never for the score.

They come from two places. The agent's interpreter notes what it opens, imports and reaches
(`braino.agent`), which an agent can silence; and whatever the agent sent is searched for the
canary of the entries, which it cannot have met in its task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from braino_registry.registry.canary import MARK
from braino_registry.runner.endpoints import PORTS, read_endpoint
from braino_registry.runner.isolation import Measured

NOTE = b"braino-watch: "
#: Kinds of flags, by the word with which a note begins; a report shows them in this order.
KINDS = {
    "opened": "reads outside",
    "imported": "scorer imported",
    "network": "network tried",
    "canary": "canary seen",
}
_MOST = 20
#: The members of an event that hold what the agent itself has said.
_SAID = {
    "call": ("args",),
    "ask": ("question", "options"),
    "decide": ("proposal", "why"),
    "execute": ("code",),
    "answer": ("text", "data", "artifacts"),
    "log": ("message", "data"),
}


def reviewed(
    measured: Measured, events: Iterable[Mapping[str, Any]], endpoints: Iterable[str]
) -> Measured:
    """Return what was seen of an agent, with its flags, and its prints without their notes.

    Parameters
    ----------
    measured : Measured
        What was seen from outside.
    events : iterable of dict
        The transcript.
    endpoints : iterable of str
        Addresses that it was allowed to reach.
    """
    lines = measured.log.splitlines(keepends=True)
    notes = [line[len(NOTE) :] for line in lines if line.startswith(NOTE)]
    if not notes and not _met_canary(events, measured.log):
        return measured
    known = {f"{each.host}:{each.port}" for each in map(read_endpoint, endpoints)}
    known |= {f"{each.host}:{name}" for each in map(read_endpoint, endpoints) for name in PORTS}
    flags = [_flag(note) for note in notes]
    flags = [flag for flag in flags if flag and flag.partition(": ")[2] not in known]
    if _met_canary(events, measured.log):
        flags.append(f"{KINDS['canary']}: it has read an entry or a transcript")
    return replace(
        measured,
        log=b"".join(line for line in lines if not line.startswith(NOTE)),
        flags=(*measured.flags, *list(dict.fromkeys(flags))[:_MOST]),
    )


def _flag(note: bytes) -> str:
    """Return the flag of one note; an empty one if the agent has made it up."""
    word, _, rest = note.decode(errors="replace").strip().partition(" ")
    return f"{KINDS[word]}: {rest[:300]}" if word in KINDS and rest else ""


def _met_canary(events: Iterable[Mapping[str, Any]], log: bytes) -> bool:
    return MARK.encode() in log or any(MARK in text for text in _said(events))


def _said(events: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for event in events:
        if event["type"] == "log" and event.get("source") != "agent":
            continue
        for name in _SAID.get(event["type"], ()):
            yield json.dumps(event.get(name), ensure_ascii=False)
