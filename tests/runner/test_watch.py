from __future__ import annotations

import subprocess
import sys

import pytest

from braino_registry.runner.trees import descendants
from braino_registry.runner.watch import memory

CHILD = "input()"
PARENT = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-S", "-c", {CHILD!r}], stdin=subprocess.PIPE)
print(child.pid, flush=True)
input()
child.communicate(b"\\n")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_tree_is_seen_whole_and_a_single_process_alone() -> None:
    command = [sys.executable, "-S", "-c", PARENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert descendants(parent.pid) == [parent.pid, child]
        assert descendants(child) == [child]
        assert all(memory(pid)[1] > 0 for pid in (parent.pid, child))
        parent.communicate(b"\n")
    assert parent.returncode == 0
    assert descendants(parent.pid) == []
    assert memory(parent.pid) == (0, 0)
