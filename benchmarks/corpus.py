"""Corpus metrics of EEGAgentBench: event scoring beside timescoring's, and all of a whole run.

``python benchmarks/corpus.py [--json]``

Both sides of the ratio score the same 280 recordings of 4 h with 100 events on each side, in one
run; without ``timescoring`` (dependency group ``test``) ours is timed alone. The whole run has the
1,072 instances of the six tasks: answers are read and scored, and each metric and Overall drawn
2,000 times, as `TARGETS` say.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from braino_registry.scoring import corpus

TARGETS = {"events, ratio": 10.0, "corpus, s": 10.0}
N_RECORDS, N_EVENTS, DURATION_S = 280, 100, 14400.0
N_DRAWS = 2000
SIZES = corpus.RELEASED_COUNTS
Events = list[tuple[float, float]]


def events(rng: random.Random, n: int, duration: float = DURATION_S) -> Events:
    """Return events on whole seconds, one in each of as many equal parts, 90 s or more apart."""
    part = duration / max(1, n)
    starts = [round(place * part) for place in range(n)]
    return [(float(a), float(a + rng.randint(5, max(6, int(part) - 91)))) for a in starts]


def seconds(*works: Callable[[], Any], times: int = 5) -> list[float]:
    """Return the shortest processor time of each work; all take turns, so that load hits all."""
    spent: list[list[float]] = [[] for _ in works]
    for _ in range(times):
        for work, of_one in zip(works, spent, strict=True):
            start = time.process_time()
            work()
            of_one.append(time.process_time() - start)
    return [min(of_one) for of_one in spent]


def event_scoring() -> dict[str, float]:
    """Time the scoring of recordings, here and in timescoring."""
    rng = random.Random(1)
    rows = [(events(rng, N_EVENTS), events(rng, N_EVENTS)) for _ in range(N_RECORDS)]

    def ours() -> Any:
        return [corpus.score_recording(a, b, DURATION_S) for a, b in rows]

    if importlib.util.find_spec("timescoring") is None:
        print("timescoring is not installed: no ratio", file=sys.stderr)
        return {"events, s": seconds(ours)[0]}
    from timescoring.annotations import Annotation
    from timescoring.scoring import EventScoring

    n = int(DURATION_S * 10)

    def theirs() -> Any:
        return [EventScoring(Annotation(a, 10, n), Annotation(b, 10, n)) for a, b in rows]

    mine, other = seconds(ours, theirs)
    return {"events, s": mine, "events, timescoring, s": other, "events, ratio": other / mine}


def items(task: str) -> list[corpus.Item]:
    """Return as many answered instances as the released task has."""
    rng = random.Random(task)
    return [_item(task, rng, number) for number in range(SIZES[task])]


def _item(task: str, rng: random.Random, number: int) -> corpus.Item:
    cluster = f"c{number % 24 if task == 'T5' else number}"
    if task == "T5":
        truth: Any = events(rng, rng.randrange(1, 5)) if number % 2 else []
        answer: Any = [{"onset_sec": a, "offset_sec": b} for a, b in events(rng, rng.randrange(8))]
    elif task == "T6":
        truth = [stage for stage in rng.choices(corpus.STAGES, k=120) for _ in range(10)]
        noisy = [s if rng.random() < 0.8 else rng.choice(corpus.STAGES) for s in truth]
        answer = corpus.as_segments(noisy)
    else:
        labels = corpus.CLASSES[task]
        truth, answer = labels[number % len(labels)], rng.choice([*labels, "unsure"])
    return corpus.Item(
        truth=truth,
        prediction={corpus.FIELDS[task]: answer},
        cluster=cluster,
        duration=DURATION_S,
    )


def whole_run(by_task: dict[str, list[corpus.Item]]) -> float:
    """Score a run with an interval for every metric; return Overall."""
    found = {task: corpus.measures(task, some) for task, some in by_task.items()}
    for measures in found.values():
        for measure in measures.values():
            corpus.interval(measure, n_draws=N_DRAWS)
    headline = corpus.interval(corpus.headlines(found), n_draws=N_DRAWS)
    assert headline.value is not None
    return headline.value


def main() -> None:
    """Measure, print, and fail if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    by_task = {task: items(task) for task in corpus.TASKS}
    found = {**event_scoring(), "corpus, s": seconds(lambda: whole_run(by_task), times=2)[0]}
    if args.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:<24}{value:10.3f}")
    slow = found["corpus, s"] > TARGETS["corpus, s"]
    if slow or found.get("events, ratio", TARGETS["events, ratio"]) < TARGETS["events, ratio"]:
        sys.exit("a target is missed")


if __name__ == "__main__":
    main()
