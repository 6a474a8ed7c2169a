"""The level ``sandbox``: an agent's process in an engine, with a view of its task alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from braino_registry.runner import cgroups
from braino_registry.runner.endpoints import read_endpoint
from braino_registry.runner.holdings import Rooms
from braino_registry.runner.isolation import Measured, Seen, Start, on_host
from braino_registry.runner.process import COMMAND, AgentProcess, by_groups
from braino_registry.runner.sandbox import network, relay, view
from braino_registry.runner.sandbox.choosing import choose
from braino_registry.runner.sandbox.engine import Engine
from braino_registry.runner.sandbox.gathered import gathered
from braino_registry.runner.sandbox.view import Bind, View, view_of
from braino_registry.runner.tiers import Tier

TEMPORARY_BYTES = 1 << 30
_RELAY = "_braino_relay"
_PROXY = f"http://127.0.0.1:{relay.PORT}"
_PROXY_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")


class SandboxIsolation:
    """The only level whose results are ranked.

    Parameters
    ----------
    engine : Engine | None
        By default the first that works here.

    Raises
    ------
    HostError
        If none works: a run that asked for a sandbox never starts without one.
    """

    name = "sandbox"
    shows_read_only = True

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = choose() if engine is None else engine

    def start(self, start: Start) -> SandboxedAgent:
        """Start the agent's interpreter in the engine; see `Isolation`."""
        with ExitStack() as stack:
            seen = view_of(
                start.inputs,
                start.workspace,
                start.factory,
                start.path,
                arguments=COMMAND,
                passed=start.passed,
            )
            forwarder = None
            if start.endpoints:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="net-"))
                os.chmod(folder, 0o711)
                allowed = [read_endpoint(text) for text in start.endpoints]
                forwarder = network.Forwarder(Path(folder) / "s", allowed)
                stack.enter_context(forwarder)
                seen = _with_network(seen, forwarder.path)
            if _mounts(self.engine):
                seen = gathered(seen, start.kept)
            self.engine.prepare(start.workspace)
            launch = stack.enter_context(self.engine.launch(seen, start.tier, TEMPORARY_BYTES))
            process = AgentProcess(
                launch.command,
                start,
                os.environ if launch.environ is None else launch.environ,
                _seen(self.engine, start),
                pass_fds=launch.pass_fds,
                limited=True,
                group=cgroups.make(start.tier) if self.engine.joins_groups else None,
                rooms=Rooms((view.TEMPORARY, view.SHARED), view.WORKSPACE, start.workspace),
            )
            return SandboxedAgent(process, stack.pop_all(), forwarder)

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say by which means each limit is held."""
        return {
            **self.engine.enforcement(tier),
            **(by_groups(tier) if self.engine.joins_groups else {}),
            "disk": "watcher on the trial's folder",
            "engine": self.engine.name,
        }


class SandboxedAgent:
    """An agent's process tree in an engine.

    Parameters
    ----------
    process : AgentProcess
        The engine's program with the agent below it.
    held : ExitStack
        What is released when the agent is gone.
    forwarder : Forwarder | None
        The way to declared endpoints.
    """

    def __init__(
        self,
        process: AgentProcess,
        held: ExitStack,
        forwarder: network.Forwarder | None,
    ) -> None:
        self._process, self._held, self._forwarder = process, held, forwarder
        self.seen = process.seen
        self.reader: BinaryIO = process.reader
        self.writer: BinaryIO = process.writer

    def alive(self) -> bool:
        """Tell whether the agent still runs."""
        return self._process.alive()

    def stop(self, *, grace: float) -> Measured:
        """End the agent with everything it has started."""
        with self._held:
            measured = self._process.stop(grace=grace)
        if self._forwarder is None or not self._forwarder.refused:
            return measured
        places = ", ".join(sorted(set(self._forwarder.refused))[:10])
        flags = (*measured.flags, f"network: tried to reach {places}")
        return replace(measured, flags=flags)


def _seen(engine: Engine, start: Start) -> Seen:
    """Return the paths by which an agent knows its folders."""
    if not _mounts(engine):
        return on_host(start)
    return Seen(view.INPUTS, view.WORKSPACE, (view.CODE,))


def _mounts(engine: Engine) -> bool:
    """Tell whether an engine shows folders under other names; else paths are the host's."""
    return engine.name != "seatbelt"


def _with_network(seen: View, socket: Path) -> View:
    """Return a view in which the agent's interpreter begins with the way out."""
    begin = f"import {_RELAY}; {_RELAY}.start(); "
    command = list(seen.command)
    command[-1] = begin + command[-1]
    return replace(
        seen,
        binds=(
            *seen.binds,
            Bind(Path(relay.__file__), f"{view.CODE}/{_RELAY}.py"),
            Bind(socket, relay.SOCKET),
        ),
        environ={**seen.environ, **dict.fromkeys(_PROXY_NAMES, _PROXY)},
        command=tuple(command),
    )
