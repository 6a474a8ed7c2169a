"""The worker that runs code: what it keeps, bounds, and survives."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from braino_registry.errors import HostError
from braino_registry.registry import schemas
from braino_registry.runner import coding, tiers
from braino_registry.runner.coding import housing
from braino_registry.runner.coding.executor import AGAIN, CodeExecutor
from braino_registry.runner.coding.housing import OpenHousing, SandboxHousing, choose
from braino_registry.runner.coding.limits import CodeLimits, standard
from braino_registry.runner.coding.worker import WorkerSilent
from braino_registry.runner.sandbox.bubblewrap import Bubblewrap
from braino_registry.runner.sandbox.choosing import choose as choose_engine

SMALL = replace(standard(), memory_bytes=1 << 30, disk_bytes=64 << 20, file_bytes=32 << 20,
                printed_bytes=4 << 20, temporary_bytes=64 << 20)  # fmt: skip
Make = Callable[..., CodeExecutor]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("held", "trial/workspace", "trial/inputs", "trial/tmp"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "held" / "data.txt").write_text("signals")
    for above in (tmp_path, *tmp_path.parents[:3]):
        if above.stat().st_uid == os.geteuid():
            above.chmod(above.stat().st_mode | 0o055)
    return tmp_path


@pytest.fixture
def make(place: Path) -> Iterator[Make]:
    """Make executors in a sandbox, or beside us where `open` is asked for."""
    made: list[CodeExecutor] = []

    def one(limits: CodeLimits = SMALL, *, seconds: float = 60.0, **options: Any) -> CodeExecutor:
        folder = place / "trial"
        inside = not options.pop("open", False)
        if inside and not Bubblewrap().probe().works:
            pytest.skip("bubblewrap does not work here")
        house = (
            SandboxHousing(Bubblewrap(), place / "held", folder / "workspace", limits)
            if inside
            else OpenHousing(folder / "inputs", folder / "workspace", folder / "tmp")
        )
        until = time.monotonic() + seconds
        made.append(CodeExecutor(house, limits, tiers.get("minimum"), folder, until))
        return made[-1]

    yield one
    for executor in made:
        executor.close()


def test_variables_stay_and_the_last_value_is_shown(make: Make) -> None:
    run = make()
    assert run("x = 40") == {"ok": True, "output": "", "error": None}
    assert run("print('a')\nx + 2")["output"] == "a\n42\n"
    assert run("_ * 2")["output"] == "84\n"
    assert run("x;")["output"] == ""
    assert run("def f():\n    return __name__\nf()")["output"] == "'__main__'\n"
    assert run("import pickle; pickle.loads(pickle.dumps(f)) is f")["output"] == "True\n"
    assert run.starts == 1


def test_what_an_agent_is_told_fits_the_protocol(make: Make) -> None:
    told = make(open=True).describe()
    part = {"$ref": "urn:braino:schema:session:1#/$defs/start/properties/code"}
    assert list(schemas.compiled(part).iter_errors(told)) == []


@pytest.mark.parametrize("code", ["x = '\0'", "\ud800", "(" * 100_000, "", "# nothing", "\n\n"])
def test_any_text_is_code(make: Make, code: str) -> None:
    run = make(open=True)
    assert set(run(code)) == {"ok", "output", "error"}
    assert run("6 * 7")["output"] == "42\n"


def test_errors_say_where_in_the_code(make: Make) -> None:
    run = make()
    done = run("print('before')\n1 / 0")
    assert not done["ok"]
    assert done["output"] == "before\n"
    assert done["error"].startswith('Traceback (most recent call last):\n  File "<code 1>", line 2')
    assert "1 / 0" in done["error"]
    assert done["error"].endswith("ZeroDivisionError: division by zero")
    assert "code_kernel" not in done["error"]
    assert "SyntaxError" in run("def f(:")["error"]
    assert "SystemExit" in run("import sys; sys.exit(3)")["error"]
    assert "KeyboardInterrupt" in run("raise KeyboardInterrupt")["error"]
    assert len(run("raise ValueError('x' * 100_000)")["error"]) <= 6_000
    assert "_Odd" in run("class _Odd(Exception):\n    __str__ = None\nraise _Odd")["error"]
    assert run("'still there'")["output"] == "'still there'\n"
    assert run.starts == 1


def test_what_code_sees_and_may_write(make: Make, place: Path) -> None:
    run = make()
    told = run.describe()
    assert (told["inputs"], told["workspace"]) == ("/input", "/workspace")
    assert told["packages"]["mne"]
    assert run("open('/input/data.txt').read()")["output"] == "'signals'\n"
    assert "Errno" in run("open('/input/data.txt', 'a')")["error"]
    assert (place / "held" / "data.txt").read_text() == "signals"
    assert run("open('made.txt', 'w').write('x');")["ok"]
    assert (place / "trial" / "workspace" / "made.txt").read_text() == "x"
    seen = run("import os; sorted(os.listdir('/agent')), os.getcwd()")["output"]
    assert seen == "(['code_kernel.py'], '/workspace')\n"
    assert "ModuleNotFoundError" in run("import braino_registry.runner")["error"]


def test_no_secret_of_the_environment_and_no_network(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    for run in (make(), make(open=True)):
        assert "planted" not in run("import os; dict(os.environ)")["output"]
    reach = "import socket; socket.create_connection(('192.0.2.1', 80), 3)"
    assert not make()(reach)["ok"]


def test_output_is_kept_at_both_ends(make: Make) -> None:
    run = make(replace(SMALL, output_chars=100))
    output = run("print('a' * 1000 + 'b' * 1000)")["output"]
    assert output.startswith("a" * 50 + "\n[")
    assert output.endswith("]\n" + "b" * 49 + "\n")
    assert run("print('µ' * 3)")["output"] == "µµµ\n"
    assert run("import os; os.write(1, b'\\xff\\0');")["output"] == "��"
    assert run("import os; os.system('echo child; echo error >&2');")["output"] == "child\nerror\n"


def test_an_execution_has_its_seconds(make: Make) -> None:
    run = make(replace(SMALL, seconds=0.2))
    assert run("y = 1\nwhile True:\n    y += 1")["error"].startswith("stopped after")
    assert run("y > 1")["output"] == "True\n"
    assert run.starts == 1


def test_what_cannot_be_interrupted_is_ended(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("braino_registry.runner.coding.worker.GRACE", 0.2)
    run = make(replace(SMALL, seconds=0.2))
    done = run("import signal; signal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass")
    assert done["error"].endswith(f"Python was ended\n{AGAIN}") or AGAIN in done["error"]
    assert run("'again'")["output"] == "'again'\n"
    assert run.starts == 2


def test_a_session_has_its_seconds(make: Make) -> None:
    run = make(replace(SMALL, case_seconds=0.1))
    assert not run("while True: pass")["ok"]
    done = run("1")
    assert "used up" in done["error"]
    assert make(SMALL, seconds=-5.0)("while True: pass")["ok"] is False


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os; os._exit(7)", "exit code 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "Python"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os; os.closerange(0, 100)", "Python"),
        ("import os\nwhile True: os.write(2, b'x' * 65536)", "printed more than"),
    ],
)
def test_a_worker_that_ends_is_started_again_and_says_so(make: Make, code: str, why: str) -> None:
    run = make()
    run("x = 1; open('kept', 'w').write('y');")
    done = run(code)
    assert not done["ok"]
    assert why in done["error"]
    assert AGAIN in done["error"]
    assert "NameError" in run("x")["error"]
    assert run("open('kept').read()")["output"] == "'y'\n"


def test_one_that_ends_between_two_executions_is_told_of(make: Make) -> None:
    run = make()
    run("import threading, os, time")
    run("threading.Thread(target=lambda: (time.sleep(0.05), os._exit(3))).start()")
    worker = run._worker
    assert worker is not None
    worker._process.wait(10)
    done = run("1 + 1")
    assert done["ok"]
    assert done["output"].startswith("[Since the last execution Python ended itself (exit code 3)")
    assert done["output"].endswith("]\n2\n")


def test_forked_children_answer_for_nobody(make: Make) -> None:
    run = make()
    code = "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\nprint('p' if pid else 'c')"
    assert run(code) == {"ok": True, "output": "c\np\n", "error": None}
    assert run("'next'")["output"] == "'next'\n"


def test_a_forged_reply_gains_nothing(make: Make) -> None:
    run = make()
    forge = """
import os, json
for fd in range(3, 20):
    try:
        os.write(fd, json.dumps({"id": 1, "ok": 5, "error": ["x"], "score": 1}).encode() + b"\\n")
    except OSError:
        pass
"""
    done = run(forge)
    assert set(done) == {"ok", "output", "error"}
    assert done["ok"] is False
    flood = """
import os
while True:
    for fd in range(3, 20):
        try:
            os.write(fd, b"x" * 65536)
        except OSError:
            pass
"""
    assert AGAIN in run(flood)["error"]
    assert run("'there'")["output"].endswith("'there'\n")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b'{"id":1,"ok":false,"error":"\\ud800 x"}', "? x"),
        (b'{"id":1,"ok":false,"error":"a\\u0000b"}', "a\N{REPLACEMENT CHARACTER}b"),
        (b'{"id":1,"ok":false,"error":"' + b"x" * 900_000 + b'"}', "…" + "x" * 5_999),
        (b'{"id":1,"ok":' + b"[" * 100_000, None),
        (b'{"id":1' + b"0" * 5_000 + b',"ok":false}', None),
        (b'{"id":1,"ok":false,"error":"\xff"}', None),
        (b"\xff\xfe\x00\n\n[1]\nnull", None),
    ],
)
def test_whatever_is_forged_can_be_recorded(
    make: Make, place: Path, line: bytes, error: str | None
) -> None:
    """What is no reply is passed over, and the true one counts."""
    run = make(open=True)
    (place / "trial" / "workspace" / "line").write_bytes(line + b"\n")
    forge = """
import os, stat
data = open('line', 'rb').read()
for fd in range(3, 20):
    try:
        os.write(fd, data) if stat.S_ISFIFO(os.fstat(fd).st_mode) else None
    except OSError:
        pass
"""
    done = run(forge)
    assert (done["ok"], done["error"]) == (error is None, error)
    "".join(str(each) for each in done.values()).encode()
    assert run("'there'")["output"].endswith("'there'\n")


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.stdout.close(); sys.stderr.close()",
        "import sys, io; sys.stdout = sys.stderr = io.StringIO()",
        "import sys; sys.stdout = 5; sys.stderr = None",
        "import os; os.close(1); os.close(2)",
        "import os; os.dup2(os.open(os.devnull, os.O_WRONLY), 1)",
        "import sys; sys.stdout = sys.stderr = sys.__stdout__ = None",
    ],
)
def test_prints_come_back_whatever_became_of_the_streams(make: Make, code: str) -> None:
    run = make(open=True)
    run(code)
    done = run("import os, sys; print('one', flush=True); os.system('echo two'); 'three'")
    assert (done["ok"], done["error"]) == (True, None)
    assert done["output"] == "one\ntwo\n'three'\n"


def test_memory_processes_and_files_have_limits(make: Make) -> None:
    run = make()
    assert "MemoryError" in run("bytearray(4 << 30)")["error"]
    forks = """
import os, time
made = []
try:
    while len(made) < 500:
        pid = os.fork()
        if not pid:
            time.sleep(30); os._exit(0)
        made.append(pid)
except OSError as error:
    print(error.strerror)
"""
    bomb = run(forks)
    assert "unavailable" in bomb["output"] or "processes" in str(bomb["error"])
    large = "with open('large', 'wb') as f:\n    for _ in range(64): f.write(bytes(1 << 20))"
    assert not run(large)["ok"]


def test_nothing_is_left_of_a_session(make: Make) -> None:
    run = make()
    run("import subprocess; [subprocess.Popen(['sleep', '86391']) for _ in range(3)];")
    run.close()
    outside = make(open=True)
    daemon = "import subprocess; subprocess.Popen(['sleep', '86391'], start_new_session=True);"
    assert outside(daemon)["ok"]
    outside.close()
    left = [p.pid for p in psutil.process_iter(["cmdline"]) if "86391" in (p.info["cmdline"] or [])]
    assert left == []


@pytest.mark.parametrize(
    "code", ["pass", "import os; os._exit(1)", "while True: print('x' * 9999)"]
)
def test_sandboxes_do_not_linger(make: Make, code: str) -> None:
    """Of a sandbox that was killed, a part is handed to this process."""
    run = make()
    before = {child.pid for child in psutil.Process().children()}
    for _ in range(2):
        run("'there'")
        run(code)
        run.close()
    assert {child.pid for child in psutil.Process().children()} <= before


def test_code_outside_a_sandbox_works_the_same(make: Make, place: Path) -> None:
    run = make(open=True)
    assert run.describe()["workspace"] == str(place / "trial" / "workspace")
    assert run("x = 40\nx + 2")["output"] == "42\n"
    assert run("import os; os.getcwd()")["output"] == f"{str(place / 'trial' / 'workspace')!r}\n"
    assert "MemoryError" in run("bytearray(4 << 30)")["error"]


def test_without_a_sandbox_it_refuses_unless_that_is_allowed(
    monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    def none(name: str | None = None) -> Any:
        raise HostError(
            "isolation 'sandbox' cannot be enforced on this computer: bubblewrap: no",
            where="--isolation",
            hint="Install it. Or use --isolation process.",
        )

    monkeypatch.setattr("braino_registry.runner.sandbox.choose", none)
    with pytest.raises(HostError) as caught:
        coding.check("code", False)
    assert str(caught.value).splitlines() == [
        "code that a model writes would run here without a sandbox: bubblewrap: no",
        "--paradigm code",
        "Install it. Or pass --allow-unsandboxed-code, which the report says.",
    ]
    assert coding.check("tools", False) is None
    assert coding.check("code", True) == "none (--allow-unsandboxed-code)"
    made = choose(place, place, place, place, SMALL, allow_unsandboxed=True)
    assert isinstance(made, OpenHousing)


def test_where_there_is_a_sandbox_it_is_used_even_if_none_is_needed() -> None:
    try:
        engine = choose_engine()
    except HostError:
        pytest.skip("no sandbox works here")
    assert coding.check("code", True) == engine.name


def test_a_worker_that_does_not_come_up_says_what_it_printed(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make(open=True)
    monkeypatch.setattr(housing, "_COMMAND", ("-c", "1 / 0"))
    with pytest.raises(WorkerSilent, match="ZeroDivisionError"):
        run("1")
    monkeypatch.setattr(housing, "_COMMAND", ("-c", "print('hello')"))
    with pytest.raises(WorkerSilent, match="it began with b'hello'"):
        run("1")


def test_what_code_leaves_cannot_keep_it_from_starting_again(make: Make) -> None:
    run = make()
    run("import os; os.chmod('/workspace', 0); os._exit(1)")
    assert run("open('x', 'w').write('y');")["ok"]
