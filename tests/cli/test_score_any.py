"""Whatever JSON `braino score` is given, it answers in strict JSON or says what is wrong."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.cli import main
from braino_registry.scoring.named import scores

NAMES = scores.names()
ODD = st.sampled_from(
    [None, True, 0, -0.0, 1, -1, 5e-324, 1e308, -1e308, 2**53 - 1, "", "a", "A", "W", "N2", "−10",
     "1e400", "inf", "nan", "clean", "normal", "HC", [], {}, [[-1, 1e308]], [[1e308, -1e308]],
     [["inf", "-inf"]], [["nan", 1]], {"score": "inf"}, {"answer": "B"},
     {"seizure_events": [[0, 1e308], [-1e308, 5]]},
     {"seizure_events": [{"onset": "inf", "offset": "nan"}]},
     {"hypnogram_rle": [{"start_epoch": 0, "end_epoch": 2**53 - 1, "stage": "N2"}]},
     {"hypnogram_rle": [{"start_epoch": "inf", "end_epoch": 1e308, "stage": 1}]}]
)  # fmt: skip
ANY = st.recursive(
    ODD | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def near(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that a schema allows, and now and then one that it does not."""
    fitting = _fitting(schema)
    return st.integers(0, 19).flatmap(lambda n: fitting if n else ODD)


def _fitting(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    return st.one_of([_of(kind, schema) for kind in kinds]) if kinds else ANY


def _of(kind: str, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if kind == "object":
        inner = {name: near(each) for name, each in schema.get("properties", {}).items()}
        if not inner:
            return st.dictionaries(st.sampled_from(["A", "B", "T1", "x"]), ANY, max_size=3)
        needed = {name: inner.pop(name) for name in schema.get("required", ())}
        return st.fixed_dictionaries(needed, optional=inner)
    if kind == "array":
        least = schema.get("minItems", 0)
        most = min(schema.get("maxItems", 4), 4)
        return st.lists(near(schema.get("items", {})), min_size=least, max_size=most)
    if kind == "string":
        return st.sampled_from(["a", "b", "W", "N2", "REM", "A", ""])
    if kind == "boolean":
        return st.booleans()
    if kind == "null":
        return st.none()
    least, most = schema.get("minimum", -1e308), schema.get("maximum", 1e308)
    edges = st.sampled_from([least, most, max(least, 5e-324), min(most, 3600.0)])
    if kind == "integer":
        return st.integers(max(int(least), -(2**53)) if least > -1e300 else -9, 9)
    return edges | st.floats(least, most)


def _number_refused(text: str) -> Any:
    raise AssertionError(f"{text} is no JSON")


def told(name: str, inputs: Any, profile: str) -> tuple[int, str, str]:
    """Return exit code and both outputs."""
    text = io.TextIOWrapper(io.BytesIO(json.dumps(inputs).encode()), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch("sys.stdin", text),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as stop,
    ):
        main(["score", name, "--profile", profile])
    return int(stop.value.code or 0), out.getvalue(), err.getvalue()


def check(name: str, inputs: Any, profile: str) -> int:
    code, out, err = told(name, inputs, profile)
    assert code in (0, 2), (name, inputs, err)
    if code == 0:
        json.loads(out, parse_constant=_number_refused)
    else:
        assert out == ""
        assert err.startswith("braino: ")
        assert profile == "published" or "the profile strict" not in err
    return code


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(data=st.data(), profile=st.sampled_from(["strict", "published"]))
def test_an_answer_in_json_or_what_is_wrong(name: str, data: st.DataObject, profile: str) -> None:
    check(name, data.draw(near(scores.get(name).parameters)), profile)


@pytest.mark.parametrize(
    ("name", "inputs", "code"),
    [
        ("confusion", {"truth": ["a"], "predicted": ["a"], "classes": ["a", "a"]}, 2),
        ("dice", {"reference": [[0, 1, 2]], "predicted": [[0, 1]]}, 2),
        ("dice", {"reference": [[-1, 1e308], [0, 3600]], "predicted": [[1e308, 1]]}, 0),
        ("dice", {"reference": [[0, 3600]], "predicted": [[3600, 0]]}, 0),
        ("dice", {"reference": [[0, 1e308], [-1e308, 5]], "predicted": [[-1e308, 1e308]]}, 0),
        ("events", {"reference": [[0, 1e308], [-1e308, 5]], "predicted": [[-1e308, 1e308]],
                    "duration": 60}, 0),
        ("instance", {"units": [{"weight": 1e308, "score": 1}, {"weight": 1, "score": 1}]}, 2),
        ("instance", {"units": [{"weight": 1e308, "score": 1}] * 2}, 2),
        ("subset", {"instances": [{"difficulty": 2.0, "score": 1e308}] * 2}, 2),
        ("subset", {"instances": [{"difficulty": 2.0, "score": 101}]}, 2),
        ("subset", {"instances": [{"difficulty": 2.0, "score": 120, "weights": 150}]}, 0),
        ("artifact", {"path_ok": True, "exists": True, "name_ok": True, "size": 1,
                      "checks": [{"weight": 1e308, "passed": True}] * 2}, 2),
        ("corpus", {"task": "T6", "items": [{"truth": 5, "prediction": None}]}, 2),
        ("corpus", {"task": "T6", "items": [{"truth": [[]], "prediction": None}]}, 2),
        ("staging", {"truth": ["W"], "prediction": None, "n_epochs": 2**53 - 1}, 2),
        ("sequence", {"reported": ["a", "b"], "reference": ["a", "b"],
                      "weights": [1e308, 1e308]}, 2),
    ],
)  # fmt: skip
def test_extremes(name: str, inputs: Any, code: int) -> None:
    assert check(name, inputs, "strict") == code


def test_a_share_of_time_does_not_depend_on_its_unit() -> None:
    whole = {"reference": [[0, 1e308], [-1e308, 5]], "predicted": [[-1e308, 1e308]]}
    assert json.loads(told("dice", whole, "strict")[1]) == pytest.approx(1.0)
    half = {"reference": [[0, 1e308]], "predicted": [[-1e308, 1e308]]}
    assert json.loads(told("dice", half, "strict")[1]) == pytest.approx(2 / 3)
