"""Which names files may have, so that every machine can hold them and none leaves its folder."""

from __future__ import annotations

import re
import unicodedata

#: Names that are devices on Windows, with any extension.
_DEVICES = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³])", re.IGNORECASE
)
#: What nearly all names are like, told at a glance; the rest is looked at closely.
_PLAIN = re.compile(r"(?!con|prn|aux|nul|clock|com|lpt)[a-z0-9_.-]{0,99}[a-z0-9_-]", re.IGNORECASE)
_FORBIDDEN = frozenset('<>:"|?*\\')
_LONGEST_PART, _LONGEST = 255, 1000


def problem_of_path(path: str) -> str | None:
    """Return in words why a relative path cannot be used, or None.

    Parameters
    ----------
    path : str
        With forward slashes.
    """
    if not path:
        return "is empty"
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        return "is absolute"
    if len(path.encode("utf-8", "surrogatepass")) > _LONGEST:
        return f"is longer than {_LONGEST} bytes"
    for part in path.split("/"):
        problem = _problem_of_part(part)
        if problem is not None:
            return problem
    return None


def _problem_of_part(part: str) -> str | None:
    if _PLAIN.fullmatch(part):
        return None
    if part in ("", "."):
        return "has an empty step"
    if part == "..":
        return "leaves the dataset"
    if any(unicodedata.category(char) in ("Cc", "Cs", "Cf", "Zl", "Zp") for char in part):
        return "has control characters"
    if _FORBIDDEN & set(part):
        return f"has one of the characters {' '.join(sorted(_FORBIDDEN))}"
    if part[-1] in " ." or part[0] == " ":
        return "has a step that ends in a space or a dot"
    if _DEVICES.fullmatch(part.split(".")[0].rstrip()):
        return "names a device"
    if len(part.encode("utf-8")) > _LONGEST_PART:
        return f"has a step longer than {_LONGEST_PART} bytes"
    return None


def same_name(path: str) -> str:
    """Return what two paths share if some file system takes them for one."""
    return unicodedata.normalize("NFC", path).casefold()
