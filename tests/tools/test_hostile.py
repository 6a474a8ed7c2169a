"""Whatever an agent passes, a tool answers or refuses; it never fails."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braino_registry.tools.catalog import catalog
from braino_registry.tools.errors import ToolError

ID = "sub-01_task-oddball"
TEXTS = st.one_of(
    st.sampled_from([ID, "view-1", "view-2", "result-1", "result-2", "Pz", "O1", "VEOG", "target",
                     "average", "01", "²", "٣", "eeg", "group", "uv.Pz", "a + b", "x" * 2000,
                     "../..", "", "\x00"]),
    st.text(max_size=5),
)  # fmt: skip
NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, 50.0, 125.0, 1e-9, -1e300, 1e300, 1e15, 10.0]),
    st.floats(allow_nan=True, allow_infinity=True),
)


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.one_of(st.sampled_from(schema["enum"]), TEXTS)
    if "anyOf" in schema:
        return st.one_of(*[values(option) for option in schema["anyOf"]])
    kinds = schema.get("type", "string")
    if isinstance(kinds, list):
        return st.one_of(*[values({"type": kind}) for kind in kinds])
    if kinds == "array":
        items = schema.get("items")
        inner = items if isinstance(items, dict) else {"type": "number"}
        return st.lists(values(inner), max_size=3)
    return {
        "number": NUMBERS,
        "integer": st.one_of(st.integers(-5, 60), st.integers()),
        "boolean": st.booleans(),
        "null": st.none(),
        "string": TEXTS,
        "object": st.dictionaries(st.sampled_from("abx"), NUMBERS, max_size=3),
    }[kinds]


@pytest.fixture
def prepared(call, state, request):
    view = call("preprocess.filter", view=ID, l_freq=0.5, h_freq=30.0)["view"]
    epochs = call("epochs.make", view=view, event="target")["view"]
    call("erp.average", view=epochs)
    if request.node.callspec.params["key"].startswith("ica."):
        call("ica.fit", view=ID, n_components=4)
    return state


@pytest.mark.parametrize("key", catalog().names())
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_arguments_give_a_result_or_a_refusal(prepared, key, data):
    tool = catalog().get(key)
    schema = tool.spec.arguments
    required = set(schema.get("required", ()))
    parts = {name: values(sub) for name, sub in schema.get("properties", {}).items()}
    args = data.draw(
        st.fixed_dictionaries(
            {name: part for name, part in parts.items() if name in required},
            optional={name: part for name, part in parts.items() if name not in required},
        )
    )
    refusal = None
    try:
        json.dumps(tool.run(args, prepared), allow_nan=False)
    except ToolError as error:
        refusal = error
    assert refusal is None or (refusal.instead and len(str(refusal)) < 4000)


@pytest.mark.parametrize("args", [{1: 2}, {"x" * 5000: 1}, {"view": ["a"]}, {"view": {"a": 1}}])
def test_odd_names_and_shapes(refused, args, toolset, state):
    with pytest.raises(ToolError) as error:
        toolset.run("recording.info", args, state)
    assert len(str(error.value)) < 500


def test_half_a_letter_is_refused_wherever_it_stands():
    for key in catalog().names():
        tool = catalog().get(key)
        for name in tool.spec.arguments["properties"]:
            for value in ("\ud800", ["\udfff"], {"a": "\ud8ff"}):
                with pytest.raises(ToolError):
                    tool.convert({name: value})
