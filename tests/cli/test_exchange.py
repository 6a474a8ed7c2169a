"""`braino eval export` and `braino data croissant`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import ENTRIES, Inside, assert_error


@pytest.mark.slow
def test_a_run_is_exported_in_both_formats(inside: Inside, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = inside("eval", "run", "probe-sum", "--agent", "oracle", "--isolation", "none",
                  "--registry", str(ENTRIES), "--run-dir", str(run))  # fmt: skip
    assert done.returncode == 0, done.stderr
    for form, count in (("atif", 2), ("every-eval-ever", 2)):
        out = tmp_path / form
        done = inside("eval", "export", str(run), "--format", form, "-o", str(out), "--json")
        assert json.loads(done.stdout)["trials"] == 2
        assert len([path for path in out.rglob("*") if path.is_file()]) == count
    again = inside("eval", "export", str(run), "--format", "atif", "-o", str(tmp_path / "atif"))
    assert_error(again, 2, "this exists already")


@pytest.mark.slow
def test_a_dataset_is_described_and_compared(inside: Inside, tmp_path: Path) -> None:
    cache = ("--cache", str(tmp_path / "cache"))
    file = tmp_path / "doc.json"
    assert_error(inside("data", "croissant", "aperiodic", *cache), 3, "braino data build")
    assert inside("data", "build", "aperiodic", *cache).returncode == 0
    assert inside("data", "croissant", "aperiodic", "-o", str(file), *cache).returncode == 0
    done = inside("data", "croissant", "aperiodic", "--check", str(file), *cache)
    assert (done.returncode, "agrees" in done.stdout) == (0, True)
    document = json.loads(file.read_text())
    document["distribution"][0]["sha256"] = "0" * 64
    file.write_text(json.dumps(document))
    done = inside("data", "croissant", "aperiodic", "--check", str(file), *cache, "--json")
    assert done.returncode == 1
    assert len(json.loads(done.stdout)["problems"]) == 1


def test_what_is_no_report_is_refused(inside: Inside, tmp_path: Path) -> None:
    done = inside("eval", "export", str(tmp_path), "--format", "atif", "-o", str(tmp_path / "out"))
    assert done.returncode != 0
    assert not (tmp_path / "out").exists()
    done = inside("eval", "export", str(tmp_path), "--format", "csv", "-o", str(tmp_path / "out"))
    assert done.returncode == 2
