"""Ranks and means of what other tools have measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

Names = list[str] | None
SHOWN = 10


class Ranked(Result, frozen=True, kw_only=True):
    """Names by their numbers."""

    names: Annotated[list[str], Meta(description="All that were ranked, the first one first.")]
    values: Annotated[dict[str, float], Meta(description="Of the first ones.")]
    mean: Annotated[float, Meta(description="Of all that were ranked.")]
    above_mean: Annotated[list[str], Meta(description="Those above that mean, in this order.")]
    n_ranked: int
    group_means: Annotated[
        dict[str, float] | UnsetType,
        Meta(description="Of each group; largest first. Ranked with the path group_means."),
    ] = UNSET
    outliers: Annotated[
        list[str], Meta(description="Beyond 1.5 interquartile ranges from the quartiles.")
    ]
    unit: Annotated[str | None, Meta(description="Of the values, if the result tells it.")]


@tool("features.rank", version="1.0.0", aliases=("FeatureRankerAggregator",))
def rank(
    state: ToolState,
    *,
    result: Annotated[str, Meta(description="Id of a result that holds a table, say result-2.")],
    path: Annotated[
        str,
        Meta(
            description="Where its table is: values, pairs, degree, features.kurtosis.values …",
            max_length=200,
        ),
    ] = "values",
    order: Annotated[
        Literal["descending", "ascending"], Meta(description="Which come first.")
    ] = "descending",
    absolute: Annotated[bool, Meta(description="Rank by magnitude, whatever the sign.")] = False,
    keep: Annotated[Names, Meta(description="Rank these alone; all if left out.")] = None,
    without: Annotated[Names, Meta(description="Leave these out.")] = None,
    groups: Annotated[
        Literal["region", "side"] | dict[str, list[str]] | None,
        Meta(description="Average over groups: by region, by side, or names by group."),
    ] = None,
) -> Ranked:
    """Rank channels, pairs, bands or regions by a table that an earlier call kept.

    Tables are objects of numbers by name, or rows with a channel: then path names the column, for
    example rows.drift_uv. Of equal numbers the first in the table comes first.

    Definition: mean: of all that were ranked. group_means: of the members' values. Regions and
    sides as channels.inspect tells them. outliers: below Q1 - 1.5 IQR or above Q3 + 1.5 IQR
    (linear interpolation), of four numbers or more.

    Example: {"result": "result-1", "path": "values", "order": "descending"}
    """
    from braino_registry.analysis.selectors import mean_over
    from braino_registry.analysis.selectors import rank as analysis
    from braino_registry.analysis.thresholds import above, iqr_outliers

    stored = state.results.get(result).value
    known = _table(stored, path)
    table = {
        name: value
        for name, value in known.items()
        if (keep is None or name in keep) and name not in (without or ())
    }
    _check_names(known, [*(keep or ()), *(without or ())])
    if not table:
        raise ToolError("nothing is left to rank", "Pass fewer names in without, or others.")
    rows = analysis(table, order=order, by="absolute" if absolute else "signed", ties="first")
    high = set(above(table, limit="mean")["names"])
    means: dict[str, float] = {}
    if groups is not None:
        found = mean_over(table, groups=_members(groups, table))["values"]
        means = dict(sorted(found.items(), key=lambda item: -item[1]))
    unit = stored.get("unit") if isinstance(stored, Mapping) else None
    kept = state.results.put("features.rank", {"values": rows["values"], "group_means": means})
    return Ranked(
        names=rows["names"],
        values=dict(list(rows["values"].items())[:SHOWN]),
        mean=mean_over(table)["mean"],
        above_mean=[name for name in rows["names"] if name in high],
        n_ranked=len(table),
        group_means=means or UNSET,
        outliers=iqr_outliers(table)["outliers"] if len(table) >= 4 else [],
        unit=unit if isinstance(unit, str) else None,
        result=kept,
    )


def _table(value: Any, path: str) -> dict[str, float]:
    """Return numbers by name from what is at a path, or from a column of rows."""
    keys = [key for key in path.split(".") if key]
    for position, key in enumerate(keys):
        if isinstance(value, Sequence) and not isinstance(value, str):
            return _column(value, key) if position == len(keys) - 1 else _refuse(path, value)
        if not isinstance(value, Mapping) or key not in value:
            _refuse(path, value)
        value = value[key]
    flat = isinstance(value, Mapping) and value
    if not flat or not all(_is_number(item) for item in value.values()):
        _refuse(path, value)
    return {str(name): float(item) for name, item in value.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _column(rows: Sequence[Any], key: str) -> dict[str, float]:
    found = {
        str(row["channel"]): float(row[key])
        for row in rows
        if isinstance(row, Mapping) and "channel" in row and _is_number(row.get(key))
    }
    if not found:
        raise ToolError(f"the rows have no numbers {key!r} by channel", "See results.page.")
    return found


def _refuse(path: str, value: Any) -> dict[str, float]:
    holds = list(value) if isinstance(value, Mapping) else []
    told = ", ".join(str(key) for key in holds[:10]) or "no parts by name"
    raise ToolError(f"there is no table at {path!r}", f"Pass a path to a flat table; here: {told}.")


def _check_names(known: Mapping[str, float], names: Sequence[str]) -> None:
    from braino_registry.errors import close_matches

    for name in names:
        if name not in known:
            raise ToolError(f"the table has no {name!r}", close_matches(name, list(known)))


def _members(
    groups: str | Mapping[str, list[str]], table: Mapping[str, float]
) -> dict[str, list[str]]:
    """Return the names of each group, of those in the table."""
    from braino_registry.analysis.montage import region_of, side_of

    if not isinstance(groups, str):
        _check_names(table, [name for names in groups.values() for name in names])
        found = {group: list(dict.fromkeys(names)) for group, names in groups.items()}
    else:
        found = {}
        for name in table:
            group = region_of(name) if groups == "region" else side_of(name)
            if group is not None:
                found.setdefault(group, []).append(name)
    if not any(found.values()):
        raise ToolError("no group has a member", "Pass names of the table by group.")
    return found
