"""What an agent prints: counted whole, kept at both ends."""

from __future__ import annotations

_KEEP = 32 * 1024


class Printed:
    """Bytes that come one piece after the other, of which the middle may be forgotten."""

    def __init__(self) -> None:
        self.count = 0
        self._head = bytearray()
        self._tail = b""

    def take(self, piece: bytes) -> None:
        """Take the next piece."""
        self.count += len(piece)
        room = _KEEP - len(self._head)
        self._head += piece[:room]
        self._tail = (self._tail + piece[room:])[-_KEEP:]

    def log(self) -> bytes:
        """Return beginning and end, with a line between them that says how much is left out."""
        skipped = self.count - len(self._head) - len(self._tail)
        gap = f"\n[{skipped} bytes left out]\n".encode() if skipped > 0 else b""
        return bytes(self._head) + gap + self._tail
