"""Draw the picture of the README: what a terminal shows after `make eval`.

Usage: python docs/images/picture.py
Runs the oracle in a pseudo-terminal and writes eval.svg beside this file.
"""

from __future__ import annotations

import os
import pty
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
WIDTH = 112
ROWS = 18


def recorded(command: list[str]) -> str:
    """Return what a command prints on a terminal."""
    chunks: list[bytes] = []

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 65536)
        chunks.append(data)
        return data

    os.environ["COLUMNS"] = str(WIDTH)
    os.environ["TERM"] = "xterm-256color"
    pty.spawn(command, read)
    return b"".join(chunks).decode("utf-8", "replace")


def final_screen(text: str) -> str:
    """Return the text from the first table on, without the progress that was overwritten."""
    text = text.replace("\r\n", "\n")
    text = re.sub(r"\x1b\[\?25[lh]|\x1b\[[0-9]*[AKJ]", "", text)
    lines = [line.split("\r")[-1] for line in text.split("\n")]
    first = next(i for i, line in enumerate(lines) if "oracle, tier" in line)
    kept = [line for line in lines[first:] if not line.startswith(("Report: ", "Run folder: "))]
    end = next(i for i, line in enumerate(kept) if not line.strip())
    shortened = kept if end <= ROWS else [*kept[:ROWS], "  …", *kept[end - 1 :]]
    return "\n".join(shortened).strip("\n")


def main() -> None:
    """Run, draw, write."""
    command = [str(Path(sys.executable).with_name("braino")), "eval", "run", "--agent", "oracle"]
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w", encoding="utf-8"))
    console.print("$ make eval", style="bold")
    console.print(Text.from_ansi(final_screen(recorded(command))))
    console.save_svg(str(HERE / "eval.svg"), title="braino eval run --agent oracle")


if __name__ == "__main__":
    main()
