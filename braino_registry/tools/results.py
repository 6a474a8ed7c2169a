"""Pages of results that were too long to show."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from braino_registry.recordings.results import MAX_PAGE
from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.presenting import rounded
from braino_registry.tools.state import ToolState


class PageShown(Result, frozen=True, kw_only=True):
    """A part of a result."""

    items: Annotated[Any, Meta(description="The part: a list, or an object by name.")]
    more: Annotated[bool, Meta(description="Whether items follow.")]
    unit: Annotated[str | None, Meta(description="Of the numbers, if all have the same.")]
    description: Annotated[str, Meta(description="What one has to know to read them.")]


@tool("results.page", version="1.0.0", preview=False)
def page(
    state: ToolState,
    *,
    result: Annotated[str, Meta(description="Id of a result, for example result-1.")],
    path: Annotated[
        str, Meta(description="Keys joined by dots, for example measures or uv.Pz.", max_length=200)
    ] = "",
    offset: Annotated[int, Meta(description="First item.", ge=0)] = 0,
    limit: Annotated[int, Meta(description="How many items.", ge=1, le=MAX_PAGE)] = 20,
) -> PageShown:
    """Show a part of a kept result, at most 50 items at a time. Without a path: its top level.

    Example: {"result": "result-1", "path": "per_channel", "offset": 20, "limit": 20}
    """
    from braino_registry.numbers import unit_of

    found = state.results.page(result, path, offset, limit)
    # neither lengths nor positions are told as numbers: both can be chosen by who asks
    units = [unit for key in path.split(".") if (unit := unit_of(key)) is not None]
    return PageShown(
        items=rounded(found.items),
        more=found.next_offset is not None,
        unit=units[-1] if units else None,
        description=state.results.get(result).note,
    )
