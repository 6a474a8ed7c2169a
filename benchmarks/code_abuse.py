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

import contextlib
import json
import os
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from benchmarks import abuse, mischief
from benchmarks.abuse_table import Row, arguments, tell
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
    row = abuse.tried(
        abuse.Trial(deed, "sandbox", user, folder / f"run-{deed}", around),
        agent=Coder(deed, around[2]), paradigm="code",
    )  # fmt: skip
    kept = "; ".join([*filter(None, [row.kept]), *dead(row.said)])
    return replace(row, kept=kept, left=row.left + len(kernels()))


def dead(said: str) -> list[str]:
    """Return the problem of a session in which no code runs any more, if it answered at all."""
    return ["no code runs any more"] if "NOT ALIVE" in said else []


def kernels() -> list[int]:
    """Return processes of code that are alive, wherever they hang, and kill them."""
    found = []
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
    return tell(arguments(__doc__).parse_args(), "benchmarks.code_abuse", try_all)


if __name__ == "__main__":
    sys.exit(main())
