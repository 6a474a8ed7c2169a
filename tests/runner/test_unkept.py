"""A cache that keeps no computed values: the run says so once, and no trial suffers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from braino_registry import runner


def test_it_is_told_once_and_every_trial_is_scored(settings: Any, tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.mkdir()
    # The right to write cannot be taken from an administrator; a file in the way stops anybody.
    (blocked / "expected").write_text("")
    events: list[dict[str, Any]] = []
    result = runner.run(settings("good", cache=blocked), observer=events.append)
    assert result.exit_code == 0
    told = [event["text"] for event in events if event["type"] == "note"]
    assert ["computed values are not kept" in text for text in told] == [True]
    assert str(blocked / "expected") in told[0]
    assert {row["outcome"] for row in result.report["trials"]} == {"passed", "failed"}
