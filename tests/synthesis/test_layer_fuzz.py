"""Layers with parameters of every kind: refused with a place, or built from finite samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from braino_registry.errors import BrainoError
from braino_registry.synthesis.brainvision import quantise
from braino_registry.synthesis.build import paint
from braino_registry.synthesis.component import LAYERS
from braino_registry.synthesis.montage import CAPS, POSITIONS
from braino_registry.synthesis.planning import plan
from tests.synthesis.small import HED, LETTERS, NOISE, WAVE, recipe

MEANT = {
    "channel": ["Fz", "Cz", "T8", "nowhere"],
    "fault": ["Fz", "Cz", "T8", "nowhere"],
    "site": ["Cz", "FCz", "Fpz", "nowhere"],
    "event": ["letter", "nothing"],
}
SIZES = [0, 1e-300, 1e-6, 0.01, 0.1, 0.5, 1, 2, 5, 10, 40, 100, 1000, 1e6, 1e9, 1e300]


def parameters(schema: Any) -> st.SearchStrategy[Any]:
    """Return values of the types that a layer's schema names, of all sizes."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    if "anyOf" in schema:
        return st.one_of(*(parameters(each) for each in schema["anyOf"]))
    if schema.get("means") in MEANT:
        return st.sampled_from(MEANT[schema["means"]])
    if schema.get("type") == "object":
        return _object(schema)
    if schema.get("type") == "array":
        low, high = schema.get("minItems", 0), schema.get("maxItems", 3)
        return st.lists(parameters(schema["items"]), min_size=low, max_size=high)
    if schema.get("type") == "integer":
        return st.sampled_from([0, 1, 2, 3, 9, 20, 255, 10**6, 10**12])
    if schema.get("type") == "number":
        low, high = schema.get("minimum", 0), schema.get("maximum", 1e300)
        return st.one_of(st.sampled_from([low, high]), st.sampled_from(SIZES))
    return st.sampled_from(["letter", "key", "Cz", "a b", "\t", HED])


def _object(schema: Any) -> st.SearchStrategy[Any]:
    known = {name: parameters(each) for name, each in schema.get("properties", {}).items()}
    required = {name: known.pop(name) for name in schema.get("required", ())}
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        names = parameters(schema.get("propertyNames", {}))
        return st.dictionaries(names, parameters(others), min_size=1, max_size=2)
    return st.fixed_dictionaries(required, optional=known)


@pytest.mark.parametrize("name", [name for name, _ in LAYERS])
def test_a_layer_is_refused_or_built(name: str) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=[*HealthCheck])
    @given(parameters(LAYERS.get(name).parameters))
    def check(params: Any) -> None:
        doc = recipe([LETTERS, WAVE, *NOISE, {"layer": name, "with": params}], duration=34)
        try:
            planned = plan(doc)
        except BrainoError as error:
            refused = error.where
        else:
            refused = ""
        if refused:
            assert refused.startswith("recipe small: $.recordings[0].layers[4]")
            return
        canvas, truth = paint(planned, planned.recordings[0])
        assert np.isfinite(canvas.recorded_uv).all()
        assert quantise(canvas.recorded_uv).shape == (truth["n_channels"], canvas.n_times)
        assert all(0 <= event.sample < canvas.n_times for event in canvas.events)

    check()


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(CAPS)),
    st.sampled_from([50, 64, 128, 999.5, 2000]),
    st.sampled_from([2, 2.001, 7, 30]),
    st.sampled_from([1, 20, 60, 120, 180]),
    st.sampled_from([0, 0.4, 0.9]),
    st.sampled_from([0.005, 0.02, 0.1]),
)
def test_backgrounds_over_any_cap_are_refused_or_built(
    cap: str, sfreq: float, duration: float, width: float, common: float, own: float
) -> None:
    params = {"rms_uv": 9, "exponent": 1.9, "width_deg": width, "common": common, "own": own}
    doc = recipe([{"layer": "background", "with": params}], sfreq=sfreq, duration=duration)
    doc["recordings"][0] |= {"montage": cap, "line_frequency": 20}
    try:
        planned = plan(doc)
    except BrainoError as error:
        refused = error.where
    else:
        refused = ""
    assume(not refused.endswith("with.width_deg (for sub-01_task-rest)"))
    assert not refused
    canvas, _ = paint(planned, planned.recordings[0])
    assert np.isfinite(canvas.signal_uv).all()
    assert set(canvas.ch_names) <= set(POSITIONS)
