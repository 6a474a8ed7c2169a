"""What an agent chose never comes out as measured: walked over every tool's arguments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from braino_registry.numbers import Ledger
from braino_registry.tools import drawing
from braino_registry.tools.catalog import catalog
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState
from tests.tools.calls import GOOD, ID, run

SFREQ = 250.0
ODD = (37.31, 11.73, 3.731, 0.3731, 0.2137, 0.03731, 173.1, 1.137)
PAIRS = ([0.1731, 0.3137], [-0.3137, -0.1731], [3.173, 37.31], [8.131, 11.73], [-0.1731, 0.7137])
COUNTS = (37, 23, 17, 13)
# takes numbers from elsewhere only, which it refuses unless they were reported
TAKES_REPORTED = {
    "calc", "stats.ttest", "stats.correct", "stats.anova", "stats.correlation", "stats.power",
    "stats.partial_correlation", "stats.ancova", "stats.effect_size",
}  # fmt: skip


def kinds(schema: Mapping[str, Any]) -> set[str]:
    options = schema.get("anyOf", [schema])
    found = set()
    for option in options:
        if "enum" in option:
            continue
        named = option.get("type", [])
        for kind in [named] if isinstance(named, str) else named:
            if kind == "array":
                inner = option.get("items") or {}
                found |= (
                    {"pair"} if option.get("maxItems") == 2 else {f"list {k}" for k in kinds(inner)}
                )
            else:
                found.add(kind)
    return found


def chosen(schema: Mapping[str, Any]) -> Iterator[tuple[Any, list[float]]]:
    """Yield odd arguments, and the numbers in them."""
    has = kinds(schema)
    if "number" in has:
        yield from ((value, [value]) for value in ODD)
    if "integer" in has:
        yield from ((value, [float(value)]) for value in COUNTS)
    if "pair" in has:
        yield from ((pair, pair) for pair in PAIRS)
    if "list pair" in has:
        yield from (([pair], pair) for pair in PAIRS)


def told(state: ToolState, name: str, args: dict[str, Any]) -> Ledger:
    """Return what a call and the calls that follow from it report."""
    ledger = Ledger()

    def enter(tool: str, given: dict[str, Any]) -> dict[str, Any]:
        result = run(state, tool, given)
        ledger.add_result(result, given, source=tool)
        return result

    result = enter(name, args)
    if name == "results.page":
        return ledger
    view = result.get("view")
    if view is not None:
        info = enter("recording.info", {"view": view})
        if info["n_epochs"] is not None:
            enter("erp.average", {"view": view})
    if result.get("result"):
        kept = enter("results.page", {"result": result["result"]})
        for path in kept["items"]:
            enter("results.page", {"result": result["result"], "path": path})
    return ledger


def on_grid(value: float) -> list[float]:
    """Return the samples next to a time."""
    return [f(value * SFREQ) / SFREQ for f in (math.floor, math.ceil)]


@pytest.mark.parametrize("name", sorted(GOOD))
def test_arguments_are_never_grounded(opened, name, monkeypatch):
    # what a figure looks like enters no ledger, and drawing one for every argument takes long
    monkeypatch.setattr(drawing, "save", lambda path, draw, **_: path.write_bytes(b"\x89PNG"))
    walked, accepted = 0, 0
    for argument, schema in catalog().get(name).spec.arguments.get("properties", {}).items():
        for value, numbers in chosen(schema):
            walked += 1
            args = {**GOOD[name], argument: value}
            try:
                ledger = told(opened, name, args)
            except ToolError:
                continue
            accepted += 1
            known = numbers
            if argument in ("tmin", "tmax", "epoch", "baseline"):
                known = [*numbers, *(t for number in numbers for t in on_grid(number))]
            stated = {round(abs(entry.value), 6) for entry in ledger.entries}
            assert not stated & {round(abs(number), 6) for number in known if number}, argument
            assert not [n for n in numbers if ledger.grounds_value(n)], argument
    assert accepted or not walked or name in TAKES_REPORTED


@pytest.mark.parametrize("polarity", ["positive", "negative"])
def test_the_end_of_a_window_is_no_latency(opened, polarity):
    """A window is pushed along the waveform: what comes out is a peak of it, or nothing."""
    found = set()
    for start in range(10, 200, 3):
        window = {"tmin": start / SFREQ, "tmax": (start + 2) / SFREQ}
        args = {**GOOD["erp.measure"], **window, "polarity": polarity}
        measured = run(opened, "erp.measure", args)
        assert (measured["latency"] is None) is not measured["local"]
        table = {**GOOD["erp.by_recording"], **window, "polarity": polarity}
        (row,) = run(opened, "erp.by_recording", table)["rows"]
        found |= {measured["latency"], row["latency"]}
    assert None in found
    assert 1 < len(found) < 100


def test_the_end_of_a_search_is_no_frequency(opened):
    found = []
    for low in range(4, 40):
        args = {"view": ID, "channels": ["Pz"], "fmin": low, "fmax": low + 0.5}
        peak = run(opened, "spectrum.peak", args)
        table = {"views": [ID], "measure": "peak_frequency", "channels": ["Pz"], "fmin": low}
        (row,) = run(opened, "spectrum.by_recording", {**table, "fmax": low + 0.5})["rows"]
        assert row["frequency_hz"] == peak["frequency_hz"]
        assert (peak["frequency_hz"] is None) is peak["at_edge"]
        both = {"view": ID, "channel_a": "O1", "channel_b": "O2", "fmin": low, "fmax": low + 0.5}
        found += [peak["frequency_hz"], run(opened, "spectrum.coherence", both)["peak_hz"]]
    assert 5 < found.count(None) < len(found)


def test_the_end_of_an_epoch_is_no_peak(opened):
    """An epoch that ends on a slope ends before the peak."""
    ends = {}
    for stop in range(20, 60):
        args = {**GOOD["epochs.make"], "tmax": stop / SFREQ, "baseline": None}
        view = run(opened, "epochs.make", args)["view"]
        ends[stop] = run(opened, "erp.average", {"view": view})["peak_latency"]
    assert all(latency != pytest.approx((stop - 1) / SFREQ) for stop, latency in ends.items())
    assert None in ends.values()


def test_a_cluster_does_not_begin_where_the_window_does(opened):
    args = GOOD["stats.cluster_permutation"]
    seen = []
    for start in range(-60, 60, 20):
        window = {"tmin": start / SFREQ, "tmax": (start + 60) / SFREQ}
        found = run(opened, "stats.cluster_permutation", {**args, **window})
        for row in found["clusters"]:
            assert row["onset"] != pytest.approx(window["tmin"])
            assert row["offset"] != pytest.approx(window["tmax"])
            seen += [row["onset"], row["offset"]]
    assert None in seen
