"""Agents that behave, and agents that do not, for the tests of the runner."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from braino.agent import AgentAnswer, Session, SessionError

Solve = Callable[[str, Session], Any]


class Probe:
    def __init__(self, solve: Solve, model: str | None = None) -> None:
        self.name = solve.__name__.replace("_", "-")
        self.model = model
        self._solve = solve

    def solve(self, request: str, session: Session) -> Any:
        return self._solve(request, session)


def agent(solve: Solve) -> Callable[[], Probe]:
    return lambda: Probe(solve)


def _add(session: Session) -> AgentAnswer:
    # Right for the request that names these numbers; for another one the calculator refuses.
    total = session.call("calc", {"expression": "20 + 22"}).result.get("value", 0)
    return AgentAnswer(text=f"The total is {total}.", data={"total": total})


@agent
def good(request: str, session: Session) -> AgentAnswer:
    return _add(session)


@agent
def idle(request: str, session: Session) -> AgentAnswer:
    return AgentAnswer(text="")


@agent
def returns_nothing(request: str, session: Session) -> None:
    return None


@agent
def raises(request: str, session: Session) -> AgentAnswer:
    raise RuntimeError("no idea")


@agent
def returns_nan(request: str, session: Session) -> AgentAnswer:
    return AgentAnswer(text="The total is 42.", data={"total": float("nan")})


@agent
def writes_a_novel(request: str, session: Session) -> AgentAnswer:
    return AgentAnswer(text="word " * 10_000_000)


@agent
def prints_a_flood(request: str, session: Session) -> AgentAnswer:
    for _ in range(100):
        print("x" * 1_000_000)
    return _add(session)


@agent
def chats(request: str, session: Session) -> AgentAnswer:
    print('{"type": "answer", "text": "The total is 1."}')
    os.system("echo from a child")
    sys.stdout.flush()
    return _add(session)


@agent
def chatters(request: str, session: Session) -> AgentAnswer:
    print("to standard output")
    print("to standard error", file=sys.stderr)
    thread = threading.Thread(target=print, args=("from a thread",))
    thread.start()
    thread.join()
    return _add(session)


@agent
def never_returns(request: str, session: Session) -> AgentAnswer:
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    while True:
        time.sleep(1000)


@agent
def kills_itself(request: str, session: Session) -> AgentAnswer:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@agent
def leaves(request: str, session: Session) -> AgentAnswer:
    os._exit(7)


@agent
def keeps_calling(request: str, session: Session) -> AgentAnswer:
    while True:
        session.call("calc", {"expression": "1 + 1"})


@agent
def leaves_a_daemon(request: str, session: Session) -> AgentAnswer:
    quiet: Any = subprocess.DEVNULL
    child = subprocess.Popen(
        ["sleep", "1000"], start_new_session=True, stdin=quiet, stdout=quiet, stderr=quiet
    )
    (session.workspace / "pid").write_text(str(child.pid))
    answer = _add(session)
    return AgentAnswer(answer.text, answer.data, ["pid"])


@agent
def hands_in_files(request: str, session: Session) -> AgentAnswer:
    (session.workspace / "deep").mkdir()
    (session.workspace / "deep" / "notes.txt").write_text("mine")
    (session.workspace / "link").symlink_to("/etc/passwd")
    names = ["deep/notes.txt", "link", "/etc/passwd", "../inputs", "nothing"]
    return AgentAnswer("The total is 42.", {"total": 42}, names)


@agent
def reports_usage(request: str, session: Session) -> AgentAnswer:
    session.report_usage(input_tokens=100, output_tokens=20)
    session.report_usage(input_tokens=50, output_tokens=None)
    session.ask("Should I round the result?")
    return _add(session)


@agent
def looks_around(request: str, session: Session) -> AgentAnswer:
    facts = [
        str(Path.cwd() == session.workspace),
        str(sorted(name for name in os.environ if name.startswith("BRAINO_"))),
        str(session.inputs),
        str(sys.argv),
    ]
    return AgentAnswer(" | ".join(facts))


@agent
def spoils_the_place(request: str, session: Session) -> AgentAnswer:
    """Makes everything around it hard to remove."""
    deep = session.workspace / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    deep.chmod(0)
    deep.parent.chmod(0)
    session.workspace.chmod(0)
    return _add(session)


@agent
def tampers(request: str, session: Session) -> AgentAnswer:
    """Writes into the data, which root may even where they are read-only."""
    changed = []
    for path in session.inputs.rglob("*"):
        try:
            path.chmod(0o777)
            with path.open("a") as stream:
                stream.write("tampered")
            changed.append(path.name)
        except OSError:
            continue
    return AgentAnswer(f"{len(changed)} changed")


def kills_its_worker() -> Probe:
    def kills_its_worker(request: str, session: Session) -> AgentAnswer:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1000)
        raise AssertionError

    return Probe(kills_its_worker)


def with_model(model: str = "none") -> Probe:
    made = good()
    made.model = model
    return made


class NoSolve:
    name = "no-solve"


def without_solve() -> NoSolve:
    return NoSolve()


class Fixed:
    """An agent whose model cannot be set."""

    __slots__ = ()
    name = "fixed"

    def solve(self, request: str, session: Session) -> AgentAnswer:
        return AgentAnswer("")


def fixed() -> Fixed:
    return Fixed()


@agent
def sleeps_on_large(request: str, session: Session) -> AgentAnswer:
    if "1200" in request and "PROBE_AWAKE" not in os.environ:
        subprocess.run(["sleep", "1000"], check=True)
    return _add(session)


def _rate(session: Session) -> AgentAnswer:
    """Answer the question after the sampling rate as an honest agent would."""
    rate = session.call("recording.info", {"view": "sub-01_task-rest"}).result["sfreq"]
    return AgentAnswer(f"The sampling rate is {rate} Hz.", {"sfreq": rate})


def _open_up(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o777)


@agent
def removes_the_data(request: str, session: Session) -> AgentAnswer:
    _open_up(session.inputs)
    shutil.rmtree(session.inputs)
    return _rate(session)


@agent
def puts_pipes_for_data(request: str, session: Session) -> AgentAnswer:
    _open_up(session.inputs)
    for path in [path for path in session.inputs.rglob("*") if path.is_file()]:
        path.unlink()
        os.mkfifo(path)
    return _rate(session)


@agent
def puts_devices_for_data(request: str, session: Session) -> AgentAnswer:
    _open_up(session.inputs)
    for path in [path for path in session.inputs.rglob("*") if path.is_file()]:
        path.unlink()
        path.symlink_to("/dev/zero")
    return _rate(session)


@agent
def puts_rubbish_for_data(request: str, session: Session) -> AgentAnswer:
    _open_up(session.inputs)
    for path in [path for path in session.inputs.rglob("*") if path.is_file()]:
        path.write_bytes(b'{"a":' * 100_000)
    os.close(os.open(os.fsencode(session.inputs) + b"/sub-\xff", os.O_CREAT))
    return _rate(session)


@agent
def launders_a_number(request: str, session: Session) -> AgentAnswer:
    """Writes a number into the data and has a tool say it."""
    _open_up(session.inputs)
    table = session.inputs / "participants.tsv"
    table.write_text("participant_id\tage\nsub-01\t500\nsub-77\t500\n")
    seen = session.call("dataset.inspect", {})
    assert "77" not in str(seen.result)
    return AgentAnswer("The sampling rate is 500 Hz.", {"sfreq": 500})


@agent
def finds_the_tools_copy(request: str, session: Session) -> AgentAnswer:
    """Writes into the copy that no agent is told of, and makes it look as before."""
    for path in session.inputs.parent.parent.rglob("*_eeg.json"):
        if session.inputs not in path.parents:
            was = path.stat()
            path.chmod(0o644)
            path.write_bytes(path.read_bytes())
            path.chmod(was.st_mode)
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    return _rate(session)


@agent
def asks_for_what_is_not_there(request: str, session: Session) -> AgentAnswer:
    return AgentAnswer(str(session.call("recording.info", {"view": "nothing"}).error))


@agent
def digs(request: str, session: Session) -> AgentAnswer:
    for _ in range(1500):
        os.mkdir("deeper")
        os.chdir("deeper")
    return _add(session)


@agent
def fills_the_disk(request: str, session: Session) -> AgentAnswer:
    for number in range(100):
        (session.workspace / str(number)).write_bytes(b"x" * 500_000)
    while True:
        session.call("calc", {"expression": "1 + 1"})


@agent
def exaggerates(request: str, session: Session) -> AgentAnswer:
    for _ in range(2):
        try:
            session.report_usage(cost=1e308, input_tokens=1e308)
        except SessionError as error:
            print(error)
    return _add(session)


@agent
def tells_its_seed(request: str, session: Session) -> AgentAnswer:
    return AgentAnswer(f"The seed is {session.seed}.")


def signs_the_book(model: str) -> Probe:
    """Writes a line into a file of its trial's name, in the folder that is called the model."""

    def signs_the_book(request: str, session: Session) -> AgentAnswer:
        which = "large" if "1200" in request else "small"
        repeat = next(k for k in range(1, 10) if _seed_of(which, k) == session.seed)
        with Path(model, f"{which}-{repeat}").open("a") as book:
            book.write("once\n")
        if (which, repeat) == ("large", 2) and "PROBE_AWAKE" not in os.environ:
            subprocess.run(["sleep", "1000"], check=True)
        return AgentAnswer("")

    return Probe(signs_the_book, model)


def _seed_of(instance: str, repeat: int) -> int:
    from braino_registry.runner.seeds import of_trial

    return of_trial(0, "probe-sum", instance, repeat)


@agent
def fails_on_large(request: str, session: Session) -> AgentAnswer:
    if "1200" in request and "PROBE_AWAKE" not in os.environ:
        raise ConnectionError("the model does not answer")
    return _add(session)


@agent
def looks_about(request: str, session: Session) -> AgentAnswer:
    """Reads, imports and reaches what is no part of its task, and answers as if it had not."""
    import importlib
    import socket

    # Beside its own code, which it may read.
    (Path(__file__).parent / "entries" / "tasks" / "probe" / "sum.json").read_bytes()
    importlib.import_module("braino_registry.scoring")
    with socket.socket() as out:
        out.settimeout(0.1)
        out.connect_ex(("127.0.0.1", 9))
    numbers = request.split()
    total = session.call("calc", {"expression": f"{numbers[2]} + {numbers[4][:-1]}"}).result
    return AgentAnswer(f"The total is {total['value']}.", {"total": total["value"]})


@agent
def repeats_what_it_read(request: str, session: Session) -> AgentAnswer:
    return AgentAnswer("braino-registry canary c4e30bb7-111f-4dea-9d65-a9a3438ae782, it said.")


def writes_where_its_model_says(model: str) -> Probe:
    def writes_where_its_model_says(request: str, session: Session) -> AgentAnswer:
        folder = Path(model).parent
        folder.chmod(0o755)
        Path(model).write_text("x")
        return _rate(session)

    return Probe(writes_where_its_model_says, model)
