"""Agents behind the Model Context Protocol: a client that is started, and one that comes."""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from braino.agent import AgentAnswer, Session
from braino_registry.agents.command import program as programs
from braino_registry.agents.command.agent import named, printed_answer, surroundings
from braino_registry.agents.command.endpoint import Endpoint, Exchange
from braino_registry.agents.mcp.offers import Offers
from braino_registry.agents.mcp.server import OverHttp, OverStdio, check_installed

_PRINTED = 1 << 20
TRANSPORTS = ("stdio", "http")


class ClientLeft(Exception):
    """A client has gone without an answer."""


class McpAgent:
    """An agent that starts a client for every trial and serves the session to it.

    The client finds the server's address in ``BRAINO_MCP_URL`` and, as a file that many clients
    read (``{"mcpServers": …}``), in ``BRAINO_MCP_CONFIG``; the request in ``BRAINO_REQUEST`` and on
    its standard input. What its model has used can be told at ``BRAINO_ENDPOINT``, see `endpoint`.
    If it submits no answer, what it prints to standard output is the answer.

    Parameters
    ----------
    program : Program
        The client.
    name : str
        What reports call it.
    model : str | None
        Handed on in ``BRAINO_MODEL``.
    """

    def __init__(self, program: programs.Program, name: str, model: str | None = None) -> None:
        self.program, self.name, self.model = program, name, model

    def preflight(self) -> None:
        """Look for the SDK and the client before the first trial."""
        check_installed()
        self.program.words()

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Run the client on the request.

        Raises
        ------
        SessionEnded
            If the session has ended, by a limit for example.
        ProgramFailed
            If the client fails before it has answered.
        """
        exchange = Exchange(request, session)
        path = f"/{secrets.token_urlsafe()}/mcp"
        with (
            OverHttp(Offers(exchange, session), path=path) as server,
            Endpoint(exchange, int(session.limits["message_bytes"])) as endpoint,
            tempfile.TemporaryDirectory() as folder,
        ):
            file = Path(folder, "mcp.json")
            file.write_text(json.dumps(client_settings(server.address)))
            environ = {
                **surroundings(request, session, self.model),
                "BRAINO_ENDPOINT": endpoint.address,
                "BRAINO_MCP_URL": server.address,
                "BRAINO_MCP_CONFIG": str(file),
            }
            heard = self.program.run(
                environ, request, exchange.over, folder=session.workspace, most=_PRINTED
            )
        if exchange.ended is not None:
            raise exchange.ended
        return exchange.answer or printed_answer(heard, self.program.command)


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

    def close(self) -> None:
        """End the server, if a client that does not come has kept it waiting."""
        if self._exchange is not None:
            self._exchange.over.set()


def prepare(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options of an agent that is a client's command line; see `programs.prepare`."""
    return programs.prepare(text, scheme="mcp")


def make(
    command: str, files: Sequence[str] = (), name: str | None = None, model: str | None = None
) -> McpAgent:
    """Return an agent that runs a client; parameters as for `cmd`."""
    program = programs.Program(command, tuple(files))
    return McpAgent(program, name or named("mcp", program), model)
