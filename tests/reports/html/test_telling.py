from __future__ import annotations

from pathlib import Path

from braino_registry.reports.html.sources import open_source
from braino_registry.reports.html.telling import EVENTS, About, tell
from tests.reports.html.folders import EVIL, some_trials, write_run


def test_a_trial_tells_request_answer_and_what_was_expected(tmp_path: Path) -> None:
    source = open_source(write_run(tmp_path, some_trials(1)))
    told = tell(source, source.report["trials"][0], 1000)
    assert told["request"] == "Find the bad channels."
    assert told["answer"] == "T8 is bad."
    assert told["about"] == About("sub-01_task-oddball")
    assert told["checks"][0]["expected"] == '["T8"]'
    assert told["checks"][1]["expected"] is None
    assert told["artifacts"][0]["text"] == "channel\nT8\n"
    decision = next(event for event in told["events"] if event["type"] == "decide")
    assert decision["status"] == "edited"
    assert dict(decision["parts"])["applied"] == '{"channels": ["T8"]}'
    question = next(event for event in told["events"] if event["type"] == "ask")
    assert dict(question["parts"]) == {"reply": "50"}


def test_what_a_trial_is_about_is_known_from_its_transcript_alone(tmp_path: Path) -> None:
    folder = write_run(tmp_path, some_trials(1))
    (transcript,) = folder.rglob("events.jsonl")
    source = open_source(folder)
    row = source.report["trials"][0]
    transcript.write_text(transcript.read_text().replace('"sub-01_task-oddball"', "null", 1))
    assert tell(source, row, 1000)["about"] == About(None)  # the dataset as a whole
    transcript.unlink()
    assert tell(source, row, 1000)["about"] is None


def test_a_transcript_outside_the_run_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.jsonl").write_text('{"type": "answer", "text": "a secret"}\n')
    source = open_source(write_run(tmp_path / "run", some_trials(1)))
    row = {**source.report["trials"][0], "transcript": "../secret.jsonl"}
    assert tell(source, row, 1000)["answer"] is None


def test_an_artifact_outside_the_trial_is_not_read(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", some_trials(1))
    (tmp_path / "secret.csv").write_text("a secret")
    artifacts = next(folder.glob("trials/*/*/*/artifacts"))
    (artifacts / "a.csv").unlink()
    (artifacts / "a.csv").symlink_to(tmp_path / "secret.csv")
    source = open_source(folder)
    assert tell(source, source.report["trials"][0], 1000)["artifacts"] == [{"name": "a.csv"}]


def test_a_long_session_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    call = {"type": "call", "tool": "calc", "version": None, "args": {}, "ok": False,
            "error": {"problem": "no", "instead": ""}, "seconds": 0.0}  # fmt: skip
    source = open_source(write_run(tmp_path, some_trials(1), more=[call] * 500))
    events = tell(source, source.report["trials"][0], 1000)["events"]
    assert len(events) == EVENTS + 1
    assert {"type": "gap", "head": "386 events are left out here"} in events
    assert events[-1]["head"] == "End: finished"
    assert events[5]["failed"] is True


def test_five_megabytes_in_a_line_are_cut(tmp_path: Path) -> None:
    source = open_source(write_run(tmp_path, some_trials(1), answer="y" * 5_000_000 + EVIL))
    told = tell(source, source.report["trials"][0], 1000)
    assert len(str(told)) < 20_000
    assert told["answer"].endswith("more characters")


def test_half_a_line_at_the_end_of_a_transcript_does_no_harm(tmp_path: Path) -> None:
    folder = write_run(tmp_path, some_trials(1))
    transcript = next(folder.glob("trials/*/*/*/events.jsonl"))
    transcript.write_text(transcript.read_text() + '{"n": 99, "ty')
    source = open_source(folder)
    assert tell(source, source.report["trials"][0], 1000)["answer"] == "T8 is bad."
