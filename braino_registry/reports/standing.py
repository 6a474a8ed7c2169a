"""Whether a report is what a release says, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

#: So many differences are printed; the report has all of them.
SHOWN = 5


def told_of_release(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on what is verified of a report, and on what is not."""
    release = report.get("release")
    # Of a report that is held to no release, nothing else can be unverified.
    by_release = release is not None and not release["verified"]
    if not report["verified"] and not (by_release and _data_as_recorded(report)):
        rows = report["digests"]["datasets"]
        names = ", ".join(name for name, row in rows.items() if not row["verified"]) or "a dataset"
        yield f"UNVERIFIED: not the recorded digest, or none is recorded: {names}."
    if release is None:
        return
    part = "" if release["whole"] else "; not all of its tasks in this suite were asked for"
    if release["verified"]:
        yield f"Release {release['id']} ({release['status']}): all is as locked{part}."
        return
    found = release["differences"]
    many = "one thing differs" if len(found) == 1 else f"{len(found)} things differ"
    yield f"UNVERIFIED: {many} from release {release['id']} ({release['status']}){part}."
    for row in found[:SHOWN]:
        place = f"{row['what']}, {row['field']}" if row["field"] else row["what"]
        yield f"  {place}: {row['problem']}{'. ' + row['hint'] if row['hint'] else ''}"
    if len(found) > SHOWN:
        yield f"  and {len(found) - SHOWN} more, in the report"


def _data_as_recorded(report: Mapping[str, Any]) -> bool:
    return all(row["verified"] for row in report["digests"]["datasets"].values())
