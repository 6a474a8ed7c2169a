"""The walk of one trial, from a task entry to a trial record.

Each step is one function: the entry is bound to an instance, its data are copied into a fresh
place, an agent works there in a session, and what it did is compared with expected values. What
fails on the trusted side is a ``harness_error`` and says nothing of the agent; what the agent
does wrong is scored.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from braino_registry.errors import BrainoError, ReportError
from braino_registry.reports import HARNESS
from braino_registry.reports.files import make_folder, write_atomic
from braino_registry.runner import records
from braino_registry.runner.bench import Bench
from braino_registry.runner.clock import (
    DATA_SECONDS,
    EXPECTED_SECONDS,
    SCORE_SECONDS,
    Clock,
    Phase,
)
from braino_registry.runner.isolation import Isolation, Measured
from braino_registry.runner.sitting import Sitting, hold_session
from braino_registry.runner.spec import TrialSpec
from braino_registry.runner.work import Work, bind

if TYPE_CHECKING:
    from braino_registry.datasets import Realised

Record = dict[str, Any]

_CHECK_FAULT = f"{HARNESS} check"
_UNASKED = "checks of tool calls, not asked of an agent that works by code"


@dataclass(frozen=True)
class Finished:
    """What a trial ended with.

    Parameters
    ----------
    record : dict
        The trial record.
    spent : bool
        Whether code of the agent may still be running in this process.
    """

    record: Record
    spent: bool = False


def run_trial(
    spec: TrialSpec, bench: Bench, tell: Phase = lambda name, seconds: None,
    *, level: Isolation | None = None,
) -> Finished:  # fmt: skip
    """Run one trial.

    Parameters
    ----------
    spec : TrialSpec
        Which trial.
    bench : Bench
        Entries, data, salt and a folder for temporary files.
    tell : callable
        Called with the name of each step and the seconds it may take.
    level : Isolation | None
        Where the agent runs; by default what the trial names.

    Returns
    -------
    Finished
        A record in any case: whatever goes wrong is an outcome.
    """
    clock = Clock(tell)
    record = records.base(spec, category="", dataset=None, chance=0.0)
    try:
        work = bind(spec, bench.registry, bench.salt)
        record |= _facts(work)
        with clock.step("data", DATA_SECONDS):
            realised = realise(work, bench)
            record |= _data_facts(realised)
        sitting = hold_session(spec, work, realised, bench, clock, level)
        record |= _session_facts(spec, sitting)
        record |= grade(spec, work, realised, bench, sitting, clock)
        spent = sitting.measured.spent
    except BrainoError as error:
        record, spent = records.unscored(record, str(error)), True
    # A fault of ours must never count against an agent, and must be seen.
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        where = traceback.format_exception(error)[-3:]
        record = records.unscored(record, f"{type(error).__name__}: {error}")
        record["notes"] = ["".join(where)[-2000:]]
        spent = True
    return Finished({**record, "phases": clock.spent}, spent)


def _facts(work: Work) -> Record:
    return {
        "category": work.task.category,
        "dataset": work.instance.dataset,
        "chance": work.instance.chance,
        **records.place(work.task.subset, work.task.difficulty),
    }


def realise(work: Work, bench: Bench) -> Realised | None:
    """Return the dataset of an instance, built if it is not there yet."""
    if work.entry is None:
        return None
    from braino_registry.datasets import Selection

    part = Selection.of(work.instance.select)
    return bench.store.build_or_find(work.entry, bench.salt, part)


def _data_facts(realised: Realised | None) -> Record:
    if realised is None:
        return {}
    return {"realised": realised.digest, "verified": realised.verified}


def _session_facts(spec: TrialSpec, sitting: Sitting) -> Record:
    return {
        "usage": records.usage(sitting.events),
        **records.time_of(sitting.events),
        "process": records.process(sitting.measured),
        "transcript": spec.run.transcript(*spec.key),
    }


def grade(
    spec: TrialSpec,
    work: Work,
    realised: Realised | None,
    bench: Bench,
    sitting: Sitting,
    clock: Clock,
    parsed: Mapping[str, Any] | None = None,
) -> Record:
    """Compare what was done with the expected values and return outcome, score and checks.

    The expected values are computed only now, when the agent is gone. They rest on the data
    alone; whatever is done after that rests on the agent too, hence two steps.
    """
    from braino_registry import scoring

    with clock.step("expected", EXPECTED_SECONDS):
        known = _expect(spec, work, realised, bench)
        vocabulary = bench.vocabulary(work, realised)
    with clock.step("score", SCORE_SECONDS):
        answer = sitting.answer
        evidence = scoring.Evidence(
            request=work.request,
            events=sitting.events,
            answer=None
            if answer is None
            else scoring.Answer(answer.text, answer.data, answer.artifacts),
            artifacts=spec.folder / "artifacts",
            fields=work.fields,
            context=vocabulary,
            dataset=work.instance.dataset,
            profile=cast("scoring.Profile", spec.profile),
            parsed=parsed,
        )
        scored = scoring.score(known.checks, evidence, work.task.home.rule)
    faults = [
        f"{_CHECK_FAULT} {check.id}: {check.evidence}"
        for check in scored.checks
        if check.evidence.startswith(scoring.FAULT)
    ]
    asked = {check.id for check in scored.checks}
    left = [spec["id"] for spec in known.checks if spec["id"] not in asked]
    unasked = [f"{_UNASKED}: {', '.join(left)}"] if left else []
    return {**_verdict(sitting, scored), **records.notes([*sitting.notes, *unasked, *faults])}


def _expect(spec: TrialSpec, work: Work, realised: Realised | None, bench: Bench) -> Any:
    known = bench.expected(work, realised)
    _write_expected(spec, known)
    return known


def _write_expected(spec: TrialSpec, known: Any) -> None:
    import msgspec

    path = spec.run.expected(*spec.key)
    make_folder(path.parent)
    document = {"checks": list(known.checks), "values": dict(known.values)}
    write_atomic(path, msgspec.json.format(msgspec.json.encode(document), indent=1), sync=False)


def _verdict(sitting: Sitting, scored: Any) -> Record:
    """Turn ending and score into an outcome; only a finished session can pass."""
    checks = records.checks(scored.checks)
    ending, stopped_for = sitting.ending, sitting.measured.stopped_for
    if ending.outcome == "finished":
        outcome = {True: "passed", False: "failed", None: "scored"}[scored.passed]
        passed, score, reason = scored.passed, float(scored.score), None
    elif ending.outcome == "limit" or stopped_for is not None:
        outcome, passed, score = "limit", False, float(scored.score)
        reason = stopped_for or ending.reason
    else:
        outcome, passed, score = "agent_error", False, 0.0
        reason = _how_it_ended(ending.reason, sitting.measured)
    if reason is None and scored.why:
        reason = scored.why
    return {
        "outcome": outcome,
        "passed": passed,
        "score": score,
        **({} if scored.ungated is None else {"ungated": float(scored.ungated)}),
        "checks": checks,
        "reason": None if reason is None else records.short(reason, 2000),
    }


def _how_it_ended(reason: str, measured: Measured) -> str:
    code = measured.exit_code
    if not code:
        return reason
    how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
    return f"{reason} ({how})"


def _of_another(start: Mapping[str, Any], work: Work) -> str:
    """Return why a transcript is none of this trial, or an empty text: files get mixed up."""
    from braino_registry.agents.texts import general

    if general(str(start.get("request", ""))) != general(work.request):
        return "the transcript answers another request"
    recording = start.get("recording", work.instance.recording_id)
    if recording != work.instance.recording_id:
        return f"the transcript is of {recording}, and not of {work.instance.recording_id}"
    return ""


def regrade(
    spec: TrialSpec,
    bench: Bench,
    former: Record,
    tell: Phase,
    parsed: Mapping[str, Any] | None = None,
) -> Record:
    """Score the transcript of a finished trial again; no agent is run.

    Parameters
    ----------
    spec : TrialSpec
        Which trial.
    bench : Bench
        Entries and data.
    former : dict
        Its record; what is no matter of scoring stays.
    tell : callable
        See `run_trial`.
    parsed : mapping | None
        Values that a language model has read from the report, in place of the rules' reading.

    Returns
    -------
    dict
        The new record; one that no check has scored stays as it is, and one whose transcript is
        damaged says so and is unscored.
    """
    from braino_registry.session import Answer, Ending, read_events

    if former["transcript"] is None or not former["checks"]:
        return former
    clock = Clock(tell)
    work = bind(spec, bench.registry, bench.salt)
    with clock.step("data", DATA_SECONDS):
        realised = bench.found(work, realise)
    try:
        events = read_events(spec.run.path / former["transcript"], whole=True)
    except ReportError as error:
        return records.unscored(former, str(error))
    mixed = _of_another(events[0], work)
    if mixed:
        return records.unscored(former, f"{spec.run.path / former['transcript']}: {mixed}")
    end = events[-1]
    given = next((event for event in events if event["type"] == "answer"), None)
    answer = None
    if given is not None:
        there = [n for n in given["artifacts"] if (spec.folder / "artifacts" / n).is_file()]
        answer = Answer(given["text"], given["data"], tuple(there))
    stopped_for = former["reason"] if former["outcome"] == "limit" else None
    sitting = Sitting(
        Ending(end["outcome"], end["reason"], answer),
        events,
        answer,
        Measured(stopped_for=stopped_for),
        [note for note in former.get("notes", ()) if not note.startswith((_CHECK_FAULT, _UNASKED))],
    )
    former = {name: value for name, value in former.items() if name != "notes"}
    new = grade(spec, work, realised, bench, sitting, clock, parsed)
    reason = former["reason"] if new["outcome"] == former["outcome"] else new["reason"]
    return {**former, **new, **_facts(work), **_data_facts(realised), "reason": reason}
