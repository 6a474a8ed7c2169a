"""Pipelines about the whole dataset: who took part, and how groups differ."""

from __future__ import annotations

from collections import Counter
from typing import Any

from braino_registry.agents.scripted.desk import Desk, Stuck

CORRECTION = "holm"
ALPHA = 0.05
BANDS = ("theta", "alpha", "beta")


def participants(desk: Desk) -> None:
    """Count the people of a group, average ages, and say whose are missing."""
    table = desk.run("dataset.participants")["participants"]
    for column in ("group", "sex"):
        for name, n in Counter(str(row.get(column)) for row in table).items():
            if desk.request.mentioned([name]):
                desk.note(f"number of people in the {name} group size", n, "count")
    ages = {row["bids_subject"]: _number(row.get("age")) for row in table}
    known = [age for age in ages.values() if age is not None]
    if known:
        mean = desk.run("calc", expression="mean(ages)", values={"ages": known})["value"]
        desk.note("mean age of participants years", mean, "years")
    desk.note("missing age participants", [name for name, age in ages.items() if age is None])


def groups(desk: Desk) -> None:
    """Compare two groups in theta, alpha and beta power, corrected as the user chooses."""
    people = desk.run("dataset.participants")["participants"]
    names = desk.request.mentioned({str(row.get("group")) for row in people})
    if len(names) != 2:
        raise Stuck("I do not know which two groups are meant.")
    group = {row["bids_subject"]: row.get("group") for row in people}
    bands = [band for band in BANDS if band in desk.request.bands] or list(BANDS)
    p_values = [_p_value(desk, band, group, names) for band in bands]
    method = _correction(desk)
    corrected = desk.run("stats.correct", p_values=p_values, method=method, alpha=ALPHA)
    differ = [b for b, yes in zip(bands, corrected["significant"], strict=True) if yes]
    desk.note("bands that differ after correction", differ)


def _p_value(desk: Desk, band: str, group: dict[str, Any], names: list[str]) -> float:
    """Return the p value of an unpaired t-test of one band between two groups."""
    views = [row["recording"] for row in desk.overview["recordings"]]
    kind = "relative" if desk.request.says("relative|as a share") else "absolute"
    channels = desk.request.named(desk.info["ch_names"])
    args = {"channels": channels} if channels else {}
    rows = desk.run(
        "spectrum.by_recording", views=views, measure=f"{kind}_power", band=band, **args
    )["rows"]
    key = "relative" if kind == "relative" else "absolute_uv2"
    sides = [[row[key] for row in rows if group.get(row["bids_subject"]) == n] for n in names]
    tested = desk.run("stats.ttest", a=sides[0], b=sides[1])
    p_value: float = tested["p_value"]
    return p_value


def _correction(desk: Desk) -> str:
    """Return the correction that the user agrees to; without being told to ask, none is asked."""
    if not desk.request.says("ask me which correction"):
        return CORRECTION
    said = desk.session.ask("Which correction for multiple comparisons shall I use?")
    known = {"bonferroni": "bonferroni", "holm": "holm", "fdr": "fdr_bh", "false": "fdr_bh"}
    wish = next((m for word, m in known.items() if word in said.lower()), CORRECTION)
    proposal = {"method": wish, "alpha": ALPHA}
    ruling = desk.consent("choose-correction", proposal, "As you said.")
    method = str(ruling.applied.get("method", "none"))
    level = ruling.applied.get("alpha", ALPHA)
    desk.remarks.append(f"The p values are corrected by the method {method} at {level}.")
    return method


def _number(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None  # "n/a" and empty cells
