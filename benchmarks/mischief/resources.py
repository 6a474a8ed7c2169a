"""Deeds that take what a computer has: processes, memory, processors, time, the disk, output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from braino.agent import Session

from .deeds import Places, deed, tried

#: What a process that is left behind is known by.
SLEEPER = ("sleep", "86397")


@deed
def fork_bomb(session: Session, places: Places) -> str:
    """Fork bomb."""
    made = 0
    until = time.monotonic() + 3
    while time.monotonic() < until:
        try:
            if os.fork() == 0:
                while True:
                    time.sleep(1)
            made += 1
        except OSError as error:
            return f"refused: {error.strerror} after {made} forks"
    return f"DONE: {made} forks"


@deed
def memory_at_once(session: Session, places: Places) -> str:
    """Memory at once."""
    return tried(lambda: len(bytearray(1 << 36)))


@deed
def memory_in_steps(session: Session, places: Places) -> str:
    """Memory in steps."""
    kept = []
    try:
        while True:
            kept.append(bytearray(os.urandom(1)) * (1 << 23))
    except MemoryError:
        return f"refused: MemoryError after {len(kept) * 8} MiB"


@deed
def memory_of_children(session: Session, places: Places) -> str:
    """Memory of children."""
    code = "x = bytearray(b'x') * (200 << 20)\nimport time\ntime.sleep(60)"
    for _ in range(8):
        subprocess.Popen([sys.executable, "-c", code])
    time.sleep(60)
    return "DONE"


@deed
def memory_that_is_shared(session: Session, places: Places) -> str:
    """Memory that is shared."""
    import mmap

    kept = []

    def more() -> str:
        for _ in range(32):
            kept.append(mmap.mmap(-1, 64 << 20))
            for offset in range(0, 64 << 20, 4096):
                kept[-1][offset] = 1
        return "2 GiB"

    return tried(more)


@deed
def memory_in_files(session: Session, places: Places) -> str:
    """Memory in files."""
    made = []
    for folder in ("/dev/shm", "/dev", "/run", "/"):
        for number in range(12):
            path = Path(folder, f"abuse-{os.getpid()}-{number}")
            try:
                made.append(path)
                path.write_bytes(b"x" * (50 << 20))
            except OSError:
                break
    written = sum(path.stat().st_size for path in made if path.exists())
    for path in made:
        if path.exists():
            path.unlink()
    return f"{'DONE' if written > 1 << 29 else 'refused'}: {written >> 20} MiB written"


@deed
def processors_by_children(session: Session, places: Places) -> str:
    """Processors by children."""
    for _ in range(4):
        if os.fork() == 0:
            while True:
                pass
    while True:
        pass


@deed
def prints_100_megabytes(session: Session, places: Places) -> str:
    """Print 100 megabytes."""
    for _ in range(100):
        os.write(1, b"x" * 1_000_000)
    return "DONE"


@deed
def prints_10_gigabytes(session: Session, places: Places) -> str:
    """Print 10 gigabytes."""
    for _ in range(10_000):
        os.write(1, b"x" * 1_000_000)
    return "DONE"


@deed
def writes_files_without_end(session: Session, places: Places) -> str:
    """Write files without end."""
    number = 0
    while True:
        number += 1
        (session.workspace / str(number)).write_bytes(b"x" * 5_000_000)


@deed
def one_large_file(session: Session, places: Places) -> str:
    """One large file."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with (session.workspace / "large").open("wb") as file:
        for number in range(1000):
            try:
                file.write(b"x" * 1_000_000)
            except OSError as error:
                return f"refused: {error.strerror} after {number} MB"
    return "DONE: 1 GB"


@deed
def endless_loop(session: Session, places: Places) -> str:
    """Endless loop."""
    while True:
        pass


@deed
def stops_itself(session: Session, places: Places) -> str:
    """Stop itself."""
    os.kill(os.getpid(), signal.SIGSTOP)
    return "DONE"


@deed
def ignores_every_signal(session: Session, places: Places) -> str:
    """Ignore every signal."""
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)


@deed
def leaves_a_daemon(session: Session, places: Places) -> str:
    """Leave a daemon."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(64):
                if descriptor != null:
                    os.dup2(null, descriptor)
            os.execvp(SLEEPER[0], SLEEPER)
        os._exit(0)
    return "left one"
