"""Deeds that reach for what is none of a task: the network, truth, other processes, secrets."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

from braino.agent import Session

from .deeds import Places, deed, read, tried


@deed
def reaches_loopback(session: Session, places: Places) -> str:
    """Reach loopback."""
    port = int(places["port"])
    return tried(lambda: socket.create_connection(("127.0.0.1", port), timeout=3))


@deed
def reaches_outside(session: Session, places: Places) -> str:
    """Reach outside."""

    def packet() -> str:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.sendto(b"x", ("192.0.2.1", 53))
        return "a packet was sent"

    return tried(packet)


@deed
def reads_the_cache(session: Session, places: Places) -> str:
    """Read the cache."""
    return read(places["cache"])


@deed
def reads_entries(session: Session, places: Places) -> str:
    """Read entries."""
    return read(places["entries"])


@deed
def reads_the_truth(session: Session, places: Places) -> str:
    """Read the truth."""
    return read(places["truth"])


@deed
def reads_other_trials(session: Session, places: Places) -> str:
    """Read other trials."""
    return read(places["other_trial"])


@deed
def reads_its_workers_memory(session: Session, places: Places) -> str:
    """Read its workers memory."""

    def peep() -> str:
        with Path(f"/proc/{places['pid']}/maps").open() as maps:
            start = int(maps.readline().partition("-")[0], 16)
        with Path(f"/proc/{places['pid']}/mem").open("rb") as memory:
            memory.seek(start)
            return f"{len(memory.read(64))} bytes"

    return tried(peep)


@deed
def reads_environments_of_others(session: Session, places: Places) -> str:
    """Read environments of others."""
    return read(f"/proc/{places['pid']}/environ")


@deed
def reads_every_environment(session: Session, places: Places) -> str:
    """Read every environment, of whatever process it can see."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            content = Path(f"/proc/{pid}/environ").read_bytes()
            if pid != str(os.getpid()) and places["secret_value"].encode() in content:
                found.append(pid)
    return f"DONE: a secret in {len(found)} of them" if found else "refused: no secret in any"


@deed
def traces_its_worker(session: Session, places: Places) -> str:
    """Trace its worker."""
    library = ctypes.CDLL(None, use_errno=True)
    seize = 0x4206

    def trace() -> str:
        if library.ptrace(seize, int(places["witness"]), None, None):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return "traced"

    return tried(trace)


@deed
def writes_to_what_it_inherits(session: Session, places: Places) -> str:
    """Write to every descriptor that it has not opened itself."""
    own = {os.stat(f"/proc/self/fd/{name}").st_ino for name in (0, 1, 2)}
    own |= {os.stat("/dev/null").st_ino}
    written = 0
    for name in map(int, os.listdir("/proc/self/fd")):
        with suppress(OSError):
            if name > 2 and os.fstat(name).st_ino not in own and not _speaks(name):
                written += os.write(name, b"rubbish") > 0
    return f"DONE: {written} of them" if written else "refused: there are none"


def _speaks(descriptor: int) -> bool:
    """Tell whether a descriptor is one of the session's own pipes."""
    return os.readlink(f"/proc/self/fd/{descriptor}").startswith("pipe:")


@deed
def kills_its_group(session: Session, places: Places) -> str:
    """Kill its process group, of which nobody else may be a member."""
    os.kill(0, signal.SIGKILL)
    return "DONE"


@deed
def kills_its_worker(session: Session, places: Places) -> str:
    """Kill its worker."""
    return tried(lambda: os.kill(int(places["witness"]), signal.SIGKILL))


@deed
def reads_secrets_of_the_environment(session: Session, places: Places) -> str:
    """Read secrets of the environment."""
    found = os.environ.get(places["secret"])
    return "refused: there is no such variable" if found is None else f"DONE: {found}"
