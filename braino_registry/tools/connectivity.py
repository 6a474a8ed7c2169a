"""How channels go together, pair by pair."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.quality import _require_continuous
from braino_registry.tools.recording import View
from braino_registry.tools.spectrum import Channels
from braino_registry.tools.state import ToolState

SHOWN = 5
MAX_CHANNELS = 128


class ConnectedPair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two channels and how strongly they are connected."""

    channels: list[str]
    value: float


class Connectivity(Result, frozen=True, kw_only=True):
    """Connectivity of all pairs."""

    method: str
    mean: Annotated[float, Meta(description="Over all pairs of channels.")]
    strongest: Annotated[list[ConnectedPair], Meta(description="The five strongest pairs.")]
    degree: Annotated[dict[str, float], Meta(description="By channel: sum to all others.")]
    n_channels: int
    n_pairs: int


@tool("connectivity.measure", version="1.0.0", aliases=("ConnectivityAnalyzer",))
def measure(
    state: ToolState,
    *,
    view: View,
    method: Annotated[
        Literal["pearson", "plv", "wpli", "pli", "coherence"], Meta(description="What is measured.")
    ],
    channels: Channels = None,
    fmin: Annotated[float | None, Meta(description="Lower edge of the band, Hz.")] = None,
    fmax: Annotated[float | None, Meta(description="Upper edge of the band, Hz.")] = None,
    trim_s: Annotated[
        float, Meta(description="Seconds cut off at both ends, for phases.", ge=0)
    ] = 0.0,
) -> Connectivity:
    """Measure the connectivity of every pair of channels: correlation, phase locking, phase lag.

    With fmin and fmax the band is filtered here, as preprocess.filter does; leave them out for a
    view that is filtered already. coherence needs both and filters nothing. Pairs, the matrix and
    degrees are kept under the result id, for features.rank (paths pairs, degree) and export.figure
    (path matrix).

    Definition: pearson: signed r of the samples. plv: |mean over time of exp(i (phi1 - phi2))|;
    wpli: |mean Im S| / mean |Im S|; pli: |mean sign(Im S)|; S the product of the analytic signals
    (Hilbert's transform of what the view shows), one conjugated. coherence: magnitude squared,
    Welch (2 s, Hann, 50 %), mean of the bins in the band. degree: sum to all other channels.

    Example: {"view": "view-1", "method": "plv", "channels": ["Fz", "Pz"], "fmin": 8, "fmax": 13}
    """
    from braino_registry.analysis.connectivity import connectivity, pair_name

    chosen = state.view(view)
    _require_continuous(chosen)
    names = chosen.pick(channels)
    if len(names) > MAX_CHANNELS:
        raise ToolError(f"{len(names)} channels are too many", f"Pass at most {MAX_CHANNELS}.")
    band: dict[str, float | None] = {}
    if method == "coherence":
        band = {"fmin": fmin, "fmax": fmax}
    elif (fmin, fmax) != (None, None):
        chosen = state.views.derive(chosen, "filter", {"l_freq": fmin, "h_freq": fmax})
    found = connectivity(
        chosen.data(names), chosen.sfreq, names, method=method, trim=trim_s, **band
    )
    together = {pair_name(a, b): [a, b] for k, a in enumerate(names) for b in names[k + 1 :]}
    order = sorted(found["pairs"], key=lambda pair: -abs(found["pairs"][pair]))
    result = state.results.put("connectivity.measure", found, note=f"{method} of {chosen.id}")
    return Connectivity(
        method=method,
        mean=found["mean"],
        strongest=[
            ConnectedPair(channels=together[pair], value=found["pairs"][pair])
            for pair in order[:SHOWN]
        ],
        degree=found["degree"],
        n_channels=len(names),
        n_pairs=len(together),
        result=result,
    )
