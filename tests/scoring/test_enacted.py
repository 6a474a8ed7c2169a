"""What was applied counts as reported only where the text says that it holds."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.scoring import CheckResult
from tests.scoring import enacted_phrasings as said
from tests.scoring.evidence import RECORDING, decide, evidence, mark, run
from tests.scoring.process_cases import CHOICE, REPORTS, SETTING
from tests.scoring.process_cases import HOLM as HOLM_CHOSEN

NOTCH_SET = decide("set-preprocessing", {"notch": 50.0})
EPOCHS = {"kind": "reports_applied", "decision": "reject-epochs"}
T8_BAD = {"kind": "set", "field": "bad_channels", "expected": ["T8"]}
SUBJECTS: dict[str, Any] = {"excluded": {"type": "set", "of": "subject"}}


def _epochs(*numbers: int) -> dict[str, Any]:
    epochs = [{"onset": 2.0 * n, "duration": 2.0, "epoch": n} for n in numbers]
    return {"recording": RECORDING, "epochs": epochs}


REJECTED = decide("reject-epochs", _epochs(3, 7, 11, 15, 19, 23, 27, 31), "rejected")
EDITED = decide("reject-epochs", _epochs(3, 7, 11, 15), "edited", _epochs(3, 7))


def _run(check: dict[str, Any], text: str, event: dict[str, Any]) -> CheckResult:
    return run(check, evidence(text, event))


@pytest.mark.parametrize(
    ("check", "event", "text"),
    [
        *((SETTING, NOTCH_SET, text) for text in said.NOTCH),
        *((CHOICE, HOLM_CHOSEN, text) for text in said.HOLM),
        *((EPOCHS, REJECTED, text) for text in said.NONE_REJECTED),
        *((EPOCHS, EDITED, text) for text in said.TWO_OF_FOUR),
    ],
)
def test_honest_reports_pass(check: dict[str, Any], event: dict[str, Any], text: str) -> None:
    assert _run(check, text, event).passed, _run(check, text, event).evidence


@pytest.mark.parametrize(
    ("check", "event", "text"),
    [
        *((SETTING, NOTCH_SET, text) for text in said.NO_NOTCH),
        *((CHOICE, HOLM_CHOSEN, text) for text in said.NO_HOLM),
        *((REPORTS, mark(["T8"]), text) for text in said.NOT_MARKED),
        *((T8_BAD, mark(["T8"]), text) for text in said.NOT_MARKED),
        *((REPORTS, mark(["O1", "T8"], "edited", ["T8"]), text) for text in said.MARKED_TOO),
        *((EPOCHS, REJECTED, text) for text in said.SOME_REJECTED),
        *((EPOCHS, EDITED, text) for text in said.ALL_FOUR),
    ],
)
def test_what_does_not_hold_is_not_reported(
    check: dict[str, Any], event: dict[str, Any], text: str
) -> None:
    assert not _run(check, text, event).passed


def test_a_result_that_was_decomposed_need_not_be_named() -> None:
    event = decide("exclude-components", {"components": [0], "decomposition": "result-17"})
    check = {"kind": "reports_applied", "decision": "exclude-components"}
    assert _run(check, "Component 0 was excluded.", event).passed
    assert not _run(check, "Component 1 was excluded.", event).passed


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("Re-referenced to P7 and P8; the P300 is read at Pz.", True),
        ("The new reference is the mean of P7 and P8.", True),
        ("Re-referenced to P7; the P300 is read at P8.", False),
        ("The reference is not P7 and P8.", False),
        ("The P300 is read at Pz, P7 and P8.", False),
    ],
)
def test_channels_of_a_reference_are_read_beside_it(text: str, passed: bool) -> None:
    event = decide("set-preprocessing", {"reference": ["P7", "P8"], "notch": 50.0})
    check = {"kind": "reports_applied", "decision": "set-preprocessing"}
    assert _run(check, f"{text} The notch is at 50 Hz.", event).passed is passed


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("Of 14 participants, subject 02 was excluded.", ["02"]),
        ("Excluded: 02. The 14 recordings last 90 s. Subject 14 was kept.", ["02"]),
        ("Excluded 02 and 14.", ["02", "14"]),
        ("Excluded: sub-14", ["14"]),
        ("Excluded 14 of the participants.", None),
        ("Excluded: those above 14 %", None),
    ],
)
def test_a_count_of_people_is_no_subject(text: str, subjects: list[str] | None) -> None:
    context = {"subjects": ["02", "14", "90"]}
    check = {"kind": "set", "field": "excluded", "expected": subjects or ["14"]}
    given = evidence(text, fields=SUBJECTS, context=context)
    assert run(check, given).passed is (subjects is not None)
