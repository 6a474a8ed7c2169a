"""Auditing a run: its reports read once more, its rubrics judged once more, and how far both agree.

Follows appendix E.5 of the paper on BrainBench. Without a model, the reports are read by the rules
of today and the checks on values scored again. With one, it extracts the fields too and judges the
rubrics; with an auditor, a second model says of every extraction whether it is faithful, and of
every rubric's score whether it is consistent. An answer that contradicts itself is asked for once
more, and what then still is no decision is counted as unresolved, not forced into one.

No record of the run is changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from braino_registry.errors import ReportError
from braino_registry.reports.files import write_atomic
from braino_registry.runner import folder
from braino_registry.runner.agreement import agreement, alike
from braino_registry.runner.bench import Bench
from braino_registry.runner.models import Endpoint, Model, ReplyLog
from braino_registry.runner.parsing import evidence_of
from braino_registry.runner.preflight import AgentChoice
from braino_registry.runner.settings import RunSettings
from braino_registry.runner.sources import Observer, Sources, ignore, make_specs
from braino_registry.runner.spec import TrialSpec
from braino_registry.runner.testimony import progress_of
from braino_registry.runner.work import bind
from braino_registry.scoring import Evidence, judging, read, score
from braino_registry.scoring.extraction import extracted, extraction_messages
from braino_registry.scoring.model import CheckResult

#: Kinds of checks whose verdict rests on values that are read from the report.
VALUES = ("number", "label", "set", "sequence")
AGAIN = {
    "role": "user",
    "content": "Your last answer contradicts itself, or leaves a field out. Decide once more, in"
    " the "
    "form that was asked for.",
}
SCHEMA = "audit/1"


@dataclass(frozen=True, slots=True)
class Auditors:
    """Who is asked, if anybody.

    Parameters
    ----------
    model : Model or None
        Extracts and judges.
    auditor : Model or None
        Says whether extractions and scores hold.
    pictures : bool
        Whether images are shown to the judge.
    """

    model: Model | None = None
    auditor: Model | None = None
    pictures: bool = False


@dataclass(frozen=True)
class _Unread:
    """A trial that cannot be audited, and why."""

    spec: TrialSpec
    reason: str


@dataclass(frozen=True)
class _Trial:
    spec: TrialSpec
    evidence: Evidence
    checks: tuple[Mapping[str, Any], ...]
    recorded: Mapping[str, Mapping[str, Any]]
    rule: str


def audit(
    run_dir: Path,
    *,
    endpoint: Endpoint | None = None,
    auditor: Endpoint | None = None,
    pictures: bool = False,
    limit: int | None = None,
    salt: Path | None = None,
    target: Path | None = None,
    observer: Observer | None = None,
) -> dict[str, Any]:
    """Audit a run, and write what was found to ``RUN/audit.json``.

    Parameters
    ----------
    run_dir : Path
        Folder of the run, or the report in it.
    endpoint : Endpoint or None
        The model that extracts and judges.
    auditor : Endpoint or None
        The model that says whether extractions and scores hold.
    pictures : bool
        Whether the judge is shown the images of a trial.
    limit : int or None
        At most so many trials, the first of the plan.
    salt : Path or None
        The salt's file, if it is not where it was.
    target : Path or None
        Where the document is written instead.
    observer : callable or None
        Told of every trial.

    Returns
    -------
    dict
        The document: who was asked, the trials with what each said, how far they agree, and which
        trials were skipped because their files are damaged.

    Raises
    ------
    ReportError
        If there is no run, or none of its trials has an answer to audit.
    HostError, UsageError
        If a model cannot be asked; what was answered until then is kept.
    """
    tell = observer or ignore
    place, document = folder.open_run(run_dir)
    settings = RunSettings.from_document(document["asked"], run_dir=place.path)
    settings = replace(settings, salt=salt or settings.salt)
    log = ReplyLog(place.path / "audit-replies.jsonl")
    who = Auditors(
        Model(endpoint, log) if endpoint else None,
        Model(auditor, log) if auditor else None,
        pictures,
    )
    rows: list[dict[str, Any]] = []
    skipped: list[dict[str, Any]] = []
    try:
        for trial in islice(_trials(place, document, settings), limit):
            if isinstance(trial, _Unread):
                skipped.append({**_key(trial.spec), "reason": trial.reason})
                continue
            rows.append(_audited(trial, who))
            name = "/".join(map(str, trial.spec.key))
            tell({"type": "audited", "trial": name, "done": len(rows)})
    finally:
        for model in (who.model, who.auditor):
            if model is not None:
                model.close()
    if not rows:
        raise ReportError(
            "no trial of this run has an answer to audit", where=str(place.journal),
            hint=_only_damaged(skipped) or "Finish the run with `braino eval resume`.",
        )  # fmt: skip
    result = {
        "schema": SCHEMA,
        "run": place.path.name,
        "suite": document["plan"].get("suite"),
        "model": _named(endpoint),
        "auditor": _named(auditor),
        "agreement": agreement(rows),
        "trials": rows,
        "skipped": skipped,
    }
    write_atomic(target or place.path / "audit.json", _bytes(result), sync=False)
    return result


def _key(spec: TrialSpec) -> dict[str, Any]:
    return {"task": spec.task, "instance": spec.instance, "repeat": spec.repeat}


def _only_damaged(skipped: Sequence[Mapping[str, Any]]) -> str:
    if not skipped:
        return ""
    reason = " ".join(skipped[0]["reason"].split())
    return f"{len(skipped)} cannot be read; the first one: {reason}"


def _bytes(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False, default=str) + "\n").encode()


def _named(endpoint: Endpoint | None) -> dict[str, str] | None:
    return None if endpoint is None else {"url": endpoint.url, "model": endpoint.model}


def _trials(
    place: folder.RunFolder, document: Mapping[str, Any], settings: RunSettings
) -> Iterator[_Trial | _Unread]:
    """Yield the trials that have an answer; what is damaged must not take the others with it."""
    sources = Sources.open(settings)
    bench = Bench(sources.registry, sources.store, sources.salt, place.path)
    finished = progress_of(place, document).counted()
    choice = AgentChoice.from_document(document["agent"])
    for spec in make_specs(sources.plan(settings), choice, settings, place):
        record = finished.get(spec.key)
        kept = place.expected(*spec.key)
        if record is None or not kept.is_file():
            continue
        try:
            evidence = evidence_of(spec, record, bench)
            checks = _checks(kept)
        except ReportError as error:
            yield _Unread(spec, str(error))
            continue
        if evidence is None:
            continue
        recorded = {check["id"]: check for check in record["checks"]}
        rule = bind(spec, bench.registry, bench.salt).task.home.rule
        yield _Trial(spec, evidence, tuple(checks), recorded, rule)


def _checks(kept: Path) -> list[dict[str, Any]]:
    """Return the checks of a trial with what they expected.

    Raises
    ------
    ReportError
        If the file is damaged.
    """
    try:
        checks = json.loads(kept.read_text("utf-8"))["checks"]
    except (ValueError, TypeError, KeyError) as error:
        raise ReportError(
            "what the checks expected cannot be read", where=str(kept), hint="The file is damaged."
        ) from error
    return list(checks)


def _audited(trial: _Trial, who: Auditors) -> dict[str, Any]:
    """Return one trial with what was read and judged of it, by whom."""
    asked: list[dict[str, Any]] = []
    evidence, fields = trial.evidence, list(trial.evidence.fields)
    by_rule = {name: read(spec, name, evidence).value for name, spec in evidence.fields.items()}
    row: dict[str, Any] = {
        **_key(trial.spec),
        "fields": {name: {"by_rule": value} for name, value in judging.plain(by_rule).items()},
        "checks": _again(trial, evidence, "by_rule"),
        "asked": asked,
    }
    if who.model is not None and fields:
        reply = _ask(who.model, "extract", extraction_messages(evidence), asked)
        found = extracted(reply, evidence)
        parsed = replace(evidence, parsed=found.values)
        by_model = {name: read(spec, name, parsed).value for name, spec in evidence.fields.items()}
        for name, value in judging.plain(by_model).items():
            row["fields"][name] |= {
                "by_model": value,
                "agrees": alike(by_rule[name], by_model[name]),
                "problem": found.problems.get(name, found.problems.get("", "")),
            }
        for each, again in zip(row["checks"], _again(trial, parsed, "by_model"), strict=True):
            each |= again
    if who.auditor is not None and fields:
        messages = judging.audit_extraction_messages(evidence, by_rule)
        said, each_field = _decided(
            who.auditor, "audit-extraction", messages, asked,
            lambda reply: judging.audited_extraction(reply, fields),
            lambda answer: answer[0].verdict is None,
        )  # fmt: skip
        row["faithful"] = {"verdict": said.verdict, "reason": said.reason, "fields": each_field}
    row["rubrics"] = [_judged(trial, check, who, asked) for check in _rubrics(trial, who)]
    return row


def _again(trial: _Trial, evidence: Evidence, by: str) -> list[dict[str, Any]]:
    """Return the verdicts of the checks on values, with what the record says of them."""
    checks = [check for check in trial.checks if check["kind"] in VALUES]
    results: Sequence[CheckResult] = score(checks, evidence, trial.rule).checks if checks else ()
    return [
        {
            "id": result.id,
            "recorded": trial.recorded[result.id]["passed"],
            by: result.passed,
            f"{by}_agrees": result.passed == trial.recorded[result.id]["passed"],
        }
        for result in results
        if result.id in trial.recorded
    ]


def _rubrics(trial: _Trial, who: Auditors) -> Iterator[Mapping[str, Any]]:
    if who.model is None and who.auditor is None:
        return
    for check in trial.checks:
        shown = who.pictures and check["kind"] == "artifact" and _pictures(trial)
        if check["id"] in trial.recorded and (check["kind"] in judging.RUBRICS or shown):
            yield check


def _pictures(trial: _Trial) -> list[Path]:
    answer = trial.evidence.answer
    names = answer.artifacts if answer is not None else ()
    paths = [trial.evidence.artifacts / name for name in names]
    inside = [p for p in paths if p.resolve().is_relative_to(trial.evidence.artifacts.resolve())]
    return [path for path in inside if path.suffix.lower() in judging.PICTURES and path.is_file()]


def _judged(
    trial: _Trial, check: Mapping[str, Any], who: Auditors, asked: list[dict[str, Any]]
) -> dict[str, Any]:
    report = trial.evidence.answer.text if trial.evidence.answer is not None else ""
    given = float(trial.recorded[check["id"]]["score"])
    row: dict[str, Any] = {"id": check["id"], "kind": check["kind"], "recorded": given}
    if who.model is not None:
        shown = _pictures(trial) if who.pictures else []
        messages = judging.judge_messages(check, report, shown)
        said = _decided(
            who.model, "judge", messages, asked, judging.judgement, lambda j: j.verdict is None
        )
        own = said.score
        row |= {
            "judge": own,
            "judge_agrees": None
            if said.verdict is None or own is None
            else abs(own - given) < 0.25,
            "judge_reason": said.reason,
        }
    if who.auditor is not None:
        messages = judging.audit_judgement_messages(check, report, given)
        said = _decided(
            who.auditor, "audit-judgement", messages, asked,
            lambda reply: judging.audited_judgement(reply, given), lambda j: j.verdict is None,
        )  # fmt: skip
        row |= {"consistent": said.verdict, "audit_reason": said.reason}
    return row


def _ask(
    model: Model, purpose: str, messages: Sequence[Mapping[str, Any]], asked: list[dict[str, Any]]
) -> str:
    """Ask, and note in the record what was asked, of whom, and the answer as it came."""
    from braino_registry.scoring.prompts import prompt

    reply = model.ask(messages)
    asked.append(
        {
            "purpose": purpose,
            "prompt": prompt(purpose).reference(),
            "question": reply.question,
            "model": reply.model,
            "answer": reply.text,
            "tokens": [reply.prompt_tokens, reply.completion_tokens],
        }
    )
    return reply.text


def _decided(
    model: Model,
    purpose: str,
    messages: list[dict[str, Any]],
    asked: list[dict[str, Any]],
    understand: Callable[[str], Any],
    undecided: Callable[[Any], bool],
) -> Any:
    """Return what a model decides; an answer that is no decision is asked for once more."""
    reply = _ask(model, purpose, messages, asked)
    answer = understand(reply)
    if undecided(answer):
        second = [*messages, {"role": "assistant", "content": reply}, AGAIN]
        answer = understand(_ask(model, purpose, second, asked))
    return answer
