"""Addresses of models that an agent may reach where it has no other network."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from braino_registry.errors import UsageError

#: Ports by the scheme of an address.
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, order=True)
class Endpoint:
    """A host and port that may be reached.

    Parameters
    ----------
    host : str
        Name or address, lower case.
    port : int
        TCP port.
    """

    host: str
    port: int

    def __str__(self) -> str:
        """Return ``host:port``."""
        return f"{self.host}:{self.port}"


def read_endpoint(text: str) -> Endpoint:
    """Return the endpoint that an address names.

    Parameters
    ----------
    text : str
        For example ``https://api.example.org/v1`` or ``http://127.0.0.1:11434``.

    Raises
    ------
    UsageError
        If it is no http(s) address.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in PORTS or not parts.hostname or parts.username is not None:
        raise UsageError(
            f"{text!r} is no model endpoint",
            where="--endpoint",
            hint="Write its address, for example https://api.example.org/v1 (no password in it).",
        )
    return Endpoint(parts.hostname.lower(), port or PORTS[parts.scheme])
