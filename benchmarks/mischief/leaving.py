"""Deeds that leave a trial's folders in a state in which they are hard to read or to remove."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress

from braino.agent import AgentAnswer, Session

from .deeds import Places, deed, tried

_ODD = (
    b"a\nb", b"\x1b[31mred", b"\xff\xfe", b" ", b"-rf", b"x" * 255, b"\xc3\xbc\xe2\x80\xae",
    b"<script>alert(1)<", b"a\tb", b"a\\b", b"%s{0}", b"CON", b"a:b",
)  # fmt: skip


@deed
def makes_100_000_files(session: Session, places: Places) -> str:
    """Make 100 000 files."""
    for number in range(100_000):
        os.close(os.open(session.workspace / str(number), os.O_CREAT | os.O_WRONLY))
    time.sleep(2)
    return "DONE"


@deed
def nests_folders(session: Session, places: Places) -> AgentAnswer:
    """Nest folders deeper than any path can be."""
    os.chdir(session.workspace)
    for _ in range(3000):
        os.mkdir("d" * 50)
        os.chdir("d" * 50)
    with open("deep", "w") as file:
        file.write("x")
    return AgentAnswer("nested", artifacts=["/".join(["d" * 50] * 15) + "/deep"])


@deed
def odd_names(session: Session, places: Places) -> AgentAnswer:
    """Odd names."""
    made = []
    for name in _ODD:
        with suppress(OSError):
            os.close(os.open(os.fsencode(session.workspace) + b"/" + name, os.O_CREAT))
            made.append(name.decode("utf-8", "replace"))
    return AgentAnswer(
        f"{len(made)} files", artifacts=[*made, "no\0such", "", ".", "..", "a" * 999]
    )


@deed
def hands_in_a_long_path(session: Session, places: Places) -> AgentAnswer:
    """Hand in a path of 64 KB."""
    return AgentAnswer("a long path", artifacts=["x/" * 32_768])


@deed
def hands_in_the_same_file_a_thousand_times(session: Session, places: Places) -> AgentAnswer:
    """Hand in the same large file under many names."""
    with (session.workspace / "file").open("wb") as file:
        file.write(b"x" * 1000)
    names = ["./" * number + "file" for number in range(400)]
    return AgentAnswer("one file", artifacts=names)


@deed
def shuts_its_workspace(session: Session, places: Places) -> AgentAnswer:
    """Shut its workspace, and then ask a tool to write there."""
    (session.workspace / "file").write_text("x")
    session.workspace.chmod(0)
    return AgentAnswer(_ask_for_a_file(session), artifacts=["file"])


@deed
def removes_its_workspace(session: Session, places: Places) -> AgentAnswer:
    """Remove its workspace, and put a link in its place."""
    said = tried(lambda: shutil.rmtree(session.workspace))
    said += " " + tried(lambda: session.workspace.symlink_to(os.path.dirname(places["truth"])))
    name = os.path.basename(places["truth"])
    return AgentAnswer(
        f"{_ask_for_a_file(session)} {said}".replace("DONE", "made"), artifacts=[name]
    )


@deed
def renames_its_workspace(session: Session, places: Places) -> AgentAnswer:
    """Rename its workspace."""
    said = tried(lambda: session.workspace.rename(session.workspace.parent / "elsewhere"))
    return AgentAnswer(said.replace("DONE", "made"), artifacts=["file"])


def _ask_for_a_file(session: Session) -> str:
    """Ask a tool to write a file there, where there are tools; return what came of it."""
    call = getattr(session, "call", None)
    if call is None:
        return "no tools"
    view = "sub-01_task-rest"
    outcome = call("export.data", {"file": "a.npy", "format": "npy", "view": view})
    return "a file was made" if outcome.ok else f"refused: {outcome.error}"
