"""The content store: verified upstream files under the SHA-256 of what they hold.

::

    <root>/sources/<ab>/<sha256>            a file; read-only, with the neutral time
    <root>/strengthened/<kind>-<hex>        SHA-256 and size of the file behind a weak hash
    <root>/aside/<name>  <name>.json        the beginning of what was wrong, and why

A file gets its name by one rename after everything that is pinned of it has been compared, so no
unverified byte ever has a real name. The neutral time is the mark of having been verified: a file
that was written to since carries another time and is hashed again before it is used. A file that
only weak hashes pin (MD5, SHA-1, git blob) is found by the SHA-256 that was noted when it was
first verified: trust on first verified use.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from braino_registry.datasets.content import NEUTRAL_NS, Judgement, judge
from braino_registry.datasets.layout import publish_file, source_path, write_whole
from braino_registry.datasets.pins import DIGITS, Pin, Variant

MOST_ASIDE, LARGEST_ASIDE = 50, 1 << 20
"""How many wrong files are kept, and how many bytes of each."""

_NOTE = re.compile(r"([0-9a-f]{64}) (0|[1-9][0-9]{0,17})\n")
_WEAK = tuple(kind for kind in DIGITS if kind != "sha256")


class Keep:
    """Verified files by content: one's own store, and others that are only read.

    Parameters
    ----------
    root : Path
        The cache folder, written to.
    shared : sequence of Path
        Cache folders of others, looked into first and never changed.
    """

    def __init__(self, root: Path, shared: Sequence[Path] = ()) -> None:
        self.root = root
        self.shared = tuple(shared)

    def find(self, pin: Pin) -> Path | None:
        """Return where a file lies, or None. It is read only if it was written to since."""
        return self._found(pin, (*self.shared, self.root))

    def find_all(self, pins: Sequence[Pin]) -> list[Path | None]:
        """Return where each of many files lies; see `find`."""
        caches = [root for root in (*self.shared, self.root) if (root / "sources").is_dir()]
        return [self._found(pin, caches) for pin in pins]

    def _found(self, pin: Pin, caches: Sequence[Path]) -> Path | None:
        for root in caches:
            for variant in pin.variants:
                named = self._named(root, variant)
                if named is not None:
                    path = source_path(root, named[0])
                    if self._good(path, named, own=root == self.root):
                        return path
        return None

    def put(self, file: Path, judged: Judgement, pin: Pin) -> Path:
        """Take a verified file over, and note what its weak hashes stand for.

        Parameters
        ----------
        file : Path
            In the cache's filesystem; it is moved.
        judged : Judgement
            Of this file.
        pin : Pin
            What it was judged by.
        """
        if judged.variant is None:
            raise ValueError(f"{pin.path} was not verified: {judged.reason}")
        sha256 = judged.hashes["sha256"]
        target = source_path(self.root, sha256)
        publish_file(file, target)
        if not judged.variant.strong:
            for kind in judged.variant.hashes:
                self._note(kind, judged.hashes[kind], sha256, judged.size)
        return target

    def note(self, file: Path, weak: Variant) -> None:
        """Note what the weak hashes of a content stand for, if a file really has them.

        Parameters
        ----------
        file : Path
            The file; it is read.
        weak : Variant
            Hashes other than SHA-256.

        Raises
        ------
        ValueError
            If the file has other hashes.
        """
        judged = judge(file, [weak])
        if judged.variant is None:
            raise ValueError(f"{file.name}: {judged.reason}")
        for kind, digest in weak.hashes.items():
            self._note(kind, digest, judged.hashes["sha256"], judged.size)

    def set_aside(self, file: Path, about: dict[str, object]) -> None:
        """Keep the beginning of a wrong file with the reason, and remove the file.

        Only the last `MOST_ASIDE` are kept.
        """
        folder = self.root / "aside"
        try:
            with file.open("rb") as reading:
                start, size = reading.read(LARGEST_ASIDE), os.fstat(reading.fileno()).st_size
        except FileNotFoundError:  # another process was quicker
            return
        document = {**about, "bytes": size, "kept": len(start)}
        name = f"{os.getpid()}-{os.urandom(6).hex()}"
        write_whole(self.root, folder / name, start)
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        write_whole(self.root, folder / f"{name}.json", text.encode())
        file.unlink(missing_ok=True)
        _thin_out(folder)

    def damaged(self, pin: Pin) -> tuple[Path, str] | None:
        """Read a kept file whole; return where it lies and what is wrong with it, or None."""
        for root in (*self.shared, self.root):
            for variant in pin.variants:
                named = self._named(root, variant)
                path = None if named is None else source_path(root, named[0])
                if named is None or path is None or not path.is_file():
                    continue
                found = judge(path, [Variant({"sha256": named[0]}, named[1])])
                if found.variant is None:
                    return path, found.reason
        return None

    def _named(self, root: Path, variant: Variant) -> tuple[str, int | None] | None:
        """Return SHA-256 and size by which a content is kept, if they are known."""
        if variant.strong:
            return variant.hashes["sha256"], variant.size
        for kind in _WEAK:
            if kind in variant.hashes:
                note = _read_note(_note_path(root, kind, variant.hashes[kind]))
                if note is not None and variant.size in (None, note[1]):
                    return note
        return None

    def _good(self, path: Path, named: tuple[str, int | None], *, own: bool) -> bool:
        try:
            found = os.stat(path)
        except OSError:  # not there, or in a shared cache that is closed to us
            return False
        if found.st_mtime_ns == NEUTRAL_NS and named[1] in (None, found.st_size):
            return True
        if not _may(path, os.R_OK):
            return False
        judged = judge(path, [Variant({"sha256": named[0]}, named[1])])
        if judged.variant is not None:
            if own:
                _settle(path, found)
            return True
        if own and _may(path.parent, os.W_OK):
            self.set_aside(path, {"path": path.name, "reason": judged.reason})
        return False

    def _note(self, kind: str, digest: str, sha256: str, size: int) -> None:
        path = _note_path(self.root, kind, digest)
        write_whole(self.root, path, f"{sha256} {size}\n".encode())


def _settle(path: Path, judged: os.stat_result) -> None:
    """Mark a file that was found right as verified, unless it was written to meanwhile."""
    with suppress(PermissionError):  # a cache of others: it is hashed again the next time
        if os.stat(path).st_mtime_ns == judged.st_mtime_ns:
            os.utime(path, ns=(NEUTRAL_NS, NEUTRAL_NS))


def _may(path: Path, mode: int) -> bool:
    """Tell whether this process may read or write a path."""
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _thin_out(folder: Path) -> None:
    notes = sorted(folder.glob("*.json"), key=_time_of)
    for note in notes[: max(0, len(notes) - MOST_ASIDE)]:
        note.unlink(missing_ok=True)
        note.with_suffix("").unlink(missing_ok=True)


def _time_of(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:  # another process thins out as well
        return 0


def _note_path(root: Path, kind: str, digest: str) -> Path:
    return root / "strengthened" / f"{kind}-{digest}"


def _read_note(path: Path) -> tuple[str, int] | None:
    try:
        match = _NOTE.fullmatch(path.read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError):  # a note that cannot be read is none
        return None
    return None if match is None else (match[1], int(match[2]))
