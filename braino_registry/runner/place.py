"""The temporary place of one trial: a read-only copy of the data, and a folder to write to."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from braino_registry.errors import HostError
from braino_registry.runner import trees


@dataclass
class Place:
    """Three folders whose names tell nothing, gone when the trial is over.

    Parameters
    ----------
    parent : Path
        Where they are made.
    """

    parent: Path
    root: Path = field(init=False)

    def __enter__(self) -> Place:
        """Make the folders."""
        try:
            # Resolved, because an agent compares paths with what os.getcwd() returns.
            self.root = Path(tempfile.mkdtemp(prefix="trial-", dir=self.parent)).resolve()
            self.workspace.mkdir()
            self.scratch.mkdir()
        except OSError as error:
            raise HostError(
                f"cannot make the folder of a trial: {error.strerror}",
                where=str(self.parent),
                hint="Free some space there, or set TMPDIR.",
            ) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove them with whatever an agent has put there."""
        trees.remove_tree(self.root)

    @property
    def inputs(self) -> Path:
        """The BIDS copy."""
        return self.root / "inputs"

    @property
    def workspace(self) -> Path:
        """Where the agent works and leaves files."""
        return self.root / "workspace"

    @property
    def scratch(self) -> Path:
        """Where its temporary files go."""
        return self.root / "tmp"
