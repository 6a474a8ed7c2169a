"""Several processes on one cache, some of them killed: right or incomplete, never wrong.

A process that is to die kills itself at its n-th audited event (opening, renaming, removing a
file, connecting, …), with n drawn over everything that it does. So it dies between any two steps
that others could see, and no test waits for a clock.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from braino_registry.datasets import Store, layout
from braino_registry.datasets.content import hash_file
from braino_registry.datasets.lines import Patience
from braino_registry.datasets.marker import read_marker, read_through
from tests.datasets import small_bids, tiny
from tests.datasets.faulty import Exchange, serving

REPOSITORY = Path(__file__).parents[2]
PROCESSES = 8

#: Imports everything once, then forks; each child fetches and builds, and tells what it counted.
SPAWN = """
import json, os, signal, sys, traceback
from pathlib import Path
import requests, urllib3.util.retry
from braino_registry.datasets import Store, conversions, fetching, invariants, lines
from tests.datasets import tiny
entry, cache, deaths = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])

def work(death):
    seen = 0
    def count(event, details):
        nonlocal seen
        seen += 1
        if seen == death:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(count)
    store = Store(cache, environ={})
    patience = lines.Patience(tries=3, backoff=0, workers=3)
    opened = tiny.opened(entry)
    store.fetch(opened, patience=patience)
    store.build_or_find(opened)
    return seen

children = {}
for death in deaths:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            os.write(write, str(work(death)).encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(write)
    children[pid] = read
ends = []
for pid, read in children.items():
    seen = os.read(read, 20).decode()
    _, status = os.waitpid(pid, 0)
    ends.append([os.waitstatus_to_exitcode(status), int(seen or 0)])
print(json.dumps(ends))
"""


def _spawn(entry: Path, cache: Path, deaths: list[int]) -> list[tuple[int, int]]:
    """Run processes on one cache; return the exit code and the number of events of each."""
    done = subprocess.run(
        [sys.executable, "-c", SPAWN, str(entry), str(cache), json.dumps(deaths)],
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        check=True,
        timeout=120,
    )
    ends = [(code, seen) for code, seen in json.loads(done.stdout.splitlines()[-1])]
    assert {code for code, _ in ends} <= {0, -signal.SIGKILL}, done.stderr
    return ends


def _assert_right_or_incomplete(root: Path) -> None:
    for path in (root / "sources").rglob("*/*"):
        assert hash_file(path)["sha256"] == path.name
    for note in (root / "strengthened").glob("*"):
        sha256, size = note.read_text(encoding="ascii").split()
        kind, _, digest = note.name.rpartition("-")
        kept = root / "sources" / sha256[:2] / sha256
        assert kept.stat().st_size == int(size)
        assert hash_file(kept, [kind])[kind] == digest
    for folder in (root / "built").glob("*"):
        marker = read_marker(folder)
        assert marker is not None
        assert read_through(folder / "bids", marker) == {}


def _slowly(x: Exchange) -> None:
    """Send in pieces, with an ETag, so that processes die in mid-body."""
    begin, whole = x.begin, len(x.body)
    body = x.body[begin:]
    place = {"Content_Range": f"bytes {begin}-{whole - 1}/{whole}"} if begin else {}
    status = "206 Partial Content" if begin else "200 OK"
    x.send(body[:100], status, whole - begin, ETag='"one"', **place)
    for piece in range(100, len(body), 400):
        x.connection.sendall(body[piece : piece + 400])


def _rounds(tmp_path: Path, rounds: int, seed: int) -> int:
    """Run rounds of eight processes of which half are to die; return how many did."""
    rng = random.Random(seed)
    died = 0
    with serving(small_bids.bodies(), _slowly) as server:
        entry = small_bids.entry(tmp_path / "entries", server.base, kinds=("md5",))
        ((code, events),) = _spawn(entry.file, tmp_path / "alone", [0])
        assert (code, events > 200) == (0, True)
        for number in range(rounds):
            cache = tmp_path / f"cache-{number}"
            deaths = [rng.randint(1, events) if i % 2 else 0 for i in range(PROCESSES)]
            ends = _spawn(entry.file, cache, deaths)
            died += sum(code != 0 for code, _ in ends)
            assert all(
                code == 0 for (code, _), death in zip(ends, deaths, strict=True) if not death
            )
            _assert_right_or_incomplete(cache)
            store = Store(cache, environ={})
            store.fetch(entry, patience=Patience(backoff=0))
            store.build_or_find(entry)
            assert store.verify(entry, deep=True).ok
            with layout.work_folder(cache):  # the next one to work here sweeps
                assert len(list((cache / "work").iterdir())) == 1
    return died


def test_eight_processes_of_which_half_are_killed(tmp_path: Path) -> None:
    assert _rounds(tmp_path, 1, seed=1) > 0


@pytest.mark.slow
def test_eight_processes_of_which_half_are_killed_thirty_times(tmp_path: Path) -> None:
    died = _rounds(tmp_path, 30, seed=2)
    assert died > 30 * PROCESSES // 8


def test_all_killed_leave_nothing_wrong_and_their_parts_are_used(tmp_path: Path) -> None:
    bodies = {"S001/S001R01.edf": b"0       " + bytes(1 << 20), "S001/S001R03.edf": b"0       x"}
    doc = tiny.document()

    def stop_midway(x: Exchange) -> None:
        x.part(upto=(1 << 19) if x.count == 0 else None)

    with serving(bodies, stop_midway) as server:
        doc["mirrors"][0]["base"] = server.base
        pins = [tiny.pin_of(path, body) for path, body in bodies.items()]
        entry = tiny.entry(doc, tmp_path / "e", pins)
        cache = tmp_path / "cache"
        killed = _spawn_fetch_killed_in_body(entry.file, cache)
        assert killed == -signal.SIGKILL
        _assert_right_or_incomplete(cache)
        store = Store(cache, environ={})
        store.fetch(entry, patience=Patience(backoff=0))
        ranges = [x.headers["range"] for x in server.asked if "range" in x.headers]
    assert ranges
    assert all(int(text.removeprefix("bytes=").rstrip("-")) > 0 for text in ranges)
    _assert_right_or_incomplete(cache)
    assert store.status(entry).present


KILLED = """
import os, signal, sys
from pathlib import Path
from braino_registry.datasets import Store
from tests.datasets import tiny
store = Store(Path(sys.argv[2]), environ={})
def tell(name, done, size):
    if done > 1 << 18:
        os.kill(os.getpid(), signal.SIGKILL)
store.fetch(tiny.opened(Path(sys.argv[1])), tell)
"""


def _spawn_fetch_killed_in_body(entry: Path, cache: Path) -> int:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(entry), str(cache)],
        capture_output=True,
        cwd=REPOSITORY,
        check=False,
        timeout=60,
    )
    return done.returncode


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from braino_registry.datasets import Store
from tests.datasets import tiny
# A shell's background job is started with interrupts ignored, and so are its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
store = Store(Path(sys.argv[2]), environ={})
def tell(name, done, size):
    if done >= 1 << 19:
        os.kill(os.getpid(), signal.SIGINT)
try:
    store.fetch(tiny.opened(Path(sys.argv[1])), tell)
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_an_interrupt_does_not_wait_for_a_stalled_server(tmp_path: Path) -> None:
    """The server sends half and falls silent for longer than this test may take."""
    bodies = {"S001/S001R01.edf": b"0       " + bytes(1 << 20), "S001/S001R03.edf": b"0       x"}
    doc = tiny.document()

    def stall(x: Exchange) -> None:
        x.part(upto=(1 << 19) + 8)
        x.connection.settimeout(50)
        x.connection.recv(1)

    with serving(bodies, stall) as server:
        doc["mirrors"][0]["base"] = server.base
        pins = [tiny.pin_of(path, body) for path, body in bodies.items()]
        entry = tiny.entry(doc, tmp_path / "e", pins)
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, str(entry.file), str(tmp_path / "cache")],
            capture_output=True,
            cwd=REPOSITORY,
            check=False,
            timeout=40,
        )
        assert done.returncode == 130, done.stderr
        server.fault = lambda x: x.part()
        store = Store(tmp_path / "cache", environ={})
        store.fetch(entry, patience=Patience(backoff=0))
        ranges = [x.headers["range"] for x in server.asked if "range" in x.headers]
    assert ranges == [f"bytes={(1 << 19) + 8}-"]
    _assert_right_or_incomplete(tmp_path / "cache")
