"""The temporary place of one trial: copies of the data, and a folder to write to."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from braino_registry.errors import HostError
from braino_registry.runner import trees


def make_private_folder(path: Path) -> None:
    """Make a folder that only this user can enter.

    Raises
    ------
    HostError
        If the disk is full, nothing may be written there, or something has the name already.
    """
    try:
        path.mkdir(mode=0o700)
    except OSError as error:
        raise _no_place("a folder for temporary files", error, path.parent) from error


def _no_place(what: str, error: OSError, where: Path) -> HostError:
    return HostError(
        f"cannot make {what}: {error.strerror}",
        where=str(where),
        hint="Free some space there, or set TMPDIR.",
    )


@dataclass
class Place:
    """The folders of one trial, whose names tell nothing; gone when the trial is over.

    What the agent is told of lies in one folder; the copy of the data that the tools read lies in
    another one.

    Parameters
    ----------
    parent : Path
        Where they are made.
    """

    parent: Path
    root: Path = field(init=False)
    held: Path = field(init=False)
    left: bool = field(default=False, init=False)

    def __enter__(self) -> Place:
        """Make the folders."""
        try:
            # An agent of a former trial may have removed it.
            self.parent.mkdir(mode=0o700, exist_ok=True)
            # Resolved, because an agent compares paths with what os.getcwd() returns.
            self.root = Path(tempfile.mkdtemp(prefix="trial-", dir=self.parent)).resolve()
            self.held = Path(tempfile.mkdtemp(prefix="held-", dir=self.parent)).resolve()
            self.held.chmod(0o755)  # a sandbox may show it to another user; nobody else gets here
            self.inputs.mkdir()
            self.workspace.mkdir()
            self.scratch.mkdir()
        except OSError as error:
            raise _no_place("the folder of a trial", error, self.parent) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove them with whatever an agent has put there; `left` tells if that failed."""
        self.left = not all([trees.remove_tree(self.root), trees.remove_tree(self.held)])

    def empty(self) -> None:
        """Remove whatever takes space and is no longer needed, before the trial is over."""
        for path in (self.workspace, self.scratch, self.inputs, self.held):
            trees.remove_tree(path)

    @property
    def inputs(self) -> Path:
        """The agent's BIDS copy; nothing that is scored rests on it."""
        return self.root / "inputs"

    @property
    def workspace(self) -> Path:
        """Where the agent works and leaves files."""
        return self.root / "workspace"

    @property
    def scratch(self) -> Path:
        """Where its temporary files go."""
        return self.root / "tmp"
