"""What to say when a dataset is not on this machine: which files, how large, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from braino_registry.datasets.building import Portion
from braino_registry.datasets.entries import is_synthetic
from braino_registry.datasets.values import Need, Status
from braino_registry.errors import HostError

if TYPE_CHECKING:
    from braino_registry.datasets.pins import Pin
    from braino_registry.datasets.places import Places
    from braino_registry.datasets.selection import Selection
    from braino_registry.datasets.sources import Found
    from braino_registry.registry.entries import Entry

MOST_NAMED = 5
"""How many files an error names before it only counts them."""


def why_missing(places: Places, portion: Portion, found: Found) -> str:
    """Return in words which part of a dataset is nowhere on this machine."""
    count = len(found.paths) + len(found.zipped) + len(found.missing)
    text = (
        f"{len(found.missing)} of {count} files are neither in the cache ({places.root}) nor in a "
        f"folder of BRAINO_MIRRORS; {amount(found.missing)} to fetch"
    )
    absent = places.finder.absent_mirrors()
    if absent:
        text += f"; these folders of BRAINO_MIRRORS do not exist: {', '.join(map(str, absent))}"
    return text


def not_here(places: Places, portion: Portion, missing: Sequence[Pin]) -> HostError:
    """Return the error for a dataset that cannot be built from what is here."""
    entry = portion.entry
    if not portion.pins:
        return unfetchable(entry)
    return HostError(
        f"{entry.ref} is not on this machine: {listed(missing)}",
        where=why_missing(places, portion, portion.found(places.finder)),
        hint=f"Fetch it with: {places.command('fetch', entry, portion.selection)}",
    )


def not_built(places: Places, portion: Portion, folder: Path) -> HostError:
    """Return the error for a dataset of which no tree is there, with what has to be done first."""
    entry = portion.entry
    if not is_synthetic(entry):
        missing = portion.found(places.finder).missing
        if missing or not portion.pins:
            return not_here(places, portion, missing)
    hint = f"Run: {places.command('build', entry, portion.selection)}"
    return HostError(f"{entry.ref} is not built", where=str(folder), hint=hint)


def unfetchable(entry: Entry) -> HostError:
    """Return the error for a public dataset that has no pins, so that nothing can be fetched."""
    return HostError(
        f"nobody can fetch {entry.ref} for you: {entry.doc['local']['about']}",
        where=_where_to_ask(entry),
        hint=f"Check a copy of your own with: {_check_command(entry)}",
    )


def unfetchable_status(entry: Entry) -> Status:
    """Return the status of a public dataset that has no pins."""
    why = {
        "open": "no hashes of its files are known",
        "account": "it needs an account",
        "agreement": "it needs an agreement",
    }[entry.doc["access"]]
    reason = f"nobody can fetch it for you, because {why}. {_where_to_ask(entry)}"
    return Status(False, (), 0, _check_command(entry), reason, False)


def fetchable(entry: Entry, selection: Selection) -> Portion:
    """Return a part of a dataset that a program can fetch, or has no need to.

    Raises
    ------
    HostError
        If nobody can fetch it.
    UsageError
        If the dataset has nothing like the selection.
    """
    portion = Portion.of(entry, selection)
    if not (portion.pins or is_synthetic(entry)):
        raise unfetchable(entry)
    return portion


def _where_to_ask(entry: Entry) -> str:
    url = entry.doc["local"]["apply"] or entry.doc["upstream"]["url"]
    verb = "Get it yourself" if entry.doc["access"] == "open" else "Apply for it"
    return f"{verb} at {url}"


def _check_command(entry: Entry) -> str:
    return f"braino data verify {entry.id} --path DIR"


def offline(places: Places, portion: Portion, missing: Sequence[Pin]) -> HostError:
    """Return the error for files that would have to be fetched while that is forbidden."""
    entry = portion.entry
    commands = [f"curl -LO {pin.urls[0]}" for pin in missing if pin.urls]
    shown = "; ".join(commands[:MOST_NAMED])
    if len(commands) > MOST_NAMED:
        all_of_them = places.command("fetch", entry, portion.selection)
        shown += f"; and {len(commands) - MOST_NAMED} more, see {all_of_them} --dry-run --json"
    return HostError(
        f"BRAINO_OFFLINE is set, and {entry.ref} needs {listed(missing)}",
        where=f"With network: {shown}",
        hint="Then set BRAINO_MIRRORS to the folder with these files, or unset BRAINO_OFFLINE "
        f"and run: {places.command('fetch', entry, portion.selection)}",
    )


def too_large(places: Places, entry: Entry, need: Need) -> HostError:
    """Return the error for a dataset that the disk cannot take."""
    return HostError(
        f"{entry.ref} needs {need.bytes} bytes, and {need.disk_free} are free",
        where=str(places.root),
        hint="Free some space, set BRAINO_DATA to a folder on a larger disk, or fetch a part: "
        "some subjects, sessions, tasks or runs.",
    )


def amount(pins: Sequence[Pin]) -> str:
    """Return how many bytes files have, as far as that is known."""
    unknown = sum(pin.size is None for pin in pins)
    known = f"{sum(pin.size or 0 for pin in pins)} bytes"
    return f"{known} and {unknown} files of unknown size" if unknown else known


def listed(pins: Sequence[Pin]) -> str:
    """Return files with their sizes, the first of many."""
    shown = ", ".join(
        f"{pin.path} ({'size not known' if pin.size is None else f'{pin.size} bytes'})"
        for pin in pins[:MOST_NAMED]
    )
    more = len(pins) - MOST_NAMED
    if more <= 0:
        return shown
    return f"{shown}, and {more} more, {amount(pins)} in all"
