"""JSON lines between the parent and a worker."""

from __future__ import annotations

import base64
import json
import os
import secrets
import select
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

MAX_LINE = 64 * 1024**2


def encode(message: Mapping[str, Any]) -> bytes:
    """Return one message as one line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def init_message(
    *, registry: tuple[Path, ...], cache: Path | None, salt: bytes | None, scratch: Path
) -> dict[str, Any]:
    """Return the first message to a worker.

    The salt goes this way only: never through an environment or a command line, which other
    processes can read.
    """
    return {
        "type": "init",
        "registry": [str(folder) for folder in registry],
        "cache": None if cache is None else str(cache),
        "salt": None if salt is None else base64.b64encode(salt).decode(),
        "scratch": str(scratch),
    }


def salt_of(init: Mapping[str, Any]) -> bytes | None:
    """Return the salt that an init message carries."""
    return None if init["salt"] is None else base64.b64decode(init["salt"])


def new_scratch() -> Path:
    """Return where on this computer a worker may make its folder for temporary files."""
    return Path(tempfile.gettempdir(), f"braino-{secrets.token_hex(8)}")


class Closed(Exception):
    """The other side has closed the pipe."""


class LineReader:
    """Reads messages from a pipe, each with a time limit.

    Parameters
    ----------
    descriptor : int
        File descriptor of the pipe; stays the caller's.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def next(self, timeout: float | None) -> dict[str, Any]:
        """Return the next message.

        Raises
        ------
        TimeoutError
            If none has come after ``timeout`` seconds.
        Closed
            If the pipe ends.
        ValueError
            If what came is no message.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            line, found, rest = self._buffer.partition(b"\n")
            if found:
                self._buffer = rest
                message = json.loads(line)
                if not isinstance(message, dict):
                    raise ValueError("not an object")
                return message
            if len(self._buffer) > MAX_LINE:
                raise ValueError(f"a line longer than {MAX_LINE} bytes")
            left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
            if not self._poll.poll(left):
                raise TimeoutError
            piece = os.read(self._descriptor, 65536)
            if not piece:
                raise Closed
            self._buffer += piece


def messages(descriptor: int) -> Iterator[dict[str, Any]]:
    """Yield messages until the pipe ends."""
    reader = LineReader(descriptor)
    while True:
        try:
            yield reader.next(None)
        except Closed:
            return
