"""Question banks: instances without data, whose options stand in another order in every trial.

A bank is written as people write questions: options in some order, and the letter of the right one.
An agent gets question and options only, and these in an order of its trial's own, so that neither a
letter nor a bank learned by heart with its letters is worth more than a guess.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from braino_registry.registry.entries import Instance
from braino_registry.registry.jsonpath import Steps, path_text
from braino_registry.registry.problems import Problem

#: By which options are told apart, in the order in which they are shown.
LETTERS = "ABCDEFGH"
#: Name of the expected value that holds the letter of the right option.
KEY = "key"


def rows_of(bank: Mapping[str, Any], at: Steps) -> list[tuple[Steps, dict[str, Any]]]:
    """Return the rows of a bank, each with its place.

    Parameters
    ----------
    bank : mapping
        ``{"questions": [{"id", "question", "options", "key", …}, …]}``.
    at : tuple
        Where it stands in its task.
    """
    return [((*at, "questions", i), _row(each)) for i, each in enumerate(bank["questions"])]


def _row(question: Mapping[str, Any]) -> dict[str, Any]:
    options = list(question["options"])
    return {
        "id": question["id"],
        "dataset": None,
        "params": {"question": question["question"], "options": options},
        "expected": {KEY: {"literal": question["key"]}},
        "chance": 1 / len(options),
        "shuffled": True,
    }


def bank_problems(instance: Instance, at: Steps) -> Iterator[Problem]:
    """Yield what is wrong with a question whose schema is right."""
    if not instance.shuffled:
        return
    options = instance.params["options"]
    letter = instance.expected[KEY]["literal"]
    allowed = tuple(LETTERS[: len(options)])
    if letter not in allowed:
        yield Problem(path_text((*at, "key")), f"no option has the letter {letter!r}", allowed)
    seen: set[str] = set()
    for i, option in enumerate(options):
        same = " ".join(option.split()).casefold()
        if same in seen:
            yield Problem(path_text((*at, "options", i)), "two options say the same")
        seen.add(same)


def order(n: int, *, seed: int, task: str, instance: str, secret: bytes = b"") -> list[int]:
    """Return the order in which the options of a question are shown in a trial.

    Parameters
    ----------
    n : int
        How many there are.
    seed : int
        The seed of the trial, which differs from repeat to repeat.
    task, instance : str
        Which question.
    secret : bytes
        The salt of the run; without it, whoever knows the seed knows the order.

    Returns
    -------
    order : list of int, shape (n,)
        Places in the bank, in the order in which they are shown; each order is as likely as any.
    """
    text = json.dumps(["braino-option-order/1", seed, task, instance]).encode()
    made = hashlib.sha256(hashlib.sha256(secret).digest() + text).digest()
    # Sorting by a hash is the same in every version of Python, so that old trials can be re-scored.
    return sorted(range(n), key=lambda place: hashlib.sha256(made + bytes([place])).digest())


def drawn(instance: Instance, *, seed: int, secret: bytes = b"") -> Instance:
    """Return an instance as it is in a trial: a question with its options in a new order.

    Parameters
    ----------
    instance : Instance
        Any instance; one that is no question of a bank is returned as it is.
    seed, secret : int, bytes
        See `order`.
    """
    if not instance.shuffled:
        return instance
    options: Sequence[str] = instance.params["options"]
    places = order(
        len(options), seed=seed, task=instance.task_id, instance=instance.id, secret=secret
    )
    right = LETTERS.index(instance.expected[KEY]["literal"])
    return replace(
        instance,
        params={**instance.params, "options": [options[place] for place in places]},
        expected={**instance.expected, KEY: {"literal": LETTERS[places.index(right)]}},
    )
