"""What a run is asked to do, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

ISOLATIONS = ("none", "process", "sandbox")
PARADIGMS = ("tools", "code")
PROFILES = ("strict", "published")
DATA = ("public", "twin", "all")
DEFAULT_SUITE = "braino"


@dataclass(frozen=True)
class RunSettings:
    """The options of `braino eval run`.

    Parameters
    ----------
    agent : str
        A built-in agent's name or ``module:factory``.
    tasks : tuple of str
        Task ids, or ``task/instance`` for one instance alone; all of the suite if empty.
    suite, subset : str | None
        Suite (``braino`` if neither it nor tasks are given) and one of its subsets.
    model : str | None
        Given to the agent's factory.
    tier : str
        Name of an entry of ``tiers.json``.
    repeats : int
        Sessions per instance.
    seed : int
        What the seed of each trial comes from.
    jobs : int | None
        Trials at a time; by default one, or as many as the cluster can run.
    shard : str | None
        ``I/N`` runs only the I-th of N equal parts of the plan.
    cluster : str | None
        ``local`` or the address of a Dask scheduler whose workers run the trials.
    isolation : str
        ``none``, ``process`` or ``sandbox``.
    run_dir : Path | None
        Where the run is kept; by default a new folder below ``runs/``.
    report : Path | None
        Where a copy of the report is written.
    include_large, fetch : bool
        Plan (and fetch) large datasets; fetch whatever is missing.
    data : str
        ``public`` or ``twin`` plans only instances that are marked so.
    paradigm, profile : str
        How the agent works, and how its answers are scored.
    allow_unsandboxed_code : bool
        With the paradigm ``code``: whether code may run without a sandbox where there is none.
    registry : tuple of Path
        Further folders of entries.
    salt : Path | None
        File whose secret changes every draw.
    cache : Path | None
        Dataset cache; the platform's by default.
    endpoints : tuple of str
        Addresses of models that an agent in a sandbox may reach; nothing else is.
    passed : tuple of str
        Names of environment variables that it is given, a model's key for example. Their values
        are written nowhere.
    agent_options : tuple of str
        ``KEY=VALUE`` for the agent's factory, see `agent_options`.
    release : str | None
        Name, or lock file, of the release that the run is held to.
    """

    agent: str
    tasks: tuple[str, ...] = ()
    suite: str | None = None
    subset: str | None = None
    model: str | None = None
    tier: str = "minimum"
    repeats: int = 1
    seed: int = 0
    jobs: int | None = None
    shard: str | None = None
    cluster: str | None = None
    isolation: str = "process"
    run_dir: Path | None = None
    report: Path | None = None
    include_large: bool = False
    fetch: bool = False
    data: str = "all"
    paradigm: str = "tools"
    profile: str = "strict"
    allow_unsandboxed_code: bool = False
    registry: tuple[Path, ...] = ()
    salt: Path | None = None
    cache: Path | None = None
    endpoints: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    release: str | None = None
    agent_options: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the settings as JSON values; the salt's file name is kept, never its content."""
        values = {
            name: _plain(getattr(self, name))
            for name in self.__dataclass_fields__
            if name not in ("run_dir", "report")
        }
        if self.release is not None and Path(self.release).is_file():
            values["release"] = str(Path(self.release).absolute())
        return values

    @classmethod
    def from_document(cls, document: dict[str, Any], **changes: Any) -> RunSettings:
        """Return the settings that `document` wrote, with some of them changed."""
        values = {
            **document,
            **{name: tuple(document[name]) for name in ("tasks", "endpoints", "passed")},
            "agent_options": tuple(document.get("agent_options", ())),
            "registry": tuple(Path(folder) for folder in document["registry"]),
            "salt": None if document["salt"] is None else Path(document["salt"]),
            "cache": None if document["cache"] is None else Path(document["cache"]),
        }
        return cls(**{**values, **changes})


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value.absolute())
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
