"""A session as a server of the Model Context Protocol, by its official SDK (extra ``mcp``)."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from braino.agent import AgentUnusable
from braino_registry.agents.mcp.offers import Offers

if TYPE_CHECKING:
    from mcp.server import Server

INSTRUCTIONS = (
    "A session of EEG analysis. Call read_request first. Work with the tools, ask the user what "
    "only they can know, have changes of the data decided by request_decision, and end with "
    "submit_answer."
)
#: Seconds in which a client may go by itself when the session is over.
PARTING = 1.0
#: Seconds for which a model may think while its client keeps a connection open.
_IDLE = 3600
_PIECE = 1 << 16


def check_installed() -> None:
    """Raise AgentUnusable if the SDK is not installed."""
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        hint = "pip install 'braino-registry[mcp]'"
        raise AgentUnusable("unready", "the package mcp is not installed", hint=hint)


def make_server(offers: Offers) -> Server[Any]:
    """Return a server of what a session offers."""
    import anyio.to_thread
    import mcp_types as types
    from mcp.server import Server

    async def listed(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=o.name, description=o.description, input_schema=dict(o.schema))
                for o in offers.by_name.values()
            ]
        )

    async def called(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        # In a thread of its own: an analysis must not keep the server from answering pings.
        do = partial(offers.do, params.name, params.arguments or {})
        reply = await anyio.to_thread.run_sync(do)
        text = types.TextContent(type="text", text=reply.text)
        return types.CallToolResult(content=[text], is_error=not reply.ok)

    return Server(
        "braino",
        version=version("braino-registry"),
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


class OverHttp:
    """A server on loopback, by streamable HTTP, as long as the ``with`` block lasts.

    Parameters
    ----------
    offers : Offers
        What is served.
    port : int
        0 for any that is free.
    path : str
        Of its address.
    """

    def __init__(self, offers: Offers, *, port: int = 0, path: str = "/mcp") -> None:
        import uvicorn

        logging.getLogger("mcp").setLevel(logging.ERROR)
        # asyncio sends at once only on sockets that name their protocol; others wait 40 ms a reply.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self._socket.listen(128)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}{path}"
        app = make_server(offers).streamable_http_app(streamable_http_path=path)
        config = uvicorn.Config(
            app,
            log_level="error",
            timeout_graceful_shutdown=int(PARTING),
            timeout_keep_alive=_IDLE,
            ws="none",
        )
        self._server = uvicorn.Server(config)
        run = partial(self._server.run, sockets=[self._socket])
        self._thread = threading.Thread(target=run, name="mcp", daemon=True)

    def __enter__(self) -> OverHttp:
        """Serve from now on; connections that come early wait."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Answer what has been asked, and end."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


class OverStdio:
    """A server on standard input and output, as long as the ``with`` block lasts.

    Parameters
    ----------
    offers : Offers
        What is served.
    left : callable
        Called when the client is gone.
    """

    address = "standard input and output"

    def __init__(self, offers: Offers, left: Callable[[], None]) -> None:
        self._offers, self._left = offers, left
        # What the SDK reads is a pipe of our own: a thread that waits for standard input cannot
        # be stopped, one that waits for this pipe ends when its other end is closed.
        self._reader, self._writer = os.pipe()
        self._pump = threading.Thread(target=self._copy, name="mcp input", daemon=True)
        self._thread = threading.Thread(target=self._serve, name="mcp", daemon=True)
        self._closing = threading.Lock()
        self._closed = False

    def __enter__(self) -> OverStdio:
        """Serve from now on."""
        self._thread.start()
        self._pump.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let the client go by itself for a moment, then end."""
        self._pump.join(PARTING)
        self._close()
        self._thread.join()

    def _copy(self) -> None:
        while piece := os.read(0, _PIECE):
            with self._closing:
                if self._closed:
                    return
                try:
                    os.write(self._writer, piece)
                except BrokenPipeError:  # the session is over, and nobody reads any more
                    break
        self._close()

    def _close(self) -> None:
        with self._closing:
            if not self._closed:
                self._closed = True
                os.close(self._writer)

    def _serve(self) -> None:
        import anyio

        try:
            anyio.run(self._converse)
        finally:
            self._left()

    async def _converse(self) -> None:
        import anyio
        from mcp.server.stdio import stdio_server

        server = make_server(self._offers)
        with os.fdopen(self._reader, encoding="utf-8", errors="replace") as stream:
            async with stdio_server(stdin=anyio.wrap_file(stream)) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
