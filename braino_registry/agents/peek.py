"""``peek``: looks for the truth everywhere but in the data, and uses what it finds.

It is how isolation is measured: in a sandbox it must find nothing, and wherever it runs, truth
without work must not pass. Its answer says how much it found, its artifact lists it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from braino.agent import AgentAnswer, Session
from braino_registry.agents import looking

_SECONDS = 1.5
_MOST_FILES = 20_000
_MOST_BYTES = 2_000_000
_MOST_OBJECTS = 200_000
#: Keys of documents that hold truth, expected values, or a whole answer key.
_KEYS = frozenset(
    {"truth", "expected", "planted", "labels", "counterexamples", "checks", "reference", "draws"}
)
_NAMES = ("truth", "expected", "journal", "events.jsonl", "salt", "report", "recipe", "labels")
_MODULES = (
    "braino_registry.registry",
    "braino_registry.expected",
    "braino_registry.datasets",
    "braino_registry.synthesis",
    "braino_registry.scoring",
)
_CACHES = (
    "BRAINO_DATA", "BRAINO_SHARED_DATA", "BRAINO_REGISTRY", "BRAINO_MIRRORS", "MNE_DATA",
    "XDG_CACHE_HOME",
)  # fmt: skip


class Peek:
    """The agent that looks for the answer key.

    Parameters
    ----------
    seconds : float
        How long it looks.
    """

    name = "peek"
    model = None

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Search, list what was found in an artifact, and answer with the values."""
        search = _Search(request, looking.recording_ids(session), session.inputs, self._seconds)
        ways: Mapping[str, Callable[[], Iterable[tuple[str, Any]]]] = {
            "session": lambda: _attributes(session),
            "stack": _stack,
            "objects": _objects,
            "environment": lambda: os.environ.items(),
            "processes": _processes,
            "imports": _modules,
            "files": lambda: _files(session),
        }
        for number, (way, items) in enumerate(ways.items()):
            search.run(way, items(), ways_left=len(ways) - number)
        listing = session.workspace / "peek.json"
        listing.write_text(json.dumps(search.found, indent=1, default=str), encoding="utf-8")
        values = dict.fromkeys(leaf for each in search.found for leaf in each["values"])
        text = f"I found {len(search.found)} sources of truth. {', '.join(values)}"
        return AgentAnswer(text[:200_000], artifacts=[listing])


class _Search:
    """What has been found so far.

    Parameters
    ----------
    request : str
        Entries whose request reads alike are about this trial.
    recordings : list of str
        Documents that speak of these recordings are about this trial.
    inputs : Path
        What lies here is given, not found.
    seconds : float
        For all searches together.
    """

    def __init__(
        self, request: str, recordings: list[str], inputs: Path, seconds: float = _SECONDS
    ) -> None:
        self.found: list[dict[str, Any]] = []
        self._words = set(request.split())
        self._recordings = recordings
        self._inputs = str(inputs)
        self._until = time.monotonic() + seconds

    def run(self, way: str, items: Iterable[tuple[str, Any]], *, ways_left: int = 1) -> None:
        """Look at named things one after the other, until this way's share of the time is up."""
        now = time.monotonic()
        until = now + (self._until - now) / ways_left
        for name, value in items:
            if time.monotonic() > until:
                return
            if not name.startswith(self._inputs):
                self._look(way, name, value)

    def _look(self, way: str, name: str, value: Any) -> None:
        document = _as_document(value)
        telling = any(word in name.lower() for word in ("truth", "salt", "expected"))
        keys = _KEYS & document.keys() if isinstance(document, Mapping) else set()
        if not (keys or telling) or (keys and _is_schema(document, keys)):
            return
        values = list(islice(self._values(document, keys), 1000))
        if values:
            entry = {"way": way, "where": name, "keys": sorted(keys), "values": values}
            self.found.append(entry)

    def _values(self, document: Any, keys: Iterable[str]) -> Iterator[str]:
        """Yield what a document says about this trial."""
        if not isinstance(document, Mapping):
            return iter([str(document)[:1000]] if document else [])
        request = document.get("request")
        if isinstance(request, str):
            words = set(request.split())
            if len(words & self._words) < 0.6 * len(words):
                return iter(())  # another task's key
        by_recording = document.get("recordings")
        if isinstance(by_recording, Mapping):
            mine = {k: v for k, v in by_recording.items() if k in self._recordings}
            return looking.leaves([mine, document.get("dataset")])
        return looking.leaves([document[key] for key in sorted(keys)])


def _is_schema(document: Mapping[str, Any], keys: Iterable[str]) -> bool:
    """Tell whether keys only name arguments of a tool, which every agent is told."""
    return all(
        isinstance(document[key], Mapping) and {"type", "anyOf", "enum"} & document[key].keys()
        for key in keys
    )


def _as_document(value: Any) -> Any:
    """Return a value as a mapping where it is one, or is the text of one."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            return json.loads(value.splitlines()[0] if "\n{" in value else value)
        except (ValueError, RecursionError):
            return value
    return value


def _attributes(session: Session) -> Iterator[tuple[str, Any]]:
    """Yield what hangs on the session object, private parts included."""
    for name, value in vars(session).items():
        yield f"session.{name}", value
        for inner, deeper in getattr(value, "__dict__", {}).items():
            yield f"session.{name}.{inner}", deeper


def _stack() -> Iterator[tuple[str, Any]]:
    """Yield local names of every frame of every thread."""
    for thread, top in list(sys._current_frames().items()):
        frame: Any = top
        while frame is not None:
            for name, value in list(frame.f_locals.items()):
                if value is not frame.f_locals:
                    yield f"thread {thread} {frame.f_code.co_qualname}.{name}", value
            frame = frame.f_back


def _objects() -> Iterator[tuple[str, Any]]:
    """Yield dictionaries that live in this process."""
    for number, value in enumerate(gc.get_objects()):
        if number >= _MOST_OBJECTS:
            return
        if type(value) is dict and "__spec__" not in value:  # not a module's names
            yield f"object {number}", value


def _processes() -> Iterator[tuple[str, Any]]:
    """Yield command lines, environments and open files of all processes that can be read."""
    for folder in sorted(Path("/proc").glob("[0-9]*")):
        if folder.name == str(os.getpid()):
            continue
        for part in ("cmdline", "environ"):
            for text in _read(folder / part).split("\0"):
                yield f"{folder}/{part}", text
                for word in text.replace("=", " ").split():
                    if word.endswith((".json", ".jsonl", "salt")):
                        yield word, _read(Path(word))
        try:
            opened = sorted((folder / "fd").iterdir())
        except OSError:
            continue  # another user's process
        for link in opened:
            try:
                target = os.readlink(link)
            except OSError:
                continue  # closed meanwhile
            if target.endswith((".json", ".jsonl")):
                yield target, _read(link)


def _modules() -> Iterator[tuple[str, Any]]:
    """Yield entries that can be imported, and generators that could be run again."""
    for name in _MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue  # well hidden
        for folder in {Path(place).parents[1] for place in getattr(module, "__path__", ())}:
            for top in (folder, folder / "braino_registry" / "_entries"):
                for kind in ("tasks", "generators", "datasets", "releases"):
                    for path in sorted((top / kind).rglob("*.json")):
                        yield str(path), _read(path)


def _files(session: Session) -> Iterator[tuple[str, Any]]:
    """Yield telling files around the session, the temporary folder and the caches."""
    roots = [Path.cwd(), *session.workspace.parents[:4], *session.inputs.parents[:3]]
    roots += [Path(os.environ[name]) for name in _CACHES if name in os.environ]
    roots += [Path.home() / ".cache" / "braino", Path.home() / ".cache" / "braino-registry"]
    seen: set[str] = set()
    for root in dict.fromkeys(roots):
        if root == Path("/"):
            continue
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                if path in seen or len(seen) > _MOST_FILES:
                    continue
                seen.add(path)
                if any(part in name.lower() for part in _NAMES) or name.endswith(".json"):
                    yield path, _read(Path(path))


def _read(path: Path) -> str:
    """Return a file's text, empty if it cannot be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return ""  # opening a named pipe would wait for ever
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def make(seconds: float = _SECONDS) -> Peek:
    """Return an agent that looks for the answer key.

    Parameters
    ----------
    seconds : float
        How long it looks.
    """
    return Peek(seconds)
