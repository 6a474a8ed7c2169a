"""The commands that a stage tells a person to type: each works as it is printed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Commands:
    """Builds commands with the options with which the task was found.

    Parameters
    ----------
    task : str
        The task as a person named it: its id, or its file.
    folders : tuple of Path
        Further folders of entries.
    cache, salt : Path | None
        The cache folder and the file with the salt, if they were named.
    """

    task: str
    folders: tuple[Path, ...] = ()
    cache: Path | None = None
    salt: Path | None = None

    def check(self, *more: str) -> str:
        """Return the command that checks the task."""
        return shlex.join(("braino", "task", "check", self.task, *more, *self._where()))

    def trial(self, *more: str, salt: str = "") -> str:
        """Return the command that shows one trial, under the salt in another file if named."""
        return shlex.join(("braino", "task", "try", self.task, *more, *self._where(salt)))

    def build(self, dataset: str) -> str:
        """Return the command that builds a dataset and tells all of what stops it."""
        return shlex.join(("braino", "--debug", "data", "build", dataset, *self._where()))

    def verify(self, release: str) -> str:
        """Return the command that verifies a release."""
        return shlex.join(("braino", "release", "verify", release, *self._where()))

    def among(self, command: str) -> str:
        """Return a command for a dataset with the folders in which that is found."""
        folders = [word for folder in self.folders for word in ("--registry", str(folder))]
        return " ".join([command, shlex.join(folders)]) if folders else command

    def _where(self, salt: str = "") -> Iterator[str]:
        for folder in self.folders:
            yield from ("--registry", str(folder))
        if self.cache is not None:
            yield from ("--cache", str(self.cache))
        if salt or self.salt is not None:
            yield from ("--salt", salt or str(self.salt))
