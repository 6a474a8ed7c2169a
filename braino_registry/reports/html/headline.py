"""What stands at the top of a page: a card for each report, and how they compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from braino_registry.reports.html.sources import Source
from braino_registry.reports.integrity import flagged
from braino_registry.reports.intervals import LEVEL, Interval, headline_interval
from braino_registry.reports.outcomes import SCORED, passes
from braino_registry.reports.plain import shown
from braino_registry.reports.several import compare_all
from braino_registry.reports.standing import told_of_release
from braino_registry.reports.summary import failed_everywhere, harness_notes

Report = Mapping[str, Any]
_TEXT = 400


def card(source: Source, label: str) -> dict[str, Any]:
    """Return what the headline says of one report, as texts."""
    report = source.report
    summary, coverage = report["summary"], report["coverage"]
    scale, score = summary["scale"], summary["score"]
    interval = headline_interval(report)
    return {
        "label": label,
        "where": _where(report),
        "score": "–" if score is None else f"{score * scale:.3g}",
        "scale": scale,
        "interval": _limits(interval, scale),
        "bar": bar(score, interval),
        "passed": passes(report["summary"]),
        "complete": coverage["complete"],
        "coverage": coverage["statement"],
        "lines": list(_lines(report, interval, scale)),
        "warnings": list(_warnings(report)),
        "settings": list(_settings(report)),
    }


def _where(report: Report) -> str:
    settings = report["settings"]
    return (
        f"{report['suite']} {settings.get('suite_version', '')} · tier {report['tier']} · "
        f"paradigm {settings.get('paradigm')} · isolation {settings.get('isolation')}"
    )


def _limits(interval: Interval | None, scale: float) -> str:
    if interval is None:
        return ""
    return f"{interval.low * scale:.3g} to {interval.high * scale:.3g}"


def bar(score: float | None, interval: Interval | None = None, style: str = "") -> Markup:
    """Return a bar of 0 to 1 with its interval, hidden from those who hear the number."""
    if score is None:
        return Markup("")
    inner = f'<i style="width:{100 * min(max(score, 0), 1):.1f}%"></i>'
    if interval is not None and interval.high > interval.low:
        wide = 100 * (interval.high - interval.low)
        inner += f'<b style="left:{100 * interval.low:.1f}%;width:{wide:.1f}%"></b>'
    return Markup(f'<span class="bar {style}" aria-hidden="true">{inner}</span>')


def _lines(report: Report, interval: Interval | None, scale: float) -> Any:
    summary = report["summary"]
    if interval is not None:
        yield f"The interval draws {interval.units} {interval.what}{_alike(interval)}."
    for row in summary.get("by_subset", ()):
        value = "–" if row["score"] is None else f"{row['score'] * scale:.3g}"
        yield f"Subset {row['name'] or '–'}: {value} ({row['passed']}/{row['scored']} pass)"
    if "repeats" in summary:
        rates = summary["repeats"]["rates"]
        last = rates[-1] if rates else None
        if last and last["pass_hat"] is not None:
            yield (
                f"All of {last['k']} sessions pass in {last['pass_hat']:.0%} of instances, "
                f"one of {last['k']} in {last['pass_at']:.0%}."
            )
    yield from _cost(report)
    unscored = {
        name: many
        for name, many in summary["outcomes"].items()
        if name not in SCORED and name != "not_planned"
    }
    if unscored:
        yield "Not scored: " + ", ".join(f"{many} {name}" for name, many in unscored.items()) + "."


def _alike(interval: Interval) -> str:
    """Say what an interval of no width leaves open, by the exact binomial limit for none of n."""
    if interval.high > interval.low:
        return ""
    most = 1 - (1 - LEVEL) ** (1 / interval.units)
    return (
        ", which all scored alike; another one like them would score differently with a "
        f"probability of up to {most:.1%}"
    )


def _cost(report: Report) -> Any:
    ran = [trial for trial in report["trials"] if trial["outcome"] != "not_planned"]
    told = []
    for name, word in (
        ("input_tokens", "tokens in"), ("output_tokens", "tokens out"), ("cost", "cost in dollars"),
    ):  # fmt: skip
        known = [trial["usage"].get(name) for trial in ran]
        known = [value for value in known if value is not None]
        if known:
            part = "" if len(known) == len(ran) else f" (told by {len(known)} of {len(ran)} trials)"
            told.append(f"{sum(known):,.4g} {word}{part}")
    yield ("Usage: " + ", ".join(told) + ".") if told else "Usage: tokens and cost not reported."
    seconds = [trial["seconds"] for trial in ran if trial["seconds"] is not None]
    if seconds:
        yield f"Sessions: {sum(seconds):,.0f} s together."


def _warnings(report: Report) -> Any:
    for line in flagged(report["trials"]):
        yield shown(line, _TEXT)
    notes = harness_notes(report["trials"])
    if notes:
        yield shown(f"{len(notes)} scored in spite of a fault of the harness: {notes[0]}", _TEXT)
    reason = failed_everywhere(report["trials"])
    if reason is not None:
        yield shown(f"The agent failed in every trial. The first reason: {reason}", _TEXT)
    told = [shown(line, _TEXT) for line in told_of_release(report)]
    yield from told
    if not report["verified"] and not told:
        yield "UNVERIFIED: whether data and release are as recorded is not known."
    if str((report["settings"].get("enforcement") or {}).get("code", "")).startswith("none"):
        yield "The agent's code ran without a sandbox: whatever its user can do, it could."
    isolation = report["settings"].get("isolation")
    if isolation != "sandbox":
        yield f"Isolation is {isolation}: good for work, not for ranking."


def _settings(report: Report) -> Any:
    settings, computer = report["settings"], report["computer"]
    release = report.get("release")
    yield "run", str(report["run_id"])
    if release:
        name = release.get("id") if isinstance(release, dict) else release
        yield "release", str(name)
    yield "when", f"{report['started']} to {report['finished']}"
    agent = report["agent"]
    yield "agent", " · ".join(str(agent[k]) for k in ("name", "model", "factory") if agent.get(k))
    for name in ("profile", "repeats", "seed", "jobs", "data"):
        if settings.get(name) is not None:
            yield name, str(settings[name])
    yield "salt", str(settings.get("salt") or "none: the public draws")
    if computer:
        memory = computer.get("memory_bytes")
        size = f", {memory / 2**30:.0f} GiB" if isinstance(memory, int | float) else ""
        yield "computer", f"{computer.get('cpu')}, {computer.get('cores')} cores{size}"
        yield "system", f"{computer.get('os')}, {computer.get('python')}"
        packages = computer.get("packages")
        if isinstance(packages, dict):
            yield "packages", ", ".join(f"{k} {v}" for k, v in packages.items())
    enforced = settings.get("enforcement")
    if isinstance(enforced, dict) and enforced:
        yield "limits held by", ", ".join(f"{k}: {v}" for k, v in enforced.items())
    if report.get("seal"):
        yield "seal", str(report["seal"])


def _few(rows: Sequence[Mapping[str, Any]], most: int = 5) -> str:
    """Return how many trials there are, and which; of many the first ones."""
    names = [f"{row['task']}/{row['instance']}/{row['repeat']}" for row in rows[:most]]
    names += [f"and {len(rows) - most} more"] if len(rows) > most else []
    return shown(f"{len(rows)}: {', '.join(names)}" if rows else "0", 400)


def compared(sources: Sequence[Source], labels: Sequence[str]) -> list[dict[str, str]]:
    """Return a row for each further report: how it differs from the first."""
    if len(sources) < 2:
        return []
    rows = []
    every = compare_all([source.report for source in sources])
    for label, found in zip(labels[1:], every, strict=True):
        document = found.document
        statistics = document["statistics"]
        row = {
            "label": label,
            "comparable": str(found.comparable),
            "fixed": str(len(document["fixed"])),
            "broken": str(len(document["broken"])),
            "worse": _few(document["worse"]),
            "better": _few(document["better"]),
            "difference": "not comparable",
            "interval": "",
            "p": "",
        }
        if statistics is not None:
            score = statistics["score"]
            p_value = statistics.get("corrected", {}).get("score", score["p_value"])
            row["difference"] = _signed(score["estimate"])
            if score["interval"] is not None:
                row["interval"] = " to ".join(_signed(value) for value in score["interval"])
            row["p"] = "–" if p_value is None else f"{p_value:.3g}"
        elif document["not_comparable"]:
            row["interval"] = shown(str(document["not_comparable"][0]["reason"]), 120)
        rows.append(row)
    return rows


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
