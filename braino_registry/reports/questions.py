"""What a bank of questions is worth to somebody who knows nothing: its baselines."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from braino_registry.registry import Instance, Task
from braino_registry.registry.questions import KEY, LETTERS

#: Length of the runs of characters by which two questions are compared.
GRAM = 4


@dataclass(frozen=True)
class Baseline:
    """A way to answer without knowing anything.

    Parameters
    ----------
    name : str
        What is always answered.
    accuracy : float
        Expected share of right answers, 0–1; among equals one is drawn.
    """

    name: str
    accuracy: float


def questions(task: Task) -> list[Instance]:
    """Return the instances of a task that are questions of a bank, as they are written."""
    return [instance for instance in task.instances if instance.shuffled]


def right(instance: Instance) -> str:
    """Return the right option of a question."""
    options: Sequence[str] = instance.params["options"]
    return options[LETTERS.index(instance.expected[KEY]["literal"])]


def baselines(task: Task) -> list[Baseline]:
    """Return what guessing, length and position are worth in the bank of a task.

    Letters are those of the file; an agent meets each option under each letter equally often, so
    that a constant letter is worth chance in the long run whatever stands here.
    """
    bank = questions(task)
    if not bank:
        return []
    shown = Counter(instance.expected[KEY]["literal"] for instance in bank)
    widest = max(len(instance.params["options"]) for instance in bank)
    return [
        Baseline("an option at random", fmean(instance.chance for instance in bank)),
        Baseline("the longest option", fmean(_by_length(each, max) for each in bank)),
        Baseline("the shortest option", fmean(_by_length(each, min) for each in bank)),
        *(
            Baseline(f"the option written as {letter}", shown[letter] / len(bank))
            for letter in LETTERS[:widest]
        ),
    ]


def _by_length(instance: Instance, choose: Callable[[list[int]], int]) -> float:
    lengths = [len(option) for option in instance.params["options"]]
    chosen = choose(lengths)
    return (len(right(instance)) == chosen) / lengths.count(chosen)


def alike(task: Task) -> Iterator[tuple[float, str, str]]:
    """Yield how alike each two questions of a bank are, by stem and right option, with their ids.

    The measure is the share of common runs of four characters (Jaccard), 0–1.
    """
    bank = [
        (each.id, _grams(f"{each.params['question']} {right(each)}")) for each in questions(task)
    ]
    for (first, one), (second, other) in itertools.combinations(bank, 2):
        yield len(one & other) / len(one | other), first, second


def _grams(text: str) -> frozenset[str]:
    plain = " ".join(text.casefold().split())
    return frozenset(plain[i : i + GRAM] for i in range(max(1, len(plain) - GRAM + 1)))
