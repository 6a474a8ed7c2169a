"""What changes which digest, and what changes none."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.registry.digests import canonical, dataset_identity, digest, recipe_digest
from tests.registry.support import PUBLIC, RECIPE, Folder, example, patched
from tests.registry.test_jsonfile import JSON

# RFC 8785, section 3.2.3: the order is that of UTF-16 code units.
RFC_SORTED = {
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\U0001f600": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis",
}


def test_canonical_form_follows_rfc_8785() -> None:
    numbers = [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001]
    assert canonical(numbers) == b"[333333333.3333333,1e+30,4.5,0.002,1e-27]"
    titles = [line.split(":")[0] for line in canonical(RFC_SORTED).decode().split('","')]
    assert titles == [
        '{"\\r"',
        '1"',
        '\u0080"',
        '\u00f6"',
        '\u20ac"',
        '\U0001f600"',
        '\ufb33"',
    ]


def test_digest_is_the_sha256_of_the_canonical_form() -> None:
    assert digest({"b": 1.0, "a": [True]}) == (
        "sha256:" + hashlib.sha256(b'{"a":[true],"b":1}').hexdigest()
    )


def test_what_is_not_json_has_no_digest() -> None:
    with pytest.raises(rfc8785.CanonicalizationError):
        digest({"a": float("nan")})


def _shuffled(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: _shuffled(value[key], rng) for key in keys}
    if isinstance(value, list):
        return [_shuffled(item, rng) for item in value]
    return value


@given(JSON, st.randoms(use_true_random=False))
def test_digest_does_not_depend_on_the_order_of_properties(value: Any, rng: random.Random) -> None:
    assert digest(_shuffled(value, rng)) == digest(value)


def _digests(folder: Folder, base: str, changes: list[dict[str, Any]]) -> dict[str, str]:
    folder.write("tasks/sample/entry.json", patched(example("task", base), changes))
    registry = folder.registry()
    assert registry.problems == ()
    return registry.digests(registry.tasks()[0])


def _replace(path: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value}


PROSE = {
    "title": [_replace("/title", "Another title")],
    "about": [_replace("/about", "More prose")],
    "keywords": [_replace("/keywords", [])],
    "issues": [_replace("/issues", ["One"])],
    "difficulty": [_replace("/difficulty", "hard")],
    "version": [_replace("/version", "1.0.1")],
    "counterexample": [_replace("/counterexamples/0/why", "another reason")],
    "reference": [_replace("/reference/answer", "{{ decision.applied.channels[0] }}")],
    "check not required, said": [{"op": "add", "path": "/checks/3/required", "value": False}],
}
WORK = {
    "request": [_replace("/request", "Mark the bad channels of {{ bids_subject }}.")],
    "limits": [_replace("/limits/seconds", 121)],
    "user": [_replace("/user/otherwise", "No idea.")],
    "user's edit": [_replace("/user/decisions/0/to/channels/truth", "flat_channels")],
    "recording": [_replace("/instances/0/recording/bids_subject", "03")],
    "instance": [{"op": "remove", "path": "/instances/1"}],
}
SCORING = {
    "expected": [_replace("/checks/2/expected/truth", "flat_channels")],
    "required": [_replace("/checks/0/required", False)],
    "parameter": [{"op": "add", "path": "/checks/2/mode", "value": "f1"}],
}


@pytest.mark.parametrize("changes", PROSE.values(), ids=PROSE)
def test_prose_and_the_tests_of_a_task_are_in_no_digest(folder: Folder, changes: Any) -> None:
    assert _digests(folder, "bad-channels", changes) == _digests(folder, "bad-channels", [])


@pytest.mark.parametrize("changes", WORK.values(), ids=WORK)
def test_what_an_agent_sees_is_in_the_work_only(folder: Folder, changes: Any) -> None:
    before, after = _digests(folder, "bad-channels", []), _digests(folder, "bad-channels", changes)
    assert before["work"] != after["work"]
    # Expected values are listed by instance, so that one instance less is another scoring too.
    if changes[0]["op"] != "remove":
        assert before["scoring"] == after["scoring"]


@pytest.mark.parametrize("changes", SCORING.values(), ids=SCORING)
def test_how_it_is_judged_is_in_the_scoring_only(folder: Folder, changes: Any) -> None:
    before, after = _digests(folder, "bad-channels", []), _digests(folder, "bad-channels", changes)
    assert before["scoring"] != after["scoring"]
    assert before["work"] == after["work"]


def test_fields_are_work_only_where_agents_are_told_them(folder: Folder) -> None:
    changes = [_replace("/answer/fields/bad_channels/description", "x")]
    changes[0]["op"] = "add"
    told = _digests(folder, "bad-channels", []), _digests(folder, "bad-channels", changes)
    assert told[0]["work"] != told[1]["work"]
    assert told[0]["scoring"] != told[1]["scoring"]

    suite = {**example("suite", "minimal"), "tell_fields": False}
    folder.write("tasks/sample/suite.json", suite)
    untold = _digests(folder, "bad-channels", []), _digests(folder, "bad-channels", changes)
    assert untold[0]["work"] == untold[1]["work"]
    assert untold[0]["scoring"] != untold[1]["scoring"]


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ([_replace("/toolsets/sample/0", "preprocess.filter@1.0.1")], {"work"}),
        ([_replace("/limits/questions", 11)], {"work"}),
        ([_replace("/rule", "eegagentbench")], {"scoring"}),
        ([_replace("/title", "Another")], set()),
        ([{"op": "add", "path": "/toolsets/other", "value": ["calc@1.0.0"]}], set()),
    ],
)
def test_what_a_task_takes_from_its_suite_counts(
    folder: Folder, part: Any, changed: set[str]
) -> None:
    before = _digests(folder, "bad-channels", [])
    folder.write("tasks/sample/suite.json", patched(example("suite", "minimal"), part))
    after = _digests(folder, "bad-channels", [])
    assert {name for name in before if before[name] != after[name]} == changed


def test_the_version_of_a_check_kind_counts(folder: Folder) -> None:
    from tests.registry.sample.checks import CHECKS, Kind

    before = _digests(folder, "bad-channels", [])
    kind = CHECKS.get("grounded")
    CHECKS.add("grounded", Kind("2.0.1", kind.parameters), "tests.registry.sample.checks.grounded")
    try:
        after = _digests(folder, "bad-channels", [])
    finally:
        CHECKS.add("grounded", kind, "tests.registry.sample.checks.grounded")
    assert before["scoring"] != after["scoring"]
    assert before["work"] == after["work"]


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ([_replace("/title", "Another")], True),
        ([_replace("/seed", 8)], False),
        ([_replace("/layers/0/with/sd_uv", 81)], False),
        ([{"op": "add", "path": "/expects", "value": {"digest": "sha256:1"}}], False),
    ],
)
def test_identity_of_a_synthetic_dataset(folder: Folder, changes: Any, same: bool) -> None:
    before = dataset_identity(folder.registry().dataset("two-subject-rest"))
    work = _digests(folder, "bad-channels", [])["work"]
    folder.write("generators/two-subject-rest.json", patched(RECIPE, changes))
    after = dataset_identity(folder.registry().dataset("two-subject-rest@1.0.0"))
    assert (before == after) is same
    assert (work == _digests(folder, "bad-channels", [])["work"]) is same


def test_a_build_may_state_the_digest_of_its_recipe(folder: Folder) -> None:
    before = recipe_digest(folder.registry().recipe("two-subject-rest"))
    folder.write("generators/two-subject-rest.json", {**RECIPE, "expects": {"digest": "x"}})
    assert recipe_digest(folder.registry().recipe("two-subject-rest")) == before


@pytest.mark.parametrize(
    ("changes", "changed"),
    [
        ([_replace("/title", "Another")], set()),
        ([_replace("/pins/sha256", "2" * 64)], set()),
        ([_replace("/pins/content", "1" * 64)], {"work"}),
        ([_replace("/conversion/parameters/line_frequency", 50)], {"work"}),
        ([{"op": "add", "path": "/expects", "value": {"digest": "sha256:1"}}], {"work"}),
        ([{"op": "add", "path": "/expects", "value": {"validator": []}}], set()),
        ([_replace("/labels/recordings", {})], {"scoring"}),
    ],
)
def test_identity_of_a_public_dataset(folder: Folder, changes: Any, changed: set[str]) -> None:
    before = _digests(folder, "products", [])
    folder.write("datasets/open-recordings.json", patched(PUBLIC, changes))
    after = _digests(folder, "products", [])
    assert {name for name in before if before[name] != after[name]} == changed


def test_order_of_properties_and_rows_changes_nothing(folder: Folder) -> None:
    doc = example("task", "products")
    before = _digests(folder, "products", [])
    folder.write("tasks/sample/entry.json", _shuffled(doc, random.Random(3)))
    registry = folder.registry()
    assert registry.digests(registry.task("alpha-power")) == before


def test_an_operation_of_a_pipeline_counts(folder: Folder) -> None:
    from braino_registry.registry.digests import scoring_digest

    pipeline = {"pipeline": {"steps": [{"use": "spectra.band_power"}]}}
    _digests(folder, "bad-channels", [_replace("/checks/2/expected", pipeline)])
    task = folder.registry().task("bad-channels-ask")
    kinds = dict.fromkeys((check["kind"] for check in task.checks), "1.0.0")
    used = [{"spectra.band_power": "1.0.0"}, {"spectra.band_power": "1.0.1"}]
    first, second = (scoring_digest(task, kinds, versions) for versions in used)
    assert first != second
    assert scoring_digest(task, kinds, {**used[0], "erp.peak": "1.0.0"}) == first
