"""An agent's own files in one folder, copied and compiled once for all trials of a worker.

A view names each file of an agent, and each would be a mount of its own; nor may a sandbox write
compiled code, so that every trial would compile all of it again. The folder holds what the view
shows, byte for byte, and what the interpreter makes of it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from braino_registry.runner.sandbox.view import CODE, Bind, View
from braino_registry.runner.trees import remove_tree

#: A larger folder is mounted file by file: it costs more to compile than it saves.
_MOST_BYTES = 8 * 1024**2
_COMPILE_SECONDS = 20.0


def gathered(seen: View, kept: Path | None) -> View:
    """Return a view in which the files below the agent's folder are one folder.

    Parameters
    ----------
    seen : View
        The view; folders that it shows there stay mounts of their own.
    kept : Path | None
        Where the folder is made and stays, out of every agent's reach; None changes nothing.

    Returns
    -------
    View
        The same view where the files are too large, or cannot be copied: it shows the same.
    """
    if kept is None:
        return seen
    try:
        own = [(bind, bind.host.stat()) for bind in seen.binds if _is_code(bind)]
        files = [bind for bind, info in own if stat.S_ISREG(info.st_mode)]
        folders = [bind for bind, info in own if stat.S_ISDIR(info.st_mode)]
        size = sum(info.st_size for _, info in own)
        if not files or len(files) + len(folders) < len(own) or size > _MOST_BYTES:
            return seen
        folder = kept / f"code-{_mark(own)}"
        if not folder.is_dir():
            _make(folder, files, folders)
    # Nothing depends on it but time: what cannot be copied, or found, is mounted as it is.
    except OSError:
        return seen
    rest = [bind for bind in seen.binds if not _is_code(bind)]
    return replace(seen, binds=(Bind(folder, CODE), *folders, *rest))


def _is_code(bind: Bind) -> bool:
    return bind.inside.startswith(f"{CODE}/")


def _mark(own: Sequence[tuple[Bind, os.stat_result]]) -> str:
    """Return what tells one state of these files from another."""
    text = [
        f"{bind.host}\0{bind.inside}\0{info.st_ino}\0{info.st_size}\0{info.st_mtime_ns}"
        for bind, info in own
    ]
    return hashlib.sha256("\n".join(text).encode(errors="surrogateescape")).hexdigest()[:16]


def _make(folder: Path, files: Sequence[Bind], folders: Sequence[Bind]) -> None:
    """Make the folder under another name first: one that is there is whole."""
    begun = Path(tempfile.mkdtemp(prefix="code-", dir=folder.parent))
    try:
        for bind in files:
            target = begun / Path(bind.inside).relative_to(CODE)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(bind.host, target)
        for bind in folders:
            (begun / Path(bind.inside).relative_to(CODE)).mkdir(parents=True, exist_ok=True)
        _compile(begun)
        _open_to_all(begun)
        begun.rename(folder)
    finally:
        remove_tree(begun)


def _compile(folder: Path) -> None:
    """Compile what can be compiled, in a process of its own: it is not our code.

    Nothing of it is run. What is left out, because it is no Python or too much, is slower only.
    """
    words = ["-I", "-S", "-W", "ignore", "-m", "compileall", "-qq",
             "--invalidation-mode", "unchecked-hash", "-s", str(folder), "-p", CODE]  # fmt: skip
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            [sys.executable, *words, str(folder)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=_COMPILE_SECONDS, check=False,
        )  # fmt: skip


def _open_to_all(folder: Path) -> None:
    """Let whoever gets to the folder read it: an agent may have another user id."""
    for path, _, names in os.walk(folder):
        os.chmod(path, 0o755)
        for name in names:
            os.chmod(Path(path, name), 0o644)
