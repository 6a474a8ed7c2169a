"""What all agents of a trial share: everything that was made, by name, in a compact view.

The state has branches for recordings, views, labels, events, results, artifacts, decisions and
replies of the researcher, and one for planning: how often each tool was called, the latest calls,
and those that were refused. Signals stay on the other side of the session; the state holds names.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.agents.brainagent.domains import branch

BRANCHES = ("recordings", "views", "labels", "events", "results", "artifacts", "decisions", "user")
#: Lengths to which results are shortened in the view, until it fits.
_LENGTHS = (1_500, 600, 250, 90, 0)
_RECENT = 8
_REFUSED = 5
_LINE = 200


@dataclass(frozen=True)
class Entry:
    """Something that was made.

    Parameters
    ----------
    name : str
        Its name: that of a view or file, else that of the result.
    made_by : str
        The call.
    result : str
        What is kept of it under which name, and the JSON that came.
    page : str
        Name under which pages of the whole are shown.
    """

    name: str
    made_by: str
    result: str
    page: str

    def line(self, length: int) -> str:
        """Return the entry with at most that much of its result."""
        head = f"{self.name} = {self.made_by}"
        if not length:
            return f"{head} [{self.page}]"
        shown = self.result[:length]
        left = len(self.result) - len(shown)
        rest = f" … [{left} more characters: read_page {self.page}]" if left else ""
        return f"{head} → {shown}{rest}"


class SharedState:
    """The state of a trial."""

    def __init__(self) -> None:
        self._branches: dict[str, list[Entry]] = {name: [] for name in BRANCHES}
        self._counts: Counter[str] = Counter()
        self._recent: deque[str] = deque(maxlen=_RECENT)
        self._refused: deque[str] = deque(maxlen=_REFUSED)

    def register(self, tool: str, arguments: str, result: str, page: str, *, ok: bool) -> None:
        """Take note of a call and what came of it.

        Parameters
        ----------
        tool, arguments : str
            The call.
        result : str
            JSON.
        page : str
            Name of the whole result.
        ok : bool
            Whether it was done.
        """
        signature = f"{tool} {_short(arguments)}"
        self._counts[tool] += 1
        self._recent.append(signature)
        if not ok:
            self._refused.append(f"{signature}: {_short(result)}")
            return
        name, place = _placed(tool, arguments, result, page)
        self._branches[place].append(Entry(name, signature, result, page))

    def view(self, room: int) -> str:
        """Return the state in words, within some room.

        Parameters
        ----------
        room : int
            Characters. Results are shortened first; then the oldest entries are counted only.
        """
        for length in _LENGTHS:
            text = self._text(length, None)
            if len(text) <= room:
                return text
        most = max(len(entries) for entries in self._branches.values())
        while most > 1 and len(text) > room:
            most //= 2
            text = self._text(0, most)
        return text

    def _text(self, length: int, most: int | None) -> str:
        lines = []
        for name, entries in self._branches.items():
            if not entries:
                continue
            shown = entries if most is None else entries[-most:]
            left = len(entries) - len(shown)
            lines.append(f"{name}:" + (f" ({left} older ones are not listed)" if left else ""))
            lines += [f"  {entry.line(length)}" for entry in shown]
        counts = ", ".join(f"{tool} {count}" for tool, count in self._counts.items()) or "no calls"
        lines += ["planning:", f"  calls so far: {counts}"]
        if self._recent:
            lines.append(f"  latest: {'; '.join(self._recent)}")
        if self._refused:
            lines.append(f"  refused: {'; '.join(self._refused)}")
        return "\n".join(lines)


def _placed(tool: str, arguments: str, result: str, page: str) -> tuple[str, str]:
    """Return the name of what a call has made, and the branch that it belongs to."""
    if tool.startswith("decide."):
        return page, "decisions"
    if tool == "ask_user":
        return page, "user"
    given, made = _object(arguments), _object(result)
    if isinstance(file := made.get("file"), str):
        return file, "artifacts"
    view = made.get("view")
    if isinstance(view, str) and view != given.get("view"):  # many tools repeat the view they took
        return view, "views"
    return page, branch(tool)


def _object(text: str) -> Mapping[str, Any]:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _short(text: str) -> str:
    whole = " ".join(text[: 2 * _LINE].split())
    return whole if len(whole) <= _LINE else f"{whole[:_LINE]}…"
