"""What fetching, verifying and opening datasets cost, each beside what it is measured against.

Run from the repository: ``python -m benchmarks.fetching``. Both sides run in one process, one
after the other on the same bytes; printed are ratios and the bounds that they must keep.

- ``verify --deep``: bytes per second, as a share of ``sha256sum`` on the same tree
- opening a verified cache of 2,000 files, in units of one ``stat`` of each
- 500 small files from loopback, against a plain pooch loop: both end with every file verified in
  the cache; ours flushes each to the disk, pooch none. The server is a third process. Beside it,
  without a bound: the same with the BIDS tree made of them, which pooch has no counterpart to
- memory of a process that fetches, verifies and lays out one large file
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import http.server
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from braino_registry.datasets import Store
from braino_registry.datasets.pins import Mirror, content_digest, render
from braino_registry.datasets.scaffold import pins_of_tree
from braino_registry.registry.entries import PublicDataset

MEMORY_LIMIT = 300e6


def main() -> int:
    """Run all benchmarks; return 1 if a bound is not kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=1000, help="size of the large file")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        results.append(verifying(home / "verify", options.megabytes))
        results.append(opening(home / "open"))
        results.extend(small_files(home / "small"))
        results.append(memory(home / "memory", options.megabytes))
    for name, value, bound, kept in results:
        print(f"{'ok  ' if kept else 'FAIL'}  {name}: {value:.3g} (bound {bound})")
    return 0 if all(kept for *_, kept in results) else 1


def verifying(home: Path, megabytes: int) -> tuple[str, float, str, bool]:
    """Throughput of a deep verification of a built tree as a share of sha256sum's."""
    write_tree(
        home / "tree", {f"sub-{i:02}/eeg/big-{i}.bin": megabytes * 125_000 for i in range(8)}
    )
    entry = write_entry(home, home / "tree", "https://example.org/")
    store = Store(home / "cache", environ={"BRAINO_MIRRORS": str(home / "tree")})
    tree = store.build_or_find(entry).bids
    files = [str(path) for path in tree.rglob("*.bin")]
    ours, theirs = [], []
    for _ in range(3):
        theirs.append(timed(lambda: subprocess.run(["sha256sum", *files], check=True,
                                                   stdout=subprocess.DEVNULL)))  # fmt: skip
        ours.append(timed(lambda: store.verify(entry, deep=True)))
    share = min(theirs) / min(ours)
    return "verify --deep / sha256sum, throughput", share, ">= 0.7", share >= 0.7


def opening(home: Path) -> tuple[str, float, str, bool]:
    """Time to open a verified cache of 2,000 files in units of one stat of each."""
    write_tree(home / "tree", {f"sub-{i:04}/eeg/x-{i}.bin": 100 + i for i in range(2000)})
    entry = write_entry(home, home / "tree", "https://example.org/")
    environ = {"BRAINO_MIRRORS": str(home / "tree")}
    tree = Store(home / "cache", environ=environ).build_or_find(entry).bids
    files = [str(path) for path in tree.rglob("*.bin")]

    def look() -> None:
        for file in files:
            os.stat(file)

    stat = min(timed(look) for _ in range(9))
    opened = min(
        timed(lambda: Store(home / "cache", environ={}).build_or_find(entry)) for _ in range(9)
    )
    ratio = opened / stat
    return "opening 2,000 verified files / one stat of each", ratio, "<= 50", ratio <= 50


def small_files(home: Path, rounds: int = 5) -> list[tuple[str, float, str, bool]]:
    """Speed of fetching 500 small files from loopback, in units of a plain pooch loop.

    The sides take turns, so that a busy machine slows down both; every round is printed, and the
    median is held to the bound.
    """
    import pooch

    pooch.get_logger().setLevel("ERROR")
    write_tree(home / "tree", {f"sub-{i:03}/eeg/y-{i}.bin": 4000 + i for i in range(500)})
    fetching, with_tree = [], []
    with loopback(home / "tree") as base:
        entry = write_entry(home, home / "tree", base)
        hashes = {
            path.relative_to(home / "tree").as_posix(): hashlib.sha256(
                path.read_bytes()
            ).hexdigest()
            for path in (home / "tree").rglob("*")
            if path.is_file()
        }
        for number in range(rounds):
            store = Store(home / f"ours-{number}", environ={})
            ours = timed(functools.partial(store.fetch, entry))
            tree = timed(functools.partial(store.build_or_find, entry))
            theirs = timed(functools.partial(plain_pooch, home / f"theirs-{number}", base, hashes))
            print(f"      ours {ours:.2f} s, its tree {tree:.2f} s, pooch {theirs:.2f} s")
            fetching.append(theirs / ours)
            with_tree.append(theirs / (ours + tree))
    ratio, both = statistics.median(fetching), statistics.median(with_tree)
    return [
        ("500 small files, speed / plain pooch loop", ratio, ">= 2", ratio >= 2),
        ("500 small files and their BIDS tree, speed / plain pooch loop", both, "none", True),
    ]


def plain_pooch(folder: Path, base: str, hashes: dict[str, str]) -> None:
    """Fetch files one after the other, as one does with pooch."""
    import pooch

    brine = pooch.create(path=folder, base_url=base, registry=hashes)
    for name in hashes:
        brine.fetch(name)


def memory(home: Path, megabytes: int) -> tuple[str, float, str, bool]:
    """Peak memory of a process that fetches, lays out and verifies a large file, in bytes."""
    write_tree(home / "tree", {"sub-01/eeg/large.bin": megabytes * 1_000_000})
    with loopback(home / "tree") as base:
        entry = write_entry(home, home / "tree", base)
        code = f"""
import json, re
from pathlib import Path
from benchmarks.fetching import open_entry
from braino_registry.datasets import Store
entry = open_entry(Path({str(entry.file)!r}))
store = Store(Path({str(home / "cache")!r}), environ={{}})
store.fetch(entry)
store.build_or_find(entry)
assert store.verify(entry, deep=True).ok
status = Path("/proc/self/status").read_text()
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) * 1024)
"""
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    peak = float(done.stdout)
    name = f"memory for a file of {megabytes} MB, bytes"
    return name, peak, f"< {MEMORY_LIMIT:.0f}", peak < MEMORY_LIMIT


def timed(call: Callable[[], Any]) -> float:
    """Return how many seconds a call takes."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def write_tree(root: Path, sizes: dict[str, int]) -> None:
    """Write files of the given sizes with different contents."""
    block = os.urandom(1 << 20)
    for number, (name, size) in enumerate(sizes.items()):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(number.to_bytes(8, "big")[: min(8, size)])
            left = size - min(8, size)
            while left > 0:
                file.write(block[: min(left, len(block))])
                left -= min(left, len(block))


def write_entry(home: Path, tree: Path, base: str) -> PublicDataset:
    """Write an entry that lays the tree out as it is."""
    mirror = Mirror("loopback", base)
    pins = pins_of_tree(tree)
    text = render(pins, [mirror], {pin.path: ["="] for pin in pins})
    (home / "bench.pins.tsv").write_text(text, encoding="utf-8")
    doc = {
        "schema": "dataset/1", "id": "bench", "version": "1.0.0", "title": "Benchmark",
        "mirrors": [{"id": "loopback", "name": "loopback", "base": base}],
        "pins": {
            "file": "bench.pins.tsv",
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "content": content_digest(text),
        },
        "conversion": {"use": "bids@1.0.0", "parameters": {"leave_out": []}},
        "labels": {"dataset": {}, "recordings": {}}, "invariants": [], "expects": {},
    }  # fmt: skip
    file = home / "bench.json"
    file.write_text(json.dumps(doc), encoding="utf-8")
    return open_entry(file)


def open_entry(file: Path) -> PublicDataset:
    """Return the entry in a file."""
    doc = json.loads(file.read_text(encoding="utf-8"))
    return PublicDataset("dataset", doc["id"], doc["version"], file, doc)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that keeps connections and sends at once, as real ones do."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def loopback(folder: Path) -> Iterator[str]:
    """Serve a folder in a process of its own, so that it takes no time from either side."""
    code = (
        "import sys, functools, http.server\n"
        "from benchmarks.fetching import _Quiet\n"
        "handler = functools.partial(_Quiet, directory=sys.argv[1])\n"
        "server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)\n"
        "print(server.server_address[1], flush=True)\n"
        "server.serve_forever()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    # A server that dies would be waited for for ever.
    timer = threading.Timer(60, process.kill)
    timer.start()
    port = process.stdout.readline().strip()
    timer.cancel()
    try:
        yield f"http://127.0.0.1:{int(port)}/"
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
