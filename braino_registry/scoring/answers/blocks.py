"""JSON that stands in a report: fenced or bare, whole or among prose, and its values by field.

Reading is linear in the length of the text: where an object does not parse, the search goes on
behind the place at which it broke.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.numbers import unit_of
from braino_registry.scoring.answers.matching import phrase_tokens, tokens

MAX_BLOCKS = 50
MAX_ATTEMPTS = 500
MAX_VALUES = 2_000
MAX_DEPTH = 6
_OPENING = re.compile(r"\{(?=\s*[\"}])|\[(?=\s*[\[{\"\d-])")
_FENCE_OPEN = re.compile(r"```[ \t]*[\w.+-]{0,20}[ \t]*\n?\s*$")
_FENCE_CLOSE = re.compile(r"\s*```")
#: Last words of keys that name a quantity, not its unit.
_QUANTITIES = frozenset(
    "freq freqs frequency frequencies notch onset onsets duration durations latency latencies p"
    " count"
    " counts ratio ratios fraction share proportion".split()
)
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Block:
    """One JSON value in a text, and where it stands with its fence."""

    value: Any
    start: int
    stop: int


def blocks(text: str) -> list[Block]:
    """Return the JSON objects of a text, and the arrays that stand in a fence of their own.

    Parameters
    ----------
    text : str
        A report.
    """
    found: list[Block] = []
    position, attempts = 0, 0
    while attempts < MAX_ATTEMPTS and len(found) < MAX_BLOCKS:
        match = _OPENING.search(text, position)
        if match is None:
            break
        attempts += 1
        try:
            value, stop = _DECODER.raw_decode(text, match.start())
        except RecursionError:
            break
        except json.JSONDecodeError as error:
            position = max(match.end(), error.pos)
            continue
        except ValueError:  # an integer of thousands of digits
            position = match.end()
            continue
        position = stop
        fence = _FENCE_OPEN.search(text, max(0, match.start() - 60), match.start())
        closing = _FENCE_CLOSE.match(text, stop) if fence else None
        if isinstance(value, list) and not (fence and closing):
            continue  # "['T7', 'P8']" is prose
        start = fence.start() if fence and closing else match.start()
        found.append(Block(value, start, closing.end() if closing else stop))
        position = found[-1].stop
    return found


def without(text: str, found: list[Block]) -> str:
    """Return a text without its JSON."""
    pieces, position = [], 0
    for block in found:
        pieces.append(text[position : block.start])
        position = block.stop
    return "\n".join([*pieces, text[position:]])


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of a JSON object by the words on the way to it.

    Parameters
    ----------
    value : JSON value
        What stands there.
    key : frozenset of str
        Words of its own key, without the unit.
    path : frozenset of str
        Words of all keys on the way.
    unit : str or None
        The unit that the key ends in, for example ``"alpha_peak_hz"``.
    """

    value: Any
    key: frozenset[str]
    path: frozenset[str]
    unit: str | None


def entries(value: Any) -> list[Entry]:
    """Return the values of a JSON object, nested ones included, outer ones first.

    Parameters
    ----------
    value : JSON value
        An object; anything else has no named values.
    """
    found: list[Entry] = []
    level: list[tuple[frozenset[str], Mapping[str, Any]]] = (
        [(frozenset(), value)] if isinstance(value, Mapping) else []
    )
    for _ in range(MAX_DEPTH):
        deeper: list[tuple[frozenset[str], Mapping[str, Any]]] = []
        for path, here in level:
            for name, item in here.items():
                if len(found) >= MAX_VALUES:
                    return found
                for key, unit in _keys(str(name)):
                    found.append(Entry(item, key, path | key, unit))
                if isinstance(item, Mapping):
                    deeper.append((path | _keys(str(name))[0][0], item))
        level = deeper
    return found


def _keys(name: str) -> list[tuple[frozenset[str], str | None]]:
    """Return the words of a key and the unit that it ends in; "min" may be one or none."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())[:200]
    plain = re.sub(r"[^\w%µ²]+", "_", name).strip("_").lower()
    parts = plain.split("_")
    for length in (1, 2, 3) if parts[-1] not in _QUANTITIES else ():
        unit = unit_of("x_" + "_".join(parts[-length:])) if len(parts) > length else None
        longer = unit_of("x_" + "_".join(parts[-length - 2 :])) if unit else None
        if unit is not None and longer in (unit, None):
            return [(frozenset(tokens(" ".join(parts[:-length]))), unit)]
    plain_key: list[tuple[frozenset[str], str | None]] = [
        (frozenset(tokens(" ".join(parts))), None)
    ]
    if len(parts) > 1 and parts[-1] in ("min", "h"):
        plain_key.append((frozenset(tokens(" ".join(parts[:-1]))), parts[-1]))
    return plain_key


def named(value: Any, name: str, spec: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the values of a JSON object that bear the name of a field, or a phrase for it.

    Parameters
    ----------
    value : JSON value
        An object of the report.
    name : str
        Name of the field.
    spec : mapping
        The field.
    """
    wanted = [frozenset(each) for each in phrase_tokens(name, spec)]
    listed = [entry for entry in entries(value) if not isinstance(entry.value, Mapping)]
    for words in ("key", "path"):
        hits = [entry for entry in listed if getattr(entry, words) in wanted]
        if hits:
            yield from hits
            return
