"""Names of tools on the wire: the one place where dots are mapped for providers that refuse them.

Model providers and MCP clients take names of letters, digits, ``_`` and ``-`` only, up to 64
characters. A dot becomes two underscores (``dataset.inspect`` is ``dataset__inspect``). Names
whose parts are joined by single dots or underscores map one-to-one; others are refused, so that
no two tools can ever share a name. Standard library only.
"""

from __future__ import annotations

import re

DOT = "__"
#: The longest name that providers take.
MOST = 64
_PART = r"[A-Za-z0-9-]+"
_NAME = re.compile(rf"{_PART}(?:[._]{_PART})*")
_WIRE = re.compile(rf"{_PART}(?:_{{1,2}}{_PART})*")


def to_wire(name: str) -> str:
    """Return how a tool is called on the wire.

    Parameters
    ----------
    name : str
        Its name here: parts of letters, digits and ``-``, joined by single dots or underscores.

    Returns
    -------
    wire : str
        The same with two underscores for each dot, at most 64 characters.

    Raises
    ------
    ValueError
        If the name is none of these, or too long on the wire.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name[:100]!r} cannot be offered: a tool's name has parts of letters, digits and "
            "'-', joined by single dots or underscores"
        )
    wire = name.replace(".", DOT)
    if len(wire) > MOST:
        raise ValueError(f"{wire!r} has {len(wire)} characters; providers take at most {MOST}")
    return wire


def from_wire(wire: str) -> str:
    """Return the name of the tool that is called so on the wire.

    Raises
    ------
    ValueError
        If no tool can be called so.
    """
    if len(wire) > MOST or not _WIRE.fullmatch(wire):
        raise ValueError(f"no tool is called {wire[:100]!r}")
    return wire.replace(DOT, ".")
