"""What the doctor says agrees with what a run does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from braino_registry.cli import main
from braino_registry.runner import levels, tiers
from braino_registry.runner.doctor import examine
from braino_registry.runner.sandbox import choosing
from braino_registry.runner.settings import ISOLATIONS


@pytest.fixture
def no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(choosing.VARIABLE, raising=False)
    choosing.probe.cache_clear()
    yield
    choosing.probe.cache_clear()


def test_it_tells_of_every_level_engine_and_tier() -> None:
    found = examine()
    assert set(found["isolation"]) == set(ISOLATIONS)
    assert set(found["tiers"]) == set(tiers.names())
    assert [probe["engine"] for probe in found["engines"]] == [e.name for e in choosing.engines()]
    for probe in found["engines"]:
        assert probe["works"] or probe["detail"]
    assert found["ranked"] == found["isolation"]["sandbox"]["works"]
    holds = found["isolation"]["process"]["holds"]
    assert holds == levels.get("process").enforcement(tiers.get("minimum"))


def test_without_an_engine_it_says_what_to_install(no_engine: None) -> None:
    found = examine()
    assert found["sandbox"] is None
    assert not found["ranked"]
    assert "apt install bubblewrap" in found["engines"][0]["fix"]


def test_the_command_prints_json_and_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    for options in (["--json"], []):
        with pytest.raises(SystemExit) as stop:
            main(["eval", "doctor", *options])
        assert stop.value.code == 0
        printed = capsys.readouterr().out
        if options:
            assert json.loads(printed)["isolation"]["none"]["works"] is True
        else:
            assert "Sandboxes" in printed
