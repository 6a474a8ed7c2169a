"""Shell patterns of paths: ``*`` within a step, ``**`` over steps."""

from __future__ import annotations

import re
from functools import lru_cache


def matches(path: str, pattern: str) -> bool:
    """Tell whether a relative path with forward slashes fits a pattern.

    ``*`` and ``?`` stand for characters of one step, ``**`` for any number of steps.

    Examples
    --------
    >>> matches("derivatives/a/b.set", "derivatives/**"), matches("sub-01/x.tsv", "*.tsv")
    (True, False)
    """
    return _compiled(pattern).fullmatch(path) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts), re.DOTALL)
