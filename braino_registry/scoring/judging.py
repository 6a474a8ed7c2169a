"""Judging by a language model, and what of its reply is taken.

A judge is opt-in, is recorded, and never decides a headline alone: it is asked about checks that
have been scored by rule, and its answer stands beside that score.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.scoring.answers.prose import shortened
from braino_registry.scoring.extraction import described, reply_object
from braino_registry.scoring.model import Evidence
from braino_registry.scoring.prompts import prompt

#: Kinds of checks that rest on a rubric, and of those that rest on a file.
RUBRICS = ("semantic",)
PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
MAX_PICTURE = 5_000_000
_NOT_A_RUBRIC = ("id", "kind", "required", "weight")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge or an auditor said.

    Parameters
    ----------
    verdict : bool or None
        Passed, faithful or consistent; None where the reply says no such thing, or contradicts
        itself.
    score : float or None
        0–1, where one was given.
    reason : str
        In the model's words.
    """

    verdict: bool | None
    score: float | None = None
    reason: str = ""


def rubric_of(check: Mapping[str, Any]) -> str:
    """Return the rubric of a check, with expected values filled in, for a judge.

    Parameters
    ----------
    check : mapping
        The check as it was scored.
    """
    rubric = {key: value for key, value in check.items() if key not in _NOT_A_RUBRIC}
    return json.dumps(rubric, indent=1, ensure_ascii=False, default=str)


def judge_messages(
    check: Mapping[str, Any], report: str, pictures: Sequence[Path] = ()
) -> list[dict[str, Any]]:
    """Return what a judge is asked about one check.

    Parameters
    ----------
    check : mapping
        The check.
    report : str
        The report.
    pictures : sequence of Path
        Images that go with it, for a model that sees; larger ones than 5 MB are left out.
    """
    messages = prompt("judge").messages(rubric=rubric_of(check), report=_quoted(report))
    shown = [_picture(path) for path in pictures if path.stat().st_size <= MAX_PICTURE]
    if shown:
        said = messages[-1]["content"]
        messages[-1]["content"] = [{"type": "text", "text": said}, *shown]
    return messages


def _picture(path: Path) -> dict[str, Any]:
    kind = PICTURES[path.suffix.lower()]
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}


def audit_judgement_messages(
    check: Mapping[str, Any], report: str, score: float
) -> list[dict[str, Any]]:
    """Return what an auditor is asked about the score of one check."""
    return prompt("audit-judgement").messages(
        rubric=rubric_of(check), report=_quoted(report), score=f"{score:.3g}"
    )


def audit_extraction_messages(
    evidence: Evidence, values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return what an auditor is asked about the values that were read from a report.

    Parameters
    ----------
    evidence : Evidence
        The report and the fields.
    values : mapping
        By field, what was read; None where nothing was.
    """
    report = evidence.answer.text if evidence.answer is not None else ""
    return prompt("audit-extraction").messages(
        fields=described(evidence.fields, evidence),
        report=_quoted(report),
        values=json.dumps(plain(values), ensure_ascii=False),
    )


def _quoted(report: str) -> str:
    return json.dumps(shortened(report), ensure_ascii=False)


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by field as JSON has them: sets sorted, tuples as lists."""
    return {
        name: sorted(value) if isinstance(value, frozenset)
        else list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
    }  # fmt: skip


def judgement(reply: str) -> Judgement:
    """Return what a judge said: ``score`` and ``passed`` have to agree."""
    document = reply_object(reply) or {}
    score, passed = _share(document.get("score")), document.get("passed")
    if score is None and isinstance(passed, bool):
        score = float(passed)
    verdict = passed if isinstance(passed, bool) else (None if score is None else score >= 1)
    if verdict is not None and score is not None and verdict != (score >= 1):
        # a share that "passes", or a full score that does not, says two things
        verdict = None if score in (0.0, 1.0) else False
    return Judgement(verdict, score, str(document.get("reason", ""))[:500])


def audited_extraction(reply: str, fields: Sequence[str]) -> tuple[Judgement, dict[str, bool]]:
    """Return whether an auditor holds an extraction faithful, and each of its fields.

    Parameters
    ----------
    reply : str
        The reply.
    fields : sequence of str
        Names of the fields; a reply that leaves one out, or whose sum is not that of its parts,
        is no decision.
    """
    document = reply_object(reply) or {}
    faithful, told = document.get("faithful"), document.get("fields")
    told = told if isinstance(told, Mapping) else {}
    each = {name: told[name] for name in fields if isinstance(told.get(name), bool)}
    complete = len(each) == len(fields) and isinstance(faithful, bool)
    agreed = complete and faithful == all(each.values())
    verdict = bool(faithful) if agreed else None
    return Judgement(verdict, None, str(document.get("reason", ""))[:500]), each


def audited_judgement(reply: str, score: float) -> Judgement:
    """Return whether an auditor holds a score consistent with its rubric.

    Parameters
    ----------
    reply : str
        The reply.
    score : float
        The score that was given; an auditor who calls it consistent and would give the opposite
        has not decided.
    """
    document = reply_object(reply) or {}
    consistent, own = document.get("consistent"), _share(document.get("score"))
    verdict = consistent if isinstance(consistent, bool) else None
    if verdict is not None and own is not None and verdict != (abs(own - score) < 0.25):
        verdict = None
    return Judgement(verdict, own, str(document.get("reason", ""))[:500])


def _share(value: Any) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if good and 0 <= value <= 1 else None
