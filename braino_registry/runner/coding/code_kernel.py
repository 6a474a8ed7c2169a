"""The program that runs an agent's code: one Python that keeps its variables, in a sandbox.

It reads requests from standard input and answers on what was standard output, one JSON object per
line; what the code prints goes to standard error, which the trusted side reads and bounds. Nothing
that it says is believed: the code that runs here can say it too.

Standard library only, and little of it, because it is started for every session. It runs outside
this project and knows nothing of it.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import signal
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ERROR_CAP = 6_000  # characters of a traceback; its end is the telling part
_FILE = "<code {}>"


class TimeUp(BaseException):
    """The seconds of an execution are over; no `except Exception` of the code catches it."""


class Kernel:
    """Runs pieces of code one after the other in one namespace.

    Parameters
    ----------
    output : int
        File descriptor to which everything is printed.
    """

    def __init__(self, output: int) -> None:
        self._output = output
        self._streams = [sys.stdout, sys.stderr]
        # A module of its own, so that pickling finds what the code defines.
        self._module = types.ModuleType("__main__")
        self._module.__dict__["__builtins__"] = builtins
        sys.modules["__main__"] = self._module
        self._count = 0
        self._home = os.getpid()

    def run(self, code: str, seconds: float, mark: str) -> dict[str, Any]:
        """Run one piece of code and return ``ok`` and ``error``.

        Parameters
        ----------
        code : str
            Python source; the value of a last expression is printed, as at a prompt.
        seconds : float
            After which it is interrupted, if it lets itself be.
        mark : str
            Printed at the end, so that the other side knows when it has read everything.
        """
        self._count += 1
        name = _FILE.format(self._count)
        error = None
        self._restore_streams()
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                self._execute(code, name)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except TimeUp:
            error = f"stopped after {seconds:.0f} s; variables are as they were then"
        except BaseException as caught:  # whatever the code raises, SystemExit included
            error = _told(caught, name)
        if os.getpid() != self._home:
            os._exit(0)  # a child that the code has forked has come back here
        for stream in self._streams:
            try:
                stream.flush()
            except (OSError, ValueError):
                continue  # the code has closed it
        os.write(self._output, mark.encode())
        return {"ok": error is None, "error": error}

    def _restore_streams(self) -> None:
        """Let prints arrive again, wherever former code has sent them."""
        for number, stream in enumerate(self._streams, start=1):
            os.dup2(self._output, number)
            if stream.closed:
                again = open(number, "w", 1, "utf-8", "backslashreplace", closefd=False)
                self._streams[number - 1] = again
        sys.stdout, sys.stderr = self._streams

    def _execute(self, code: str, name: str) -> None:
        import linecache

        lines = code.splitlines(keepends=True)
        linecache.cache[name] = (len(code), None, lines, name)
        tree = ast.parse(code, name)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not _silenced(code):
            last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
        space = self._module.__dict__
        exec(compile(tree, name, "exec"), space)
        if last is not None:
            value = eval(compile(last, name, "eval"), space)
            if value is not None:
                space["_"] = value
                sys.stdout.write(f"{value!r}\n")


def _silenced(code: str) -> bool:
    """Tell whether the last line ends with a semicolon, which keeps its value from being shown."""
    return code.rstrip().endswith(";")


def _told(caught: BaseException, name: str) -> str:
    """Return what an exception says and where it was raised, without the frames of this file."""
    import traceback

    try:
        trace = caught.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != name:
            trace = trace.tb_next
        text = "".join(traceback.format_exception(type(caught), caught, trace)).strip()
    except BaseException as second:  # an exception whose text cannot be made
        text = f"{type(caught).__name__}, and {type(second).__name__} when it was to be shown"
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= _ERROR_CAP else f"…{text[1 - _ERROR_CAP :]}"


def _time_up(number: int, frame: object) -> None:
    raise TimeUp


def _lines(reader: int) -> Any:
    """Yield the lines that arrive, until nobody sends any more."""
    buffer = b""
    while piece := os.read(reader, 1 << 16):
        buffer += piece
        *whole, buffer = buffer.split(b"\n")
        yield from whole


def main() -> None:
    """Take over the standard streams and run what is asked until the other side is gone."""
    reader, writer, output = os.dup(0), os.dup(1), os.dup(2)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    signal.signal(signal.SIGALRM, _time_up)
    if sys.path[0] != "":
        sys.path.insert(0, "")  # files that the code writes beside it can be imported
    kernel = Kernel(output)
    _say(writer, {"ready": sys.version.split()[0]})
    for line in _lines(reader):
        asked = json.loads(line)
        done = kernel.run(asked["code"], asked["seconds"], asked["mark"])
        _say(writer, {"id": asked["id"], **done})
    os._exit(0)  # neither atexit handlers nor threads of the code may delay the end


def _say(writer: int, message: dict[str, Any]) -> None:
    data = json.dumps(message).encode() + b"\n"
    while data:
        data = data[os.write(writer, data) :]
