"""``replay:PATH``: does once more what a transcript tells, step by step.

A tool may have changed since, or the data: the steps are the same, what comes of them is measured
anew. Where a result differs from the recorded one, a line on standard error says so.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino.agent import AgentAnswer, AgentUnusable, Session
from braino_registry.agents.texts import DRAWN, general
from braino_registry.errors import UsageError

Event = dict[str, Any]
TRANSCRIPT = "events.jsonl"
_MOST_TOLD = 20


class NothingToReplay(Exception):
    """No transcript is about this request, or it ends before an answer."""


@dataclass(frozen=True)
class Transcript:
    """One recorded session.

    Parameters
    ----------
    file : Path
        Where it lies.
    events : sequence of dict
        What happened, in order.
    """

    file: Path
    events: Sequence[Event]

    @property
    def request(self) -> str:
        """What was asked; drawn names left out."""
        return general(str(self.events[0].get("request", "")))


class Replay:
    """An agent that repeats recorded sessions: for each request the first that answers it.

    Parameters
    ----------
    files : sequence of Path
        Transcripts, in order of preference.
    """

    name = "replay"
    model = None

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files

    def preflight(self) -> None:
        """Read the transcripts before the first trial.

        Raises
        ------
        AgentUnusable
            If one is not here or no transcript.
        """
        for file in self._files:
            try:
                read(file)
            except (OSError, ValueError) as error:
                raise AgentUnusable(
                    "unready",
                    f"{file} cannot be replayed: {error}",
                    hint="In a sandbox a single transcript can be replayed, a folder cannot.",
                ) from None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Repeat the steps of the transcript that is about this request.

        Raises
        ------
        NothingToReplay
            If there is none, or it has no answer.
        """
        found = self._about(request)
        names = dict(zip(_names(found.events[0]), DRAWN.findall(request), strict=False))
        differing = 0
        for event in (renamed(each, names) for each in found.events):
            if event["type"] == "answer":
                return _answer(event, found.file.parent, session)
            if not _same(event, _repeat(event, session)):
                differing += 1
                if differing <= _MOST_TOLD:
                    text = f"another outcome than recorded: {event['type']} number {event['n']}"
                    print(text, file=sys.stderr)  # noqa: T201
        raise NothingToReplay(f"{found.file} ends without an answer")

    def _about(self, request: str) -> Transcript:
        for file in self._files:
            transcript = read(file)
            if transcript.request == general(request):
                return transcript
        raise NothingToReplay(f"none of {len(self._files)} transcripts is about: {request[:200]}")


def read(file: Path) -> Transcript:
    """Return a transcript.

    Raises
    ------
    OSError, ValueError
        If it cannot be read, or is none.
    """
    events = list(_events(file))
    if not events or events[0].get("type") != "start":
        raise ValueError("it does not begin as a transcript does")
    return Transcript(file, events)


def _events(file: Path) -> Iterator[Event]:
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            raise ValueError(f"line {number} is no JSON") from None
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            raise ValueError(f"line {number} is no event")
        yield {"n": number - 1, **event}


def _names(start: Mapping[str, Any]) -> list[str]:
    return DRAWN.findall(str(start.get("request", "")))


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a JSON value with former drawn names replaced by those of this trial."""
    if not names:
        return value
    if isinstance(value, str):
        return DRAWN.sub(lambda match: names.get(match[0], match[0]), value)
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    if isinstance(value, dict):
        return {renamed(key, names): renamed(each, names) for key, each in value.items()}
    return value


def _repeat(event: Event, session: Session) -> Event:
    """Do what an event tells, and return what came of it, as an event would tell it.

    Reviews are left out: a transcript does not hold what was reviewed, and they change nothing.
    """
    kind = event["type"]
    if kind == "call":
        outcome = session.call(event["tool"], event["args"])
        return {"ok": outcome.ok, **({"result": outcome.result} if outcome.ok else {})}
    if kind == "ask":
        return {"reply": session.ask(event["question"], event.get("options"))}
    if kind == "decide":
        decision = session.decide(event["kind"], event["proposal"], event.get("why", ""))
        return {"status": decision.status, "applied": decision.applied}
    if kind == "execute":
        ran = session.execute(event["code"])
        return {"ok": ran.ok, "output": ran.output}
    if kind == "usage":
        session.report_usage(**event["usage"])
    return {}


def _same(event: Event, came: Event) -> bool:
    return all(event.get(name) == value for name, value in came.items())


def _answer(event: Event, beside: Path, session: Session) -> AgentAnswer:
    """Return the recorded answer, with its files put back where no step has made them."""
    names = [str(name) for name in event.get("artifacts", ())]
    for name in names:
        kept, place = beside / "artifacts" / name, Path(session.workspace) / name
        if kept.is_file() and not os.path.lexists(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept, place)
    return AgentAnswer(event["text"], event.get("data"), tuple(names))


def prepare(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options of a replay: the transcript that was named, or all of a folder.

    Parameters
    ----------
    text : str
        A transcript, or a folder with transcripts below it: a run, or a part of one.

    Raises
    ------
    UsageError
        If there is none.
    """
    place = Path(text).absolute()
    files = [place] if place.is_file() else sorted(place.rglob(TRANSCRIPT))
    if not text or not files:
        raise UsageError(
            "there is no transcript to replay",
            where=f"--agent replay:{text}",
            hint=f"Name the folder of a run, or a {TRANSCRIPT} in it.",
        )
    return {"transcripts": str(place)}, (str(place),) if place.is_file() else ()


def make(transcripts: str) -> Replay:
    """Return an agent that repeats recorded sessions.

    Parameters
    ----------
    transcripts : str
        A transcript or a folder; a transcript is also found by its name on ``sys.path``.
    """
    place = Path(transcripts)
    if place.is_dir():
        return Replay(sorted(place.rglob(TRANSCRIPT)))
    elsewhere = (Path(folder, place.name) for folder in sys.path)
    return Replay([next((file for file in (place, *elsewhere) if file.is_file()), place)])
