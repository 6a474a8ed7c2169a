"""Deeds that reach for what is none of a task: the network, truth, other processes, secrets."""

from __future__ import annotations

import os
import signal
import socket
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
def kills_its_worker(session: Session, places: Places) -> str:
    """Kill its worker."""
    return tried(lambda: os.kill(int(places["witness"]), signal.SIGKILL))


@deed
def reads_secrets_of_the_environment(session: Session, places: Places) -> str:
    """Read secrets of the environment."""
    found = os.environ.get(places["secret"])
    return "refused: there is no such variable" if found is None else f"DONE: {found}"
