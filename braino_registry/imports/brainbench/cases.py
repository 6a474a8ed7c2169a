"""Reading released case files; whatever is wrong in one is a reason, never a guess."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import UsageError
from braino_registry.registry import documents, jsonfile
from braino_registry.scoring.units.canonical import elements, label

#: Folder of each subset, and what it is called here.
SUBSETS: Mapping[str, str] = {
    "foundational_analysis": "FA",
    "sleep_assessment": "SA",
    "neurocognitive_assessment": "NA",
    "physiological_integration": "PI",
}
DIFFICULTY: Mapping[float, str] = {1.0: "easy", 1.5: "medium", 2.0: "hard"}
_BOM = b"\xef\xbb\xbf"
# Numbers as they are counted: ``case01`` would be taken for ``case1``, and so would other digits.
_NUMBER = "(0|[1-9][0-9]*)"
_FOLDER = re.compile(f"case{_NUMBER}")
_FILE = re.compile(rf"case{_NUMBER}_{_NUMBER}\.json")


@dataclass(frozen=True)
class Metric:
    """One metric of a case: the check kind here, the key it reads, its weight, its parameters."""

    kind: str
    target: str
    weight: float
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A case that can be used.

    Parameters
    ----------
    subset : str
        ``FA``, ``SA``, ``NA`` or ``PI``.
    task, number : int
        The two numbers of its file.
    difficulty : str
        ``easy``, ``medium`` or ``hard``.
    instruction : str
        What the agent is asked.
    data, labels : tuple of str
        Paths of its files, as the case has them.
    more : mapping
        Further fields that the agent is told.
    absent : bool
        Whether its data are meant to be missing.
    metrics : tuple of Metric
        What is compared.
    parser_prompt : str
        What a model that extracts the keys is told.
    file : Path
        Where it was read from.
    """

    subset: str
    task: int
    number: int
    difficulty: str
    instruction: str
    data: tuple[str, ...]
    labels: tuple[str, ...]
    more: Mapping[str, Any]
    absent: bool
    metrics: tuple[Metric, ...]
    parser_prompt: str
    file: Path


@dataclass(frozen=True)
class Unusable:
    """A case file that cannot be used, where in it, and why."""

    file: str
    path: str
    reason: str


class _Refused(ValueError):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path


def read_cases(root: Path) -> tuple[list[Case], list[Unusable]]:
    """Return the cases below a released tree, and the files that are none.

    Parameters
    ----------
    root : Path
        The folder that holds ``benchmarks``, or that folder itself.

    Raises
    ------
    UsageError
        If there is no folder of cases.
    """
    base = root / "benchmarks" if (root / "benchmarks").is_dir() else root
    folders = [(name, base / name / "cases") for name in SUBSETS]
    if not any(folder.is_dir() for _, folder in folders):
        raise UsageError(
            "there are no case files",
            where=str(root),
            hint=f"Name the folder that holds benchmarks/<subset>/cases, of {', '.join(SUBSETS)}.",
        )
    cases: list[Case] = []
    unusable: list[Unusable] = []
    for name, folder in folders:
        for file in sorted(folder.glob("*/*.json"), key=_order) if folder.is_dir() else ():
            try:
                cases.append(_read(file, SUBSETS[name]))
            except _Refused as error:
                where = file.relative_to(base).as_posix()
                unusable.append(Unusable(where, error.path, str(error)))
    return cases, unusable


def _order(file: Path) -> tuple[Any, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", f"{file.parent.name}/{file.name}")), str(file)


def _read(file: Path, subset: str) -> Case:
    folder, name = _FOLDER.fullmatch(file.parent.name), _FILE.fullmatch(file.name)
    if folder is None or name is None or folder[1] != name[1]:
        raise _Refused("$", "the file is not caseN/caseN_M.json")
    document = _document(file)
    meta, told, config = (
        _object(document, key) for key in ("meta_info", "agent_input", "eval_config")
    )
    known = {"data_path", "label_path", "instruction"}
    metrics = config.get("metrics")
    if not isinstance(metrics, list) or not metrics:
        raise _Refused("$.eval_config.metrics", "there are no metrics")
    read = [_metric(each, f"$.eval_config.metrics[{i}]") for i, each in enumerate(metrics)]
    counted = tuple(metric for metric in read if metric.weight > 0)
    if not counted:
        raise _Refused("$.eval_config.metrics", "no metric has a weight")
    instruction = told.get("instruction")
    if not isinstance(instruction, str) or not instruction.strip():
        raise _Refused("$.agent_input.instruction", "there is no instruction")
    return Case(
        subset=subset,
        task=int(name[1]),
        number=int(name[2]),
        difficulty=_difficulty(meta),
        instruction=instruction.strip(),
        data=_paths(told, "data_path"),
        labels=_paths(told, "label_path"),
        more={key: value for key, value in told.items() if key not in known},
        absent=meta.get("expected_missing_data_path") is True,
        metrics=counted,
        parser_prompt=str(config.get("parser_prompt") or ""),
        file=file,
    )


def _document(file: Path) -> Mapping[str, Any]:
    try:
        raw = documents.read_bytes(file).removeprefix(_BOM)
        value = jsonfile.value_of(raw)
    except OSError as error:
        raise _Refused("$", f"the file cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise _Refused("$", str(error)) from error
    if not isinstance(value, Mapping):
        raise _Refused("$", "the file holds no object")
    return value


def _object(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = document.get(key)
    if not isinstance(value, Mapping):
        raise _Refused(f"$.{key}", f"there is no object {key!r}")
    return value


def _difficulty(meta: Mapping[str, Any]) -> str:
    given = [meta[key] for key in ("difficult", "difficulty") if meta.get(key) is not None]
    values = {float(v) for v in given if isinstance(v, int | float) and not isinstance(v, bool)}
    if len(values) != 1 or len(given) != len([v for v in given if not isinstance(v, bool | str)]):
        raise _Refused("$.meta_info", "the difficulty is missing, no number, or given twice")
    (value,) = values
    if value not in DIFFICULTY:
        raise _Refused("$.meta_info", f"the difficulty {value:g} is none of 1, 1.5 and 2")
    return DIFFICULTY[value]


def _paths(told: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = told.get(key)
    if value is None or value == "":
        return ()
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(path, str) and path for path in listed):
        raise _Refused(f"$.agent_input.{key}", "this is neither a path nor a list of paths")
    return tuple(listed)


def _metric(metric: Any, at: str) -> Metric:
    if not isinstance(metric, Mapping):
        raise _Refused(at, "a metric is an object")
    kind = metric.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise _Refused(f"{at}.type", f"there is no metric of the type {kind!r}")
    target = metric.get("target_key")
    if not isinstance(target, str) or not target.strip():
        raise _Refused(f"{at}.target_key", "there is no key to read")
    weight = metric.get("weight")
    if weight is None or not _is_number(weight) or weight < 0:
        raise _Refused(f"{at}.weight", f"{weight!r} is no weight")
    params = metric.get("params")
    if params is None:
        params = {}
    if not isinstance(params, Mapping):
        raise _Refused(f"{at}.params", "the parameters are no object")
    name, check = _KINDS[kind]
    for problem in check(params):
        raise _Refused(f"{at}.params", problem)
    return Metric(name, target.strip(), float(weight), dict(params))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _numeric(params: Mapping[str, Any]) -> Iterator[str]:
    if not _is_number(params.get("gt_value")):
        yield f"the target {params.get('gt_value')!r} is no finite number"
    tolerance = params.get("tolerance", 0)
    if not _is_number(tolerance):
        yield f"the tolerance {tolerance!r} is no finite number"
    elif tolerance < 0:
        yield f"the tolerance {tolerance!r} is negative"


def _label(params: Mapping[str, Any]) -> Iterator[str]:
    if not label(params.get("gt_value")):
        yield "there is no label to compare with"


def _collection(*modes: str) -> Callable[[Mapping[str, Any]], Iterator[str]]:
    def check(params: Mapping[str, Any]) -> Iterator[str]:
        target = params.get("gt_value")
        if not isinstance(target, list | str) or not target:
            yield "there is no list to compare with"
        elif not all(elements(target) or [None]):
            yield f"the target {str(target)[:80]!r} holds an element that is none"
        if params.get("match_mode", modes[0]) not in modes:
            yield f"there is no match mode {params['match_mode']!r}"
        for key in ("top_k", "min_overlap", "allow_order_slip"):
            value = params.get(key)
            if value is not None and not (_is_number(value) and value == int(value) and value >= 0):
                yield f"{key} {value!r} is no whole number"
        worth = params.get("score_per_hit")
        if worth is not None and not (_is_number(worth) and worth > 0):
            yield f"score_per_hit {worth!r} is no positive number"
        weights = params.get("position_weights")
        if weights is not None and not (
            isinstance(weights, list) and weights and all(_is_number(w) and w >= 0 for w in weights)
        ):
            yield "position_weights are not all numbers"
        elif weights is not None and not any(weights):
            yield "position_weights are all 0, so that nothing is right"

    return check


def _judged(params: Mapping[str, Any]) -> Iterator[str]:
    prompt = params.get("judge_prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        yield "there is no prompt for a judge"


def _file(params: Mapping[str, Any]) -> Iterator[str]:
    modes = (None, "", "image_file_match", "eeg_file_match", "file_exists")
    if params.get("match_mode") not in modes:
        yield f"there is no match mode {params['match_mode']!r}"
    config = params.get("validator_config")
    if config is not None and not isinstance(config, Mapping):
        yield "validator_config is no object"
    for name, field in (config or {}).items():
        value = field.get("value") if isinstance(field, Mapping) else field
        if value is None:
            yield f"the field {name!r} has no value"
        if name not in _FILE_FIELDS:
            yield f"there is no field {name!r}"


_FILE_FIELDS = frozenset(
    {"channel_count", "npy_shape", "signal_rms", "duration_sec", "sfreq_hz", "channel_names",
     "reference_mode", "bandpass_hz"}
)  # fmt: skip
_KINDS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Iterator[str]]]] = {
    "numeric_check": ("case_numeric", _numeric),
    "categorical_check": ("case_label", _label),
    "set_match_check": ("case_set", _collection("exact", "per_hit_fraction")),
    "sequence_match_check": (
        "case_sequence",
        _collection("weighted_partial_order", "exact_order", "per_hit_fraction_order"),
    ),
    "semantic_consistency": ("case_judged", _judged),
    "safety_compliance": ("case_judged", _judged),
    "factual_qa_check": ("case_judged", _judged),
    "file_status_check": ("case_file", _file),
}
