"""The page and the pictures of the comparison of synthetic with real recordings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

Kinds = Mapping[str, tuple[bool, str]]
Values = Mapping[str, Mapping[str, float | None]]

INTRODUCTION = """# How real the synthetic recordings are

Written by `python -m benchmarks.realism`; every number is measured by that script, in the same
way on real and on synthetic recordings. All of them are listed at the end; the synthetic ones
are built without a salt. Spectra, correlations and alpha are against the average reference,
amplitudes against the recorded one. A few recordings are no population: the ranges say what was
seen, not what is possible.
"""

LIMITS = """## What the statistics do not show

- Sources are stationary: their topographies never change, so a linear decomposition (ICA)
  separates them more cleanly than it does in real recordings.
- Blinks differ in size, not in shape or topography; nothing pulls at cables, and nobody falls
  asleep, talks or swallows.
- Background and evoked responses are independent: no phase is reset, and noise does not change
  with the task.
- The head is a sphere with template positions; people differ in rhythms and levels, not in the
  shape of the head.
- Recipes of event-related tasks take the noise of a good laboratory, so that forty trials are
  enough: the SD of their single trials is smaller in µV. So is the response, and by more: set
  against that SD it is smaller than in the one real recording with responses (mean over SD in the
  table), so the synthetic single trials are not easier to tell from noise.

Tasks therefore never ask how well a method does on real data: they ask whether the right thing
was done and reported. Real recordings are part of the suite for the rest.
"""


def _cell(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3g}"


def _spread(values: Sequence[float | None]) -> tuple[float, float, float] | None:
    known = [value for value in values if value is not None and not math.isnan(value)]
    return (min(known), float(np.median(known)), max(known)) if known else None


def _range(found: tuple[float, float, float] | None) -> str:
    if found is None:
        return "–"
    if found[0] == found[2]:
        return f"{found[1]:.3g}"
    return f"{found[1]:.3g} ({found[0]:.3g} to {found[2]:.3g})"


def _misfits(kinds: Kinds, values: Values) -> list[str]:
    """Return, in words, measures whose synthetic median lies clearly outside the real range."""
    said = []
    measures = next(iter(values.values()))
    for state in ("open", "closed", "task"):
        for measure in measures:
            sides = {
                real: _spread(
                    [values[n][measure] for n, kind in kinds.items() if kind == (real, state)]
                )
                for real in (True, False)
            }
            real, made = sides[True], sides[False]
            if real is None or made is None:
                continue
            low = made[1] < real[0]
            limit = real[0] if low else real[2]
            # With few real recordings the range is narrow: a tenth beyond it says nothing.
            beyond = limit - made[1] if low else made[1] - limit
            if beyond <= 0.1 * abs(limit):
                continue
            said.append(
                f"- {_STATE[state]}: {measure} is {made[1]:.3g} in the median, "
                f"{'below' if low else 'above'} all real recordings "
                f"({'least' if low else 'most'} {limit:.3g})."
            )
    return said


_STATE = {"open": "Eyes open", "closed": "Eyes closed", "task": "Tasks"}


def write_page(path: Path, kinds: Kinds, values: Values, methods: Sequence[str]) -> None:
    """Write the document.

    Parameters
    ----------
    path : Path
    kinds : mapping
        Recording to whether it is real, and its state.
    values : mapping
        Recording to measures.
    methods : sequence of str
        The section on what methods of other people find.
    """
    names = {flag: [n for n, (real, _) in kinds.items() if real is flag] for flag in (True, False)}
    lines = [INTRODUCTION]
    measures = list(next(iter(values.values())))
    for state, title in _STATE.items():
        lines += [f"## {title}", "", "Median (least to most).", ""]
        columns = {flag: [n for n in names[flag] if kinds[n][1] == state] for flag in (True, False)}
        lines += [
            f"| measure | real ({len(columns[True])}) | synthetic ({len(columns[False])}) |",
            "|---|---|---|",
        ]
        for measure in measures:
            cells = [
                _range(_spread([values[n][measure] for n in columns[flag]]))
                for flag in (True, False)
            ]
            if cells != ["–", "–"]:
                lines.append(f"| {measure} | {cells[0]} | {cells[1]} |")
        lines.append("")
    lines += [
        "![Spectra](images/realism-spectra.png)",
        "",
        "![Correlation against distance](images/realism-correlation.png)",
        "",
        "![Alpha by region and blinks by distance](images/realism-topography.png)",
        "",
        "## What still differs",
        "",
        "Measures whose synthetic median lies more than a tenth beyond all real recordings.",
        "",
        *(
            _misfits(kinds, values)
            or ["- No median lies outside what was seen in real recordings."]
        ),
        "",
        LIMITS,
        *methods,
        "",
        "## All recordings",
        "",
        "| measure | " + " | ".join(kinds) + " |",
        "|---|" + "---|" * len(kinds),
    ]
    lines += [
        f"| {measure} | " + " | ".join(_cell(values[n][measure]) for n in kinds) + " |"
        for measure in measures
    ]
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8", newline="\n")


def write_pictures(
    folder: Path, kinds: Kinds, curves: Mapping[str, Mapping[str, Any]], bins: Sequence[int]
) -> None:
    """Draw spectra, correlation against distance, and topographies of alpha and blinks.

    Parameters
    ----------
    folder : Path
    kinds : mapping
        Recording to whether it is real, and its state.
    curves : mapping
        Recording to its curves.
    bins : sequence of int
        Edges of the bins of distance, in degrees.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    colour = {True: "#444444", False: "#d1495b"}
    label = {True: "real", False: "synthetic"}

    def finish(name: str) -> None:
        axes[0].legend(frameon=False)
        figure.tight_layout()
        figure.savefig(folder / name, dpi=90, metadata={"Software": None})
        plt.close(figure)

    def line(axis: Any, real: bool, x: Any, y: Any) -> None:
        known = axis.get_legend_handles_labels()[1]
        name = label[real] if label[real] not in known else None
        axis.plot(x, y, color=colour[real], alpha=0.75, linewidth=1.2, label=name)

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), sharey=True)
    for axis, (state, title) in zip(axes, _STATE.items(), strict=True):
        for name, (real, own) in kinds.items():
            if own == state:
                f, p = curves[name]["spectrum"]
                use = (f >= 1) & (f <= 45)
                line(axis, real, f[use], np.median(p[:, use], axis=0))
        axis.set(xscale="log", yscale="log", title=title, xlabel="frequency (Hz)")
    axes[0].set_ylabel("power (µV²/Hz), median channel")
    finish("realism-spectra.png")

    middles = [(a + b) / 2 for a, b in pairwise(bins)]
    figure, axes = plt.subplots(1, 1, figsize=(5, 3.2))
    axes = [axes]
    for name, (real, _) in kinds.items():
        line(axes[0], real, middles, curves[name]["correlation"])
    axes[0].set(xlabel="distance of channels (degrees)", ylabel="correlation, 1-40 Hz")
    finish("realism-correlation.png")

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2))
    for name, (real, state) in kinds.items():
        if state == "closed":
            line(axes[0], real, list(curves[name]["alpha"]), list(curves[name]["alpha"].values()))
        blink = curves[name]["blink"]
        if blink:
            gains = {key: value for key, value in blink.items() if key.startswith("gain ")}
            line(axes[1], real, [key[5:] for key in gains], list(gains.values()))
    axes[0].set(title="alpha, eyes closed", ylabel="amplitude, 1 = mean of all")
    axes[1].set(title="blinks", xlabel="distance from the forehead (degrees)", ylabel="share")
    finish("realism-topography.png")
