"""Text of agents, made harmless to look at and short enough to show."""

from __future__ import annotations

import json
import re
from typing import Any

#: Sequences that steer a terminal, control characters, and marks that reorder a line: none of
#: them may change what stands beside them.
_HIDDEN = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    "|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)

#: Longest JSON that stays on one line.
_LINE = 90


def shown(text: str, limit: int) -> str:
    """Return ``text`` with what is invisible made visible, cut after ``limit`` characters.

    Parameters
    ----------
    text : str
        Anything.
    limit : int
        Characters that are kept; how many more there were is said.
    """
    cut = text[:limit]
    visible = _HIDDEN.sub(_name, cut)
    more = len(text) - len(cut)
    return visible if more <= 0 else f"{visible} … and {more:,} more characters"


def _name(match: re.Match[str]) -> str:
    found = match[0]
    return "⟨ESC⟩" if found[0] == "\x1b" else f"⟨U+{ord(found[0]):04X}⟩"


def as_json(value: Any, limit: int) -> str:
    """Return a value as JSON for people, on one line if it fits, cut after ``limit`` characters."""
    line = json.dumps(value, ensure_ascii=False)
    return shown(line if len(line) <= _LINE else _spread(line), limit)


def _spread(line: str) -> str:
    """Return JSON over several lines; as it is where it holds what is not quite JSON, as NaN."""
    import msgspec

    try:
        return str(msgspec.json.format(line, indent=1))
    except (ValueError, msgspec.DecodeError):
        return line
