"""Reading the one action of a model's reply."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["execute", "solution", "ask", "decide", "none"]

_THOUGHT = re.compile(r"<(think|thinking|thought)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<(execute|solution|ask|decide)((?:\s+\w+=\"[^\"]*\")*)\s*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(\w+)=\"([^\"]*)\"")
_FENCE = re.compile(r"\A\s*```[\w-]*[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Action:
    """What a reply asks for.

    Parameters
    ----------
    kind : {"execute", "solution", "ask", "decide", "none"}
        ``"none"`` if the reply holds no block.
    body : str
        What stands in the block; code without the fence that models put around it.
    about, why : str
        Of a decision: its kind and the reason.
    whole : bool
        Whether the block was closed.
    """

    kind: Kind
    body: str = ""
    about: str = ""
    why: str = ""
    whole: bool = True


def read_action(text: str, *, cut: bool = False) -> Action:
    """Return the first action of a reply.

    Parameters
    ----------
    text : str
        The reply; thoughts in it are no actions, whatever they mention.
    cut : bool
        Whether the reply was ended by its greatest length. A block that is open then is no action:
        half a program must not run, and half a report is no report.

    Returns
    -------
    Action
        A block that is not closed for another reason counts, as models stop before the last tag.
    """
    text = _THOUGHT.sub("", text)
    start = _OPEN.search(text)
    if start is None:
        return Action("none")
    kind = start[1].lower()
    rest = text[start.end() :]
    closing = re.compile(rf"</{kind}\s*>", re.IGNORECASE)
    end = closing.search(rest)
    if end is None and cut:
        return Action("none", whole=False)
    body = rest if end is None else rest[: end.start()]
    given = {name.lower(): value for name, value in _ATTRIBUTE.findall(start[2])}
    if kind in ("execute", "decide"):
        fenced = _FENCE.match(body)
        body = fenced[1] if fenced else body.strip("\n")
    else:
        body = body.strip()
    return Action(
        kind,  # type: ignore[arg-type]  # the pattern knows no other
        body,
        about=given.get("kind", ""),
        why=given.get("why", ""),
        whole=end is not None,
    )
