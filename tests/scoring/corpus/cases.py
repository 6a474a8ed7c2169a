"""What the tests of corpus metrics draw: malformed answers, recordings, and whole corpora."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from braino_registry.scoring import corpus

FIELDS = (
    *corpus.FIELDS.values(), "onset_sec", "onset", "start_sec", "start", "offset_sec", "offset",
    "end_sec", "end", "start_epoch", "end_epoch", "stage",
)  # fmt: skip
TEXTS = (
    "A", "(b)", "B or C", "not clean", "EOG/EMG", "N2", "REM", "1_000", "nan", "-inf", "1e999",
    "12.0", "٣", "Ｂ", "9" * 500, "\ud800", "none", "true",
)  # fmt: skip
NUMBERS = st.one_of(
    st.floats(), st.integers(-10, 4000), st.sampled_from([10**400, -(10**400), 1e308, -0.0, 5e-324])
)
ATOMS = st.one_of(st.none(), st.booleans(), NUMBERS, st.sampled_from(TEXTS), st.text(max_size=12))
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=4), inner, max_size=4),
    ),
    max_leaves=12,
)
#: Anything JSON carries, and often under the name where it is looked for.
ANSWERS = VALUES | st.fixed_dictionaries(dict.fromkeys(corpus.FIELDS.values(), VALUES))


def events(rng: random.Random, duration: float, n: int, step: int = 10) -> list[list[float]]:
    """Return events apart from each other on a grid of ``1 / step`` s."""
    bounds = sorted(rng.sample(range(int(duration) * step), 2 * n))
    return [[a / step, b / step] for a, b in zip(bounds[::2], bounds[1::2], strict=True)]


def item(task: str, rng: random.Random, number: int) -> corpus.Item:
    """Return one instance of a task with an answer that is right now and then."""
    group = f"g{number // 4:03d}"
    if task == "T5":
        truth = events(rng, 3600, rng.randrange(3)) if number % 2 else []
        said = truth if rng.random() < 0.5 else events(rng, 3600, rng.randrange(3))
        return corpus.Item(
            truth=truth, prediction={"seizure_events": said}, cluster=group, duration=3600.0
        )
    if task == "T6":
        truth = [rng.choice(corpus.STAGES) for _ in range(40)]
        said = [s if rng.random() < 0.6 else rng.choice(corpus.STAGES) for s in truth]
        answer = {"hypnogram_rle": corpus.as_segments(said)}
        return corpus.Item(truth=truth, prediction=answer, cluster=group)
    labels = corpus.CLASSES[task]
    truth = labels[number % len(labels)]
    label = truth if rng.random() < 0.6 else rng.choice(labels)
    return corpus.Item(truth=truth, prediction={corpus.FIELDS[task]: label}, cluster=group)


def whole(task: str, n: int, seed: int = 0) -> list[corpus.Item]:
    """Return a corpus of one task."""
    rng = random.Random(seed)
    return [item(task, rng, number) for number in range(n)]


def values(items: list[corpus.Item], task: str) -> dict[str, float | None]:
    """Return the metrics of a corpus."""
    return {name: measure.value for name, measure in corpus.measures(task, items).items()}
