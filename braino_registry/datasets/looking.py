"""What the first bytes of a file tell, so that an error page is never taken for a recording."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

LOOKED_AT = 512
"""Bytes that are looked at."""
ENOUGH = 16
"""Fewer bytes than this tell nothing."""

_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_PAGE = re.compile(rb"<(!|\?xml|[a-z]+[\s>])", re.IGNORECASE)
_MESSAGE = re.compile(rb"(\{\s*[\"}]|\[\s*[\[{\"\]])")

_TEXT = frozenset(
    {"", ".json", ".html", ".htm", ".xml", ".rml", ".txt", ".md", ".rst", ".tsv", ".csv"}
)
#: How files of a kind begin; any of them.
_MAGIC = {
    ".edf": (b"0       ",),
    ".bdf": (b"\xffBIOSEMI", b"\xff" + b" " * 7),
    ".zip": (b"PK\x03\x04", b"PK\x05\x06"),
    ".gz": (b"\x1f\x8b",),
    ".set": (b"MATLAB ", b"\x89HDF\r\n\x1a\n"),
    ".mat": (b"MATLAB ", b"\x89HDF\r\n\x1a\n"),
    ".npy": (b"\x93NUMPY",),
    ".vhdr": (b"Brain Vision", b"BrainVision", b"\xef\xbb\xbfBrain"),
    ".vmrk": (b"Brain Vision", b"BrainVision", b"\xef\xbb\xbfBrain"),
}
_POINTERS = {
    b"/annex/objects/": "a git-annex pointer",
    b"../.git/annex/": "a git-annex pointer",
    b".git/annex/": "a git-annex pointer",
    b"version https://git-lfs": "a Git LFS pointer",
}


def stranger(start: bytes, path: str) -> str | None:
    """Return what came instead of a file, told from its first bytes; None if nothing speaks so.

    Parameters
    ----------
    start : bytes
        The first bytes; a few of them tell nothing, since a recording may begin with any.
    path : str
        Logical path of the file; a text file may well begin like a page or a message.
    """
    if PurePosixPath(path).suffix.lower() in _TEXT or len(start) < ENOUGH:
        return None
    return page_or_pointer(start)


def page_or_pointer(start: bytes) -> str | None:
    """Return which of the things that servers send instead of files begins so, or None."""
    bare = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _BINARY.search(bare):
        return None
    if _PAGE.match(bare):
        return "a web page"
    if _MESSAGE.match(bare):
        return "a JSON message"
    for mark, name in _POINTERS.items():
        if mark in bare[:64]:
            return name
    return None


def unlike(start: bytes, path: str) -> str | None:
    """Return in words that a file does not begin as its kind does, or None."""
    suffix = PurePosixPath(path).suffix.lower()
    marks = _MAGIC.get(suffix)
    if marks is None or any(start.startswith(mark) for mark in marks):
        return None
    return f"it does not begin like a {suffix} file"
