from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.errors import HostError, ReportError, UsageError
from braino_registry.runner import journal
from tests.reports.samples import trial

KEY = ("bad-channels-ask", "sub-02", 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def test_what_is_written_is_read(path: Path) -> None:
    with journal.Journal(path) as log:
        log.started(KEY, 1)
        log.finished(trial())
        log.started(("bad-channels-ask", "sub-01", 1), 1)
    progress = journal.read(path)
    assert progress.finished == {KEY: trial()}
    assert progress.in_flight() == [("bad-channels-ask", "sub-01", 1)]
    assert not progress.torn


def test_a_finished_record_is_on_disk_before_the_call_returns(path: Path) -> None:
    code = f"""
import os
from pathlib import Path
from braino_registry.runner.journal import Journal
log = Journal(Path({str(path)!r}))
log.finished({trial()!r})
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    assert journal.read(path).finished == {KEY: trial()}


WHOLE = b"".join(
    json.dumps(entry).encode() + b"\n"
    for entry in (
        {"type": "started", "task": "a", "instance": "b", "repeat": 1, "attempt": 1},
        {"type": "finished", "record": trial("a", "b")},
        {"type": "started", "task": "a", "instance": "c", "repeat": 1, "attempt": 1},
    )
)


@given(length=st.integers(min_value=0, max_value=len(WHOLE)))
def test_a_torn_last_line_never_hurts_and_is_cut_off(
    tmp_path_factory: pytest.TempPathFactory, length: int
) -> None:
    path = tmp_path_factory.mktemp("torn") / "journal.jsonl"
    path.write_bytes(WHOLE[:length])
    before = journal.read(path)
    with journal.Journal(path) as log:
        log.started(("z", "z", 1), 2)
    after = journal.read(path)
    assert not after.torn
    assert after.finished == before.finished
    assert set(after.started) == {*before.started, ("z", "z", 1)}


@pytest.mark.parametrize("whole", [0, 1, 40])
@pytest.mark.parametrize("torn", [0, 1, 65_535, 65_536, 65_537, 300_000])
def test_a_torn_line_of_any_length_is_cut_off_and_no_more(
    path: Path, whole: int, torn: int
) -> None:
    with journal.Journal(path) as log:
        for repeat in range(1, whole + 1):
            log.finished(trial(repeat=repeat))
    before = path.read_bytes()
    path.write_bytes(before + b"x" * torn)
    with journal.Journal(path):
        pass
    assert path.read_bytes() == before


def test_a_damaged_line_in_the_middle_is_an_error_with_its_place(path: Path) -> None:
    lines = WHOLE.split(b"\n")
    path.write_bytes(b"\n".join([lines[0], lines[1][:20], lines[2], b""]))
    with pytest.raises(ReportError) as error:
        journal.read(path)
    assert "line 2" in str(error.value)


def test_two_writers_of_one_folder_are_refused(path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom braino_registry.runner.journal import Journal\n"
        f"log = Journal(Path({str(path)!r}))\nprint('ready', flush=True)\nsys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"ready\n"
    try:
        with pytest.raises(UsageError, match="another process"):
            journal.Journal(path)
    finally:
        other.communicate(b"")
    journal.Journal(path).close()


def test_a_journal_that_cannot_be_written_is_a_host_error(tmp_path: Path) -> None:
    with pytest.raises(HostError) as error:
        journal.Journal(tmp_path / "missing" / "journal.jsonl")
    assert error.value.exit_code == 3


def test_a_full_disk_is_a_host_error(path: Path) -> None:
    code = f"""
import resource
from pathlib import Path
from braino_registry.errors import HostError
from braino_registry.runner.journal import Journal
log = Journal(Path({str(path)!r}))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    for number in range(1, 100):
        log.started(("a", "b", number), 1)
except HostError as error:
    print(error.exit_code)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "3\n", done.stderr
    assert journal.read(path).torn
