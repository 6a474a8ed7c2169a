"""The tools' copy and the agent's: one is read, the other is shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from braino_registry.session import HeldData
from braino_registry.session.held import write_beneath
from tests.session.support import check_events, copy_dataset, open_session

MARK = {"kind": "mark-bad-channels", "proposal": {"channels": ["T8"]}}
REJECT = {"kind": "reject-epochs", "proposal": {"epochs": [{"onset": 1.0, "duration": 1.0}]}}
SCRIPT = {
    "decisions": [
        {"kind": "mark-bad-channels", "respond": "approve"},
        {"kind": "reject-epochs", "respond": "approve"},
    ]
}
CHANNELS = "sub-02/eeg/sub-02_task-rest_channels.tsv"


@pytest.fixture
def shown(pristine: Path, tmp_path: Path) -> Path:
    """The agent's copy, read-only as in a trial."""
    return copy_dataset(pristine, tmp_path / "shown", read_only=True)


def decided(root: Path, shown: Path, tmp_path: Path) -> list[str]:
    """Make two decisions; return what was logged."""
    session = open_session(tmp_path / "t", root, script=SCRIPT, held=HeldData(root, shown))
    for number, request in enumerate((MARK, REJECT), start=1):
        assert session.handle({"type": "decide", "id": number, **request})["ok"]
    check_events(session)
    assert session._held.untouched()
    return [event["message"] for event in session.transcript.events if event["type"] == "log"]


def test_what_a_decision_writes_stands_in_both(root: Path, shown: Path, tmp_path: Path) -> None:
    modes = {path: path.stat().st_mode for path in shown.rglob("*") if path.is_dir()}
    assert decided(root, shown, tmp_path) == []
    written = {path.relative_to(root) for path in root.rglob("*") if path.is_file()}
    assert any("desc-rejected" in path.name for path in written)
    for path in written:
        assert (shown / path).read_bytes() == (root / path).read_bytes()
    assert "bad" in (shown / CHANNELS).read_text()
    assert {path: path.stat().st_mode for path in modes} == modes


@pytest.mark.parametrize("trap", ["link", "file", "pipe", "gone"])
def test_a_trap_in_the_agents_copy_catches_nothing(
    root: Path, shown: Path, tmp_path: Path, trap: str
) -> None:
    """What an agent sets in the way of these files is not followed, opened or waited for."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for path in (shown, shown / "sub-02" / "eeg"):
        path.chmod(0o755)
    (shown / CHANNELS).unlink()
    place = shown / "derivatives"
    if trap == "link":
        place.symlink_to(outside)
        (shown / CHANNELS).symlink_to(outside / "channels.tsv")
    elif trap == "file":
        place.write_text("mine")
    elif trap == "pipe":
        os.mkfifo(shown / CHANNELS)
    else:
        shown.rename(tmp_path / "elsewhere")
    told = decided(root, shown, tmp_path)
    assert list(outside.iterdir()) == []
    assert all("not repeated in the agent's copy" in each for each in told)
    assert len(told) == {"link": 2, "file": 2, "pipe": 0, "gone": 3}[trap]
    assert trap == "gone" or "bad" in (shown / CHANNELS).read_text()


def test_any_change_of_the_tools_copy_is_seen(root: Path, tmp_path: Path) -> None:
    def seen(change: str) -> bool:
        held = HeldData(root, tmp_path / "shown")
        assert held.untouched()
        path = root / CHANNELS
        if change == "same bytes":
            was = path.stat()
            path.write_bytes(path.read_bytes())
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
        elif change == "added":
            (root / "sub-02" / "more").touch()
        elif change == "replaced":
            (root / "new").write_bytes(path.read_bytes())
            (root / "new").rename(path)
        else:
            path.unlink()
        return not held.untouched()

    assert all(seen(change) for change in ("same bytes", "added", "replaced", "removed"))


def test_a_change_before_a_decision_stays_seen(root: Path, tmp_path: Path) -> None:
    held = HeldData(root, tmp_path / "shown")
    (root / "more").touch()
    with held.changing():
        (root / "own").touch()
    assert not held.untouched()


def test_paths_of_the_tools_copy_are_told_as_the_agents(root: Path) -> None:
    held = HeldData(root, Path("/host/shown"), Path("/inputs"))
    assert held.veiled(f"no such file: {root}/sub-01") == "no such file: /inputs/sub-01"


def test_nothing_is_left_of_a_file_that_could_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(IsADirectoryError):
        write_beneath(tmp_path, "taken", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_what_the_agent_sees_already_is_not_repeated(pristine: Path, tmp_path: Path) -> None:
    root = copy_dataset(pristine, tmp_path / "one")
    held = HeldData(root, root, told=Path("/input"))
    before = (root / CHANNELS).stat()
    assert held.publish([CHANNELS]) == []
    assert (root / CHANNELS).stat() == before
    assert held.untouched()
    (root / "new").write_text("x")
    assert not held.untouched()
    assert held.veiled(f"{root}/sub-02") == "/input/sub-02"
