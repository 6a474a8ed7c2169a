"""What models are asked, and what of their replies is taken."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry.scoring import read
from braino_registry.scoring.extraction import extracted, extraction_messages
from braino_registry.scoring.judging import (
    audited_extraction,
    audited_judgement,
    judge_messages,
    judgement,
    rubric_of,
)
from braino_registry.scoring.prompts import prompt
from tests.scoring.evidence import evidence

FIELDS: dict[str, dict[str, Any]] = {
    "latency": {"type": "number", "unit": "ms", "description": "Latency of the P3"},
    "bad": {"type": "set", "of": "channel"},
    "band": {"type": "label", "labels": ["alpha", "beta"], "aliases": {"alpha": ["8-13 Hz"]}},
    "order": {"type": "sequence", "of": "channel"},
    "seizures": {"type": "events"},
    "stages": {"type": "hypnogram"},
    "why": {"type": "text"},
}
REPORT = (
    "The P3 peaked 0.352 s after the stimulus. T8 and O2 are bad, in this order. The 8-13 Hz band "
    "leads. A seizure began at 73 s. Stages: Wake, N2, REM. It was a {{template}} day."
)


def _taken(**reply: Any) -> dict[str, Any]:
    return extracted(json.dumps(reply), evidence(REPORT, fields=FIELDS)).values


@pytest.mark.parametrize(
    ("field", "given", "value"),
    [
        ("latency", 352, 352.0), ("latency", "0.352 s", 352.0), ("latency", 0.352, 0.352),
        ("latency", 400, None), ("latency", [352], None), ("latency", float("nan"), None),
        ("bad", ["T8", "o2"], frozenset({"T8", "O2"})), ("bad", ["T8", "Pz"], None),
        ("band", "8-13 Hz", "alpha"), ("band", "beta", None), ("band", "gamma", None),
        ("order", ["O2", "T8"], ("O2", "T8")), ("order", ["Pz", "T8"], None),
        ("seizures", [{"onset": 73, "duration": None}], [{"onset": 73, "duration": None}]),
        ("seizures", [{"onset": 74}], None), ("seizures", ["73 s"], None),
        ("stages", ["W", "N2", "R"], ["W", "N2", "R"]), ("stages", ["N3"], None),
        ("why", "The P3 peaked", "The P3 peaked"), ("why", "Because of noise.", None),
    ],
)  # fmt: skip
def test_only_what_the_report_prints_is_taken(field: str, given: Any, value: Any) -> None:
    assert _taken(**{field: given})[field] == value


def test_a_field_that_is_not_asked_for_is_told_and_left() -> None:
    found = extracted('{"secret": 1}', evidence(REPORT, fields=FIELDS))
    assert set(found.values) == set(FIELDS)
    assert "secret" in found.problems[""]


def test_a_parsed_value_takes_the_place_of_the_rules() -> None:
    from dataclasses import replace

    given = evidence("The P3 peaked 0.352 s after the stimulus.", fields=FIELDS)
    parsed = replace(given, parsed={"latency": 360.0})
    assert read(FIELDS["latency"], "latency", parsed).value == 360.0
    assert read(FIELDS["bad"], "bad", parsed).value is None


def test_a_report_cannot_reach_another_slot_of_the_prompt() -> None:
    system, user = extraction_messages(evidence(REPORT, fields=FIELDS))
    assert "{{template}} day" in user["content"]
    assert user["content"].count('"latency": <number | null>') == 1
    assert "never" in system["content"].lower()


@pytest.mark.parametrize("name", ["extract", "audit-extraction", "judge", "audit-judgement"])
def test_prompts_have_a_version_and_refuse_a_missing_slot(name: str) -> None:
    one = prompt(name)
    assert one.version.count(".") == 2
    assert len(one.digest) == 64
    with pytest.raises(KeyError):
        one.messages(nothing="")


@pytest.mark.parametrize(
    ("reply", "verdict", "score"),
    [
        ('{"score": 1, "passed": true}', True, 1.0), ('{"score": 0, "passed": false}', False, 0.0),
        ('{"score": 0.5, "passed": false}', False, 0.5), ('{"passed": true}', True, 1.0),
        ('{"score": 0, "passed": true}', None, 0.0), ('{"score": 7}', None, None),
        ("fine", None, None), ('{"score": "1"}', None, None), ('{"score": NaN}', None, None),
    ],
)  # fmt: skip
def test_a_judgement_has_to_agree_with_itself(
    reply: str, verdict: bool | None, score: float | None
) -> None:
    said = judgement(reply)
    assert (said.verdict, said.score) == (verdict, score)


def test_an_audit_has_to_be_the_sum_of_its_parts() -> None:
    full = '{"faithful": false, "fields": {"a": true, "b": false}}'
    assert audited_extraction(full, ["a", "b"])[0].verdict is False
    assert audited_extraction(full, ["a", "b", "c"])[0].verdict is None
    assert audited_extraction(full.replace("false,", "true,", 1), ["a", "b"])[0].verdict is None
    assert audited_judgement('{"consistent": true, "score": 0.9}', 1.0).verdict is True
    assert audited_judgement('{"consistent": true, "score": 0.1}', 1.0).verdict is None
    assert audited_judgement('{"consistent": false}', 1.0).verdict is False


def test_a_judge_is_shown_the_rubric_and_the_pictures(tmp_path: Path) -> None:
    picture = tmp_path / "psd.png"
    picture.write_bytes(b"\x89PNG not really")
    check = {"id": "x", "kind": "semantic", "weight": 2, "findings": [{"says": ["alpha leads"]}]}
    assert json.loads(rubric_of(check)) == {"findings": [{"says": ["alpha leads"]}]}
    text, image = judge_messages(check, "Alpha leads.", [picture])[-1]["content"]
    assert "alpha leads" in text["text"]
    sent = image["image_url"]["url"].removeprefix("data:image/png;base64,")
    assert base64.b64decode(sent) == picture.read_bytes()
    assert isinstance(judge_messages(check, "Alpha leads.")[-1]["content"], str)
