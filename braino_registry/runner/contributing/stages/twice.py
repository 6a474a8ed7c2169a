"""Whether a dataset comes out byte for byte the same each time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from braino_registry.errors import HostError
from braino_registry.runner.contributing.desk import Desk
from braino_registry.runner.contributing.findings import Finding, stage

_BUILD = """
import json, sys
from pathlib import Path
from braino_registry.synthesis import build
recipe = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
print(build(recipe, bytes.fromhex(sys.argv[3]), Path(sys.argv[2])).digest)
"""


def digest_of(recipe: Any, out: Path, salt: bytes = b"", python: str = sys.executable) -> str:
    """Build a recipe in a fresh process and return the digest of the bytes.

    Raises
    ------
    HostError
        If the build fails.
    """
    return _digest(recipe, _start(recipe, out, salt, python))


def digests_of(recipe: Any, outs: Sequence[Path]) -> list[str]:
    """Build a recipe in several fresh processes at a time and return the digests; see above."""
    started = [_start(recipe, out, b"", sys.executable) for out in outs]
    return [_digest(recipe, process) for process in started]


def _start(recipe: Any, out: Path, salt: bytes, python: str) -> subprocess.Popen[str]:
    command = [python, "-c", _BUILD, str(recipe.file), str(out), salt.hex()]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _digest(recipe: Any, process: subprocess.Popen[str]) -> str:
    printed, errors = process.communicate()
    if process.returncode != 0:
        last = (errors.strip() or "no message").splitlines()[-1]
        raise HostError(
            f"{recipe.ref} cannot be built: {last}",
            where=str(recipe.file),
            hint="Build the recipe by itself to see all of it.",
        )
    return printed.strip().splitlines()[-1]


@stage("built twice", order=20, needs=("schema",))
def look(desk: Desk) -> Iterator[Finding]:
    """Show that every dataset comes out the same in two processes, and as it was recorded."""
    what = "the same bytes in two processes"
    for recipe in desk.recipes:
        try:
            digests = digests_of(recipe, [desk.scratch / f"{recipe.id}-{n}" for n in (1, 2)])
        except HostError as error:
            hint = f"See all of it with: {desk.commands.build(recipe.id)}"
            raise HostError(error.problem, where=error.where, hint=hint) from error
        recorded = recipe.doc["expects"].get("digest")
        if digests[0] != digests[1]:
            yield Finding(
                recipe.ref,
                what,
                False,
                f"{digests[0]} and {digests[1]}",
                digests[0],
                f"A layer of {recipe.file} draws from something else than its stream.",
            )
        elif recorded is None:
            yield Finding(recipe.ref, what, False, f"{digests[0]}, which is not recorded",
                          hint=f"Write it to $.expects.digest of {recipe.file}.")  # fmt: skip
        elif digests[0] != recorded:
            yield Finding(
                recipe.ref,
                what,
                False,
                digests[0],
                recorded,
                f"Raise the version of {recipe.file} and record the new digest.",
            )
        else:
            yield Finding(recipe.ref, what, True, f"{digests[0]}, as recorded")
    if not desk.recipes:
        yield Finding("", what, None, "there is no synthetic dataset among its instances")
