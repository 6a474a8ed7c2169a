"""Independent components: found, described, and taken out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.preprocess import NewView
from braino_registry.tools.quality import _require_continuous
from braino_registry.tools.recording import View, shown
from braino_registry.tools.state import ToolState

if TYPE_CHECKING:
    from braino_registry.analysis.ica import Decomposition
    from braino_registry.recordings.signal import Step
    from braino_registry.recordings.views import View as ViewObject

MAX_COMPONENTS = 20
HIGH_PASS = 1.0
OCULAR_R, CARDIAC_R, MUSCLE_SLOPE = 0.5, 0.3, -0.3
OCULAR_BAND, CARDIAC_BAND = (1.0, 10.0), (8.0, 16.0)
FRONTAL = ("Fp1", "Fp2", "Fpz", "AF7", "AF8", "AF3", "AF4")
Ica = Annotated[str, Meta(description="The ica that ica.fit returned, for example result-1.")]


@dataclass(frozen=True)
class Fitted:
    """A kept decomposition.

    Parameters
    ----------
    view : View
        What it was made of.
    names : tuple of str
        Its channels.
    found : Decomposition
        Its components.
    """

    view: ViewObject
    names: tuple[str, ...]
    found: Decomposition

    @property
    def peaks(self) -> list[str]:
        """The channel at which each component is largest."""
        return [self.names[int(k)] for k in abs(self.found.mixing).argmax(axis=0)]


class Component(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One component."""

    component: Annotated[int, Meta(description="Its number, from 0.")]
    variance_percent: Annotated[float, Meta(description="Share of the signal's variance.")]
    peak_channel: Annotated[str, Meta(description="Where it is largest.")]


class Fit(Result, frozen=True, kw_only=True):
    """A decomposition."""

    ica: Annotated[str, Meta(description="Its id, for ica.scores and ica.apply.")]
    recording: str
    n_components: int
    n_channels: int
    algorithm: str
    converged: bool
    components: list[Component]


@tool("ica.fit", version="1.0.0")
def fit(
    state: ToolState,
    *,
    view: View,
    n_components: Annotated[
        Annotated[int, Meta(ge=2)] | None,
        Meta(description="How many; as the signal has directions, at most 20, if left out."),
    ] = None,
) -> Fit:
    """Decompose the EEG channels of a view into independent components. It takes nothing out.

    Channels that are marked bad are left out. Notch or low-pass first if there is much hum.

    Definition: The view's EEG channels, high-passed at 1 Hz (zero-phase FIR), every k-th sample so
    that 10 000 are left at most, reduced to principal components, rotated by Picard-O with the
    density of extended infomax (Ablin et al. 2018), starting from the principal components: nothing
    is random. Components are numbered from 0 by descending variance of their projection;
    variance_percent is that over the variance of all channels.

    Example: {"view": "view-1", "n_components": 15}
    """
    from braino_registry.analysis.ica import decompose, rank_of

    chosen = state.view(view)
    _require_continuous(chosen)
    bads = set(chosen.recording.bads)
    names = tuple(name for name in chosen.pick() if name not in bads)
    if len(names) < 3:
        raise ToolError(
            f"{len(names)} good EEG channels are too few to decompose", "Choose another view."
        )
    data = _thinned(_high_passed(chosen), names)
    count = n_components or min(rank_of(data), MAX_COMPONENTS)
    if count > min(len(names), 64):
        raise ToolError(
            f"{count} components cannot be made of {len(names)} channels",
            f"Pass n_components up to {min(len(names), 64)}.",
        )
    fitted = Fitted(chosen, names, decompose(data, count))
    rows = _rows(fitted)
    value = {
        "components": rows,
        "topography_uv": {
            str(k): dict(zip(names, (column * 1e6).tolist(), strict=True))
            for k, column in enumerate(fitted.found.mixing.T)
        },
    }
    note = "topography_uv.<component> by channel, µV per standard deviation of the component"
    identifier = state.results.put("ica", value, note=note, hidden=fitted)
    return Fit(
        ica=identifier,
        result=identifier,
        recording=chosen.recording.id,
        n_components=count,
        n_channels=len(names),
        algorithm="Picard-O, extended",
        converged=fitted.found.converged,
        components=[Component(**row) for row in rows],
    )


def _rows(fitted: Fitted) -> list[dict[str, Any]]:
    shares = fitted.found.variance_percent.tolist()
    return [
        {"component": k, "variance_percent": share, "peak_channel": peak}
        for k, (share, peak) in enumerate(zip(shares, fitted.peaks, strict=True))
    ]


def _high_passed(view: ViewObject) -> ViewObject:
    """Return the view after a high-pass, under no id of its own."""
    from braino_registry.recordings.transforms import TRANSFORMS

    change = TRANSFORMS["filter"](view, {"l_freq": HIGH_PASS, "h_freq": None})
    return replace(view, signal=change.signal)


def _thinned(view: ViewObject, names: tuple[str, ...]) -> Any:
    import numpy as np

    from braino_registry.analysis.ica import thin

    return np.concatenate([thin(data) for _, data in view.batches(names)], axis=0)


class ComponentScore(Component, frozen=True, kw_only=True):
    """What a component looks like."""

    ocular_r: float | None
    cardiac_r: float | None
    muscle_slope: float
    flags: Annotated[list[str], Meta(description="ocular, cardiac, muscle.")]


class ExcludeProposal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the decision exclude-components takes."""

    recording: str
    components: list[int]
    reasons: dict[str, str]
    decomposition: str


class Scores(Result, frozen=True, kw_only=True):
    """What components look like."""

    ocular_channel: Annotated[
        str | None, Meta(description="What ocular_r compares with; null if there is nothing.")
    ]
    cardiac_channel: str | None
    flagged: list[int]
    ocular: list[int]
    cardiac: list[int]
    muscle: list[int]
    components: Annotated[
        list[ComponentScore],
        Meta(description="Flagged ones first, then by the largest r; results.page shows all."),
    ]
    proposal: Annotated[
        ExcludeProposal,
        Meta(description="Ocular and cardiac ones, for the decision exclude-components."),
    ]


@tool("ica.scores", version="1.0.0")
def scores(state: ToolState, *, ica: Ica) -> Scores:
    """Say which components look like eye movements, heartbeat or muscle.

    proposal goes as it is into the decision exclude-components. It takes nothing out.

    Definition: ocular_r: |Pearson r| of component and vertical EOG (any other EOG, or else the mean
    of Fp1, Fp2, Fpz, AF7, AF8, AF3, AF4 as far as they are there), both 1–10 Hz; flagged from 0.5.
    cardiac_r: the same with the ECG, 8–16 Hz; flagged from 0.3. muscle_slope: slope of log10
    density on log10 frequency, 7–45 Hz (Welch, 1 s); flagged above -0.3 unless ocular or cardiac.
    Signals are those of the view that was decomposed, high-passed at 1 Hz.

    Example: {"ica": "result-1"}
    """
    from braino_registry.analysis.ica import correlation, slope

    fitted: Fitted = state.results.get(ica, "ica").hidden
    view = _high_passed(fitted.view)
    sources = _sources(view, fitted)
    eye, eye_name = _eye(view)
    heart, heart_name = _first_of(view, "ecg")
    ocular = None if eye is None else correlation(
        _band(sources, view.sfreq, *OCULAR_BAND), _band(eye, view.sfreq, *OCULAR_BAND)
    )  # fmt: skip
    cardiac = None if heart is None else correlation(
        _band(sources, view.sfreq, *CARDIAC_BAND), _band(heart, view.sfreq, *CARDIAC_BAND)
    )  # fmt: skip
    slopes = slope(sources, view.sfreq)
    rows = [_score(row, ocular, cardiac, float(slopes[row["component"]])) for row in _rows(fitted)]
    rows.sort(key=lambda r: (not r["flags"], -max(r["ocular_r"] or 0.0, r["cardiac_r"] or 0.0)))
    kinds = {
        kind: sorted(row["component"] for row in rows if kind in row["flags"])
        for kind in ("ocular", "cardiac", "muscle")
    }
    reasons = {str(k): "ocular" for k in kinds["ocular"]}
    reasons |= {str(k): "cardiac" for k in kinds["cardiac"]}
    return Scores(
        ocular_channel=eye_name,
        cardiac_channel=heart_name,
        flagged=sorted({k for found in kinds.values() for k in found}),
        ocular=kinds["ocular"],
        cardiac=kinds["cardiac"],
        muscle=kinds["muscle"],
        components=[ComponentScore(**row) for row in rows],
        proposal=ExcludeProposal(
            recording=view.recording.id,
            components=sorted({*kinds["ocular"], *kinds["cardiac"]}),
            reasons=reasons,
            decomposition=ica,
        ),
    )


def _score(row: dict[str, Any], ocular: Any, cardiac: Any, muscle: float) -> dict[str, Any]:
    k = row["component"]
    eye = None if ocular is None else float(ocular[k])
    heart = None if cardiac is None else float(cardiac[k])
    flags = []
    if eye is not None and eye >= OCULAR_R:
        flags.append("ocular")
    if heart is not None and heart >= CARDIAC_R:
        flags.append("cardiac")
    if not flags and muscle > MUSCLE_SLOPE:
        flags.append("muscle")
    return {**row, "ocular_r": eye, "cardiac_r": heart, "muscle_slope": muscle, "flags": flags}


def _band(data: Any, sfreq: float, low: float, high: float) -> Any:
    from braino_registry.analysis.physio import band_limited

    return band_limited(data, sfreq, low, high)


def _sources(view: ViewObject, fitted: Fitted) -> Any:
    """Return the components' courses, shape (n_components, n_times)."""
    import numpy as np

    unmixing = fitted.found.unmixing
    sources = np.zeros((len(unmixing), view.n_times))
    for group, data in view.batches(fitted.names):
        columns = [fitted.names.index(name) for name in group]
        sources += unmixing[:, columns] @ data
    return sources


def _eye(view: ViewObject) -> tuple[Any, str | None]:
    """Return what tells of blinks: the vertical EOG, any EOG, or frontal channels."""
    from braino_registry.recordings.recording import is_vertical

    eog = view.signal.of_type("eog")
    vertical = [name for name in eog if is_vertical(view.recording, name)]
    for name in (*vertical, *eog):
        return view.data([name])[0], name
    frontal = [name for name in FRONTAL if name in view.pick()]
    if not frontal:
        return None, None
    return view.data(frontal).mean(axis=0), "frontal channels"


def _first_of(view: ViewObject, kind: Literal["ecg", "emg"]) -> tuple[Any, str | None]:
    names = view.signal.of_type(kind)
    return (view.data([names[0]])[0], names[0]) if names else (None, None)


@tool("ica.apply", version="1.0.0")
def apply(
    state: ToolState,
    *,
    view: View,
    ica: Ica,
    exclude: Annotated[
        list[int], Meta(description="Numbers of the components to take out, from 0.")
    ],
) -> NewView:
    """Take components out of a view: eye blinks, say. Exclude what the user approved.

    The view may be filtered otherwise than the one that was decomposed, but must be of the same
    recording, channels and reference. An empty list takes nothing out.

    Definition: From every channel its topography's entry times the component's course is
    subtracted, for each excluded component.

    Example: {"view": "view-1", "ica": "result-1", "exclude": [0]}
    """
    fitted: Fitted = state.results.get(ica, "ica").hidden
    chosen = state.view(view)
    _check_same(chosen, fitted)
    numbers = sorted(set(exclude))
    count = len(fitted.found.unmixing)
    for k in numbers:
        if not 0 <= k < count:
            raise ToolError(f"{ica} has no component {k}", f"Its components are 0 to {count - 1}.")
    params = {
        "channels": list(fitted.names),
        "mixing": fitted.found.mixing[:, numbers].tolist(),
        "unmixing": fitted.found.unmixing[numbers].tolist(),
        "exclude": numbers,
    }
    made = state.views.derive(chosen, "subtract", params)
    return NewView(
        view=made.id,
        recording=made.recording.id,
        description=shown(made),
        n_channels=len(made.ch_names),
    )


def _check_same(view: ViewObject, fitted: Fitted) -> None:
    if view.recording.id != fitted.view.recording.id:
        raise ToolError(
            f"the components are of {fitted.view.recording.id}, not of {view.recording.id}",
            "Pass a view of that recording, or call ica.fit for this one.",
        )
    missing = [name for name in fitted.names if name not in view.ch_names]
    if missing:
        raise ToolError(
            f"{view.id} lacks {', '.join(missing[:5])}, which the components are made of",
            "Pass a view with all channels that were decomposed.",
        )
    if _mixed(view.signal.steps) != _mixed(fitted.view.signal.steps):
        raise ToolError(
            f"{view.id} has another reference than the view that was decomposed",
            "Pass a view with the same reference, or call ica.fit for this one.",
        )


def _mixed(steps: Sequence[Step]) -> list[Step]:
    """Return the steps after which a channel holds what others held."""
    return [step for step in steps if step.op in ("reference", "subtract")]
