"""What the agent's interpreter notes of what is opened and reached beside the task."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from braino.agent import _Watch


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> _Watch:
    """A watch for which not even the temporary folder is the agent's own."""
    monkeypatch.setenv("TMPDIR", "/nowhere-at-all")
    monkeypatch.setenv("HOME", "/nowhere-at-all")
    monkeypatch.chdir("/usr")
    return _Watch()


def noted(capfd: pytest.CaptureFixture[str]) -> list[str]:
    return [line.removeprefix(_Watch.MARK) for line in capfd.readouterr().err.splitlines()]


def test_data_beside_a_package_in_use_belong_to_it(
    watch: _Watch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name, package in (("its_package.part", "its_package"), ("its_script", "")):
        module = ModuleType(name)
        module.__file__, module.__package__ = str(tmp_path / name / "code.py"), package
        monkeypatch.setitem(sys.modules, name, module)
    watch("open", (str(tmp_path / "its_package.part" / "prompts.json"), "r", 0))
    assert noted(capfd) == []
    for other in ("its_package.part/below/truth.json", "its_script/truth.json", "truth.json"):
        watch("open", (str(tmp_path / other), "r", 0))
        assert noted(capfd) == [f"opened {tmp_path / other}"]


def test_a_name_is_noted_and_not_its_numbers(
    watch: _Watch, capfd: pytest.CaptureFixture[str]
) -> None:
    watch("socket.connect", (None, ("10.0.0.1", 80)))
    watch("socket.getaddrinfo", ("models.example", 443, 0, 0, 0))
    watch("socket.connect", (None, ("10.0.0.2", 443)))
    watch("socket.connect", (None, "/a/unix/socket"))
    watch("socket.sendto", (None, ("10.0.0.3", 53)))
    watch("socket.getaddrinfo", ("elsewhere.example", 443, 0, 0, 0))
    assert noted(capfd) == [
        "network 10.0.0.1:80", "network models.example:443", "network 10.0.0.3:53",
        "network elsewhere.example:443",
    ]  # fmt: skip
