"""Showing how a run goes on: a bar on a terminal, one line per trial elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

Event = dict[str, Any]


def observer() -> Callable[[Event], None]:
    """Return what a run tells its events to; everything is printed to standard error."""
    return _Bar() if sys.stderr.isatty() else lines


def lines(event: Event) -> None:
    """Print an event as a line, if it is worth one."""
    text = _text(event)
    if text is not None:
        print(text, file=sys.stderr, flush=True)  # noqa: T201


def _text(event: Event) -> str | None:
    from braino_registry.reports.printing import clean

    if event["type"] == "note":
        return clean(event["text"])
    if event["type"] == "finished":
        record = event["record"]
        width = len(str(event["planned"]))
        name = f"{record['task']}/{record['instance']}/{record['repeat']}"
        reason = f": {record['reason'].splitlines()[0]}" if record["reason"] else ""
        counter = f"{event['done']:{width}}/{event['planned']}"
        return clean(f"[{counter}] {record['outcome']:<13} {name}{reason}")
    return None


class _Bar:
    """A progress bar with a line above it for everything that did not go well."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: Any = None

    def __call__(self, event: Event) -> None:
        """Take one event."""
        if event["type"] == "planned":
            self._begin(event["trials"])
        elif event["type"] == "ended":
            self._end()
        elif self._progress is None:
            lines(event)
        elif event["type"] == "finished":
            self._progress.advance(self._task)
            if event["record"]["outcome"] not in ("passed", "scored"):
                self._progress.console.print(_text(event), markup=False, highlight=False)
        elif event["type"] == "note":
            self._progress.console.print(_text(event), markup=False, highlight=False)

    def _begin(self, trials: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task("trials", total=trials)
        self._progress.start()

    def _end(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
