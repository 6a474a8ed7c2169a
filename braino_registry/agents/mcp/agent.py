"""Agents behind the Model Context Protocol: a client that is started, and one that comes."""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from braino.agent import AgentAnswer, Session
from braino_registry.agents.command import program as programs
from braino_registry.agents.command.agent import CommandAgent
from braino_registry.agents.command.endpoint import Exchange
from braino_registry.agents.mcp.offers import Offers
from braino_registry.agents.mcp.server import OverHttp, OverStdio, check_installed

TRANSPORTS = ("stdio", "http")


class ClientLeft(Exception):
    """A client has gone without an answer."""


class McpAgent(CommandAgent):
    """An agent that starts a client for every trial and serves the session to it.

    The client finds the server's address in ``BRAINO_MCP_URL`` and, as a file that many clients
    read (``{"mcpServers": …}``), in ``BRAINO_MCP_CONFIG``. All else is as for any program; at
    ``BRAINO_ENDPOINT`` it can be told what the client's model has used.
    """

    scheme = "mcp"

    def preflight(self) -> None:
        """Look for the SDK and the client before the first trial."""
        check_installed()
        super().preflight()

    @contextmanager
    def serving(self, exchange: Exchange, session: Session) -> Iterator[dict[str, str]]:
        """Serve the session, and give the variables by which the client finds it."""
        path = f"/{secrets.token_urlsafe()}/mcp"
        with (
            super().serving(exchange, session) as addresses,
            OverHttp(Offers(exchange, session), path=path) as server,
            tempfile.TemporaryDirectory() as folder,
        ):
            file = Path(folder, "mcp.json")
            file.write_text(json.dumps(client_settings(server.address)))
            yield {
                **addresses,
                "BRAINO_MCP_URL": server.address,
                "BRAINO_MCP_CONFIG": str(file),
            }


def client_settings(address: str) -> dict[str, Any]:
    """Return the settings by which many clients find a server."""
    return {"mcpServers": {"braino": {"type": "http", "url": address}}}


class ServedAgent:
    """An agent whose client comes by itself: it serves the session and waits for the answer.

    Parameters
    ----------
    transport : {"stdio", "http"}
        How clients speak to it.
    port : int
        Of ``http``; 0 for any that is free.
    tell : callable
        Called with the server's address when it listens.
    """

    name = "mcp-client"
    model = None

    def __init__(self, transport: str, port: int, tell: Callable[[str], None]) -> None:
        self._transport, self._port, self._tell = transport, port, tell
        self._exchange: Exchange | None = None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Serve until a client has answered.

        Raises
        ------
        SessionEnded
            If the session has ended, by a limit for example.
        ClientLeft
            If the client has gone, or the session was closed.
        """
        exchange = self._exchange = Exchange(request, session)
        offers = Offers(exchange, session)
        server: AbstractContextManager[Any] = (
            OverStdio(offers, exchange.over.set)
            if self._transport == "stdio"
            else OverHttp(offers, port=self._port)
        )
        with server as running:
            self._tell(running.address)
            exchange.over.wait()
        if exchange.ended is not None:
            raise exchange.ended
        if exchange.answer is None:
            raise ClientLeft("the client left without an answer")
        return exchange.answer

    @property
    def answered(self) -> bool:
        """Whether the client has given its answer."""
        return self._exchange is not None and self._exchange.answer is not None

    def close(self) -> None:
        """End the server, if a client that does not come has kept it waiting."""
        if self._exchange is not None:
            self._exchange.over.set()


def prepare(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options of an agent that is a client's command line; see `programs.prepare`."""
    return programs.prepare(text, scheme="mcp")


make = McpAgent.make
