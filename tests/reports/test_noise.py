from __future__ import annotations

import io

import numpy as np
import pytest

from braino_registry.errors import UsageError
from braino_registry.reports.noise import noise, show_noise, weights_of
from braino_registry.reports.printing import Printer
from tests.reports.samples import report, trial


def row(task: str, instance: str, repeat: int, score: float, **more: object) -> dict[str, object]:
    outcome = "passed" if score == 1 else "failed"
    return {**trial(task, instance, repeat, outcome), "score": score, **more}


def drawn(rng: np.random.Generator, repeats: int) -> list[dict[str, object]]:
    chances = np.linspace(0.1, 0.9, 12)
    return [
        row(f"t{n % 5}", f"i{n}", k + 1, float(rng.random() < chance))
        for n, chance in enumerate(chances)
        for k in range(repeats)
    ]


def true_sd() -> float:
    """The standard deviation of the headline of `drawn`, from the chances it draws with."""
    chances = np.linspace(0.1, 0.9, 12)
    sizes = np.bincount(np.arange(12) % 5)
    weights = 1 / 5 / sizes[np.arange(12) % 5]
    return float(np.sqrt(np.sum(weights**2 * chances * (1 - chances))))


def test_the_spread_is_that_of_the_chances() -> None:
    rng = np.random.default_rng(1)
    found = noise(report(drawn(rng, 400), repeats=400))
    assert found["sd"] == pytest.approx(true_sd(), rel=0.03)
    assert found["observed_sd"] == pytest.approx(true_sd(), rel=0.12)


def test_two_runs_differ_by_more_in_one_of_twenty_pairs() -> None:
    rng = np.random.default_rng(2)
    bound = 1.959964 * np.sqrt(2) * true_sd()
    scores = [report(drawn(rng, 1))["summary"]["score"] for _ in range(1200)]
    beyond = np.mean([abs(a - b) > bound for a, b in zip(scores[::2], scores[1::2], strict=True)])
    assert beyond == pytest.approx(0.05, abs=0.03)


def test_what_never_varies_is_steady() -> None:
    rows = [row("a", "x", k, 1.0) for k in (1, 2)] + [row("b", "y", k, k - 1.0) for k in (1, 2)]
    found = noise(report(rows, repeats=2))
    assert found["steady"] == 0.5
    assert [(each["task"], each["mean"]) for each in found["unsteady"]] == [("b", 0.5)]
    assert [each["score"] for each in found["headlines"]] == [0.5, 1.0]
    assert found["sd"] == pytest.approx(0.5 * np.sqrt(0.5))


def test_without_repeats_nothing_is_known() -> None:
    with pytest.raises(UsageError, match="two scored sessions"):
        noise(report([trial()]))


def test_weights_are_those_of_the_rule_and_sum_to_one() -> None:
    rows = [
        row("a", "x", 1, 1.0, subset="FA", difficulty="easy"),
        row("a", "y", 1, 1.0, subset="FA", difficulty="hard"),
        row("b", "z", 1, 1.0, subset="SA", difficulty="medium"),
    ]
    assert weights_of(rows, "brainbench") == pytest.approx(
        {("a", "x"): 1 / 6, ("a", "y"): 1 / 3, ("b", "z"): 1 / 2}
    )
    assert weights_of(rows, "braino") == pytest.approx(
        {("a", "x"): 1 / 4, ("a", "y"): 1 / 4, ("b", "z"): 1 / 2}
    )
    assert weights_of(rows, "eegagentbench") is None


def test_it_is_printed_with_what_would_be_needed() -> None:
    stream = io.StringIO()
    show_noise(Printer(stream), noise(report(drawn(np.random.default_rng(3), 5), repeats=5)))
    text = stream.getvalue()
    assert "in one of twenty pairs" in text
    assert "To tell a difference of 0.05 from that:" in text
