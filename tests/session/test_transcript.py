"""The transcript only grows, is flushed per event, and notices when it was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from braino_registry.errors import HostError, ReportError
from braino_registry.session import Transcript, read_events


def test_events_are_on_disk_at_once(tmp_path: Path) -> None:
    with Transcript(tmp_path / "events.jsonl") as transcript:
        transcript.add("log", source="harness", message="µ", data={"nan": float("nan")})
        assert read_events(transcript.path) == transcript.events
        transcript.add("log", source="harness", message="2", data={})
        assert read_events(transcript.path) == transcript.events
        assert transcript.intact()
    assert [event["n"] for event in transcript.events] == [0, 1]
    assert transcript.events[0]["data"] == {"nan": None}
    assert transcript.events[0]["t"] <= transcript.events[1]["t"]


def test_events_do_not_change_with_what_they_were_made_of(tmp_path: Path) -> None:
    args = {"channels": ["T8"]}
    with Transcript(tmp_path / "events.jsonl") as transcript:
        transcript.add("call", args=args)
        args["channels"].append("Cz")
        assert transcript.events[0]["args"] == {"channels": ["T8"]}


def test_an_existing_file_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("mine")
    with pytest.raises(HostError, match="File exists"):
        Transcript(path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("change", ["append", "edit", "cut", "remove"])
def test_tampering_shows(tmp_path: Path, change: str) -> None:
    with Transcript(tmp_path / "events.jsonl") as transcript:
        for number in range(3):
            transcript.add("log", source="harness", message=str(number), data={})
        text = transcript.path.read_text()
        changed = {"append": text + text, "edit": text.replace("1", "9"), "cut": text[:-4]}
        if change == "remove":
            transcript.path.unlink()
        else:
            transcript.path.write_text(changed[change])
        assert not transcript.intact()
        with pytest.raises(ReportError):
            read_events(transcript.path)


def test_a_line_that_is_no_event(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for text in ("[]\n", "{\n", '{"n":1}\n', '{"n":0}\n\n'):
        path.write_text(text)
        with pytest.raises(ReportError, match="transcript"):
            read_events(path)


def test_a_full_disk_is_the_hosts_fault() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    transcript = Transcript.__new__(Transcript)
    with pytest.raises(HostError, match="File exists"):
        transcript.__init__(Path("/dev/full"))  # type: ignore[misc]
