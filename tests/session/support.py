"""A tiny dataset, a small toolset and real agent processes for the tests of the session."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from braino_registry.numbers import Ledger
from braino_registry.recordings.tree import BidsTree
from braino_registry.registry import schemas
from braino_registry.session import (
    Ending,
    HeldData,
    Limits,
    ScriptedUser,
    Transcript,
    TrialSession,
    serve,
    serving,
)
from braino_registry.session.channel import Channel
from braino_registry.tools.errors import ToolError

REPO = Path(__file__).parents[2]
COMMAND = [sys.executable, "-P", "-c", "from braino.agent import main; main()"]
CHANNELS = ("Fp1", "Cz", "O1", "T8")
HOSTILE = "tests.session.hostile"


def make_dataset(root: Path) -> Path:
    """Write two subjects, 4 channels, 5 s at 100 Hz, as BrainVision, with mne-bids."""
    import mne
    from mne_bids import BIDSPath, write_raw_bids

    draw = np.random.default_rng(1)
    for subject in ("01", "02"):
        info = mne.create_info(list(CHANNELS), 100.0, "eeg")
        raw = mne.io.RawArray(draw.normal(0, 1e-5, (4, 500)), info, verbose="ERROR")
        raw.info["line_freq"] = 50
        write_raw_bids(
            raw,
            BIDSPath(root=root, subject=subject, task="rest", datatype="eeg"),
            format="BrainVision",
            allow_preload=True,
            overwrite=True,
            verbose="ERROR",
        )
    return root


@dataclass(frozen=True)
class Spec:
    name: str
    version: str = "1.0.0"
    description: str = "A tool."
    arguments: dict[str, Any] = field(default_factory=lambda: {"type": "object"})
    result: dict[str, Any] = field(default_factory=lambda: {"type": "object"})


@dataclass(frozen=True)
class State:
    tree: BidsTree
    ledger: Ledger = field(default_factory=Ledger)


class Tools:
    """A few real functions behind the interface of a toolset."""

    def specs(self) -> list[Spec]:
        names = ("dataset.inspect", "recording.info", "measure", "quality.bad_channels")
        return [Spec(name) for name in (*names, "preprocess.filter", "broken", "slow", "size")]

    def resolve(self, name: str) -> str:
        return name

    def run(self, name: str, args: Mapping[str, Any], state: State) -> dict[str, Any]:
        tree = state.tree
        if name == "dataset.inspect":
            rows = [{"recording": each} for each in tree.recordings()]
            return {"n_subjects": len(tree.subjects()), "recordings": rows}
        if name == "recording.info":
            recording = tree.open(args["view"])
            return {"ch_names": list(recording.ch_names), "sfreq": recording.sfreq}
        if name == "measure":
            return {"amplitude_uv": 12.345, "missing_uv": float("nan")}
        if name == "preprocess.filter":
            return {"view": f"filtered-{args['view']}"}
        if name == "quality.bad_channels":
            return {"channels": ["Cz", "T8"]}
        if name == "slow":
            end = time.monotonic() + args["seconds"]
            while time.monotonic() < end:
                pass  # stands for a long computation
            return {}
        if name == "size":
            return {"text": "x" * args["bytes"]}
        if name == "broken":
            raise RuntimeError("a fault of the harness")
        raise ToolError(f"there is no tool {name!r}", "Use dataset.inspect.")


SCRIPT: Mapping[str, Any] = {
    "decisions": [
        {"kind": "mark-bad-channels", "respond": "edit", "to": {"channels": ["T8"]}},
        {"kind": "set-preprocessing", "respond": "approve", "say": "Go ahead."},
        {"kind": "reject-epochs", "respond": "reject", "say": "Keep them."},
    ],
    "answers": [
        {
            "about": "line-frequency",
            "asked_as": ["mains frequency", "50 or 60 Hz", "power line"],
            "say": "50 Hz, we are in Europe.",
        }
    ],
    "otherwise": "I don't know.",
}


def open_session(
    folder: Path,
    root: Path,
    *,
    limits: Limits | None = None,
    script: Mapping[str, Any] = SCRIPT,
    recording: str | None = "sub-02_task-rest",
    **options: Any,
) -> TrialSession:
    """Return a session with its transcript in `folder` and its data in `root`."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    return TrialSession(
        Tools(),
        State(BidsTree(root)),
        ScriptedUser(script),
        Transcript(folder / "events.jsonl"),
        limits or Limits(),
        root,
        workspace,
        options.pop("paradigm", "tools"),
        options.pop("held", HeldData(root)),
        recording,
        **options,
    )


def start_of(session: TrialSession, factory: str, **more: Any) -> dict[str, Any]:
    """Return the start message for an agent of these tests."""
    model = more.pop("model", None)
    path = more.pop("path", [str(REPO)])
    return session.start_message(
        more.pop("request", "Find the bad channels."),
        factory=factory,
        model=model,
        path=path,
        **more,
    )


@contextmanager
def wire(lines: list[tuple[str, bytes]]) -> Iterator[None]:
    """Record every line of the channels that are opened meanwhile."""

    class Recording(Channel):
        def send(self, line: bytes) -> None:
            lines.append(("session", line))
            super().send(line)

        def receive(self) -> bytes:
            line = super().receive()
            lines.append(("agent", line))
            return line

    original = serving.Channel
    serving.Channel = Recording  # type: ignore[misc]
    try:
        yield
    finally:
        serving.Channel = original  # type: ignore[misc]


def run_agent(
    session: TrialSession, factory: str, *, seconds: float = 20.0, wrong: int = 0, **more: Any
) -> tuple[Ending, int | None, bytes]:
    """Serve an agent in a real process; return its ending, exit code and prints.

    All messages are checked against the published schema; `wrong` says how many of the agent's
    are expected not to comply.
    """
    process = subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=session.workspace,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    prints = Drain(process.stderr)
    lines: list[tuple[str, bytes]] = []
    try:
        with wire(lines):
            ending = serve(
                process.stdout,
                process.stdin,
                session,
                start_of(session, factory, **more),
                deadline=time.monotonic() + seconds,
                alive=lambda: process.poll() is None,
            )
        try:
            process.wait(1.0 if ending.outcome != "limit" else 0.2)
        except subprocess.TimeoutExpired:
            process.kill()
    finally:
        kill_group(process)
        process.stdout.close()
        process.stdin.close()
        prints.join()
    assert wrong_messages(lines) == wrong, lines
    check_events(session)
    return ending, process.returncode, bytes(prints.kept)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a process and of its children, and wait for it."""
    import os
    import signal

    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        assert process.poll() is not None
    process.wait()


class Drain:
    """Reads what a process prints, so that it never blocks, and keeps the first bytes."""

    def __init__(self, stream: Any) -> None:
        import threading

        self.kept = bytearray()
        self._stream = stream
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        import os

        while piece := os.read(self._stream.fileno(), 1 << 16):
            self.kept += piece[: max(0, 100_000 - len(self.kept))]

    def join(self) -> None:
        self._thread.join(5)
        assert not self._thread.is_alive()
        self._stream.close()


def wrong_messages(lines: Sequence[tuple[str, bytes]]) -> int:
    """Count the agent's messages that the schema refuses; the session's own all comply."""
    sides = {"session": "from_session", "agent": "from_agent"}
    validators = {
        side: schemas.validator("session-1").evolve(
            schema={"$ref": f"urn:braino:schema:session:1#/$defs/{name}"}
        )
        for side, name in sides.items()
    }
    wrong = 0
    for side, line in lines:
        try:
            valid = validators[side].is_valid(json.loads(line))
        except (ValueError, RecursionError):
            valid = False
        assert valid or side == "agent", line
        wrong += not valid
    return wrong


def check_events(session: TrialSession) -> None:
    """Check the transcript against its schema, and the file against the memory."""
    validator = schemas.validator("event-1")
    for event in session.transcript.events:
        errors = [error.message for error in validator.iter_errors(event)]
        assert not errors, (event, errors)
    lines = session.transcript.path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == session.transcript.events
    session.transcript.close()


def copy_dataset(source: Path, target: Path, *, read_only: bool = False) -> Path:
    """Return a fresh copy, read-only if wanted."""
    shutil.copytree(source, target)
    if read_only:
        for path in sorted(target.rglob("*"), reverse=True):
            path.chmod(0o555 if path.is_dir() else 0o444)
        target.chmod(0o555)
    return target
