"""What a JSON pipeline may call: steps on recordings, and the registered analyses of views.

Steps pass identifiers, as an agent's tools do: ``recordings.open`` and every step return an object
with ``view``, and ``view`` of a later step may be that object or its id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.operation import OPERATIONS, Operation
from braino_registry.errors import UsageError
from braino_registry.recordings.recording import event_name
from braino_registry.recordings.tree import BidsTree
from braino_registry.recordings.view_store import ViewStore
from braino_registry.recordings.views import View

VERSION = "1.0.0"
Call = Callable[..., Any]
ViewLike = str | Mapping[str, Any]


class _Bench:
    """The views of one pipeline; each public method is an operation ``recordings.<name>``."""

    def __init__(self, tree: BidsTree | None) -> None:
        self._stores: dict[Path, ViewStore] = {}
        self._current = None if tree is None else self._store(tree)

    def _store(self, tree: BidsTree) -> ViewStore:
        return self._stores.setdefault(tree.root, ViewStore(tree))

    def view(self, view: ViewLike) -> View:
        """Return the view that an id, or what a step returned, stands for."""
        if self._current is None:
            raise UsageError("no dataset is open", hint="Call recordings.open with tree first.")
        return self._current.get(view if isinstance(view, str) else str(view["view"]))

    def _derive(self, view: ViewLike, op: str, **params: Any) -> dict[str, Any]:
        parent = self.view(view)
        assert self._current is not None
        return describe(self._current.derive(parent, op, params))

    def open(self, *, recording: str, tree: str | Path | None = None) -> dict[str, Any]:
        """Open a recording by its id, for example ``sub-01_task-rest``, as a view of all of it."""
        if tree is not None:
            self._current = self._store(BidsTree(Path(tree)))
        return describe(self.view(recording))

    def pick(self, *, view: ViewLike, channels: Sequence[str]) -> dict[str, Any]:
        """Keep some channels."""
        return self._derive(view, "pick", channels=list(channels))

    def crop(
        self, *, view: ViewLike, tmin: float | None = None, tmax: float | None = None
    ) -> dict[str, Any]:
        """Keep the time from ``tmin`` to ``tmax``, in seconds; None is the start, or the end."""
        return self._derive(view, "window", tmin=tmin, tmax=tmax)

    def filter(
        self, *, view: ViewLike, l_freq: float | None = None, h_freq: float | None = None
    ) -> dict[str, Any]:
        """Pass frequencies from ``l_freq`` to ``h_freq``, in Hz; None leaves a side open."""
        return self._derive(view, "filter", l_freq=l_freq, h_freq=h_freq)

    def notch(self, *, view: ViewLike, freqs: Sequence[float]) -> dict[str, Any]:
        """Take out the frequencies ``freqs``, in Hz."""
        return self._derive(view, "notch", freqs=list(freqs))

    def resample(self, *, view: ViewLike, sfreq: float) -> dict[str, Any]:
        """Resample to ``sfreq``, in Hz, without aliasing."""
        return self._derive(view, "resample", sfreq=sfreq)

    def reference(
        self, *, view: ViewLike, reference: str | Sequence[str] = "average"
    ) -> dict[str, Any]:
        """Refer the EEG channels to their average, or to the mean of the named channels."""
        given = reference if isinstance(reference, str) else list(reference)
        return self._derive(view, "reference", reference=given)

    def epochs(
        self,
        *,
        view: ViewLike,
        event: str | Sequence[str],
        tmin: float,
        tmax: float,
        delay: float = 0.0,
        baseline: Sequence[float] | None = None,
        reject_uv: float | None = None,
    ) -> dict[str, Any]:
        """Cut epochs from ``tmin`` to ``tmax`` around events, in seconds.

        ``delay``, in seconds, is added to every onset; ``baseline`` is the interval whose mean is
        taken off; epochs that reach ``reject_uv`` from peak to peak, in µV, are left out.
        """
        return self._derive(
            view,
            "epochs",
            event=event if isinstance(event, str) else list(event),
            delay=delay,
            tmin=tmin,
            tmax=tmax,
            baseline=None if baseline is None else list(baseline),
            reject_uv=reject_uv,
        )

    def drop(self, *, view: ViewLike, epochs: Sequence[int]) -> dict[str, Any]:
        """Leave out epochs by their numbers, from 0."""
        return self._derive(view, "drop", epochs=list(epochs))

    def audit(self, *, recordings: Sequence[str] | None = None) -> dict[str, Any]:
        """Compare what recordings, all or some, say of themselves: file, sidecar, channels."""
        from braino_registry.recordings.audit import audit

        if self._current is None:
            raise UsageError("no dataset is open", hint="Call recordings.open with tree first.")
        return audit(self._current.tree, recordings)

    def events(self, *, view: ViewLike) -> dict[str, Any]:
        """Return the events of a view, and how many there are of each kind."""
        events = self.view(view).events
        return {
            "n_events": len(events),
            "counts": dict(Counter(event_name(event) for event in events)),
            "events": events,
        }


STEPS = (
    "open", "pick", "crop", "filter", "notch", "resample", "reference", "epochs", "events",
    "drop", "audit",
)  # fmt: skip


def _steps(bench: _Bench) -> dict[str, Call]:
    return {f"recordings.{name}": getattr(bench, name) for name in STEPS}


def steps() -> Mapping[str, Call]:
    """Return the operations ``recordings.*`` by name, on no dataset yet."""
    return _steps(_Bench(None))


def operations(tree: BidsTree | Path | str | None = None) -> Mapping[str, Call]:
    """Return every operation by name, ready to be called with keywords.

    Parameters
    ----------
    tree : BidsTree | path | None
        The dataset that ``recordings.open`` reads. Without it, ``recordings.open`` takes ``tree``.

    Returns
    -------
    mapping
        ``recordings.*`` return objects with ``view``; registered analyses take ``view`` and, where
        they have no channel argument of their own, ``channels`` (default: EEG channels), and
        their own parameters; where names are all they need, ``ch_names`` may stand for the view.
        Analyses that take no signal take their parameters only.
    """
    opened = tree if tree is None or isinstance(tree, BidsTree) else BidsTree(Path(tree))
    bench = _Bench(opened)
    calls = _steps(bench)
    for name, operation in OPERATIONS:
        calls[name] = _bind(operation, bench.view) if operation.signal else operation.function
    return calls


def versions() -> dict[str, str]:
    """Return the version of every operation, for digests of what pipelines compute."""
    own = {f"recordings.{name}": VERSION for name in STEPS}
    return {**own, **{name: operation.version for name, operation in OPERATIONS}}


def _bind(operation: Operation, find: Callable[[ViewLike], View]) -> Call:
    names_only = operation.signal == {"ch_names"}

    def call(
        *, view: ViewLike | None = None, channels: Sequence[str] | None = None, **params: Any
    ) -> Any:
        if view is not None:
            return analyse(operation.name, find(view), channels, **params)
        if names_only and channels is None and "ch_names" in params:
            return operation.function(**params)
        raise SignalError(
            f"{operation.name} needs a view",
            hint=f"Pass view{' or ch_names' if names_only else ''}.",
        )

    return call


def analyse(
    name: str, view: View, channels: Sequence[str] | None = None, **params: Any
) -> dict[str, Any]:
    """Return what a registered analysis says of a view.

    Parameters
    ----------
    name : str
        Name of the operation.
    view : View
        What it is done on.
    channels : sequence of str | None
        Channels, by default the EEG channels.
    **params
        The analysis's own parameters.

    Raises
    ------
    SignalError
        If a parameter does not exist, is missing, or does not suit the view.
    """
    operation = OPERATIONS.get(name)
    unknown = sorted(set(params) - set(operation.parameters))
    if unknown:
        raise SignalError(
            f"{name} has no parameter {unknown[0]!r}",
            hint=f"Allowed: {', '.join((*operation.parameters, 'channels'))}.",
        )
    names = view.pick(channels)
    signal: dict[str, Any] = {"sfreq": view.sfreq, "ch_names": names}
    if "times" in operation.signal:
        signal["times"] = view.times
    if "data" in operation.signal:
        signal["data"] = view.data(names)
    given = {key: value for key, value in signal.items() if key in operation.signal}
    found: dict[str, Any] = operation.function(**given, **params)
    return found


def describe(view: View) -> dict[str, Any]:
    """Return what a pipeline may want to know of a view."""
    start, stop = view.samples
    shown: dict[str, Any] = {
        "view": view.id,
        "recording": view.recording.id,
        "ch_names": list(view.ch_names),
        "eeg": list(view.signal.of_type("eeg", "ecog", "seeg")),
        "ch_types": dict(Counter(view.ch_types)),
        "n_channels": len(view.ch_names),
        "sfreq": view.sfreq,
        "duration": (stop - start) / view.sfreq,
        "bads": list(view.recording.bads),
        "line_freq": view.recording.line_freq,
    }
    if view.epochs is not None:
        plan = view.epochs
        shown |= {
            "n_epochs": len(plan.samples),
            "n_events": plan.n_found,
            "n_outside": plan.n_outside,
            "n_rejected": plan.n_rejected,
        }
    return shown
