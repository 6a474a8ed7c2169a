"""Questions of a bank: instances without data whose options stand in a new order in every trial."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from braino_registry.registry.digests import work_digest
from braino_registry.registry.instances import expand
from braino_registry.registry.questions import KEY, LETTERS, drawn, order
from tests.registry.support import Folder, example

TEXTS = st.lists(st.text(min_size=1, max_size=5), min_size=2, max_size=8, unique_by=str.casefold)


def test_a_question_is_an_instance_without_data(folder: Folder) -> None:
    folder.write("tasks/sample/bank.json", example("task", "bank"))
    task = folder.registry().task("a-few-questions")
    one, two = task.instances
    assert (one.id, one.dataset, one.recording_id, one.chance) == ("one", None, None, 0.25)
    assert one.params == {"question": "One and one?", "options": ["1", "2", "3", "4"]}
    assert (one.expected, two.chance) == ({"key": {"literal": "B"}}, 0.5)
    assert task.request_for(two) == "Two and two? A. 4 B. 5"


def test_a_bank_may_stand_among_rows() -> None:
    bank = example("task", "bank")["instances"]
    row = {"id": "plain", "dataset": None, "params": {"question": "?", "options": []}}
    made, problems = expand({"id": "t", "instances": [row, bank]}, lambda ref: False)
    assert (problems, [each.id for each in made]) == ([], ["plain", "one", "two"])
    assert [each.shuffled for each in made] == [False, True, True]


@given(st.data(), st.integers(0, 2**32 - 1), st.binary(max_size=40))
def test_the_key_follows_its_option(data: st.DataObject, seed: int, secret: bytes) -> None:
    texts = data.draw(TEXTS)
    key = data.draw(st.sampled_from(LETTERS[: len(texts)]))
    question = {"id": "q", "question": "?", "options": texts, "key": key}
    (instance,), _ = expand({"id": "t", "instances": {"questions": [question]}}, lambda ref: False)
    shown = drawn(instance, seed=seed, secret=secret)
    assert sorted(shown.params["options"]) == sorted(texts)
    letter = shown.expected[KEY]["literal"]
    assert shown.params["options"][LETTERS.index(letter)] == texts[LETTERS.index(key)]
    assert drawn(instance, seed=seed, secret=secret) == shown
    assert instance.params["options"] == texts


def test_an_instance_with_data_is_left_alone() -> None:
    row = {"id": "r", "dataset": "a@1.0.0", "params": {"options": ["x", "y"]}}
    (instance,), _ = expand({"id": "t", "instances": [row]}, lambda ref: False)
    assert drawn(instance, seed=1) is instance


def test_every_order_is_as_likely_as_any() -> None:
    n = 4800
    seen = Counter(tuple(order(4, seed=i, task="t", instance="q")) for i in range(n))
    assert len(seen) == 24
    # chi-square with 23 degrees of freedom: 49.7 is its 99.9th percentile
    assert sum((count - n / 24) ** 2 / (n / 24) for count in seen.values()) < 49.7


def test_the_order_depends_on_trial_question_and_salt() -> None:
    def orders(**given: object) -> list[list[int]]:
        asked = {"task": "t", "instance": "q", "secret": b"", **given}
        return [order(4, seed=i, **asked) for i in range(20)]  # type: ignore[arg-type]

    kinds = [orders(), orders(instance="r"), orders(task="u"), orders(secret=b"salt")]
    assert all(a != b for i, a in enumerate(kinds) for b in kinds[:i])


def test_an_agent_s_work_does_not_hold_the_key(folder: Folder) -> None:
    doc = example("task", "bank")
    folder.write("tasks/sample/bank.json", doc)
    before = work_digest(folder.registry().task("a-few-questions"))
    doc["instances"]["questions"][0]["key"] = "C"
    folder.write("tasks/sample/bank.json", doc)
    assert work_digest(folder.registry().task("a-few-questions")) == before
    doc["instances"]["questions"][0]["options"][3] = "5"
    folder.write("tasks/sample/bank.json", doc)
    assert work_digest(folder.registry().task("a-few-questions")) != before
