"""A wheel, away from the checkout, holds entries and schemas and passes the suite."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the wheel installs."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=TOP, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def braino(site: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the command line of the wheel from a folder of its own."""
    env = {**os.environ, "PYTHONPATH": str(site), "BRAINO_DATA": str(site.parent / "cache")}
    env.pop("BRAINO_MIRRORS", None)
    command = [sys.executable, "-c", "from braino_registry.cli import main; main()", *args]
    here = site.parent / "elsewhere"
    here.mkdir(exist_ok=True)
    return subprocess.run(command, cwd=here, env=env, capture_output=True, text=True, check=False)


def test_the_wheel_holds_no_tests_and_every_entry(site: Path) -> None:
    entries = site / "braino_registry" / "_entries"
    for folder in ("schemas", "tasks", "generators", "datasets"):
        here = {p.relative_to(TOP / folder) for p in (TOP / folder).rglob("*.json")}
        there = {p.relative_to(entries / folder) for p in (entries / folder).rglob("*.json")}
        assert here == there
    assert not list(site.rglob("test_*.py"))


def test_listing_from_a_wheel(site: Path) -> None:
    done = braino(site, "eval", "list", "--json")
    assert done.returncode == 0, done.stderr
    assert "bad-channels-ask" in done.stdout


@pytest.mark.slow
def test_the_oracle_passes_from_a_wheel(site: Path) -> None:
    done = braino(site, "eval", "run", "--agent", "oracle", "-o", "report.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (site.parent / "elsewhere" / "report.json").exists()
