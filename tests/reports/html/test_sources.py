from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry import reports
from braino_registry.errors import ReportError
from braino_registry.reports.html.page import build
from braino_registry.reports.html.sources import open_source, with_sources
from tests.reports.html.folders import some_trials, write_run


def test_a_whole_run_needs_no_banner(tmp_path: Path) -> None:
    source = open_source(write_run(tmp_path, some_trials()))
    assert source.banners == ()
    assert source.home == tmp_path
    assert source.plan[("count-events", "sub-00")]["difficulty"] == "easy"
    assert source.label == "probe"


def test_a_report_that_was_given_away_says_what_is_missing(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", some_trials())
    copy = tmp_path / "elsewhere" / "mine.json"
    copy.parent.mkdir()
    shutil.copy(folder / "report.json", copy)
    shutil.rmtree(folder)
    source = open_source(copy)
    assert source.home is None
    assert "The folder of this run is not here" in source.banners[0]


def test_a_run_without_a_report_is_read_from_its_journal(tmp_path: Path) -> None:
    folder = write_run(tmp_path, some_trials(), sealed=False)
    with (folder / "journal.jsonl").open("a") as stream:
        stream.write('{"type":"started","task":"x","instance":"y","repeat":1,"attempt":1}\n')
        stream.write('{"type":"finished","record":{"task":"torn')
    source = open_source(folder)
    assert [t["task"] for t in source.report["trials"]] == [t["task"] for t in some_trials()]
    assert source.report["summary"]["passed"] == 2
    assert "has written no report yet" in source.banners[0]
    assert source.banners[1] == "1 line of the journal is damaged and left out."


def test_coverage_of_an_interrupted_run_is_that_of_its_plan(tmp_path: Path) -> None:
    folder = write_run(tmp_path, some_trials(4), sealed=False)
    lines = (folder / "journal.jsonl").read_text().splitlines(keepends=True)
    (folder / "journal.jsonl").write_text("".join(lines[:3]))
    source = open_source(folder)
    assert source.banners[-1] == "INCOMPLETE: 3 of 4 planned trials are scored."


def test_an_edited_report_is_shown_from_the_journal_and_says_so(tmp_path: Path) -> None:
    folder = write_run(tmp_path, some_trials())
    text = (folder / "report.json").read_text().replace('"failed"', '"passed"', 1)
    (folder / "report.json").write_text(text)
    source = open_source(folder)
    assert "cannot be used (the report was edited" in source.banners[0]
    assert source.report["trials"][0]["outcome"] == "failed"


def test_an_older_report_alone_is_shown_with_what_it_has(tmp_path: Path) -> None:
    rows = [
        {k: row[k] for k in ("task", "instance", "repeat", "outcome", "score", "passed", "checks")}
        for row in some_trials()
    ]
    file = tmp_path / "old.json"
    document = {"schema": "report/0", "suite": "braino", "trials": [*rows, {"task": 3}, "x"]}
    file.write_text(json.dumps(document))
    source = open_source(file)
    assert len(source.report["trials"]) == 4
    assert "cannot be trusted: this is no report" in source.banners[0]
    assert source.report["agent"]["name"] == "?"


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"trials": []}', '{"trials": [{"task": 1}]}'])
def test_what_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ReportError):
        open_source(tmp_path / "x.json")
    with pytest.raises(ReportError):
        open_source(tmp_path)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "record", "task", "instance", "repeat", "outcome", "checks",
                         "score", "passed", "asked", "plan", "agent", "trials", "rule", "planned",
                         "datasets", "select", "registry", "cache", "repeats", "usage", "notes",
                         "detail", "id", "computer", "digests", "salt"]),
        inner, max_size=6),
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(_JSON, st.lists(_JSON | st.binary(max_size=20), max_size=4))
def test_rubbish_is_shown_or_refused_but_never_a_crash(run: object, lines: list[object]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.json").write_text(json.dumps(run))
        body = b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines)
        (folder / "journal.jsonl").write_bytes(body)
        try:
            source = open_source(folder)
        except ReportError:
            return
        assert source.report["coverage"]["statement"]


_FIELDS = [*some_trials(1)[0], "process", "interruptions"]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(_FIELDS), _JSON), min_size=1, max_size=4),
    st.sampled_from(["braino", "brainbench", "eegagentbench", "x"]),
)
def test_a_record_with_rubbish_in_it_is_shown_or_left_out(
    changes: list[tuple[str, object]], rule: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = write_run(Path(name), some_trials(1), sealed=False)
        run = json.loads((folder / "run.json").read_text())
        (folder / "run.json").write_text(json.dumps({**run, "rule": rule}))
        record = {**json.loads((folder / "journal.jsonl").read_text())["record"], **dict(changes)}
        with (folder / "journal.jsonl").open("a") as stream:
            stream.write(json.dumps({"type": "finished", "record": record}) + "\n")
        assert b'role="note"' in build([open_source(folder)])


def test_half_a_run_is_compared_with_a_whole_one(tmp_path: Path) -> None:
    whole = open_source(write_run(tmp_path / "whole", some_trials()))
    half = open_source(write_run(tmp_path / "half", some_trials(2), sealed=False))
    assert not half.trusted
    assert b"Comparison with probe" in build([whole, half])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("coverage",), None),
        (("trials", 0, "score"), "much"),
        (("trials", 0, "checks"), {"a": 1}),
        (("agent", "name"), {}),
        (("settings",), []),
        (("summary",), "none"),
    ],
)
def test_a_sealed_report_of_wrong_types_is_shown_as_far_as_it_can_be_read(
    path: tuple[str | int, ...], value: object, tmp_path: Path
) -> None:
    file = write_run(tmp_path, some_trials()) / "report.json"
    report = reports.read(file)
    place: Any = report
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    reports.write(file, report)
    sources, page = with_sources([file], lambda found: (found, build(found)))
    assert page
    if not sources[0].trusted:
        assert "the report is invalid" in sources[0].banners[0]
        assert len(sources[0].report["trials"]) == 4


def test_a_detail_that_no_figure_can_use_is_told(tmp_path: Path) -> None:
    file = write_run(tmp_path, some_trials()) / "report.json"

    def fail(found: object) -> None:
        raise TypeError("unhashable type: 'dict'")

    with pytest.raises(ReportError, match="cannot be used") as told:
        with_sources([file], fail)
    assert len(str(told.value).splitlines()) == 3
