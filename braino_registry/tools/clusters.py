"""Where two conditions differ in time."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.epochs import epochs_of
from braino_registry.tools.erp import evoked
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

MAX_WAVES = 200
Ids = Annotated[
    list[str],
    Meta(
        description="One view of epochs (its trials), or the erp of each person.",
        min_length=1,
        max_length=MAX_WAVES,
    ),
]


class Cluster(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Neighbouring samples that differ."""

    onset: Annotated[
        float | None,
        Meta(description="First sample, seconds from the event; null if the window begins there."),
    ]
    offset: Annotated[
        float | None,
        Meta(description="Last sample, seconds from the event; null if the window ends there."),
    ]
    t_sum: float
    p_value: float


class Clusters(Result, frozen=True, kw_only=True):
    """Where two conditions differ."""

    clusters: list[Cluster]
    n_clusters: int
    n_significant: Annotated[int, Meta(description="With p of 0.05 or less.")]
    n_a: Annotated[int, Meta(description="Trials, or people.")]
    n_b: int
    channel: str


@tool("stats.cluster_permutation", version="1.0.0")
def cluster_permutation(
    state: ToolState,
    *,
    a: Ids,
    b: Ids,
    channel: Annotated[str, Meta(description="The channel whose waveforms are compared.")],
    tmin: Annotated[float, Meta(description="Begin of the window, seconds from the event.")],
    tmax: Annotated[float, Meta(description="End of the window, included.")],
    paired: Annotated[bool, Meta(description="The same people in the same order.")] = False,
    n_permutations: Annotated[Literal[1000, 2000], Meta(description="How many.")] = 1000,
) -> Clusters:
    """Find the times at which two conditions differ at one channel, corrected over time.

    Trials of one person are compared unpaired; averages of several people paired or not. A cluster
    says that there is a difference, not exactly when it begins.

    Definition: Maris and Oostenveld (2007): Student's (or paired) t at each sample, clusters of
    neighbouring samples with p < 0.05 two-sided and one sign, mass = sum of t; p of a cluster:
    share of permutations (data included, fixed seed) whose largest absolute mass is not smaller.

    Example: {"a": ["view-2"], "b": ["view-3"], "channel": "Pz", "tmin": 0, "tmax": 0.6}
    """
    import numpy as np

    from braino_registry.analysis.clusters import cluster_permutation as analysis
    from braino_registry.analysis.windows import inside

    first, times = _waves(state, a, channel)
    second, other_times = _waves(state, b, channel)
    if times.shape != other_times.shape or not np.allclose(times, other_times):
        raise ToolError(
            "a and b have different times", "Make both epochs with the same tmin, tmax and rate."
        )
    if paired and len(a) == 1:
        raise ToolError(
            "trials of one person do not belong together in pairs",
            "Pass paired=false, or one erp per person in a and in b.",
        )
    mask = inside(times, tmin, tmax)
    found = analysis(
        first[:, mask], second[:, mask], times[mask], paired=paired, n_permutations=n_permutations
    )
    first_time, last_time = (float(t) for t in times[mask][[0, -1]])
    for row in found["clusters"]:
        # where the window was cut, no cluster begins or ends
        row["onset"] = None if row["onset"] == first_time else row["onset"]
        row["offset"] = None if row["offset"] == last_time else row["offset"]
    return msgspec.convert({**found, "channel": channel}, Clusters)


def _waves(state: ToolState, ids: list[str], channel: str) -> tuple[Any, Any]:
    """Return waveforms in µV, shape (n, n_times), and their times."""
    import numpy as np

    if len(ids) == 1 and not ids[0].startswith("result-"):
        view, _ = epochs_of(state, ids[0])
        return view.data([channel])[:, 0] * 1e6, view.times
    erps = [evoked(state, identifier) for identifier in ids]
    if len(set(ids)) != len(ids):
        raise ToolError("an erp is named twice", "Name the erp of each person once.")
    for identifier, erp in zip(ids, erps, strict=True):
        if channel not in erp.uv:
            from braino_registry.recordings.errors import unknown

            raise unknown("channel", channel, list(erp.uv), where=identifier)
        same = erp.times.shape == erps[0].times.shape and np.allclose(erp.times, erps[0].times)
        if not same:
            raise ToolError(
                f"{identifier} has other times than {ids[0]}",
                "Make all epochs with the same tmin, tmax and rate.",
            )
    return np.stack([erp.uv[channel] for erp in erps]), erps[0].times
