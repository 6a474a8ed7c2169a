"""Schemas of the check kinds: what a task may write, and that nothing vacuous loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from braino_registry.scoring import check_kinds, kind_versions
from tests.scoring.cases import CASES

NAMES = [
    "artifact", "asked", "called", "called_before", "case_file", "case_judged", "case_label",
    "case_numeric", "case_sequence", "case_set", "corpus", "decided", "grounded", "label",
    "not_called", "not_decided", "number", "refuses", "reports_applied", "semantic", "sequence",
    "set",
]  # fmt: skip

USED = list({str(case.check): case.check for case in CASES}.values())
VACUOUS: list[dict[str, Any]] = [
    {"kind": "called"},
    {"kind": "called", "tool": ""},
    {"kind": "called", "tool": "*"},
    {"kind": "called", "tool": "a.b", "with": {}},
    {"kind": "called", "tool": "a.b", "with": {"x": None}},
    {"kind": "called", "tool": "a.b", "with": {"x": {}}},
    {"kind": "called", "tool": "a.b", "times": {"min": 0}},
    {"kind": "called", "tool": "a.b", "times": {}},
    {"kind": "not_called"},
    {"kind": "called_before", "first": "a.b"},
    {"kind": "called_before", "then": "a.b"},
    {"kind": "asked"},
    {"kind": "asked", "about": []},
    {"kind": "decided"},
    {"kind": "decided", "decision": "x", "status": []},
    {"kind": "decided", "decision": "x", "where": {}},
    {"kind": "decided", "decision": "x", "where": {"channels": {}}},
    {"kind": "not_decided"},
    {"kind": "reports_applied"},
    {"kind": "reports_applied", "decision": "x", "keys": []},
    {"kind": "set", "field": "x"},
    {"kind": "set", "expected": ["a"]},
    {"kind": "set", "field": "x", "expected": None},
    {"kind": "set", "field": "x", "expected": {}},
    {"kind": "set", "field": "x", "expected": ["a"], "mode": "partial"},
    {"kind": "set", "field": "x", "expected": ["a"], "top_k": 2},
    {"kind": "sequence", "field": "x", "expected": ["a"], "slip": 1},
    {"kind": "sequence", "field": "x", "expected": ["a"], "threshold": 0.5},
    {"kind": "called", "tool": "a.b", "weight": 10},
    {"kind": "set", "field": "x", "expected": ["a"], "weight": 0},
    {"kind": "semantic", "findings": []},
    {"kind": "semantic", "findings": [{}]},
    {"kind": "semantic", "findings": [{"says": []}]},
    {"kind": "semantic", "findings": [{"says": ["alpha + "]}]},
    {"kind": "semantic", "findings": [{"says": ["alpha"], "lacks": ["beta"]}]},
    {"kind": "semantic", "findings": [{"direction": "sideways", "of": ["ratio"]}]},
    {"kind": "semantic", "findings": [{"among": {"alpha": []}, "about": ["band"], "is": "alpha"}]},
    {"kind": "artifact", "path": "x", "signal": {}},
    {"kind": "artifact", "path": "x", "signal": {"sfreq": {}}},
    {"kind": "artifact", "path": "x", "signal": {"colour": {"is": 1}}},
    {"kind": "artifact", "path": "x", "image": {}},
    {"kind": "artifact", "path": "x", "image": {"shows": {"is": "cats"}}},
    {"kind": "artifact", "path": "x", "image": {"shows": {"is": "grid"}}, "signal": {}},
    {"kind": "set", "field": "x", "expected": ["a"], "mode": "f1", "threshold": 0},
    {"kind": "set", "field": "x", "expected": ["a"], "threshold": 0.5},
    {"kind": "number", "field": "x", "expected": 1.0},
    {"kind": "number", "field": "x", "expected": 1.0, "tolerance": {}},
    {"kind": "number", "field": "x", "expected": 1.0, "tolerance": {"rel": 1.0}},
    {"kind": "number", "field": "x", "expected": "1.0", "tolerance": {"abs": 0}},
    {"kind": "label", "field": "x", "expected": ""},
    {"kind": "sequence", "field": "x", "expected": []},
    {"kind": "refuses", "fields": ["x"], "missing": [], "tool": "a.b"},
    {"kind": "refuses", "fields": [], "missing": ["ECG"], "tool": "a.b"},
    {"kind": "refuses", "fields": ["x"], "missing": ["ECG"]},
    {"kind": "grounded", "allow": [93.726]},
    {"kind": "artifact"},
    {"kind": "artifact", "path": ""},
    {"kind": "artifact", "path": "../x"},
    {"kind": "artifact", "path": "/x"},
    {"kind": "artifact", "path": "x", "min_bytes": 0},
    {"kind": "artifact", "path": "x", "json": {}},
    {"kind": "artifact", "path": "x", "json": {"value": "a", "is": None}},
]


def _problems(check: dict[str, Any]) -> list[str]:
    validator = Draft202012Validator(check_kinds.get(check["kind"]).schema)
    return [error.message for error in validator.iter_errors({"id": "it", **check})]


def test_names() -> None:
    assert check_kinds.names() == NAMES
    assert set(kind_versions()) == set(NAMES)


@pytest.mark.parametrize("kind", NAMES)
def test_schemas_are_schemas(kind: str) -> None:
    Draft202012Validator.check_schema(check_kinds.get(kind).schema)
    Draft202012Validator.check_schema(check_kinds.get(kind).parameters)
    assert check_kinds.get(kind).parameters["additionalProperties"] is False


@pytest.mark.parametrize("check", USED, ids=str)
def test_used_checks_are_valid(check: dict[str, Any]) -> None:
    assert _problems(check) == []


@pytest.mark.parametrize("check", VACUOUS, ids=str)
def test_vacuous_checks_do_not_load(check: dict[str, Any]) -> None:
    assert _problems(check)


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "set", "field": "x", "expected": {"truth": "noisy_channels"}},
        {"kind": "number", "field": "x", "expected": {"instance": "y"}, "tolerance": {"abs": 0}},
        {"kind": "label", "field": "x", "expected": {"workflow": "a@1.0.0", "args": {"b": 1}}},
        {"kind": "called", "tool": "a.b", "on": {"$": "recording"}},
        {"kind": "decided", "decision": "x", "where": {"notch": {"truth": "line_frequency"}}},
    ],
)
def test_values_that_are_computed_later(check: dict[str, Any]) -> None:
    assert _problems(check) == []


def test_unknown_parameters_do_not_load() -> None:
    assert _problems({"kind": "called", "tool": "a.b", "tools": "c.d"})


def test_one_file_adds_a_kind(tmp_path: Path) -> None:
    """A module in the package is all that a new kind needs."""
    package = tmp_path / "more"
    package.mkdir()
    (package / "mentions.py").write_text(
        "from braino_registry.scoring import Verdict, check\n"
        "@check('mentions', version='1.0.0', parameters={'properties': {'word': {'type': 'string',"
        " 'minLength': 1}}, 'required': ['word']})\n"
        "def mentions(spec, evidence):\n"
        "    '''Require a word.'''\n"
        "    found = spec['word'] in evidence.answer.text\n"
        "    return Verdict(found, f'{spec[\"word\"]}: {found}')\n"
    )
    code = (
        "import braino_registry.scoring.checks as package\n"
        f"package.__path__.append({str(package)!r})\n"
        "from braino_registry.scoring import Answer, Evidence, kind_versions, score\n"
        "check = {'id': 'x', 'kind': 'mentions', 'word': 'alpha', 'required': True}\n"
        "for text in ('alpha', 'beta'):\n"
        "    print(score([check], Evidence('', [], Answer(text)), 'braino').passed)\n"
        "print(kind_versions()['mentions'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["True", "False", "1.0.0"]


def test_scoring_imports_nothing_heavy() -> None:
    code = (
        "import sys, braino_registry.scoring as s; s.kind_versions()\n"
        "heavy = {'numpy', 'scipy', 'mne', 'jsonschema', 'jmespath', 'jinja2', 'pandas', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
