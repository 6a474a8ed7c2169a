"""How wide the columns of a table may be, so that no name is broken."""

from __future__ import annotations

from collections.abc import Sequence

#: What a table draws left and right of each cell, its own left edge aside.
_FRAME = 3
#: Longest words of texts for which their column stays as wide; longer ones may be broken. The
#: second holds once every column that can be spared is gone.
_LONGEST_WORDS = (20, 10)


def fit(
    columns: Sequence[str], cells: Sequence[Sequence[str]], width: int, drop: Sequence[str] = ()
) -> dict[int, int]:
    """Return the columns of a table that are shown, by position, each with its width.

    A column of texts may be folded between words; a column of names, in which no cell has a
    space, never is. Where there is not enough room, columns are dropped in the order in which
    the caller can do without them; what is still too wide then is left to the reader's terminal.

    Parameters
    ----------
    columns : sequence of str
        Titles.
    cells : sequence of sequence of str
        The rows.
    width : int
        Characters in a line.
    drop : sequence of str
        Titles of the columns that may be left out, the first to go first.
    """
    filled = [[title, *(row[i] for row in cells)] for i, title in enumerate(columns)]
    spared = [list(columns).index(title) for title in drop]
    shown = list(range(len(columns)))
    for longest in _LONGEST_WORDS:
        needed = {i: _needed(filled[i], longest) for i in shown}
        while whole(needed) > width and spared:
            shown.remove(spared[0])
            del needed[spared.pop(0)]
        if whole(needed) <= width:
            break
    # Those that need little more get all of it, the others share what is left.
    spare = max(0, width - whole(needed))
    wanting = sorted(needed, key=lambda i: _natural(filled[i]) - needed[i])
    for number, i in enumerate(wanting):
        more = min(_natural(filled[i]) - needed[i], spare // (len(wanting) - number))
        needed[i] += more
        spare -= more
    return needed


def _natural(column: Sequence[str]) -> int:
    return max(len(text) for text in column)


def _needed(column: Sequence[str], longest: int) -> int:
    """Return the least width at which no name, and no word up to some length, is broken."""
    title, *texts = column
    if not any(" " in text for text in texts):
        return _natural(column)
    words = [len(word) for text in texts for word in text.split()]
    return max(min(longest, max(words)), *(len(word) for word in title.split()))


def whole(widths: dict[int, int]) -> int:
    """Return how wide a table with columns of these widths is."""
    return sum(widths.values()) + _FRAME * len(widths) + 1
