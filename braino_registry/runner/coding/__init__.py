"""The code of agents under paradigm ``code``: a worker that the trusted side starts and bounds.

Nothing of it is imported by a run whose agent uses tools.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from braino_registry.runner.coding.executor import CodeExecutor
    from braino_registry.runner.spec import TrialSpec


def check(paradigm: str, allow_unsandboxed: bool) -> str | None:
    """Return what will hold the code of a run, before anything is started.

    Parameters
    ----------
    paradigm : str
        With another one than ``code`` there is none, and None is returned.
    allow_unsandboxed : bool
        Whether code may run without a sandbox where there is none.

    Raises
    ------
    HostError
        If there is no sandbox here, and that was not allowed.
    """
    if paradigm != "code":
        return None
    from braino_registry.runner.coding.housing import held_by

    return held_by(allow_unsandboxed)


@contextmanager
def executing(
    spec: TrialSpec,
    inputs: Path,
    shown: Path,
    folder: Path,
    *,
    until: float,
    data_bytes: int = 0,
) -> Iterator[CodeExecutor | None]:
    """Give what runs the code of a session, and end it with all it has started.

    Parameters
    ----------
    spec : TrialSpec
        The trial; with another paradigm than ``code`` there is nothing, and None is given.
    inputs : Path
        The data, which a sandbox shows read-only.
    shown : Path
        A copy of the agent's own, for code that no sandbox keeps from writing to it.
    folder : Path
        The trial's folder, with ``workspace`` and ``tmp`` in it; its size is watched.
    until : float
        ``time.monotonic()`` at which the session is over in any case.
    data_bytes : int
        How much of what is in the folder is the data.

    Raises
    ------
    HostError
        See `check`.
    """
    if spec.paradigm != "code":
        yield None
        return
    from braino_registry.runner import tiers
    from braino_registry.runner.coding.executor import CodeExecutor
    from braino_registry.runner.coding.housing import choose
    from braino_registry.runner.coding.limits import standard

    limits = standard()
    housing = choose(
        inputs, shown, folder / "workspace", folder / "tmp", limits,
        allow_unsandboxed=spec.allow_unsandboxed_code,
    )  # fmt: skip
    executor = CodeExecutor(housing, limits, tiers.get(spec.tier), folder, until, data_bytes)
    try:
        yield executor
    finally:
        executor.close()
