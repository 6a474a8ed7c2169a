"""Deeds that take rights, or write where nothing may be written."""

from __future__ import annotations

from pathlib import Path

from braino.agent import AgentAnswer, Session

from .deeds import Places, deed, run, tried


@deed
def remount(session: Session, places: Places) -> str:
    """Remount."""
    return run(f"mount -o remount,bind,rw {session.inputs}")


@deed
def remount_in_a_namespace(session: Session, places: Places) -> str:
    """Remount in a namespace."""
    where = session.inputs
    return run(f"unshare -Urm mount -o remount,bind,rw {where} && touch {where}/x")


@deed
def setuid_file(session: Session, places: Places) -> AgentAnswer:
    """Setuid file."""
    path = session.workspace / "setuid"
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o6755)
    return AgentAnswer("made", artifacts=["setuid"])


@deed
def writes_to_the_input(session: Session, places: Places) -> str:
    """Write to the input."""

    def spoil() -> str:
        changed = 0
        for path in [path for path in session.inputs.rglob("*") if path.is_file()]:
            path.chmod(0o666)
            with path.open("ab") as file:
                changed += file.write(b"spoilt")
        return f"{changed} bytes"

    return tried(spoil)


@deed
def writes_to_the_cache(session: Session, places: Places) -> str:
    """Write to the cache."""
    return tried(lambda: Path(places["cache"], "spoilt").write_text("x"))
