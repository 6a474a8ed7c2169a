"""Results that are too long to be shown at once: kept whole, shown page by page."""

from __future__ import annotations

from collections import OrderedDict

#: Characters that are kept in all; the oldest results go first, and it is said that they are gone.
KEPT = 20_000_000


class Pages:
    """The results of a trial by name.

    Parameters
    ----------
    size : int
        Characters of a page.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._held = 0
        self._made = 0

    def put(self, text: str) -> str:
        """Keep a result and return its name."""
        self._made += 1
        name = f"r{self._made}"
        self._texts[name] = text
        self._held += len(text)
        while self._held > KEPT and len(self._texts) > 1:
            _, old = self._texts.popitem(last=False)
            self._held -= len(old)
        return name

    def shown(self, name: str, text: str, size: int | None = None) -> str:
        """Return a result whole, or its first page and how to see the others.

        Parameters
        ----------
        name : str
            What `put` has called it.
        text : str
            The result.
        size : int | None
            Characters that may be shown, if fewer than a page.
        """
        most = min(self.size, size or self.size)
        return text if len(text) <= most else self._page(name, text, 1, most)

    def page(self, name: str, number: int) -> str:
        """Return a page of a result.

        Raises
        ------
        KeyError
            If there is no such result or page; its argument says what there is.
        """
        text = self._texts.get(name)
        if text is None:
            made = f"r1 to r{self._made}" if self._made else "none yet"
            raise KeyError(f"there is no result {name[:40]!r} any more or yet; made so far: {made}")
        pages = max(1, -(-len(text) // self.size))
        if not 1 <= number <= pages:
            raise KeyError(f"{name} has pages 1 to {pages}")
        return self._page(name, text, number, self.size)

    def _page(self, name: str, text: str, number: int, size: int) -> str:
        start = (number - 1) * self.size
        piece = text[start : start + size]
        end = start + len(piece)
        pages = -(-len(text) // self.size)
        more = "" if number >= pages else f"; read_page with page {number + 1} shows the next"
        if len(piece) < min(self.size, len(text) - start):
            more = f"; read_page with page {number} shows more of it"
        return f"[{name}, characters {start + 1} to {end} of {len(text)}{more}]\n{piece}"
