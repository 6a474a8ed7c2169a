from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from braino_registry.errors import ReportError
from braino_registry.reports.html import build, open_source
from braino_registry.reports.html.album import Located
from braino_registry.reports.html.headline import compared
from braino_registry.reports.html.packing import unpacked
from braino_registry.reports.html.sources import Source
from tests import tiny
from tests.reports.html.folders import BREAKOUT, EVIL, SCRIPT, some_trials, write_run
from tests.reports.samples import check, report, trial


def data_of(page: bytes) -> dict[str, Any]:
    found = re.search(rb'id="data">(.*?)</script>', page, re.S)
    assert found
    document: dict[str, Any] = json.loads(found[1])
    return document


def test_a_page_tells_headline_interval_coverage_tasks_and_trials(tmp_path: Path) -> None:
    page = build([open_source(write_run(tmp_path, some_trials(8)))]).decode()
    assert "95 % interval" in page
    assert "All 8 planned trials are scored." in page
    assert page.count('<details class="trial"') == 8
    assert "● names-it 2/4" in page
    assert "○ asks 4/4" in page
    assert 'data-difficulty="easy"' in page


def test_nothing_of_an_agent_becomes_markup(tmp_path: Path) -> None:
    evil = trial(
        task="bad-channels-ask", instance="sub-01", outcome="failed",
        checks=[{**check(passed=False), "id": SCRIPT, "evidence": EVIL}], reason=EVIL, notes=[EVIL],
    )  # fmt: skip
    source = open_source(write_run(tmp_path, [evil], answer=EVIL, model=EVIL, agent=BREAKOUT))
    page = build([source, source], title=BREAKOUT)
    text = page.decode()
    assert "<script>document" not in text
    assert "<img src=x" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("</script>") == 2  # the data and the page's own script
    assert text.count("</title>") == 1
    assert text.count("</style>") == 1
    told = unpacked(data_of(page)["blocks"][0])[0][0]
    assert told["answer"].startswith(SCRIPT)  # whole, as data


def test_only_its_own_script_may_run_and_nothing_is_fetched(tmp_path: Path) -> None:
    text = build([open_source(write_run(tmp_path, some_trials()))]).decode()
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in text
    assert "innerHTML" not in script
    assert not re.search(r"""(src|href)=["'](?!#|data:)""", text)
    assert "url(" not in text
    assert "@import" not in text


def test_a_comparison_names_what_got_worse_without_breaking() -> None:
    trials = [trial(instance=f"n{n}", outcome="failed", score=0.5) for n in range(7)]
    lower = [{**each, "score": 0.25} for each in trials]
    sources = [Source(report(rows), None) for rows in (trials, lower)]
    (row,) = compared(sources, ["one", "two"])
    assert row["worse"].startswith("7: bad-channels-ask/n0/1, ")
    assert row["worse"].endswith("/n4/1, and 2 more")
    assert row["better"] == "0"


def test_several_reports_stand_side_by_side(tmp_path: Path) -> None:
    first = open_source(write_run(tmp_path / "a", some_trials(6), run_id="one"))
    second = open_source(
        write_run(tmp_path / "b", some_trials(4, failing=False), run_id="two", agent="better")
    )
    page = build([first, second])
    text = page.decode()
    assert text.count('<details class="trial"') == 6
    assert "Comparison with probe" in text
    assert text.count('<span class="pill none">absent</span>') == 2
    cells = unpacked(data_of(page)["blocks"][0])
    assert cells[5][1] is None
    assert data_of(page)["labels"] == ["probe", "better"]


def test_the_same_agent_twice_gets_two_names(tmp_path: Path) -> None:
    source = open_source(write_run(tmp_path, some_trials()))
    assert data_of(build([source, source]))["labels"] == ["probe", "probe (2)"]


def test_recordings_are_drawn_once_and_shown_with_each_trial(tmp_path: Path) -> None:
    tree = tiny.write(tmp_path / "bids")
    planted = {"noisy_channels": ["T8"], "components": {
        "P3": {"latency_s": 0.4, "amplitude_uv": {"target": 12, "standard": 0}}}}  # fmt: skip
    located = Located(tree.root, {"recordings": {"sub-01_task-oddball": planted}})
    source = open_source(write_run(tmp_path / "run", some_trials(3)))
    elsewhere = Located(tmp_path / "run", {})  # a part of the dataset without this recording
    data = data_of(build([source], locate=lambda *_: [elsewhere, located]))
    assert len(data["pictures"]) == 1
    (key,) = data["pictures"]
    assert all(cell["pictures"] == [key] for (cell,) in unpacked(data["blocks"][0]))
    titles = [picture["title"] for picture in unpacked(data["pictures"][key])]
    assert titles[0] == "Event-related potential at Pz"
    assert titles[1].startswith("sub-01_task-oddball: 6 s of the signal")
    assert titles[2] == "Power spectral density"


def test_a_recording_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    tree = tiny.write(tmp_path / "bids")
    for file in tree.root.rglob("*.eeg"):
        file.write_bytes(b"")
    located = Located(tree.root, {})
    source = open_source(write_run(tmp_path / "run", some_trials(1)))
    data = data_of(build([source], locate=lambda *_: [located]))
    (pictures,) = data["pictures"].values()
    assert unpacked(pictures)[0]["title"] == "sub-01_task-oddball cannot be drawn"


def test_data_that_are_not_here_are_named(tmp_path: Path) -> None:
    source = open_source(write_run(tmp_path / "run", some_trials(2)))
    dataset = source.report["trials"][0]["dataset"]
    said = f"No signal is drawn of {dataset}: it is not in the cache".encode()
    assert said in build([source], locate=lambda *_: [])
    assert said not in build([source])  # nobody asked for pictures


@pytest.mark.slow
def test_a_page_of_a_thousand_trials_is_small(tmp_path: Path) -> None:
    source = open_source(write_run(tmp_path, some_trials(1000), answer="a word " * 3000))
    page = build([source])
    assert len(page) < 3_000_000
    assert page.count(b'<details class="trial"') == 1000
    assert b"Texts are cut after" not in page or b"run folder has them whole" in page


def test_without_a_report_there_is_no_page() -> None:
    with pytest.raises(ReportError):
        build([])


def test_a_damaged_run_has_a_banner(tmp_path: Path) -> None:
    folder = write_run(tmp_path, some_trials(), sealed=False)
    assert b'class="banner" role="note"' in build([open_source(folder)])
