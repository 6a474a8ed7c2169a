"""The page in a real browser: from disk, without a network, for eyes, keyboards and readers.

Playwright drives Debian's Chromium; where either is missing these tests are skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from braino_registry.reports.html import build, open_source
from braino_registry.reports.html.album import Located
from tests import tiny
from tests.browser.chromium import CHROMIUM, FLAGS, MARKS, playwright
from tests.reports.html.folders import EVIL, SCRIPT, events, some_trials, write_run
from tests.reports.samples import check, trial

TRIALS = 320

pytestmark = MARKS


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    tree = tiny.write(folder / "bids")
    located = Located(tree.root, {"recordings": {"sub-01_task-oddball": {
        "noisy_channels": ["T8"], "blinks": [3.0, 30.0],
        "components": {"P3": {"latency_s": 0.4, "amplitude_uv": {"target": 12, "standard": 0}}},
    }}})  # fmt: skip
    evil = trial(
        task="evil", instance="sub-99", outcome="failed", notes=[EVIL], reason=EVIL,
        checks=[{**check(passed=False), "evidence": EVIL}],
    )  # fmt: skip
    rows = [*some_trials(TRIALS), {**evil, "category": "refusal"}]
    run = write_run(folder / "run", rows)
    answer = f"T8 is bad. {EVIL} {'z' * 5_000_000}"
    lines = "".join(json.dumps(event) + "\n" for event in events(answer))
    (run / "trials/evil/sub-99/1/events.jsonl").write_text(lines)
    first = open_source(run)
    second = open_source(
        write_run(folder / "other", some_trials(40, failing=False), agent="second", run_id="two")
    )
    file = folder / "report.html"
    file.write_bytes(build([first, second], locate=lambda *_: [located]))
    return file


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


def opened(browser: Any, file: Path, width: int = 1280, scheme: str = "light") -> tuple[Any, list]:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, offline=True, color_scheme=scheme
    )
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda each: said.append(each.url) if "file:" not in each.url[:5] and
            "data:" not in each.url[:5] else None)  # fmt: skip
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.goto(file.as_uri())
    page.locator("html[data-ready='1']").wait_for(state="attached")
    return page, said


def overflow(page: Any) -> int:
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )


def shown(page: Any) -> int:
    return int(page.locator("details.trial:not([hidden])").count())


def counted(page: Any, text: Any) -> None:
    """Wait until the page says how many trials it shows; it may evaluate no text itself."""
    playwright.expect(page.locator("#count")).to_have_text(text)


def show_first(page: Any) -> Any:
    row = page.locator("details.trial:not([hidden])").first
    row.locator("> summary").click()
    row.locator(".body").wait_for()
    return row


def test_it_opens_filters_and_searches(browser: Any, page_file: Path) -> None:
    page, said = opened(browser, page_file)
    assert shown(page) == TRIALS + 1
    page.select_option("#f-outcome", "passed")
    counted(page, re.compile(rf"^\d+ of {TRIALS + 1} trials$"))
    assert 0 < shown(page) < TRIALS
    page.click("button[type=reset]")
    counted(page, f"{TRIALS + 1} trials")
    page.fill("#q", "count-events sub-07")
    counted(page, f"1 of {TRIALS + 1} trials")
    assert shown(page) == 1
    page.fill("#q", "nothing has these words")
    page.locator("#nothing").wait_for()
    assert said == []


def test_a_trial_shows_conversation_evidence_and_pictures(browser: Any, page_file: Path) -> None:
    page, said = opened(browser, page_file)
    row = show_first(page)
    row.locator("figure svg").first.wait_for()
    text = row.inner_text()
    for words in (
        "Find the bad channels.", "found T8, expected T8", "They stand out.", "F7 is fine.",
        "50 or 60 Hz?", "Planted: T8 noisy", "a.csv, 11 bytes",
    ):  # fmt: skip
        assert words in text
    assert row.locator("figure svg").count() == 4  # drawn once for both reports
    assert row.locator(".ev-decide details").first.get_attribute("open") is not None
    assert row.locator(".ev-call details").first.get_attribute("open") is None
    assert said == []


def test_what_an_agent_wrote_does_nothing(browser: Any, page_file: Path) -> None:
    page, said = opened(browser, page_file)
    page.fill("#q", "evil")
    counted(page, f"1 of {TRIALS + 1} trials")
    row = show_first(page)
    text = row.inner_text()
    assert SCRIPT in text
    assert "⟨U+202E⟩" in text
    assert "more characters" in text
    assert page.title() == "braino: probe, second"
    assert row.locator("img").count() == 0
    assert overflow(page) <= 0
    assert said == []


def test_it_works_by_keyboard(browser: Any, page_file: Path) -> None:
    page, _ = opened(browser, page_file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the trials"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    row = page.locator("details.trial").first
    row.locator("> summary").focus()
    page.keyboard.press("Enter")
    row.locator(".body").wait_for()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_nothing_bars_anybody(browser: Any, page_file: Path, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page, said = opened(browser, page_file, width, scheme)
    show_first(page).locator("figure svg").first.wait_for()
    assert overflow(page) <= 0
    found = axe.run(page).response["violations"]
    serious = [
        (each["id"], each["nodes"][0]["html"][:200], each["nodes"][0].get("failureSummary"))
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
    assert serious == []
    assert said == []


def test_it_prints(browser: Any, page_file: Path, tmp_path: Path) -> None:
    page, _ = opened(browser, page_file)
    page.emulate_media(media="print")
    assert page.locator("#filters").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.pdf(path=str(tmp_path / "page.pdf"))
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
