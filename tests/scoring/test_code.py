"""Scoring of sessions in which code takes the place of tools."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.scoring import score
from braino_registry.scoring.kinds import check_kinds
from tests.scoring.evidence import CONTEXT, RECORDING, evidence, mark, run

CALLED = {"id": "looks", "kind": "called", "tool": "recording.info", "required": True}
NAMED = {
    "id": "names", "kind": "set", "field": "bad_channels", "expected": ["T8"], "required": True,
}  # fmt: skip
REFUSES = {
    "kind": "refuses",
    "fields": ["heart_rate"],
    "missing": ["ECG"],
    "tool": "recording.info",
}
HEART: dict[str, Any] = {"heart_rate": {"type": "number", "unit": "/min"}}
START = {"type": "start", "paradigm": "code", "request": "", "toolset": []}


def code(text: str, output: str = "", *, ok: bool = True) -> dict[str, Any]:
    error = None if ok else "ValueError"
    return {"type": "execute", "code": text, "ok": ok, "output": output, "error": error}


READ = code("open('/input/sub-02/eeg/x.vhdr').read()")


def test_only_checks_of_calls_are_about_calls() -> None:
    assert [name for name, kind in check_kinds if kind.about_calls] == [
        "called", "called_before", "not_called",
    ]  # fmt: skip


def test_checks_of_calls_are_not_asked_under_code() -> None:
    given = evidence("T8 is bad.", START, READ, mark(["T8"]), dataset="d@1.0.0")
    scored = score([CALLED, NAMED], given, "braino")
    assert [check.id for check in scored.checks] == ["names"]
    assert (scored.score, scored.passed) == (1.0, True)
    with_tools = evidence("T8 is bad.", {**START, "paradigm": "tools"}, READ, dataset="d@1.0.0")
    scored = score([CALLED, NAMED], with_tools, "braino")
    assert (scored.score, scored.passed) == (0.5, False)


@pytest.mark.parametrize(
    "events",
    [[], [code("print('T8')")], [code("open('/input/x')", ok=False)]],
    ids=["no code", "code that reads nothing", "code that failed"],
)
def test_an_answer_without_a_look_at_the_data_scores_nothing(events: list[dict[str, Any]]) -> None:
    scored = score([NAMED], evidence("T8 is bad.", START, *events, dataset="d@1.0.0"), "braino")
    assert (scored.score, scored.passed, scored.ungated) == (0.0, False, 1.0)
    assert "no successful use of the data" in scored.why
    no_data = score([NAMED], evidence("T8 is bad.", START, *events), "braino")
    assert no_data.passed


def test_naming_a_recording_is_a_look_at_it() -> None:
    given = evidence("T8 is bad.", START, code(f"load('{RECORDING}')"), dataset="d@1.0.0")
    assert score([NAMED], given, "braino").passed


@pytest.mark.parametrize(
    ("text", "output", "passed"),
    [
        ("load('/input').ch_names", "['Fp1', 'Fp2', 'F7', 'F3']", True),
        ("os.listdir('/input')", f"['{RECORDING}_eeg.vhdr']", True),
        ("os.listdir('/input')", "", False),
        ("load('/input').ch_names[:2]", "['Fp1', 'Fp2']", False),
        ("print('Fp1 Fp2 F7')", "Fp1 Fp2 F7", False),
    ],
)
def test_a_refusal_rests_on_what_code_showed_of_the_data(
    text: str, output: str, passed: bool
) -> None:
    answer = "There is no ECG channel, so I cannot give a heart rate."
    result = run(REFUSES, evidence(answer, START, code(text, output), fields=HEART))
    assert result.passed is passed
    assert ("rests on nothing" in result.evidence) is not passed
    assert not run(REFUSES, evidence(answer, code(text, output), fields=HEART)).passed


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("The peak is at 10.25 Hz.", True),
        ("The peak is at 10.3 Hz.", True),
        ("The peak is at 10.4 Hz.", False),
        ("The threshold was 93.726 µV.", False),
        ("It takes 13.98 % of the power.", True),
    ],
)
def test_numbers_that_code_printed_are_grounded(text: str, passed: bool) -> None:
    events = [
        START,
        code("limit = 93.726\nprint(peak, limit)", "10.25 93.726\n"),
        code("print(share)", "0.13984\n", ok=False),
    ]
    assert run({"kind": "grounded"}, evidence(text, *events, context=CONTEXT)).passed is passed
