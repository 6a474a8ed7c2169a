"""Spectral measures of many people, compared between groups or conditions, or correlated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.workflows import workflow

CLEAREST = "clearest"
SIGNIFICANT = 0.05


@workflow("groups.compare", version="1.0.0")
def compare(
    tree: Path,
    *,
    recording: str | None,
    a: Mapping[str, str],
    b: Mapping[str, str],
    bands: Mapping[str, Sequence[float]],
    measure: str,
    channels: Sequence[str],
    of: str,
    report: str,
    paired: bool = False,
    covariate: str | None = None,
) -> float:
    """Return one number of the comparison of band power between two sets of recordings.

    Parameters
    ----------
    tree : Path
        BIDS root.
    recording : str | None
        Ignored: the comparison is about the dataset.
    a, b : mapping
        Which recordings: ``task``, and values of columns of ``participants.tsv``. One recording
        per person, in the order of that table.
    bands : mapping
        Name of a band to its edges in Hz.
    measure : {"relative", "absolute_uv2"}
        Power of the band as a share of 1–40 Hz, or in µV²: Welch's method as `spectra.band_power`
        defines it (Hann, 4 s, 50 % overlap), mean over the channels.
    channels : sequence of str
        Channels to average over.
    of : str
        Name of a band, or ``"clearest"`` for the one with the smallest p of the t-test of a - b.
    report : str
        A field of `stats.ttest` or, with ``covariate``, of `stats.ancova`.
    paired : bool
        Whether a and b are the same people.
    covariate : str | None
        A column of numbers to adjust for.

    Raises
    ------
    UsageError
        If a recording or a column is not there, or ``report`` names no result.
    """
    from braino_registry.analysis.relating import ancova
    from braino_registry.analysis.stats import ttest

    data = _Cohort(tree)
    people_a, people_b = data.people(a), data.people(b)
    tests, results = {}, {}
    for name, (low, high) in bands.items():
        values = [
            [data.power(who, chosen["task"], channels, low, high, measure) for who in people]
            for chosen, people in ((a, people_a), (b, people_b))
        ]
        tests[name] = ttest(*values, paired=paired)
        results[name] = tests[name]
        if covariate is not None:
            ages = [data.column(covariate, people) for people in (people_a, people_b)]
            results[name] = ancova(*values, *ages)
    chosen_band = min(tests, key=lambda name: tests[name]["p_value"]) if of == CLEAREST else of
    return float(_field(_field(results, chosen_band), report))


@workflow("groups.verdict", version="1.0.0")
def verdict(
    tree: Path,
    *,
    recording: str | None,
    a: Mapping[str, str],
    b: Mapping[str, str],
    band: Sequence[float],
    measure: str,
    channels: Sequence[str],
    margin_d: float,
) -> str:
    """Return what a comparison of two groups shows about a difference that would matter.

    ``"demonstrated"`` if Student's two-sided t-test gives p < 0.05; otherwise ``"excluded"`` if
    the 95 % interval of Cohen's d (`stats.effect_size`) lies between minus and plus the margin,
    and ``"undecided"`` if it does not.

    Parameters
    ----------
    tree : Path
        BIDS root.
    recording : str | None
        Ignored: the comparison is about the dataset.
    a, b, measure, channels
        As in `groups.compare`; different people in a and b.
    band : sequence of float
        Edges in Hz.
    margin_d : float
        Smallest difference that matters, in pooled standard deviations; above 0.

    Raises
    ------
    UsageError
        If a recording or a column is not there.
    """
    from braino_registry.analysis.comparing import effect_size
    from braino_registry.analysis.stats import ttest

    data, (low, high) = _Cohort(tree), band
    values = [
        [
            data.power(who, chosen["task"], channels, low, high, measure)
            for who in data.people(chosen)
        ]
        for chosen in (a, b)
    ]
    if ttest(*values)["p_value"] < SIGNIFICANT:
        return "demonstrated"
    size = effect_size(*values)
    inside = -margin_d < size["ci_low"] and size["ci_high"] < margin_d
    return "excluded" if inside else "undecided"


@workflow("groups.correlation", version="1.0.0")
def correlation(
    tree: Path,
    *,
    recording: str | None,
    task: str,
    column: str,
    channels: Sequence[str],
    fmin: float,
    fmax: float,
    method: str,
    report: str,
) -> float:
    """Return one number of the correlation of a column with the frequency of a spectral peak.

    Parameters
    ----------
    tree : Path
        BIDS root.
    recording : str | None
        Ignored: the correlation is about the dataset.
    task : str
        BIDS task of the recordings, one per person.
    column : str
        Column of numbers in ``participants.tsv``.
    channels : sequence of str
        The spectrum is averaged over them.
    fmin, fmax : float
        Range of the search in Hz; the peak as `spectra.peak` defines it, windows of 4 s.
    method : {"pearson", "spearman"}
        Which correlation.
    report : str
        A field of `stats.correlation`.

    Raises
    ------
    UsageError
        If a recording or the column is not there, or ``report`` names no result.
    """
    from braino_registry.analysis.relating import correlation as correlate

    data = _Cohort(tree)
    people = data.people({})
    peaks = [
        data.measured("spectra.peak", who, task, channels, fmin=fmin, fmax=fmax)["frequency_hz"]
        for who in people
    ]
    return float(_field(correlate(data.column(column, people), peaks, method=method), report))  # type: ignore[arg-type]


class _Cohort:
    """The people of a dataset and what is measured in their recordings."""

    def __init__(self, tree: Path) -> None:
        from braino_registry.errors import UsageError
        from braino_registry.recordings.operations import operations
        from braino_registry.recordings.tree import BidsTree

        self._operations = operations(tree)
        table = BidsTree(tree).participants()
        if table is None:
            raise UsageError("the dataset has no participants.tsv", hint="Name another dataset.")
        self._rows = {
            (row.get("participant_id") or "").removeprefix("sub-"): row for row in table.rows
        }

    def people(self, chosen: Mapping[str, str]) -> list[str]:
        """Return the labels of the people whose columns have the values that are wanted."""
        wanted = {key: value for key, value in chosen.items() if key != "task"}
        return [
            who
            for who, row in self._rows.items()
            if all(row.get(key) == value for key, value in wanted.items())
        ]

    def column(self, name: str, people: Sequence[str]) -> list[float]:
        """Return the numbers of a column for some people."""
        return [float(_field(self._rows[who], name)) for who in people]

    def power(
        self, who: str, task: str, channels: Sequence[str], low: float, high: float, measure: str
    ) -> float:
        """Return the power of a band in the recording of one person."""
        power = self.measured("spectra.band_power", who, task, channels, fmin=low, fmax=high)
        return float(_field(power, measure))

    def measured(
        self, name: str, who: str, task: str, channels: Sequence[str], **params: float
    ) -> dict[str, Any]:
        """Return what an operation finds in the recording of one person."""
        opened = self._operations["recordings.open"](recording=f"sub-{who}_task-{task}")
        found: dict[str, Any] = self._operations[name](
            view=opened, channels=list(channels), **params
        )
        return found


def _field(known: Mapping[str, Any], name: str) -> Any:
    from braino_registry.errors import UsageError, close_matches

    if known.get(name) is None:
        raise UsageError(f"there is nothing called {name!r}", hint=close_matches(name, list(known)))
    return known[name]
