"""Who runs the trials: processes of this computer, or those of a cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from braino_registry.runner.settings import RunSettings
from braino_registry.runner.supervise import Hand, Roster, Worker
from braino_registry.runner.wire import init_message, new_scratch

if TYPE_CHECKING:
    from braino_registry.registry import Salt
    from braino_registry.runner.sources import Sources


class Crew(AbstractContextManager["Crew"], Protocol):
    """Those who run the trials of one run."""

    size: int
    roster: Roster

    def hire(self, run_dir: Path) -> Hand:
        """Return one more hand for the run in a folder."""
        ...

    def dismiss(self, run_dir: Path) -> None:
        """Remove what was only needed while the run went on."""
        ...


class LocalCrew:
    """Worker processes of this computer.

    Parameters
    ----------
    size : int
        How many.
    settings : RunSettings
        Where they find entries and data.
    salt : Salt
        The salt of the run.
    """

    def __init__(self, size: int, settings: RunSettings, salt: Salt) -> None:
        self.size = size
        self.roster = Roster()
        self._settings, self._salt = settings, salt

    def hire(self, run_dir: Path) -> Worker:
        """Start one more process."""
        return start_worker(self._settings, self._salt, self.roster)

    def dismiss(self, run_dir: Path) -> None:
        """Nothing was left there."""

    def __enter__(self) -> LocalCrew:
        """Return the crew."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Each hand has been closed by whoever has hired it."""


def gather(settings: RunSettings, sources: Sources) -> Crew:
    """Return the crew that settings ask for.

    Raises
    ------
    UsageError
        If there is no such cluster.
    HostError
        If what a cluster needs is not installed, or it has no workers.
    """
    if settings.cluster is None:
        return LocalCrew(settings.jobs or 1, settings, sources.salt)
    from braino_registry.runner.cluster import connect

    return connect(settings, sources)


def start_worker(settings: RunSettings, salt: Salt, roster: Roster | None = None) -> Worker:
    """Start one trusted worker, which makes a folder of its own for temporary files."""
    init = init_message(
        registry=tuple(path.absolute() for path in settings.registry),
        cache=None if settings.cache is None else settings.cache.absolute(),
        salt=salt.material or None,
        scratch=new_scratch(),
    )
    return Worker(init, roster or Roster())
