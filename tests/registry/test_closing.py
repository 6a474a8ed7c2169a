"""The quick look accepts nothing that the whole schema refuses, and hardly ever needs it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.registry import closing, schemas
from tests.reports.samples import check, trial

EVENTS: list[dict[str, Any]] = [
    {"n": 1, "t": 0.1, "type": "call", "tool": "a.b", "version": "1.0.0", "args": {}, "ok": True,
     "result": {"x": 1}, "seconds": 0.1},
    {"n": 1, "t": 0.1, "type": "call", "tool": "a.b", "version": "1.0.0", "args": {}, "ok": False,
     "error": {"problem": "no", "instead": "yes"}, "seconds": 0.1},
    {"n": 2, "t": 0.1, "type": "usage", "usage": {}},
    {"n": 3, "t": 0.2, "type": "answer", "text": "x", "data": None, "artifacts": []},
    {"n": 4, "t": 0.2, "type": "end", "outcome": "finished", "reason": ""},
]  # fmt: skip
ODD = (
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=3) | st.just({}) | st.just([])
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event["type"])
def test_the_quick_look_and_the_schema_agree(event: dict[str, Any]) -> None:
    whole = not schemas.check(event, "event-1")
    assert closing.fits_event(event) is whole
    assert not closing.fits_event({**event, "more": 1})
    assert not closing.fits_event({**event, "type": "sing"})


@given(st.sampled_from(EVENTS), st.data())
def test_what_the_quick_look_accepts_is_an_event(event: dict[str, Any], data: Any) -> None:
    changed = copy.deepcopy(event)
    key = data.draw(st.sampled_from([*event, "more"]))
    changed[key] = data.draw(ODD)
    if data.draw(st.booleans()):
        changed.pop(data.draw(st.sampled_from([*event])), None)
    assert closing.fits_event(changed) is (not schemas.check(changed, "event-1"))


def test_every_kind_of_event_is_decided() -> None:
    """A keyword that the quick look does not know would leave all of them to the schema."""
    document = schemas.document("event-1")
    common = {key: document[key] for key in ("type", "required", "properties")}
    for way in document["oneOf"]:
        part = document["$defs"][way["$ref"].rpartition("/")[2]]
        schema = closing.closed([common, part])
        assert schema is not None
        assert callable(closing._test(schema, document))


@given(st.data())
def test_what_the_quick_look_accepts_is_a_trial(data: Any) -> None:
    row = json.loads(json.dumps(trial(checks=[check()], notes=["x"])))
    whole = schemas.compiled({"$ref": "urn:braino:schema:report:1#/$defs/trial"})
    place = data.draw(st.sampled_from([row, row["checks"][0], row["usage"]]))
    place[data.draw(st.sampled_from([*place, "more"]))] = data.draw(ODD)
    assert closing.fits_trial(row) is whole.is_valid(row)


def test_a_trial_fits_by_both() -> None:
    row = json.loads(json.dumps(trial(checks=[check()])))
    whole = schemas.compiled({"$ref": "urn:braino:schema:report:1#/$defs/trial"})
    assert whole.is_valid(row)
    assert closing.fits_trial(row)
    for wrong in ({**row, "more": 1}, {**row, "score": 2}, {**row, "checks": [{"id": "x"}]}):
        assert not whole.is_valid(wrong)
        assert not closing.fits_trial(wrong)


def test_a_part_that_does_more_is_left_to_the_schema() -> None:
    assert closing.closed([{"properties": {}, "anyOf": []}]) is None
    assert not closing._quick({"type": "string", "format": "date"}, {})("2026-01-01")
    assert not closing._quick(None, {})({})


RECORD = {**json.loads(json.dumps(trial(checks=[check()]))), "verified": True}
ENTRIES: list[dict[str, Any]] = [
    {"type": "started", "task": "a", "instance": "b", "repeat": 1, "attempt": 1},
    {"type": "finished", "record": RECORD},
    {"type": "finished", "record": {**RECORD, "realised": "sha256:" + "0" * 64}},
]


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_of_a_journal_fits_by_both(entry: dict[str, Any]) -> None:
    assert schemas.check(entry, "journal-1") == []
    assert closing.fits_journal(entry)
    for wrong in ({**entry, "more": 1}, {**entry, "type": "ended"}, {"type": entry["type"]}, [], 1):
        assert schemas.check(wrong, "journal-1")
        assert not closing.fits_journal(wrong)


@given(st.sampled_from(ENTRIES), st.data())
def test_what_the_quick_look_accepts_is_an_entry_of_a_journal(entry: Any, data: Any) -> None:
    changed = copy.deepcopy(entry)
    inner = changed.get("record", changed)
    place = data.draw(st.sampled_from([changed, inner, inner.get("usage", changed)]))
    place[data.draw(st.sampled_from([*place, "more", "realised"]))] = data.draw(ODD)
    assert closing.fits_journal(changed) is (not schemas.check(changed, "journal-1"))
