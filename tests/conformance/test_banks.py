"""What every bank of questions has to hold: no answer can be told without knowing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from scipy.stats import binom

from braino.agent import AgentAnswer, Session
from braino_registry.registry import Registry, Task
from braino_registry.registry.questions import KEY, LETTERS, drawn
from braino_registry.reports.questions import alike, baselines, questions
from tests.conformance import cases

Attempt = Callable[..., dict[str, Any]]
BANKS = [pytest.param(task, id=task.id) for task in cases.REGISTRY.tasks() if questions(task)]
#: How alike two questions may be: near-duplicates share more runs of characters than this.
LIKENESS = 0.55
#: How often a constant letter may be right in one run: 99.9 % of runs of a guesser lie below.
CERTAINTY = 0.999
#: Questions that are asked in the quick tests.
FEW = 24


@pytest.mark.parametrize("task", BANKS)
def test_the_key_is_balanced(task: Task) -> None:
    bank = questions(task)
    widths = Counter(len(each.params["options"]) for each in bank)
    for width, count in widths.items():
        letters = Counter(
            each.expected[KEY]["literal"] for each in bank if len(each.params["options"]) == width
        )
        assert all(abs(letters[a] - count / width) <= 1 for a in LETTERS[:width]), letters


@pytest.mark.parametrize("task", BANKS)
def test_no_baseline_is_far_above_chance(task: Task, capsys: pytest.CaptureFixture[str]) -> None:
    found = {each.name: each.accuracy for each in baselines(task)}
    with capsys.disabled():
        shown = ", ".join(f"{name} {share:.3f}" for name, share in found.items())
        print(f"\n{task.id}: {len(questions(task))} questions; {shown}")
    chance = found["an option at random"]
    assert all(share <= chance + 0.1 for share in found.values()), found


@pytest.mark.parametrize("task", BANKS)
def test_options_are_of_similar_length(task: Task) -> None:
    for each in questions(task):
        lengths = [len(option) for option in each.params["options"]]
        assert max(lengths) <= 2 * min(lengths) + 10, each.id


@pytest.mark.parametrize("task", BANKS)
def test_no_two_questions_are_nearly_the_same(task: Task) -> None:
    assert max(alike(task)) < (LIKENESS,), max(alike(task))


@pytest.mark.parametrize("task", BANKS)
def test_a_constant_letter_is_at_chance_whatever_the_seed(task: Task) -> None:
    bank = questions(task)
    for seed in range(5):
        keys = Counter(drawn(each, seed=seed).expected[KEY]["literal"] for each in bank)
        most = binom.ppf(CERTAINTY, len(bank), max(each.chance for each in bank))
        assert max(keys.values()) <= most, (seed, keys)


class Chooser:
    """An agent that answers by the looks of the options alone."""

    name = "chooser"
    model = None

    def __init__(self, choose: Callable[[dict[str, str]], str]) -> None:
        self.choose = choose

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Answer as it is told to choose."""
        lines = [line.partition(". ") for line in request.splitlines()]
        shown = {
            letter: text for letter, dot, text in lines if dot and letter in LETTERS and letter
        }
        return AgentAnswer(f"Answer: {self.choose(shown)}")


CHOICES = {
    "longest": lambda shown: max(shown, key=lambda letter: len(shown[letter])),
    "first": lambda shown: "A",
}


def passed(task: Task, attempt: Attempt, n: int | None, **options: Any) -> tuple[int, int]:
    """Return how many of the first ``n`` questions an agent answers rightly, and of how many."""
    bank = questions(task)[:n]
    records = [attempt(cases.Case(task.id, each.id), **options) for each in bank]
    assert {record["outcome"] for record in records} <= {"passed", "failed"}
    return sum(record["passed"] for record in records), len(bank)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("task", BANKS)
def test_who_chooses_by_looks_is_at_chance(task: Task, choice: str, attempt: Attempt) -> None:
    right, of = passed(task, attempt, FEW, agent=Chooser(CHOICES[choice]))
    low, high = binom.interval(CERTAINTY, of, task.instances[0].chance)
    assert low <= right <= high, f"{right} of {of}"


@pytest.mark.slow
@pytest.mark.parametrize("agent", cases.EXPLOITS)
@pytest.mark.parametrize("task", BANKS)
def test_an_exploit_is_at_chance_at_most(task: Task, agent: str, attempt: Attempt) -> None:
    right, of = passed(task, attempt, 60, agent=agent)
    assert right <= binom.ppf(CERTAINTY, of, task.instances[0].chance), f"{right} of {of}"


def test_there_is_a_bank(registry: Registry) -> None:
    assert any(len(questions(task)) >= 120 for task in registry.tasks("brainbench"))
