"""A dataset as a whole: who was recorded, what differs between people, their mean spectra."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from braino_registry.errors import BrainoError
from braino_registry.recordings.tree import BidsTree
from braino_registry.reports.html.pictures import Painter, Picture, Scene, painters
from braino_registry.reports.html.pictures.spectrum import Measured, decibel, measure
from braino_registry.reports.html.svg import Drawing, Scale, axes, legend

#: Conditions with a colour of their own, and recordings whose spectra are averaged.
CONDITIONS, RECORDINGS = 4, 48
HIGHEST_HZ = 45.0
#: Planted quantities that are shown, those that differ most between conditions first.
QUANTITIES = 4
#: From which correlation on a quantity is shown by age, and over how many recordings at least.
RELATED, FEWEST = 0.5, 6
_WIDTH, _LEFT, _RIGHT, _ROW = 640, 130, 16, 24
_LEVEL = 0.95
_BAR = f"the bar is the mean with its {100 * _LEVEL:.0f} % interval"
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """Recordings that are compared with others.

    Parameters
    ----------
    name : str
        What they have in common; empty where nothing is compared.
    recordings : tuple of str
        Their ids.
    """

    name: str
    recordings: tuple[str, ...]


def groups_of(tree: BidsTree) -> list[Group]:
    """Return what a dataset compares: its participants' groups, else its BIDS tasks, else nothing.

    Groups are those of the column ``group`` of participants.tsv.
    """
    by_subject = {
        person: name for person, row in _people(tree).items() if (name := row.get("group"))
    }
    found: dict[str, list[str]] = {}
    if len(set(by_subject.values())) > 1:
        for recording in tree.recordings():
            name = by_subject.get(tree.open(recording).entities["bids_subject"])
            found.setdefault(name or "no group", []).append(recording)
    else:
        for recording in tree.recordings():
            name = tree.open(recording).entities.get("bids_task", "")
            found.setdefault(name, []).append(recording)
    single = len(found) == 1
    return [Group("" if single else name, tuple(ids)) for name, ids in sorted(found.items())]


def _people(tree: BidsTree) -> dict[str, Mapping[str, str | None]]:
    """Return the rows of participants.tsv by subject label."""
    table = tree.participants()
    return {
        str(row["participant_id"]).removeprefix("sub-"): row
        for row in (table.rows if table is not None else ())
        if row.get("participant_id")
    }


def paint_people(scene: Scene) -> Picture | None:
    """Return everybody's age by group; None where no age is known."""
    if scene.tree is None:
        return None
    people = _people(scene.tree)
    rows: dict[str, list[float]] = {}
    missing = 0
    for row in people.values():
        age = _number(row.get("age"))
        missing += age is None
        if age is not None:
            rows.setdefault(row.get("group") or "", []).append(age)
    if not rows:
        return None
    drawing = Drawing(_WIDTH, _ROW * len(rows) + 44, "Who was recorded: age")
    _strips(drawing, {name: rows[name] for name in sorted(rows)}, 8.0, "age in years")
    counts = ", ".join(f"{name or 'people'}: {len(rows[name])}" for name in sorted(rows))
    gone = f"; {missing} without an age" if missing else ""
    caption = f"{counts}{gone}. A dot is a person; {_BAR}."
    return Picture("Who was recorded", drawing.document(), caption)


def paint_planted(scene: Scene) -> Picture | None:
    """Return what was planted in each recording and differs between them; None if nothing does.

    Where the same people were recorded in two BIDS tasks, each is compared with himself.
    """
    if scene.tree is None:
        return None
    groups = groups_of(scene.tree)[:CONDITIONS]
    pairs = _pairs(scene.tree, groups)
    found = _differences(scene.truth, groups, pairs) if pairs else _quantities(scene.truth, groups)
    values = {
        name: rows
        for name, rows in found.items()
        if len({value for each in rows.values() for value in each}) > 1
    }
    chosen = sorted(values, key=lambda name: -_contrast(list(values[name].values())))[:QUANTITIES]
    if not chosen:
        return None
    high = 44 + _ROW * max(len(values[name]) for name in chosen)
    drawing = Drawing(_WIDTH, high * len(chosen), "What was planted in each recording")
    for place, name in enumerate(chosen):
        _strips(drawing, values[name], 8.0 + high * place, name, high * (place + 1) - 22.0)
    what = "person, in two recordings" if pairs else "recording"
    hidden = len(values) - len(chosen)
    more = f" Not shown: {hidden} more that differ less." if hidden else ""
    caption = f"One dot for each {what}; {_BAR}.{more}"
    return Picture("What was planted in whom", drawing.document(), caption)


def _pairs(tree: BidsTree, groups: Sequence[Group]) -> list[tuple[str, str]]:
    """Return the recordings of each person in two tasks; none where groups are of people."""
    if len(groups) != 2:
        return []
    first, second = (
        {tree.open(each).entities["bids_subject"]: each for each in group.recordings}
        for group in groups
    )
    both = [subject for subject in first if subject in second]
    return [(first[subject], second[subject]) for subject in both] if len(both) > 1 else []


def _differences(
    truth: Mapping[str, Any], groups: Sequence[Group], pairs: Sequence[tuple[str, str]]
) -> dict[str, dict[str, list[float]]]:
    """Return by how much what was planted differs within people, by quantity."""
    name = f"{groups[1].name} − {groups[0].name}"
    found: dict[str, dict[str, list[float]]] = {}
    for before, after in pairs:
        first, second = dict(_planted(truth, before)), dict(_planted(truth, after))
        for quantity in first:
            if quantity in second:
                difference = second[quantity] - first[quantity]
                found.setdefault(quantity, {}).setdefault(name, []).append(difference)
    return found


def _quantities(
    truth: Mapping[str, Any], groups: Sequence[Group]
) -> dict[str, dict[str, list[float]]]:
    """Return the sizes and frequencies that were planted, by quantity and group."""
    found: dict[str, dict[str, list[float]]] = {}
    for group in groups:
        for recording in group.recordings:
            for name, value in _planted(truth, recording):
                found.setdefault(name, {}).setdefault(group.name, []).append(value)
    return found


_UNITS = {"frequency_hz": "Hz", "amplitude_uv": "µV", "latency_s": "s"}


def _planted(truth: Mapping[str, Any], recording: str) -> Iterator[tuple[str, float]]:
    """Yield sizes, frequencies and latencies of what was planted in a recording, with names."""
    planted = _member(_member(truth, "recordings"), recording)
    for kind in ("rhythms", "components"):
        for name, each in _member(planted, kind).items():
            for key, unit in _UNITS.items():
                value = each.get(key) if isinstance(each, Mapping) else None
                for event, one in value.items() if isinstance(value, Mapping) else [("", value)]:
                    number = _number(one)
                    if number is not None:
                        yield f"{name}{f' at {event}' if event else ''}, {unit}", number


def _member(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a member that is a mapping, an empty one if it is something else."""
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def _contrast(rows: Sequence[Sequence[float]]) -> float:
    """Return how far apart means are, or a single one from 0, in units of the spread within."""
    means = [float(np.mean(row)) for row in rows] + ([0.0] if len(rows) == 1 else [])
    spread = float(np.mean([np.std(row) for row in rows]))
    return (max(means) - min(means)) / (spread + 1e-12)


def _number(value: Any) -> float | None:
    """Return a finite number, from a number or from the text of a table; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def _strips(
    drawing: Drawing, rows: Mapping[str, Sequence[float]], top: float, unit: str, base: float = 0.0
) -> None:
    """Draw a line of dots for each group, with mean and interval, on one common scale."""
    every = [value for row in rows.values() for value in row]
    spare = 0.04 * (max(every) - min(every)) or 1.0
    x = Scale(min(every) - spare, max(every) + spare, _LEFT, _WIDTH - _RIGHT)
    base = base or float(drawing.height - 22)
    drawing.rule(x.start, base, x.stop, base)
    for value in x.ticks(6):
        drawing.rule(x.at(value), base, x.at(value), base + 4)
        drawing.text(x.at(value), base + 16, f"{value:.6g}".replace("-", "−"), "small", "middle")
    drawing.text(4, base + 4, unit, "small")
    if x.low < 0 < x.high:
        drawing.rule(x.at(0), top, x.at(0), base, "grid")
    for place, (name, row) in enumerate(rows.items()):
        y, style = top + _ROW * (place + 0.5), place % CONDITIONS
        drawing.text(_LEFT - 10, y + 4, name, "small", "end")
        for value in row:
            drawing.dot(x.at(value), y, f"b{style}", 4)
        low, middle, high = interval(np.asarray(row)[:, None])
        drawing.rule(x.at(low[0]), y, x.at(high[0]), y, f"c{style}")
        drawing.rule(x.at(middle[0]), y - 8, x.at(middle[0]), y + 8, f"c{style}")


def interval(rows: Values) -> tuple[Values, Values, Values]:
    """Return lower limit, mean and upper limit over the first axis, by Student's distribution.

    Parameters
    ----------
    rows : ndarray, shape (n, m)
        With a single row, the limits are the mean itself.
    """
    n = len(rows)
    mean: Values = rows.mean(axis=0)
    if n < 2:
        return mean, mean, mean
    half = student.ppf(0.5 + _LEVEL / 2, n - 1) * rows.std(axis=0, ddof=1) / np.sqrt(n)
    return mean - half, mean, mean + half


def paint_ages(scene: Scene) -> Picture | None:
    """Return which planted quantity goes with age, person by person; None where none does."""
    if scene.tree is None:
        return None
    ages = {who: _number(row.get("age")) for who, row in _people(scene.tree).items()}
    known: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for group in groups_of(scene.tree)[:CONDITIONS]:
        for recording in group.recordings:
            age = ages.get(scene.tree.open(recording).entities["bids_subject"])
            for name, value in _planted(scene.truth, recording) if age is not None else ():
                known.setdefault(name, {}).setdefault(group.name, []).append((age or 0.0, value))
    related = {quantity: _correlation(rows) for quantity, rows in known.items()}
    strongest = max(related, key=lambda each: abs(related[each]), default=None)
    if strongest is None or abs(related[strongest]) < RELATED:
        return None
    svg = _scatter(known[strongest], strongest)
    caption = f"A dot is a recording. Pearson's r over all of them is {related[strongest]:.2f}."
    what = strongest.rpartition(",")[0]
    return Picture(f"Planted {what} by age", svg, caption.replace("-", "−"))


def _correlation(rows: Mapping[str, Sequence[tuple[float, float]]]) -> float:
    """Return Pearson's r over all groups; 0 where one of the two does not vary."""
    points = np.array([point for row in rows.values() for point in row])
    if len(points) < FEWEST or not points.std(axis=0).all():
        return 0.0
    return float(np.corrcoef(points.T)[0, 1])


def _scatter(rows: Mapping[str, Sequence[tuple[float, float]]], unit: str) -> str:
    points = np.array([point for row in rows.values() for point in row])
    (left, low), (right, high) = points.min(axis=0), points.max(axis=0)
    drawing = Drawing(_WIDTH, 230, f"Planted {unit} by age")
    x = Scale(left - 2, right + 2, 52, _WIDTH - _RIGHT)
    y = Scale(low - 0.15 * (high - low), high + 0.3 * (high - low), 204, 20)
    axes(drawing, x, y, "age in years", unit)
    for style, row in enumerate(rows.values()):
        for age, value in row:
            drawing.dot(x.at(age), y.at(value), f"b{style}", 5)
    if len(rows) > 1:
        legend(drawing, [(name, f"c{n}") for n, name in enumerate(rows)], _WIDTH - 215, 32)
    return drawing.document()


def paint_spectra(scene: Scene) -> Picture | None:
    """Return the mean spectrum of each group with its interval; None where nothing can be read."""
    if scene.tree is None:
        return None
    groups = groups_of(scene.tree)[:CONDITIONS]
    each = max(1, RECORDINGS // max(1, len(groups)))
    spectra: dict[str, list[Values]] = {}
    freqs: Values | None = None
    left_out = 0
    for group in groups:
        left_out += len(group.recordings[each:])
        for recording in group.recordings[:each]:
            found = _measured(scene.tree, recording)
            if found is None or (freqs is not None and not np.array_equal(found.freqs, freqs)):
                left_out += 1
                continue
            freqs = found.freqs
            spectra.setdefault(group.name, []).append(np.median(found.psd, axis=0))
    if freqs is None:
        return None
    shown = (freqs >= 1) & (freqs <= min(HIGHEST_HZ, 0.98 * freqs[-1]))
    bands = [
        (f"{name or 'all'} ({len(rows)})", interval(decibel(np.stack(rows)[:, shown])))
        for name, rows in spectra.items()
    ]
    caption = (
        f"Mean over recordings of the median of all EEG channels, with the {100 * _LEVEL:.0f} % "
        "interval of the mean. Welch, segments of 2 s, the first 60 s at most."
    )
    more = f" Recordings left out: {left_out}." if left_out else ""
    title = "Mean spectra" if len(bands) > 1 else "Mean spectrum"
    return Picture(title, _draw(freqs[shown], bands), caption + more)


def _measured(tree: BidsTree, recording: str) -> Measured | None:
    """Return the spectra of a recording, None if it cannot be read: it is counted as left out."""
    try:
        return measure(tree.open(recording))
    except (BrainoError, OSError):
        return None


def _draw(freqs: Values, bands: Sequence[tuple[str, tuple[Values, Values, Values]]]) -> str:
    drawing = Drawing(_WIDTH, 230, "Mean power spectral density")
    low = min(float(limits[0].min()) for _, limits in bands)
    high = max(float(limits[2].max()) for _, limits in bands)
    x = Scale(0.0, float(freqs[-1]), 44, _WIDTH - 12)
    y = Scale(low - 0.1 * (high - low) - 1, high + 2, 204, 20)
    axes(drawing, x, y, "Hz", "dB re 1 µV²/Hz")
    for style, (_, limits) in enumerate(bands):
        drawing.band(x(freqs), y(limits[0]), y(limits[2]), f"b{style}")
        drawing.line(x(freqs), y(limits[1]), f"c{style}")
    legend(drawing, [(name, f"c{n}") for n, (name, _) in enumerate(bands)], _WIDTH - 215, 32)
    return drawing.document()


painters.add("people", Painter(paint_people, of="dataset", place=10), __name__)
painters.add("planted", Painter(paint_planted, of="dataset", place=20), __name__)
painters.add("ages", Painter(paint_ages, of="dataset", place=30), __name__)
painters.add("spectra", Painter(paint_spectra, of="dataset", place=40), __name__)
