"""Carrying out the blocks of one page, in their order, in one folder."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from braino.agent import AgentAnswer, Session
from braino_registry.runner import try_task
from tests.docs.blocks import PYTHON, Block, Command, commands

#: What only a shell understands; everything else runs in this process, which is quicker.
_SHELL = re.compile(r"[|<>;&`]|\$\(|\$[A-Z]|^\s*[A-Z_]+=|\*")


class _Documented:
    """An agent that does what stands in a block."""

    name, model = "documented", None

    def __init__(self, block: Block) -> None:
        self._code = compile("\n" * (block.line - 1) + block.text, block.page, "exec")

    def solve(self, request: str, session: Session) -> AgentAnswer:
        exec(self._code, {"session": session, "request": request})
        return AgentAnswer("Done.")


@dataclass
class Page:
    """A reader at work.

    Parameters
    ----------
    folder : Path
        The current directory; it is on the path of Python, as for somebody who types there.
    """

    folder: Path

    def do(self, block: Block) -> None:
        """Save a block, or carry it out; fail where it ends otherwise than it says."""
        if block.remark == "file":
            path = self.folder / block.value
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.remark == "session":
            self._in_session(block)
        elif block.language in PYTHON:
            self._python(block)
        else:
            self._shell(block)

    def _python(self, block: Block) -> None:
        script = self.folder / "documented_block.py"
        # Empty lines in front keep the numbers of the lines what they are on the page.
        script.write_text("\n" * (block.line - 1) + block.text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(script))

    def _in_session(self, block: Block) -> None:
        name, _, paradigm = block.value.partition(" ")
        task, _, instance = name.partition("/")
        record = try_task(
            task,
            instance=instance or None,
            agent=_Documented(block),
            paradigm=paradigm or None,
            allow_unsandboxed_code=True,  # what a page says is known
        )
        # What it answers is wrong; what matters is that nothing was raised.
        assert record["outcome"] == "failed", f"{block.place}: {record['reason']}"

    def _shell(self, block: Block) -> None:
        steps = list(commands(block))
        if block.language != "console" and any(_SHELL.search(step.text) for step in steps):
            steps = [Command(block.place, block.text)]
        for place, step in enumerate(steps):
            last = place == len(steps) - 1
            wanted = int(block.value) if block.remark == "exit" and last else 0
            code, printed = self._one(step)
            assert code == wanted, f"{step.place}: {step.text}\nexit code {code}\n{printed}"
            if missing := unprinted(step.shown, printed):
                pytest.fail(f"{step.place}: {step.text}\ndid not print {missing!r} but\n{printed}")

    def _one(self, step: Command) -> tuple[int, str]:
        words = [] if _SHELL.search(step.text) else step.words
        if words and Path(words[0]).name == "braino":
            return _braino(words[1:])
        binaries = Path(sys.executable).parent
        environ = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
        text = step.text.replace(".venv/bin/", "")
        done = subprocess.run(
            ["bash", "-ec", text], cwd=self.folder, env=environ, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        return done.returncode, done.stdout


def _braino(words: list[str]) -> tuple[int, str]:
    """Run the command line in this process; return its exit code and what it printed."""
    from braino_registry.cli import main

    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)  # some commands write bytes
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            main(words)
    except SystemExit as stop:
        return int(stop.code or 0), raw.getvalue().decode("utf-8")
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    raise AssertionError("the command line did not end")


def unprinted(shown: tuple[str, ...], printed: str) -> str:
    """Return the first line of documented output that was not printed; nothing if all were.

    Blanks count alike, ``…`` stands for anything, and the order is kept.
    """
    rest = [" ".join(line.split()) for line in printed.splitlines()]
    for line in shown:
        plain = " ".join(line.split())
        if plain in ("", "…"):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in plain.split("…")))
        place = next((i for i, each in enumerate(rest) if pattern.fullmatch(each)), None)
        if place is None:
            return line
        rest = rest[place + 1 :]
    return ""
