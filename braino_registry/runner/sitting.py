"""The session of one trial: an agent at work on a fresh copy of the data."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from braino_registry.reports.files import host_error, make_folder, write_atomic
from braino_registry.runner import artifacts, levels, tiers
from braino_registry.runner.bench import Bench
from braino_registry.runner.isolation import Isolation, Measured, RunningAgent
from braino_registry.runner.place import Place
from braino_registry.runner.spec import TrialSpec
from braino_registry.runner.work import Scripts, Work, scripts

if TYPE_CHECKING:
    from braino_registry.datasets import Realised
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
    refused : sequence of str
        Artifacts that were not taken over.
    """

    ending: Ending
    events: Sequence[Mapping[str, Any]]
    answer: Answer | None
    measured: Measured
    refused: Sequence[str] = ()


def hold_session(
    spec: TrialSpec,
    work: Work,
    realised: Realised | None,
    bench: Bench,
    level: Isolation | None = None,
) -> Sitting:
    """Let the agent work on a fresh copy of the data and return what came of it."""
    from braino_registry.datasets import fresh_copy
    from braino_registry.session import Transcript

    level = level or levels.get(spec.isolation)
    follow = scripts(work, realised, spec)
    make_folder(spec.folder)
    with Place(bench.scratch) as place, Transcript(spec.folder / "events.jsonl") as transcript:
        # Started first: its interpreter comes up while the data are being copied.
        agent = level.start(
            place.workspace, place.scratch, tiers.get(spec.tier), work.printed_bytes
        )
        ending: Ending | None = None
        try:
            if realised is None:
                place.inputs.mkdir()
            else:
                fresh_copy(realised, place.inputs)
            ending = _serve(spec, work, follow, place, transcript, agent)
        finally:
            gone = ending is not None and ending.outcome == "agent_error"
            measured = agent.stop(grace=ENDING_SECONDS if gone else 0.0)
        answer, refused = _take_over(ending.answer, place, spec)
        if measured.log:
            write_atomic(spec.folder / "agent.log", measured.log, sync=False)
        return Sitting(ending, transcript.events, answer, measured, refused)


def _serve(
    spec: TrialSpec,
    work: Work,
    follow: Scripts,
    place: Place,
    transcript: Transcript,
    agent: RunningAgent,
) -> Ending:
    from braino_registry.numbers import Ledger
    from braino_registry.session import ScriptedUser, TrialSession, serve
    from braino_registry.tools.catalog import Toolset
    from braino_registry.tools.state import ToolState

    session = TrialSession(
        Toolset(work.task.tools),
        ToolState.open(place.inputs, place.workspace, Ledger()),
        ScriptedUser(follow.user),
        transcript,
        work.limits(),
        place.inputs,
        place.workspace,
        spec.paradigm,
        place.inputs,
        work.instance.recording_id,
    )
    start = session.start_message(
        work.request,
        factory=spec.factory,
        model=spec.model,
        path=spec.path,
        fields=work.fields if work.task.home.tell_fields else None,
        reference=follow.reference,
    )
    deadline = time.monotonic() + work.seconds
    return serve(agent.reader, agent.writer, session, start, deadline=deadline, alive=agent.alive)


def _take_over(
    answer: Answer | None, place: Place, spec: TrialSpec
) -> tuple[Answer | None, Sequence[str]]:
    """Copy the files of an answer out of the workspace, and keep in it only those."""
    if answer is None or not answer.artifacts:
        return answer, ()
    try:
        taken = artifacts.collect(answer.artifacts, place.workspace, spec.folder / "artifacts")
    except OSError as error:
        raise host_error(error, spec.folder / "artifacts") from error
    return replace(answer, artifacts=tuple(taken.names)), taken.refused
