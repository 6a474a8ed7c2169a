"""What is printed of the analyses of EEGAgentBench."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.reports.corpus_tables import between, number_of
from braino_registry.reports.printing import Printer


def show_eegagentbench(printer: Printer, found: Mapping[str, Any]) -> None:
    """Print the analyses of several reports; hypnograms and events are in the JSON only."""
    printer.table(
        "Headlines over agents",
        ("task", "leader", "lowest quartile", "median", "highest quartile", "guess"),
        [
            (row["task"], row["leader"], number_of(row["q1"]), number_of(row["median"]),
             number_of(row["q3"]), number_of(row["chance"]))
            for row in found["distributions"]
        ],
    )  # fmt: skip
    printer.table(
        "Use of tools",
        ("agent", "task", "trials with a call", "calls at the median"),
        [
            (row["agent"], row["task"], f"{row['rate']:.0%}", f"{row['median_calls']:g}")
            for row in found["tool_use"]
        ],
    )
    if found["paired"]:
        printer.table(
            "Differences, on the same instances",
            ("task", "first", "second", "first - second", "95% interval", "p"),
            [
                (row["task"], row["first"], row["second"], number_of(row["difference"]),
                 between(row), number_of(row["p_value"]))
                for row in found["paired"]
            ],
        )  # fmt: skip
    for agent in found["agents"]:
        _show_agent(printer, agent)
    costs = {row["agent"]: row for row in found["pareto"]}
    printer.table(
        "Cost and score",
        ("agent", "score", "US dollars", "front", "tokens"),
        [
            (row["agent"], number_of(costs[row["agent"]]["score"]), costs[row["agent"]]["cost"],
             "yes" if costs[row["agent"]]["front"] else "", row["all_tokens"])
            for row in found["tokens"]
        ],
    )  # fmt: skip


def _show_agent(printer: Printer, agent: Mapping[str, Any]) -> None:
    name = agent["agent"]
    levels = [
        (row["label"], "clean" if row["snr_db"] is None else f"{row['snr_db']:+g} dB", row["n"],
         number_of(row["accuracy"]))
        for row in agent["dose_response"]
    ]  # fmt: skip
    if levels:
        printer.table(f"{name}: T2 by level (a guess has 0.333)",
                      ("class", "level", "n", "right"), levels)  # fmt: skip
    nights = [
        (_hours(row), row["n"], number_of(row["macro_f1"]))
        for row in agent["by_duration"]
        if row["n"]
    ]
    if nights:
        printer.table(f"{name}: T6 by length of the night", ("hours", "n", "macro-F1"), nights)
    seizures = agent["seizures"]
    if seizures["recordings"]:
        printer.line(
            f"{name}: T5 misses {number_of(seizures['miss_rate'])} of the recordings with "
            f"seizures, alarms in {number_of(seizures['over_alarm_rate'])} of those without."
        )


def _hours(row: Mapping[str, Any]) -> str:
    end = row["to_hours"]
    return (
        f"{row['from_hours']:g} to {end:g}" if end is not None else f"{row['from_hours']:g} or more"
    )
