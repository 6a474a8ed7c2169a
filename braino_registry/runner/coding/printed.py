"""What one execution prints: counted whole, kept at both ends, complete when its mark arrives."""

from __future__ import annotations


class Output:
    """The prints of a worker, one execution after the other.

    Parameters
    ----------
    most : int
        Characters that are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._mark = b""
        self.begin(b"")

    def begin(self, mark: bytes) -> None:
        """Forget what was printed before, and wait for the mark of the next execution."""
        self._mark = mark
        self._head, self._tail, self._edge = bytearray(), b"", b""
        self.count = 0
        self.complete = False

    def take(self, piece: bytes) -> None:
        """Take the next piece; what comes after the mark is kept, for it was printed."""
        self.count += len(piece)
        # Four bytes a character at most, and room for the mark.
        half = 2 * self._most + len(self._mark)
        room = half - len(self._head)
        self._head += piece[: max(0, room)]
        self._tail = (self._tail + piece[max(0, room) :])[-half:]
        if not self.complete and self._mark:
            window = self._edge + piece
            self.complete = self._mark in window
            self._edge = window[-len(self._mark) :]

    def text(self) -> str:
        """Return what was printed: all, or beginning and end with a line between them."""
        skipped = self.count > len(self._head) + len(self._tail)
        head = bytes(self._head)
        if not skipped:
            return _shortened(decoded((head + self._tail).replace(self._mark, b"", 1)), self._most)
        tail = decoded(self._tail.replace(self._mark, b"", 1))
        return _joined(decoded(head), tail, self._most)


def decoded(raw: bytes) -> str:
    """Return bytes as a text that can be recorded, whatever they are."""
    return raw.decode("utf-8", "replace").replace("\0", "�")


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else _joined(text, text, most)


def _joined(head: str, tail: str, most: int) -> str:
    half = max(1, most // 2)
    return f"{head[:half]}\n[… the middle of what was printed is left out …]\n{tail[-half:]}"
