"""One session of a task for whoever comes as a client of the Model Context Protocol."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino.agent import AgentUnusable
from braino_registry.agents.mcp import ServedAgent
from braino_registry.agents.mcp.server import check_installed
from braino_registry.errors import HostError, UsageError
from braino_registry.runner.trying import try_task

if TYPE_CHECKING:
    from braino_registry.datasets import Store
    from braino_registry.registry import Registry, Salt


def serve_task(
    name: str,
    *,
    transport: str,
    port: int = 0,
    keep: Path | None = None,
    registry: Registry | None = None,
    store: Store | None = None,
    salt: Salt | None = None,
    tell: Callable[[str], None] = lambda address: None,
) -> dict[str, Any]:
    """Serve a task until a client has answered, and return the trial record.

    Parameters
    ----------
    name : str
        ``task`` (its first instance) or ``task/instance``.
    transport : {"stdio", "http"}
        How clients speak to the server.
    port : int
        Of ``http``; 0 for any that is free.
    keep : Path | None
        New run folder to keep transcript and artifacts in.
    registry, store, salt : optional
        As for `try_task`.
    tell : callable
        Called with the server's address when it listens.

    Raises
    ------
    HostError
        If the SDK is not installed, or the port is taken.
    UsageError
        If there is no such task or instance, or the folder is not empty.
    """
    try:
        check_installed()
    except AgentUnusable as error:
        raise HostError(error.problem, where="braino mcp serve", hint=error.hint) from error
    if keep is not None and keep.exists() and any(keep.iterdir()):
        hint = "Name a new one."
        raise UsageError("the folder is not empty", where=f"--run-dir {keep}", hint=hint)
    task, _, instance = name.partition("/")
    _check_port(transport, port)
    agent = ServedAgent(transport, port, tell)
    if transport == "stdio":
        _let_it_be_scored(agent)
    try:
        return try_task(
            task, agent=agent, instance=instance or None, registry=registry, store=store,
            salt=salt, keep=keep,
        )  # fmt: skip
    finally:
        agent.close()


def _let_it_be_scored(agent: ServedAgent) -> None:
    """From an answer on, leave SIGTERM alone, by which clients end servers that take seconds to go.

    The former handler is not put back: this process serves one session, and prints its score.
    """
    former = signal.getsignal(signal.SIGTERM)

    def ended(number: int, frame: Any) -> None:
        if not agent.answered and callable(former):
            former(number, frame)

    if callable(former):
        signal.signal(signal.SIGTERM, ended)


def _check_port(transport: str, port: int) -> None:
    """Refuse a port that is taken before any data are built."""
    import socket

    if transport != "http":
        return
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except (OSError, OverflowError) as error:
        raise HostError(
            f"nothing can listen there: {error}",
            where=f"--port {port}",
            hint="Leave --port out, and a free one is taken.",
        ) from error
