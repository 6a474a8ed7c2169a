"""What becomes of code that abuses its place, and what the host keeps of it: a table.

``python -m benchmarks.code_abuse [--only NAME] [--json]``

The deeds are those of ``benchmarks.abuse``, sent as code through `Session.execute` to the worker
that the trusted side holds in a sandbox, as the user who starts this and, where that is root, as an
ordinary user too. After each deed the session is asked for one more line of code, which has to run:
a worker that was ended is started again. (What a deed has left may pass a limit only while that
line runs; then it is the next that has to.) Exit code 1 where the host kept something, a process
was left, a trial was not scored, the sandbox let something happen, or that line did not run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import psutil

from benchmarks import abuse, mischief
from benchmarks.abuse import Row
from braino.agent import AgentAnswer, Session
from braino_registry.runner.coding.executor import AGAIN

SECONDS = 3
_SOURCES = ("deeds", "handing_in", "leaving", "nameless", "reaching", "resources", "rights")
_IMPORT = re.compile(r"^from (?:braino|\.).*$|^from __future__.*$", re.MULTILINE)
_PRELUDE = """
from pathlib import Path
class AgentAnswer:
    def __init__(self, text, data=None, artifacts=()):
        self.text, self.artifacts = text, [str(each) for each in artifacts]
class Session:
    inputs, workspace = Path({inputs!r}), Path({workspace!r})
"""
_DO = """
said = DEEDS[{name!r}](Session(), {places!r})
if not isinstance(said, AgentAnswer):
    said = AgentAnswer(said)
import json
print("\\n" + json.dumps([said.text, said.artifacts]))
"""


class Coder:
    """An agent that does one deed by code."""

    model = None

    def __init__(self, name: str, places: dict[str, str]) -> None:
        self.name, self._places = name, places

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Do it, and see whether code still runs."""
        done = session.execute(program(self.name, self._places, session))
        last = (done.output.strip().splitlines() or [""])[-1] if done.ok else ""
        text, artifacts = done.error or "", []
        with contextlib.suppress(ValueError, TypeError):
            text, artifacts = json.loads(last)
        alive = session.execute("print('alive', 6 * 7)")
        if AGAIN in (alive.error or ""):
            alive = session.execute("print('alive', 6 * 7)")
        state = "alive" if "alive 42" in alive.output else f"NOT ALIVE: {alive.error}"
        return AgentAnswer(f"{' '.join(text.split())[-150:]} | {state}", artifacts=artifacts)


def program(name: str, places: dict[str, str], session: Session) -> str:
    """Return a deed as one piece of code."""
    code = session.code or {}
    folder = Path(mischief.__file__).parent
    bodies = [(folder / f"{source}.py").read_text(encoding="utf-8") for source in _SOURCES]
    prelude = _PRELUDE.format(inputs=code["inputs"], workspace=code["workspace"])
    whole = "\n".join(_IMPORT.sub("", body) for body in bodies)
    return f"{prelude}{whole}{_DO.format(name=name, places=places)}"


def commit(deed: str, user: str, folder: Path, around: Any) -> Row:
    """Let code do one deed; return what came of it."""
    from braino_registry.runner import try_task

    registry, store, places = around
    cache = Path(places["cache"])
    before, memory, began = abuse.state(cache), abuse.highest_memory(), time.monotonic()
    keep = folder / f"run-{deed}"
    record = try_task(
        "probe-rate", agent=Coder(deed, places), paradigm="code", tier="abuse",
        registry=registry, store=store, keep=keep,
    )  # fmt: skip
    said = abuse.answer_of(keep)
    row = Row(
        deed=deed,
        isolation="sandbox",
        user=user,
        outcome=record["outcome"],
        reason=" ".join((record["reason"] or "").split())[:200],
        said=said,
        seconds=round(time.monotonic() - began, 2),
        kept_bytes=sum(path.lstat().st_blocks * 512 for path in keep.rglob("*")),
        grown_bytes=abuse.highest_memory() - memory,
        kept="; ".join([*abuse.traces(folder, keep, places, before), *dead(said)]),
        left=len(leftovers()),
    )
    shutil.rmtree(keep)
    return row


def dead(said: str) -> list[str]:
    """Return the problem of a session in which no code runs any more, if it answered at all."""
    return ["no code runs any more"] if "NOT ALIVE" in said else []


def leftovers() -> list[int]:
    """Return processes of code that are alive, wherever they hang."""
    found = abuse.leftovers()
    for process in psutil.process_iter(["cmdline", "status"]):
        with contextlib.suppress(psutil.Error):
            ours = any(parent.pid == os.getpid() for parent in process.parents())
            kernel = any("code_kernel" in word for word in process.info["cmdline"] or ())
            if kernel and ours and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
                process.kill()
    return found


def try_all(deeds: list[str], user: str) -> list[Row]:
    """Let every deed be done by code, by this user."""
    from braino_registry.errors import HostError
    from braino_registry.runner import coding
    from braino_registry.runner.coding import limits

    standard = limits.standard()
    limits.standard = lambda: replace(standard, seconds=SECONDS, temporary_bytes=64 << 20)
    try:
        coding.check("code", False)
    except HostError as error:
        print(f"{user} is skipped: {error.problem}", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory(prefix="abuse-") as name:
        os.chmod(name, 0o711)
        os.environ["TMPDIR"] = tempfile.tempdir = name
        folder = Path(name)
        with abuse.surroundings(folder) as around:
            suite = folder / "entries" / "tasks" / "probe" / "suite.json"
            text = suite.read_text(encoding="utf-8").replace('["tools"]', '["tools", "code"]')
            suite.write_text(text, encoding="utf-8")
            return [commit(deed, user, folder, around) for deed in deeds]


def main() -> int:
    """Try everything; exit 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=sorted(mischief.DEEDS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    root = os.geteuid() == 0
    rows = try_all(options.only or list(mischief.DEEDS), "root" if root else "ordinary")
    if options.inner:
        print(json.dumps([asdict(row) for row in rows]))
        return 0
    if root:
        only = [f"--only={name}" for name in options.only or ()]
        found = abuse.as_ordinary_user(only, "benchmarks.code_abuse")
        if isinstance(found, str):
            print(f"an ordinary user is skipped: {found}", file=sys.stderr)
        else:
            rows += found
    if options.json:
        print(json.dumps([{**asdict(row), "problem": row.problem} for row in rows], indent=1))
    else:
        abuse.show(rows)
    return int(any(row.problem for row in rows))


if __name__ == "__main__":
    sys.exit(main())
