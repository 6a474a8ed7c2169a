"""What an agent in bubblewrap can see and do, tried from the inside."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.runner.sandbox.conftest import Cell

REPOSITORY = Path(__file__).parents[3]


def test_the_agents_module_and_what_lies_beside_it_are_importable(cell: Cell) -> None:
    done = cell.run("import own_agent, braino.agent; print(own_agent.make())")
    assert done.stdout == "made\n", done.stderr


def test_only_python_files_of_the_agents_folder_are_shown(cell: Cell) -> None:
    done = cell.run("import os; print(sorted(os.listdir('/agent')))")
    assert done.stdout == "['beside.py', 'braino', 'own_agent.py']\n", done.stderr


def test_the_registry_is_not_there(cell: Cell) -> None:
    done = cell.run("import braino_registry.scoring")
    assert "No module named 'braino_registry" in done.stderr


def test_a_built_in_agent_sees_code_and_no_entries(cell: Cell) -> None:
    cell.factory = "braino_registry.agents.null:make"
    done = cell.run(
        "import braino_registry.agents.null, os, pathlib\n"
        "print([str(p) for p in pathlib.Path('/').rglob('bad-channels-ask*')])"
    )
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize(
    "path",
    [
        str(REPOSITORY / "tasks"),
        str(REPOSITORY / "generators"),
        str(Path.home()),
        "/etc/passwd",
        "/var",
    ],
)
def test_the_hosts_files_are_not_there(cell: Cell, path: str) -> None:
    done = cell.run(
        "import os, sys\n"
        "def files(top): return [os.path.join(d, f) for d, _, fs in os.walk(top) for f in fs]\n"
        f"top = {path!r}\n"
        "left = [f for f in ([top] if os.path.isfile(top) else files(top))\n"
        "        if not f.startswith((sys.prefix, sys.base_prefix))]\n"
        "print(left)"
    )
    assert done.stdout == "[]\n", done.stderr


def test_inputs_cannot_be_changed(cell: Cell) -> None:
    attempts = [
        "open('/input/participants.tsv', 'a')",
        "open('/input/new', 'w')",
        "os.unlink('/input/participants.tsv')",
        "os.chmod('/input/participants.tsv', 0o777)",
        "os.rename('/input/participants.tsv', '/workspace/p')",
        "os.link('/input/participants.tsv', '/workspace/p')",
    ]
    for attempt in attempts:
        done = cell.run(f"import os\n{attempt}")
        assert "OSError" in done.stderr or "PermissionError" in done.stderr, attempt
    assert (cell.inputs / "participants.tsv").read_text() == "participant_id\nsub-01\n"
    assert os.listdir(cell.inputs) == ["participants.tsv"]


@pytest.mark.parametrize(
    "command",
    [
        "mount -o remount,bind,rw /input",
        "mount -t tmpfs none /input",
        "unshare -Urm mount -o remount,bind,rw /input",
        "umount /input",
        "nsenter -t 1 -m true",
    ],
)
def test_mounts_cannot_be_changed(cell: Cell, command: str) -> None:
    done = cell.run(
        f"import subprocess\nprint(subprocess.run({command!r}, shell=True).returncode)\n"
        "open('/input/participants.tsv', 'a')"
    )
    assert done.stdout != "0\n"
    assert "Read-only file system" in done.stderr
    assert (cell.inputs / "participants.tsv").read_text() == "participant_id\nsub-01\n"


def test_it_has_no_privileges_and_a_system_call_filter(cell: Cell) -> None:
    done = cell.run("print(open('/proc/self/status').read())")
    status = dict(line.split(":\t", 1) for line in done.stdout.splitlines() if ":\t" in line)
    assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


def test_a_setuid_file_in_the_workspace_is_nobodys(cell: Cell) -> None:
    done = cell.run("import os\nopen('/workspace/s','w')\nos.chmod('/workspace/s', 0o4755)")
    left = (cell.workspace / "s").lstat()
    assert done.returncode == 0, done.stderr
    assert left.st_uid != 0
    assert left.st_mode & stat.S_ISUID


def test_there_is_no_network(cell: Cell) -> None:
    done = cell.run(
        "import socket\n"
        "print(socket.if_nameindex())\n"
        "for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n"
        "    with socket.socket(socket.AF_INET, kind) as s:\n"
        "        try: s.connect(('192.0.2.1', 53)); print('out')\n"
        "        except OSError as e: print(type(e).__name__)\n"
    )
    assert done.stdout.splitlines() == ["[(1, 'lo')]", "OSError", "OSError"]


def test_other_processes_are_not_seen(cell: Cell) -> None:
    done = cell.run(
        "import os, signal\n"
        "print(len([p for p in os.listdir('/proc') if p.isdigit()]) < 8)\n"
        f"try: os.kill({os.getpid()}, 0)\n"
        "except ProcessLookupError: print('no such process')"
    )
    assert done.stdout == "True\nno such process\n", done.stderr


def test_secrets_of_the_environment_are_not_passed_unless_named(
    cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret-1")
    monkeypatch.setenv("MODEL_KEY", "secret-2")
    done = cell.run("import os, json; print(json.dumps(dict(os.environ)))", passed=("MODEL_KEY",))
    seen = json.loads(done.stdout)
    assert seen["MODEL_KEY"] == "secret-2"
    assert "SOME_API_KEY" not in seen
    assert not [name for name in seen if name.startswith("BRAINO_")]


def test_no_process_in_it_knows_the_hosts_environment(
    cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine's own first process runs beside the agent, and may belong to the same user."""
    monkeypatch.setenv("SOME_API_KEY", "secret-1")
    done = cell.run(
        "import os\n"
        "pids = [pid for pid in os.listdir('/proc') if pid.isdigit()]\n"
        "for pid in pids:\n"
        "    try: print(b'secret-' in open(f'/proc/{pid}/environ', 'rb').read())\n"
        "    except PermissionError: print(False)\n"
    )
    assert set(done.stdout.split()) == {"False"}, done.stderr
    assert len(done.stdout.split()) > 1


def test_memory_that_belongs_to_no_process_is_refused(cell: Cell) -> None:
    done = cell.run(
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for call in (lambda: libc.shmget(0, 4096, 0o1600), lambda: libc.msgget(0, 0o1600)):\n"
        "    print(call(), os.strerror(ctypes.get_errno()))\n"
    )
    assert done.stdout.splitlines() == ["-1 Operation not permitted"] * 2, done.stderr


def test_forks_stop_at_the_tiers_number(cell: Cell) -> None:
    from braino_registry.runner import tiers

    most = tiers.get(cell.tier).processes
    done = cell.run(
        "import os, time\n"
        "made = 0\n"
        f"while made < {most + 50}:\n"
        "    try: pid = os.fork()\n"
        "    except BlockingIOError: break\n"
        "    if pid == 0: time.sleep(30); os._exit(0)\n"
        "    made += 1\n"
        "print(made)"
    )
    assert 0 < int(done.stdout) < most, done.stderr


def test_memory_and_temporary_space_are_bounded(cell: Cell) -> None:
    done = cell.run(
        "try: bytearray(1 << 37)\n"
        "except MemoryError: print('memory')\n"
        "try: open('/tmp/x', 'wb').write(bytes(1 << 25))\n"
        "except OSError as e: print(e.strerror)"
    )
    assert done.stdout == "memory\nNo space left on device\n", done.stderr
