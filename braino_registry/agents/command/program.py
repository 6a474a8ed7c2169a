"""A program that works on one trial: how it is found, started, heard and ended."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from braino.agent import AgentUnusable
from braino_registry.errors import UsageError, close_matches

#: Seconds that a program gets after its answer: to say what it has used, and to go.
PARTING = 10.0
#: Seconds for what is left of its output.
_REST = 2.0
_POLL = 0.02
_PIECE = 1 << 16
#: By these a word behind a program's name is known as the script that it runs.
_SCRIPTS = (".py", ".js", ".mjs", ".ts", ".sh", ".rb", ".pl", ".R", ".jl", ".lua", ".m")


def prepare(text: str, *, scheme: str = "cmd") -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options of an agent that is a command line, and what it needs to be shown.

    Parameters
    ----------
    text : str
        The command line, split as a shell would; nothing in it is expanded.
    scheme : str
        What stood before it, for messages.

    Returns
    -------
    options : dict
        ``command`` as given, and ``files``: the words of it that name files.
    path : tuple of str
        The current directory, which the files are relative to, and the files themselves.

    Raises
    ------
    UsageError
        If it is no command line, or empty.
    """
    where = f"--agent {scheme}:{text}"
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(
            f"the command cannot be split into words: {error}",
            where=where,
            hint="Close its quotes, and write two backslashes for one.",
        ) from None
    if not words:
        hint = f'Write --agent {scheme}:"python solve.py", for example.'
        raise UsageError("there is no command", where=where, hint=hint)
    _check_script(words, where)
    files = [word for word in dict.fromkeys(words) if Path(word).is_file() and not _systems(word)]
    shown = tuple(str(Path(word).absolute()) for word in files)
    return {"command": text, "files": files}, (os.getcwd(), *shown)


def _check_script(words: list[str], where: str) -> None:
    """Refuse a program that is given as a script's name where there is no such script."""
    script = Path(words[1]) if len(words) > 1 else Path()
    if script.suffix not in _SCRIPTS or script.exists():
        return
    beside = script.parent.glob(f"*{script.suffix}") if script.parent.is_dir() else ()
    names = sorted(str(path) for path in beside)
    raise UsageError(
        f"there is no file {words[1]!r}", where=where,
        hint=close_matches(words[1], names) if names else f"Looked for it in {os.getcwd()}.",
    )  # fmt: skip


def _systems(word: str) -> bool:
    """Tell whether a path belongs to the system or to the Python environment."""
    path = os.path.abspath(word)
    return path.startswith(("/usr/", "/bin/", "/lib", "/sbin/", f"{sys.prefix}/", "/etc/"))


def search_path() -> str:
    """Return where programs are looked for: first in this Python environment, as in a sandbox."""
    own = os.path.join(sys.prefix, "bin")
    return os.pathsep.join(part for part in (own, os.environ.get("PATH", os.defpath)) if part)


@dataclass(frozen=True)
class Program:
    """A command line, whose files lie where this process can see them.

    Parameters
    ----------
    command : str
        As it was given.
    files : sequence of str
        The words of it that name files; they are looked for on ``sys.path``.
    """

    command: str
    files: Sequence[str] = ()

    def words(self) -> list[str]:
        """Return the command, with each file by its absolute path.

        Raises
        ------
        AgentUnusable
            If a file or the program itself is not here.
        """
        words = [self._found(word) if word in self.files else word for word in self._split()]
        program = shutil.which(words[0], path=search_path())
        if program is None:
            raise AgentUnusable(
                "unready",
                f"there is no program {words[0]!r}",
                f"looked in PATH={search_path()}",
                "In a sandbox only the system's programs, those of the Python environment, and "
                "files that the command names are there."
                if "/agent" in sys.path
                else "Install it, or name its file.",
            )
        return [program, *words[1:]]

    def _split(self) -> list[str]:
        words = shlex.split(self.command)
        if not words:
            raise AgentUnusable("unready", "the command is empty")
        return words

    def _found(self, word: str) -> str:
        for folder in sys.path:
            for name in (word, os.path.basename(word)):
                place = os.path.join(folder, name)
                if os.path.isfile(place):
                    return place
        raise AgentUnusable("unready", f"the file {word} of the command is not here")

    def run(
        self,
        environ: Mapping[str, str],
        given: str,
        over: threading.Event,
        *,
        folder: Path,
        most: int,
    ) -> Heard:
        """Run the program until it ends by itself, or its session is over.

        Parameters
        ----------
        environ : mapping
            What is added to its environment.
        given : str
            What stands on its standard input.
        over : Event
            Set when its session is over; it is then given some time to go.
        folder : Path
            Its current directory.
        most : int
            Bytes that are kept of what it prints to standard output.
        """
        process = subprocess.Popen(
            self.words(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PATH": search_path(), **environ},
            process_group=0,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        printed = _Printed(process.stdout, most)
        feeding = threading.Thread(target=_feed, args=(process.stdin, given), daemon=True)
        feeding.start()
        try:
            while process.poll() is None and not over.wait(_POLL):
                pass
            with suppress(subprocess.TimeoutExpired):
                process.wait(PARTING)
        finally:
            ended = process.poll() is not None
            _stop(process)
            feeding.join(_REST)
            text = printed.finish()
        return Heard(process.returncode if ended else None, text, printed.cut)


@dataclass(frozen=True)
class Heard:
    """What came of a program.

    Parameters
    ----------
    exit_code : int | None
        None if it had to be ended.
    text : str
        What it printed to standard output.
    cut : bool
        Whether it printed more than was kept.
    """

    exit_code: int | None
    text: str
    cut: bool


class _Printed:
    """Takes what a program prints, keeps its beginning, and repeats all of it in the log."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream, self._most = stream, most
        self._kept = bytearray()
        self.cut = False
        self._thread = threading.Thread(target=self._take, daemon=True)
        self._thread.start()

    def finish(self) -> str:
        """Return what was kept."""
        self._thread.join(_REST)
        if not self._thread.is_alive():
            self._stream.close()
        return bytes(self._kept).decode(errors="replace")

    def _take(self) -> None:
        while piece := os.read(self._stream.fileno(), _PIECE):
            room = self._most - len(self._kept)
            self.cut = self.cut or len(piece) > room
            self._kept += piece[: max(room, 0)]
            sys.stderr.write(piece.decode(errors="replace"))
            sys.stderr.flush()


def _feed(stream: IO[bytes], text: str) -> None:
    # A program that does not read, or has gone, is free to do so.
    with suppress(OSError):
        stream.write(text.encode())
    with suppress(OSError):
        stream.close()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the program with those of its children that have stayed in its group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
