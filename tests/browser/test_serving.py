"""The list of runs and the leaderboard in a real browser."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

from braino_registry.reports.html.board import page as board_page
from braino_registry.reports.html.serving import Server
from braino_registry.reports.leaderboard import board, collect
from tests.browser.chromium import CHROMIUM, FLAGS, MARKS, playwright, serious
from tests.reports.html.folders import some_trials, write_run
from tests.reports.test_leaderboard import KNOWN

pytestmark = MARKS


def test_a_run_that_goes_on_is_followed(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "runs" / "now", some_trials(4), sealed=False)
    journal = folder / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:2]))
    with (
        playwright.sync_playwright() as driver,
        Server(tmp_path / "runs") as server,
        journal.open("ab", buffering=0) as stream,
    ):
        fcntl.flock(stream, fcntl.LOCK_EX)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        page = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS).new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(server.url)
        playwright.expect(page.locator("#said")).to_have_text("1 run is going on.")
        playwright.expect(page.locator("#runs")).to_contain_text("2/4")
        stream.write("".join(lines[2:3]).encode())
        playwright.expect(page.locator("#runs")).to_contain_text("3/4", timeout=15_000)
        assert serious(page) == []
        page.click("#runs a")
        page.locator("html[data-ready='1']").wait_for(state="attached")
        assert "INCOMPLETE: 3 of 4 planned trials are scored." in page.inner_text("main")
        assert said == []
        server.shutdown()


def test_the_leaderboard_bars_nobody(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_run(tmp_path / name, some_trials(6), run_id=name, agent=name)
    file = tmp_path / "board.html"
    file.write_bytes(board_page(board(*collect(tmp_path, lambda _: ()), KNOWN), "Results"))
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for width in (1280, 400):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(file.as_uri())
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(wide) <= 0
            assert serious(page) == []
