"""Sets of channels after a user's correction: honest phrasings are read, false ones are not."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.scoring import CheckResult, Reading, read
from tests.scoring.evidence import BAD, CH_NAMES, CONTEXT, decide, evidence, run
from tests.scoring.set_phrasings import HONEST, NOT_P3, OTHERWISE, exchanged

NAMES = {**CONTEXT, "ch_names": [*CH_NAMES, "CP1", "CP2"]}
REPORTS = {"kind": "reports_applied", "decision": "mark-bad-channels"}


def _read(text: str) -> Reading:
    return read(BAD["bad_channels"], "bad_channels", evidence(text, context=NAMES))


def _names(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(text.replace("-", "").split())


def _reported(text: str, *applied: str) -> CheckResult:
    proposal: dict[str, Any] = {"channels": ["CP1", "P3"]}
    status = "edited" if applied else "rejected"
    event = decide("mark-bad-channels", proposal, status, {"channels": list(applied)})
    return run(REPORTS, evidence(text, event, context=NAMES))


@pytest.mark.parametrize("text", HONEST)
def test_what_was_marked_is_read(text: str) -> None:
    for said, name in ((text, "P3"), (exchanged(text), "CP1")):
        reading = _read(said)
        assert reading.value == {name}, reading.reason


@pytest.mark.parametrize("text", HONEST)
def test_what_was_applied_counts_as_reported_and_nothing_else(text: str) -> None:
    assert _reported(text, "P3").passed, _reported(text, "P3").evidence
    assert not _reported(text, "CP1").passed
    assert not _reported(text, "CP1", "P3").passed


@pytest.mark.parametrize(("text", "names"), OTHERWISE)
def test_other_outcomes_are_not_taken_for_it(text: str, names: str | None) -> None:
    assert _read(text).value == _names(names)
    assert _read(exchanged(text)).value == _names(exchanged(names) if names else None)
    assert names == "P3" or not _reported(text, "P3").passed


@pytest.mark.parametrize("text", NOT_P3)
def test_denied_or_unreal_marking_is_no_marking(text: str) -> None:
    assert "P3" not in (_read(text).value or ())
    assert not _reported(text, "P3").passed
