"""From cases to a registry folder: a suite, tasks with their instances, and pinned datasets."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.datasets.conversions.case_files import recordings
from braino_registry.datasets.pins import Mirror, Pin, content_digest, render
from braino_registry.errors import UsageError
from braino_registry.imports.brainbench.cases import SUBSETS, Case, Unusable, read_cases
from braino_registry.imports.brainbench.files import Found, MissingDataError, find, pins_of
from braino_registry.imports.brainbench.proving import refusals

SUITE = "brainbench-cases"
_URL = "https://github.com/xiaobaben/BrainBench"
_MIRROR = Mirror("upstream", f"{_URL}/")
_REQUEST = (
    "{% for path in data_files %}Load the data file: {{ path }}\n{% endfor %}"
    "{% for path in label_files %}Load the label file: {{ path }}\n{% endfor %}"
    "{% for line in further %}{{ line }}\n{% endfor %}{{ instruction }}"
)


@dataclass(frozen=True)
class Imported:
    """What became of a released tree.

    Parameters
    ----------
    folder : Path
        The registry folder that was written.
    suite : str
        Its suite.
    tasks, instances, datasets : int
        How many were written.
    unusable : tuple of Unusable
        The case files that were left out, with the reason.
    data : Path
        Where the recordings lie.
    """

    folder: Path
    suite: str
    tasks: int
    instances: int
    datasets: int
    unusable: tuple[Unusable, ...]
    data: Path

    def document(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "folder": str(self.folder),
            "suite": self.suite,
            "tasks": self.tasks,
            "instances": self.instances,
            "datasets": self.datasets,
            "unusable": [vars(each) for each in self.unusable],
            "data": str(self.data),
        }


def import_cases(
    root: Path, out: Path, *, data: Path | None = None, toolset: Sequence[str] = ()
) -> Imported:
    """Write the cases of a released tree into a registry folder.

    Parameters
    ----------
    root : Path
        The folder that holds ``benchmarks`` (and ``data``).
    out : Path
        A folder that is made, or empty.
    data : Path | None
        The data root; ``root/data`` by default. Nothing is copied from it: files are pinned by
        hash and fetched from there when a run needs them.
    toolset : sequence of str
        ``tool@version`` of what agents get; those of the suite ``brainbench`` by default.

    Raises
    ------
    UsageError
        If there are no cases, or the folder is not empty.
    """
    where = data or root / "data"
    _check_new(out)
    cases, unusable = read_cases(root)
    sources, left_out = _sources(cases, root, where)
    tools = tuple(toolset or _tools())

    def write(folder: Path, groups: Mapping[str, Sequence[Case]]) -> str:
        return _write_registry(folder, groups, sources, tools)

    bound = [case for case in cases if id(case) in sources]
    refused = refusals(bound, _groups, write)
    left_out += [_left_out(case, "$", refused[id(case)]) for case in bound if id(case) in refused]
    usable = [case for case in bound if id(case) not in refused]
    groups = _groups(usable)
    write(out, groups)
    sets = {sources[id(case)].found.key for case in usable if sources[id(case)].pins}
    return Imported(
        out, SUITE, len(groups), len(usable), len(sets), (*unusable, *left_out), where
    )  # fmt: skip


@dataclass(frozen=True)
class _Source:
    """The files of a case, and their pins."""

    found: Found
    pins: tuple[Pin, ...]


def _sources(
    cases: Sequence[Case], root: Path, data: Path
) -> tuple[dict[int, _Source], list[Unusable]]:
    """Return the files of each case by ``id(case)``, and the cases whose files cannot be used."""
    sources: dict[int, _Source] = {}
    left_out: list[Unusable] = []
    known: dict[str, _Source] = {}
    for case in cases:
        try:
            found = _data_of(case, root, data)
            if found.key not in known:  # every file is read once, however many cases name it
                known[found.key] = _Source(found, tuple(pins_of(found)))
            sources[id(case)] = known[found.key]
        except MissingDataError as error:
            left_out.append(_left_out(case, "$.agent_input", str(error)))
    return sources, left_out


def _left_out(case: Case, path: str, reason: str) -> Unusable:
    shown = f"{_folder(case)}/cases/{case.file.parent.name}/{case.file.name}"
    return Unusable(shown, path, reason)


def _write_registry(
    out: Path,
    groups: Mapping[str, Sequence[Case]],
    sources: Mapping[int, _Source],
    tools: Sequence[str],
) -> str:
    """Write a registry folder, and return the name of its suite."""
    cases = [case for members in groups.values() for case in members]
    used = {sources[id(case)].found.key: sources[id(case)] for case in cases}
    for key, source in used.items():
        if source.pins:
            _write_dataset(out / "datasets", key, source.pins)
    folder = out / "tasks" / SUITE
    _write(folder / "suite.json", _suite(cases, tools))
    found = {id(case): sources[id(case)].found for case in cases}
    for name, members in groups.items():
        _write(folder / f"{name}.json", _task(name, members, found))
    return SUITE


def _folder(case: Case) -> str:
    return next(name for name, subset in SUBSETS.items() if subset == case.subset)


def _data_of(case: Case, root: Path, data: Path) -> Found:
    if case.absent:  # its data are meant to be missing; labels, if any, are there
        return find([], root, data)
    return find([*case.data, *case.labels], root, data)


def _tools() -> tuple[str, ...]:
    from braino_registry.registry import Registry

    return next(iter(Registry.open().suite("brainbench").toolsets.values()))


def _groups(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """Return the cases of each task; those that are checked otherwise make a task of their own."""
    by_shape: dict[tuple[str, int], dict[Any, list[Case]]] = {}
    for case in cases:
        shape = (
            case.difficulty,
            tuple((metric.kind, metric.target, metric.weight) for metric in case.metrics),
        )
        by_shape.setdefault((case.subset, case.task), {}).setdefault(shape, []).append(case)
    return {
        f"{subset.lower()}-case{number}" + (f"-{place}" if place > 1 else ""): members
        for (subset, number), shapes in by_shape.items()
        for place, members in enumerate(shapes.values(), start=1)
    }


def _task(name: str, cases: Sequence[Case], found: Mapping[int, Found]) -> dict[str, Any]:
    first = cases[0]
    checks = [
        {
            "id": f"metric-{number}",
            "kind": metric.kind,
            "target": metric.target,
            "params": {"instance": f"m{number}"},
            "weight": metric.weight,
        }
        for number, metric in enumerate(first.metrics, start=1)
    ]
    return {
        "schema": "task/1",
        "id": name,
        "version": "1.0.0",
        "suite": SUITE,
        "subset": first.subset,
        "title": f"Released cases {first.task} of {_folder(first).replace('_', ' ')}",
        "category": "cases",
        "difficulty": first.difficulty,
        "saltable": False,
        "request": _REQUEST,
        "toolset": "foundational",
        "instances": [_instance(case, found[id(case)]) for case in cases],
        "answer": {"fields": {}},
        "reference": {
            "kind": "answer",
            "answer": "The values are in the data.",
            "data": {
                metric.target: {"$": f"truth.m{number}.gt_value"}
                for number, metric in enumerate(first.metrics, start=1)
                if "gt_value" in metric.params
            },
        },
        "checks": checks,
        "counterexamples": [
            {
                "why": "reports nothing that could be read",
                "answer": "I looked at the recording.",
                "fails": [check["id"] for check in checks],
            }
        ],
    }


def _instance(case: Case, found: Found) -> dict[str, Any]:
    names = [name for name, _ in found.files]
    ref = f"cases-{found.key}@1.0.0" if names else None
    known = recordings({}, names)
    return {
        "id": case.file.stem.replace("_", "-"),
        "dataset": ref,
        **({"recording": dict(known[0].entities)} if known else {}),
        **({"data": "public"} if ref else {}),
        "params": {
            "instruction": case.instruction,
            "data_files": [_shown(path, names) for path in case.data],
            "label_files": [_shown(path, names) for path in case.labels],
            "further": [f"{key}: {_text(value)}" for key, value in case.more.items()],
        },
        "expected": {
            f"m{number}": {"literal": dict(metric.params)}
            for number, metric in enumerate(case.metrics, start=1)
        },
    }


def _shown(path: str, names: Sequence[str]) -> str:
    """Return where the agent finds a file: below ``sourcedata``, or nowhere."""
    plain = path.replace("\\", "/")
    for name in names:
        if plain == name or plain.endswith(f"/{name}"):
            return f"sourcedata/{name}"
        # a folder of files
        for folder in (plain, plain.partition("/")[2]):
            if folder and name.startswith(f"{folder.rstrip('/')}/"):
                return f"sourcedata/{folder.rstrip('/')}"
    return plain


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _suite(cases: Iterable[Case], tools: Sequence[str]) -> dict[str, Any]:
    subsets = list(dict.fromkeys(case.subset for case in cases))
    titles = {subset: name.replace("_", " ").title() for name, subset in SUBSETS.items()}
    return {
        "schema": "suite/1",
        "id": SUITE,
        "version": "1.0.0",
        "title": "Released cases of BrainBench",
        "about": "Written by `braino import brainbench`; not to be edited or passed on.",
        "rule": "brainbench",
        "toolsets": {"foundational": list(tools)},
        "subsets": {name: {"title": titles[name]} for name in subsets or ["FA"]},
        "limits": {
            "seconds": 720, "tool_calls": 120, "questions": 5, "output_bytes": 10_000_000,
        },
        "tell_fields": False,
        "paradigms": ["tools", "code"],
    }  # fmt: skip


def _write_dataset(folder: Path, key: str, pins: Sequence[Pin]) -> None:
    name = f"cases-{key}"
    table = render(pins, [_MIRROR], {})
    doc = {
        "schema": "dataset/1",
        "id": name,
        "version": "1.0.0",
        "title": "Recording of released BrainBench cases",
        "upstream": {
            "name": "Recordings that BrainBench is bound to",
            "version": "as prepared on this computer",
            "url": _URL,
            "authors": ["unknown"],
        },
        "licence": {
            "spdx": "NOASSERTION",
            "statement": "That of the owners of the recordings.",
            "source": _URL,
            "conflicts": [],
        },
        "access": "agreement",
        "redistribution": "unknown",
        "citation": [{"text": "The owners of the recordings; see the paper of the benchmark."}],
        "mirrors": [{"id": _MIRROR.id, "name": "The benchmark", "base": _MIRROR.base}],
        "pins": {
            "file": f"{name}.pins.tsv",
            "sha256": hashlib.sha256(table.encode()).hexdigest(),
            "content": content_digest(table),
        },
        "subjects": {"identifiable": False, "groups": [], "about": "Not told."},
        "conversion": {"use": "case-files@1.0.0", "parameters": {"bids": _FACTS}},
        "labels": {"dataset": {}, "recordings": {}},
        "invariants": [{"kind": "file_count", "files": "sourcedata/**", "equals": len(pins)}],
        "expects": {},
        "defects": [],
    }
    _write(folder / f"{name}.json", doc)
    (folder / f"{name}.pins.tsv").write_text(table, encoding="utf-8", newline="\n")


def _check_new(out: Path) -> None:
    """Refuse a place for the registry that holds something, or where no folder can be made."""
    try:
        if os.path.lexists(out) and any(out.iterdir()):
            raise UsageError("the folder is not empty", where=str(out), hint="Name a new one.")
        above = next(each for each in out.absolute().parents if os.path.lexists(each))
        any(above.iterdir())
    except OSError as error:
        raise UsageError(
            f"no folder can be made here: {error.strerror}", where=str(out), hint="Name another."
        ) from error


_FACTS: dict[str, Any] = {
    "dataset": {},
    "sidecar": {"EEGReference": "n/a", "PowerLineFrequency": "n/a", "SoftwareFilters": "n/a"},
    "tasks": {"case": {"TaskName": "case"}},
    "events": {},
    "readme": ["Files of one case, as they are, in sourcedata/; EDF and BDF files as recordings."],
}


def _write(file: Path, document: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    file.write_text(text, encoding="utf-8", newline="\n")
