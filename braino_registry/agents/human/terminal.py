"""A terminal that is opened by its path, so that a process without one can speak to a person."""

from __future__ import annotations

import fcntl
import os
import re
from types import TracebackType

from braino.agent import AgentUnusable

# What tools and data say must not steer the terminal.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Lines of a result that are shown at once.
PAGE = 40


class Terminal:
    """Lines to and from a person.

    Parameters
    ----------
    path : str
        Of the terminal, for example ``/dev/pts/3``.

    Raises
    ------
    AgentUnusable
        If it cannot be opened from here.
    """

    def __init__(self, path: str) -> None:
        try:
            # It must not become the terminal that sends this process the signals of its keys.
            handle = os.open(path, os.O_RDWR | os.O_NOCTTY)
        except OSError as error:
            raise AgentUnusable(
                "unready",
                f"the terminal {path} cannot be reached: {error.strerror}",
                hint="Use --isolation process; a sandbox shows no terminal.",
            ) from None
        if not os.isatty(handle):
            os.close(handle)
            raise AgentUnusable("unready", f"{path} is no terminal")
        self._in = os.fdopen(handle, encoding="utf-8", errors="replace")
        self._rest: list[str] = []

    def __enter__(self) -> Terminal:
        """Wait until nobody else speaks to this person."""
        fcntl.flock(self._in, fcntl.LOCK_EX)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let others speak."""
        self._in.close()

    def say(self, text: str) -> None:
        """Show text; what is longer than a page waits for `more`."""
        lines = _CONTROL.sub("", text).split("\n")
        self._rest = lines[PAGE:]
        self._put("\n".join(lines[:PAGE]) + "\n")
        if self._rest:
            self._put(f"… {len(self._rest)} more lines; type `more`.\n")

    def more(self) -> None:
        """Show the next page."""
        self.say("\n".join(self._rest) if self._rest else "There is no more.")

    def line(self, prompt: str = "> ") -> str | None:
        """Return the next line that is typed, None at the end of input."""
        self._put(prompt)
        typed = self._in.readline()
        return typed.rstrip("\n") if typed else None

    def _put(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(self._in.fileno(), data) :]
