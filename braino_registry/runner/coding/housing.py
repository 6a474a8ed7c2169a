"""Where code runs: in a sandbox that hides everything but the task, or, if allowed, beside us."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from braino_registry.errors import HostError
from braino_registry.runner.coding import code_kernel
from braino_registry.runner.coding.limits import CodeLimits
from braino_registry.runner.sandbox import view
from braino_registry.runner.sandbox.engine import Engine
from braino_registry.runner.sandbox.view import Bind, View, view_of
from braino_registry.runner.tiers import Tier

ALLOW = "--allow-unsandboxed-code"
_FILE = Path(code_kernel.__file__)
_COMMAND = ("-P", "-c", f"from {_FILE.stem} import main; main()")
#: Settings under which libraries draw without a screen and keep their files out of the workspace.
_SETTINGS = {
    "MPLBACKEND": "Agg",
    "MNE_BROWSER_BACKEND": "matplotlib",
    "MNE_LOGGING_LEVEL": "WARNING",
}
_CACHES = {"MPLCONFIGDIR": "matplotlib", "NUMBA_CACHE_DIR": "numba"}


class Housing(Protocol):
    """One way to start the Python that runs code.

    Attributes
    ----------
    held_by : str
        What holds the code, as the report says it.
    inputs, workspace : str
        The paths by which the code knows its folders.
    """

    held_by: str
    inputs: str
    workspace: str

    def start(self, tier: Tier) -> subprocess.Popen[bytes]:
        """Start a Python with pipes for its three streams, in a session of its own."""
        ...


class SandboxHousing:
    """Code in a sandbox: its data read-only, its workspace, the interpreter, and nothing else.

    Parameters
    ----------
    engine : Engine
        What holds it.
    inputs, workspace : Path
        The data, and the folder that it may write to.
    limits : CodeLimits
        What it may use.
    """

    def __init__(self, engine: Engine, inputs: Path, workspace: Path, limits: CodeLimits) -> None:
        self._engine, self._limits = engine, limits
        self._data, self._folder = inputs, workspace
        self.held_by = engine.name
        mounts = engine.name != "seatbelt"  # which shows the host's own paths
        self.inputs = view.INPUTS if mounts else str(inputs)
        self.workspace = view.WORKSPACE if mounts else str(workspace)

    def start(self, tier: Tier) -> subprocess.Popen[bytes]:
        """Start a Python in the engine."""
        with suppress(OSError):  # code of a former worker may have shut it
            self._folder.chmod(0o755)
        self._engine.prepare(self._folder)
        seen = code_view(self._data, self._folder)
        with self._engine.launch(seen, tier, self._limits.temporary_bytes) as launch:
            return _popen(
                launch.command,
                self._folder,
                os.environ if launch.environ is None else launch.environ,
                launch.pass_fds,
            )


class OpenHousing:
    """Code in a plain process of this user, which can do whatever this user can.

    Parameters
    ----------
    inputs, workspace, scratch : Path
        The data, the folder to write to, and one for temporary files.
    """

    held_by = f"none ({ALLOW})"

    def __init__(self, inputs: Path, workspace: Path, scratch: Path) -> None:
        self._folder, self._scratch = workspace, scratch
        self.inputs, self.workspace = str(inputs), str(workspace)

    def start(self, tier: Tier) -> subprocess.Popen[bytes]:
        """Start a Python; no variable of the environment that could be a secret is passed on."""
        kept = {name: os.environ[name] for name in view.ALLOWED if name in os.environ}
        environ = {
            **kept,
            **_SETTINGS,
            **{name: str(self._scratch / folder) for name, folder in _CACHES.items()},
            "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
            "HOME": str(self._scratch),
            "TMPDIR": str(self._scratch),
            "PYTHONPATH": str(_FILE.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        process = _popen([sys.executable, *_COMMAND], self._folder, environ)
        _bound(process.pid, tier)
        return process


def code_view(inputs: Path, workspace: Path) -> View:
    """Return what code in a sandbox sees: no agent, no agent interface, no key."""
    seen = view_of(inputs, workspace, "", (), arguments=_COMMAND)
    shown = [bind for bind in seen.binds if not bind.inside.startswith(view.CODE)]
    caches = {name: f"{view.TEMPORARY}/{folder}" for name, folder in _CACHES.items()}
    return replace(
        seen,
        binds=(*shown, *_fonts(), Bind(_FILE, f"{view.CODE}/{_FILE.name}")),
        environ={**seen.environ, **_SETTINGS, **caches, "HOME": view.TEMPORARY},
    )


def _fonts() -> Iterator[Bind]:
    """Yield what a library that draws looks for, and complains about where it is missing."""
    place = Path("/etc/fonts")
    if place.is_dir():
        yield Bind(place, str(place))


def held_by(allow_unsandboxed: bool) -> str:
    """Return what holds the code of a session here, as the report says it.

    Parameters
    ----------
    allow_unsandboxed : bool
        Whether code may run without a sandbox where there is none.

    Raises
    ------
    HostError
        If there is no sandbox here, and that was not allowed.
    """
    engine = _engine(allow_unsandboxed)
    return OpenHousing.held_by if engine is None else engine.name


def choose(
    inputs: Path,
    shown: Path,
    workspace: Path,
    scratch: Path,
    limits: CodeLimits,
    *,
    allow_unsandboxed: bool,
) -> Housing:
    """Return where the code of a session runs.

    Parameters
    ----------
    inputs : Path
        The data, which a sandbox shows read-only.
    shown : Path
        A copy that is the agent's own, for code that could write to it.
    workspace, scratch : Path
        The folder for results, and one for temporary files.
    limits : CodeLimits
        What it may use.
    allow_unsandboxed : bool
        Whether it may run without a sandbox where there is none.

    Raises
    ------
    HostError
        See `held_by`.
    """
    engine = _engine(allow_unsandboxed)
    if engine is None:
        return OpenHousing(shown, workspace, scratch)
    return SandboxHousing(engine, inputs, workspace, limits)


def _engine(allow_unsandboxed: bool) -> Engine | None:
    from braino_registry.runner.sandbox import choose as choose_engine

    try:
        return choose_engine()
    except HostError as error:
        if allow_unsandboxed:
            return None
        raise HostError(
            "code that a model writes would run here without a sandbox: "
            + error.problem.partition(": ")[2],
            where="--paradigm code",
            hint=f"{error.hint.partition(' Or use ')[0]} Or pass {ALLOW}, which the report says.",
        ) from error


def _popen(
    command: list[str], folder: Path, environ: Mapping[str, str], pass_fds: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        env=dict(environ),
        pass_fds=pass_fds,
        start_new_session=True,
    )


def _bound(pid: int, tier: Tier) -> None:
    from braino_registry.runner.process import limit

    limit(pid, tier, tier.file_bytes)
