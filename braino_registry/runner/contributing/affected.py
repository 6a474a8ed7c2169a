"""Which tasks a change bears on: for machines that check pull requests.

``python -m braino_registry.runner.contributing.affected BASE`` prints the ids of the tasks that are
other than in the commit BASE, one a line: their own files, and the datasets and suites that they
rest on. ``--all`` prints every task, ``--shard I/N`` only the I-th of N equal parts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from braino_registry.errors import BrainoError, UsageError
from braino_registry.runner import shards

if TYPE_CHECKING:
    from braino_registry.registry import Registry

#: Files of a dataset beside its entry have its name, and another ending.
_PINS = ".pins.tsv"


def affected(registry: Registry, root: Path, changed: Iterable[str]) -> list[str]:
    """Return the ids of the tasks that changed files bear on, in the order of the listing.

    Parameters
    ----------
    registry : Registry
        The entries as they are now; of what is broken, the id is returned too.
    root : Path
        The folder of entries that the files are in.
    changed : iterable of str
        Paths relative to ``root``, of files that are there or were.
    """
    files = {(root / name).resolve() for name in changed}
    files |= {file.with_name(file.name.removesuffix(_PINS) + ".json") for file in files}
    touched = {c.key for c in registry.candidates() if c.file.resolve() in files}
    broken = {key.partition(":")[2] for key in touched if key.startswith("task:")}
    found = []
    for task in registry.tasks():
        rests_on = {f"task:{task.id}", f"suite:{task.suite}"}
        rests_on |= {f"dataset:{ref}" for ref in task.datasets}
        beside = task.file.resolve() in files or _bank_of(task.file, files)
        if beside or rests_on & touched:
            found.append(task.id)
            broken.discard(task.id)
    return [*found, *sorted(broken)]


def _bank_of(file: Path, files: set[Path]) -> bool:
    """Tell whether a bank of questions that lies below a task's folder has changed."""
    home = file.parent.resolve()
    return any(home in each.parents and each.stem.startswith(file.stem) for each in files)


def changed_since(base: str, root: Path) -> list[str]:
    """Return the files that differ from a commit, as git tells them.

    Raises
    ------
    UsageError
        If git does not know the commit.
    """
    command = ["git", "-C", str(root), "diff", "--name-only", "-z", "--end-of-options", base, "--"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise UsageError(f"git cannot compare with {base!r}: {last}", where=str(root),
                         hint="Name a commit that is here, for example origin/main.")  # fmt: skip
    return [name for name in done.stdout.split("\0") if name]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tasks; see the top of this module."""
    from braino_registry.registry import Registry, roots

    parser = argparse.ArgumentParser(description="Print the tasks that a change bears on.")
    parser.add_argument("base", nargs="?", help="A commit.")
    parser.add_argument("--all", action="store_true", help="Every task, changed or not.")
    parser.add_argument("--shard", help="Only the I-th of N parts, as I/N.")
    given = parser.parse_args(arguments)
    if given.all == (given.base is not None):
        parser.error("give either a commit, or --all")
    try:
        registry, root = Registry.open(), roots.builtin()
        ids = (
            [task.id for task in registry.tasks()]
            if given.all
            else affected(registry, root, changed_since(given.base, root))
        )
        for name in shards.share(ids, given.shard):
            sys.stdout.write(f"{name}\n")
    except BrainoError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
