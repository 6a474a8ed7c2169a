"""The session of one trial: an agent at work on a fresh copy of the data."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import HostError
from braino_registry.reports import HARNESS
from braino_registry.reports.files import host_error, make_folder, write_atomic
from braino_registry.runner import artifacts, coding, integrity, levels, tiers
from braino_registry.runner.bench import Bench
from braino_registry.runner.clock import DATA_SECONDS, GRACE_SECONDS, WALL_FACTOR, Clock
from braino_registry.runner.isolation import Isolation, Measured, RunningAgent, Start
from braino_registry.runner.place import Place
from braino_registry.runner.spec import TrialSpec
from braino_registry.runner.work import Scripts, Work, scripts

if TYPE_CHECKING:
    from braino_registry.datasets import Realised
    from braino_registry.runner.coding.executor import CodeExecutor
    from braino_registry.session import Answer, Ending, Transcript

#: Seconds that an agent which has closed its pipe gets to end by itself.
ENDING_SECONDS = 1.0


@dataclass(frozen=True)
class Sitting:
    """What a session ended with.

    Parameters
    ----------
    ending : Ending
        How it ended.
    events : sequence of dict
        The transcript.
    answer : Answer | None
        The answer, with the artifacts that were taken over.
    measured : Measured
        What was seen of the agent from outside.
    notes : sequence of str
        What a person should know of it: artifacts that were not taken over, faults of ours that
        the agent met, what could not be removed.
    """

    ending: Ending
    events: Sequence[Mapping[str, Any]]
    answer: Answer | None
    measured: Measured
    notes: Sequence[str] = ()


def hold_session(
    spec: TrialSpec,
    work: Work,
    realised: Realised | None,
    bench: Bench,
    clock: Clock,
    level: Isolation | None = None,
) -> Sitting:
    """Let the agent work on a fresh copy of the data and return what came of it.

    Raises
    ------
    HostError
        If the disk is full through no doing of the agent, or something cannot be written.
    """
    from braino_registry.session import Transcript

    level = level or levels.get(spec.isolation)
    follow = scripts(work, realised, spec)
    make_folder(spec.folder)
    place = Place(bench.scratch)
    original = _original(realised)
    with place, Transcript(spec.folder / "events.jsonl") as transcript:
        ending, measured = _let_work(spec, work, follow, realised, place, transcript, clock, level)
        known = (*spec.endpoints, *([spec.server] if spec.server else ()))
        measured = integrity.reviewed(measured, transcript.events, known)
        answer, refused = _take_over(ending.answer, place, spec)
        if measured.log:
            write_atomic(spec.folder / "agent.log", measured.log, sync=False)
    notes = [*_faults(transcript.events), *refused]
    if _original(realised) != original:
        notes.append(f"{HARNESS} the cached data were changed while the trial ran, by whomever")
    if place.left:
        notes.append(f"some of what the agent left in {bench.scratch} could not be removed")
    return Sitting(ending, transcript.events, answer, measured, notes)


def _original(realised: Realised | None) -> object:
    """Return what shows that a file of the cached dataset was written, added, or removed.

    Folders are left out: whoever reads a recording may put a lock file beside it for a moment.
    """
    from braino_registry.datasets.content import walk_files

    if realised is None:
        return None
    found = {}
    try:
        for name, entry in walk_files(realised.bids):
            info = entry.stat(follow_symlinks=False)
            found[name] = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
    except OSError as error:  # somebody removes it this very moment
        return str(error)
    return found


def _let_work(
    spec: TrialSpec,
    work: Work,
    follow: Scripts,
    realised: Realised | None,
    place: Place,
    transcript: Transcript,
    clock: Clock,
    level: Isolation,
) -> tuple[Ending, Measured]:
    """Start the agent, serve it, and stop it with all that it has started."""
    from braino_registry.session import Ending

    # Started first: its interpreter comes up while the data are being copied.
    shown = place.held if level.shows_read_only and not work.hidden else place.inputs
    agent = level.start(
        Start(
            shown,
            place.workspace,
            place.scratch,
            tiers.get(spec.tier),
            work.printed_bytes,
            spec.factory,
            spec.path,
            data_bytes=0 if realised is None or shown == place.held else realised.bytes,
            endpoints=spec.endpoints,
            passed=spec.passed,
            kept=place.parent,
        )
    )
    ending: Ending | HostError | None = None
    try:
        with clock.step("copy", DATA_SECONDS):
            _copy_data(work, realised, place, shown, code=spec.paradigm == "code")
        with clock.step("session", WALL_FACTOR * work.seconds + GRACE_SECONDS):
            ending = _serve(spec, work, follow, realised, place, shown, transcript, agent)
    except HostError as error:
        ending = error
    finally:
        gone = isinstance(ending, Ending) and ending.outcome == "agent_error"
        measured = agent.stop(grace=ENDING_SECONDS if gone else 0.0)
    if isinstance(ending, HostError):
        ending = _ending_without_room(ending, measured, place, transcript)
    return ending, measured


def _ending_without_room(
    error: HostError, measured: Measured, place: Place, transcript: Transcript
) -> Ending:
    """Return how a session ended in which the agent has filled the disk of its own transcript.

    Raises
    ------
    HostError
        The error that was met, if the agent had no part in it.
    """
    from braino_registry.session import Ending

    reason = measured.stopped_for or measured.found_over
    if reason is None or not transcript.events:
        raise error
    place.empty()
    transcript.restore()
    transcript.add("end", outcome="limit", reason=reason)
    return Ending("limit", reason)


def _copy_data(
    work: Work, realised: Realised | None, place: Place, shown: Path, *, code: bool
) -> None:
    """Copy the data for the tools, and for an agent that could write to the tools' copy.

    Where the suite shows one recording alone, the tools have the only copy of it; for code its
    samples are written to a file that tells nothing else.
    """
    from braino_registry.datasets import fresh_copy

    if realised is None:
        return
    if work.hidden:
        fresh_copy(realised, place.held, only=work.instance.recording)
        if code:
            _write_alone(work, place.held, shown)
        return
    for path in {place.held, shown}:
        fresh_copy(realised, path)


def _write_alone(work: Work, held: Path, shown: Path) -> None:
    """Write the recordings that the agent may know, each named by the id drawn for it."""
    from braino_registry.recordings.alone import write_alone
    from braino_registry.recordings.tree import BidsTree

    tree = BidsTree(held)
    for drawn, own in work.records.items():
        path = shown / f"{drawn}.edf"
        write_alone(tree.open(own), path)
        path.chmod(0o444)


def _serve(
    spec: TrialSpec,
    work: Work,
    follow: Scripts,
    realised: Realised | None,
    place: Place,
    shown: Path,
    transcript: Transcript,
    agent: RunningAgent,
) -> Ending:
    """Serve the agent, with a worker for its code where it works by code."""
    latest = time.monotonic() + WALL_FACTOR * work.seconds
    visible = shown if work.hidden else place.held
    size = 0 if realised is None or shown == place.held else realised.bytes
    if work.hidden:  # one recording, not the whole dataset
        size = sum(path.stat().st_size for path in shown.iterdir())
    with coding.executing(
        spec, visible, shown, place.root, until=latest, data_bytes=size
    ) as executor:
        return _converse(spec, work, follow, place, shown, transcript, agent, executor)


def _converse(
    spec: TrialSpec,
    work: Work,
    follow: Scripts,
    place: Place,
    shown: Path,
    transcript: Transcript,
    agent: RunningAgent,
    executor: CodeExecutor | None,
) -> Ending:
    from braino_registry.numbers import Ledger
    from braino_registry.session import HeldData, ScriptedUser, TrialSession, serve
    from braino_registry.tools.catalog import Toolset
    from braino_registry.tools.state import ToolState

    session = TrialSession(
        Toolset(work.task.tools if executor is None else ()),
        ToolState.open(place.held, place.workspace, Ledger(), work.records),
        ScriptedUser(follow.user),
        transcript,
        work.limits(),
        Path(agent.seen.inputs),
        place.workspace,
        spec.paradigm,
        HeldData(place.held, shown, told=Path(agent.seen.inputs)),
        work.instance.recording_id,
        executor=executor,
        fields=work.fields if work.task.home.tell_fields else None,
    )
    start = session.start_message(
        work.request,
        factory=spec.factory,
        model=spec.model,
        options=spec.options,
        path=agent.seen.path,
        workspace=agent.seen.workspace,
        fields=work.fields if work.task.home.tell_fields else None,
        reference=follow.reference,
        seed=work.told_seed(spec.seed),
        code=None if executor is None else executor.describe(),
    )
    now = time.monotonic()
    return serve(
        agent.reader,
        agent.writer,
        session,
        start,
        deadline=now + work.seconds,
        latest=now + WALL_FACTOR * work.seconds,
        alive=agent.alive,
    )


def _take_over(
    answer: Answer | None, place: Place, spec: TrialSpec
) -> tuple[Answer | None, list[str]]:
    """Copy the files of an answer out of the workspace, and keep in it only those."""
    if answer is None or not answer.artifacts:
        return answer, []
    try:
        taken = artifacts.collect(answer.artifacts, place.workspace, spec.folder / "artifacts")
    except OSError as error:
        raise host_error(error, spec.folder / "artifacts") from error
    refused = [f"artifact not taken over: {text}" for text in taken.refused]
    return replace(answer, artifacts=tuple(taken.names)), refused


def _faults(events: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the faults of ours that the agent met, each once, and how often."""
    met = Counter(
        event["message"] for event in events if event["type"] == "log" and "fault" in event["data"]
    )
    return [f"{HARNESS} {text}" + (f" ({n} times)" if n > 1 else "") for text, n in met.items()]
