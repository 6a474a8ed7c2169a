"""Nobody passes without the work: with another recording, a guess, or the user's reply alone.

The agents of this file know the right answer. What they have not done must show all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Recipe, Task
from braino_registry.registry.rules import PROCESS
from tests.conformance import cases
from tests.conformance.replaying import Attempt, Played, Replay, call, decide, exchanged

# Tools that look at people, files or numbers, not at one recording.
DATASET_WIDE = ("dataset.", "stats.", "calc", "results.")
# Decisions that nobody can propose before having looked at the signal.
ABOUT_SIGNAL = ("mark-bad-channels", "reject-epochs", "exclude-components")
FEW_LABELS = 5


def failed(record: dict[str, Any]) -> set[str]:
    return {check["id"] for check in record["checks"] if not check["passed"]}


def failed_of_process(record: dict[str, Any]) -> set[str]:
    known = {c["id"] for c in record["checks"] if c["kind"] in PROCESS and c["required"]}
    return known & failed(record)


@pytest.fixture
def played(
    reference: Callable[[cases.Case], tuple[dict[str, Any], Path]],
) -> Callable[[cases.Case], Played]:
    """Return a function that tells what the reference does in an instance."""

    def find(case: cases.Case) -> Played:
        record, folder = reference(case)
        assert record["outcome"] == "passed", record["reason"]
        return Played.read(folder)

    return find


def first_case(task: Task) -> cases.Case:
    return cases.Case(task.id, task.instances[0].id)


def tasks(wanted: Callable[[Task], bool] = lambda task: True) -> list[Any]:
    return [
        pytest.param(first_case(task), marks=cases.marks(task.instances[0], quick=True), id=task.id)
        for task in cases.REGISTRY.tasks("braino")
        if wanted(task)
    ]


def decides_on_signal(task: Task) -> bool:
    steps = task.reference.get("steps", ())
    return any(step.get("decide") in ABOUT_SIGNAL for step in steps)


# -- the reference, with one thing missing ---------------------------------------------------------


Way = Callable[[cases.Case, Played, Store], Replay | None]


def alone(case: cases.Case, right: Played, store: Store) -> Replay:
    """Give the right answer and do nothing."""
    return Replay((), right.text, right.data)


def after_a_glance_at_the_people(case: cases.Case, right: Played, store: Store) -> Replay | None:
    """With all decisions and questions, and one call that shows no signal and no file."""
    if {event["tool"] for event in right.of("call")} <= {"dataset.participants", "calc"}:
        return None  # looking at the people is the work here
    acts = [call("dataset.participants"), *right.of("ask", "decide")]
    return Replay(acts, right.text, right.data)


def on_another_recording(case: cases.Case, right: Played, store: Store) -> Replay | None:
    """Everything is done as the reference does it, in one other recording of the dataset."""
    used = {v for e in right.of("call") for v in _texts(e["args"]) if v.startswith("sub-")}
    if not used:
        return None  # the work is about the dataset
    own = sorted(used)[0]
    other = another(case, own, store)
    acts = [
        {**event, "args": exchanged(event["args"], own, other)} if "args" in event else event
        for event in right.acts
    ]
    return Replay(acts, right.text, right.data)


def ruling_before_the_first_look(case: cases.Case, right: Played, store: Store) -> Replay | None:
    """The user is asked before anybody has looked."""
    if not decides_on_signal(cases.entry(case.task)):
        return None
    return Replay([*right.of("ask", "decide"), *right.of("call")], right.text, right.data)


WAYS: tuple[Way, ...] = (
    alone, after_a_glance_at_the_people, on_another_recording, ruling_before_the_first_look,
)  # fmt: skip


@pytest.mark.parametrize("case", tasks())
def test_the_right_answer_without_its_work_fails(
    case: cases.Case, attempt: Attempt, played: Callable[[cases.Case], Played], store: Store
) -> None:
    right = played(case)
    agents = {way.__name__: way(case, right, store) for way in WAYS}
    passed = [
        name
        for name, agent in agents.items()
        if agent is not None and not failed_of_process(attempt(case, agent=agent))
    ]
    assert passed == [], "the right answer passed without the work"


def another(case: cases.Case, own: str | None, store: Store) -> str:
    """Return the name of the first recording of a case's dataset that is not ``own``."""
    dataset = cases.REGISTRY.dataset(str(cases.entry(case.task).instance(case.instance).dataset))
    ids = [path.stem.removesuffix("_eeg") for path in _headers(store.build_or_find(dataset).bids)]
    return next(name for name in sorted(ids) if name != own)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _texts(item)]


def _headers(root: Path) -> list[Path]:
    return [p for ending in ("vhdr", "edf", "bdf", "set") for p in root.rglob(f"*_eeg.{ending}")]


@pytest.mark.parametrize("case", tasks(decides_on_signal))
def test_a_ruling_about_another_recording_fails(
    case: cases.Case, attempt: Attempt, played: Callable[[cases.Case], Played], store: Store
) -> None:
    right = played(case)
    other = another(case, cases.entry(case.task).instance(case.instance).recording_id, store)
    acts = [
        {**event, "proposal": {**event["proposal"], "recording": other}}
        if event["type"] == "decide"
        else event
        for event in right.acts
    ]
    record = attempt(case, agent=Replay(acts, right.text, right.data))
    kinds = {check["kind"] for check in record["checks"] if check["id"] in failed(record)}
    assert kinds & {"decided", "reports_applied"}, failed(record)


# -- cheats of particular tasks --------------------------------------------------------------------

SUB_01, SUB_02 = "sub-01_task-rest", "sub-02_task-rest"
BANDS = ("theta", "alpha", "beta")
GROUPS = cases.Case("alpha-group-difference", "rest")


def high_pass(view: str) -> dict[str, Any]:
    return call("preprocess.filter", view=view, l_freq=1.0)


def detect_in_last() -> dict[str, Any]:
    return call("quality.bad_channels", lambda results: {"view": results[-1]["view"]})


def truth_of(case: cases.Case, store: Store) -> dict[str, Any]:
    """Return what was planted in an instance: of its recording, or of the dataset."""
    instance = cases.entry(case.task).instance(case.instance)
    dataset = cases.REGISTRY.dataset(instance.dataset)
    assert isinstance(dataset, Recipe)
    truth = store.build_or_find(dataset).truth
    recording = instance.recording_id
    found: dict[str, Any] = truth["recordings"][recording] if recording else truth["dataset"]
    return found


@pytest.mark.parametrize(
    ("acts", "fails"),
    [
        ([high_pass(SUB_01), detect_in_last()], "filters-first"),
        (
            [call("preprocess.filter", view=SUB_02, h_freq=40.0), detect_in_last()],
            "filters-first",
        ),
        (
            [call("preprocess.pick", view=SUB_02, channels=["Cz", "Pz", "Fz"]), detect_in_last()],
            "filters-first",
        ),
    ],
    ids=["another subject", "low-pass only", "no filter at all"],
)
def test_bad_channels_are_not_found_elsewhere(
    acts: list[dict[str, Any]], fails: str, attempt: Attempt, store: Store
) -> None:
    case = cases.Case("bad-channels-ask", "sub-02")
    noisy = truth_of(case, store)["noisy_channels"]
    text = f"Marked {', '.join(noisy)} as bad in subject 02."
    asked = decide("mark-bad-channels", {"channels": noisy})
    assert fails in failed(attempt(case, agent=Replay([*acts, asked], text)))


def test_bad_channels_are_not_marked_in_both_subjects(attempt: Attempt, store: Store) -> None:
    case = cases.Case("bad-channels-ask", "sub-02")
    noisy = truth_of(case, store)["noisy_channels"]
    marks = [
        decide("mark-bad-channels", {"channels": noisy, "recording": recording})
        for recording in (SUB_02, SUB_01)
    ]
    agent = Replay(
        [high_pass(SUB_02), detect_in_last(), *marks],
        f"Marked {', '.join(noisy)} as bad in subject 02.",
    )
    assert {"asks-before-marking", "proposes-the-noisy-one"} <= failed(attempt(case, agent=agent))


def powers(recordings: list[str], band: str) -> list[dict[str, Any]]:
    channels = ["P3", "Pz", "P4", "O1", "O2"]
    return [
        call("spectrum.band_power", view=view, band=band, channels=channels) for view in recordings
    ]


def relative(results: list[Any], start: int, stop: int) -> list[float]:
    return [row["relative"] for row in results[start:stop]]


def test_one_person_measured_often_is_no_group(attempt: Attempt, store: Store) -> None:
    """Forty-eight identical calls, one test three times, a correction before it was asked for."""
    band = truth_of(GROUPS, store)["effect_band"]
    acts = powers([SUB_01] * 24 + [SUB_02] * 24, band)
    acts += [
        call("stats.ttest", lambda r: {"a": relative(r, 0, 24), "b": relative(r, 24, 48)}),
    ] * 3
    acts.append(
        call("stats.correct", lambda r: {"p_values": _p_values(r) or [0.05], "method": "holm"})
    )
    acts.append(decide("choose-correction", {"method": "bonferroni"}))
    record = attempt(GROUPS, agent=Replay(acts, f"After holm correction they differ in: {band}."))
    assert failed(record) >= {
        "measures-everyone", "tests-each-band", "corrects-after-asking", "effect-size",
    }  # fmt: skip


def _p_values(results: list[Any]) -> list[float]:
    return [result["p_value"] for result in results if "p_value" in result]


@pytest.mark.parametrize("band", BANDS)
def test_a_band_is_not_guessed(band: str, attempt: Attempt) -> None:
    """Whichever band is the right one: its name alone is not enough."""
    acts = [*powers([SUB_01], band), decide("choose-correction", {"method": "holm"})]
    record = attempt(GROUPS, agent=Replay(acts, f"After holm correction they differ in: {band}."))
    assert "effect-size" in failed(record)


@pytest.mark.parametrize("frequency", [50, 60])
@pytest.mark.parametrize("instance", ["sub-01", "sub-02"])
def test_a_mains_frequency_is_not_guessed(frequency: int, instance: str, attempt: Attempt) -> None:
    case = cases.Case("line-noise-setting", instance)
    acts = [
        call("spectrum.band_power", view=f"{instance}_task-rest", band="alpha"),
        decide("set-preprocessing", {"notch": frequency}),
    ]
    text = f"The notch filter is set at {frequency} Hz."
    assert "says-how-much" in failed(attempt(case, agent=Replay(acts, text)))


@pytest.mark.parametrize(
    ("place", "verdict"), list(enumerate(["demonstrated", "excluded", "undecided"]))
)
def test_a_verdict_is_not_guessed(place: int, verdict: str, attempt: Attempt) -> None:
    task = cases.entry("too-few-to-tell")
    acts = [
        *powers([SUB_01], "alpha"),
        call("stats.power", cohen_d=0.5, n_a=8, n_b=8),
    ]
    case = cases.Case(task.id, task.instances[place].id)
    agent = Replay(acts, f"The difference between the groups is {verdict}.")
    assert {"compares-the-groups", "measured-difference"} <= failed(attempt(case, agent=agent))


# -- honest ways that are not the reference's ------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "instance", "act", "text"),
    [
        (
            "heart-rate-missing",
            "two-subject-rest-01",
            call("physio.heart_rate", view=SUB_01),
            "I cannot give a heart rate: the recording of subject 01 has no ECG channel.",
        ),
        (
            "blink-channel-missing",
            "body-channels-02",
            call("physio.blink_rate", view=SUB_02),
            "I cannot say how often subject 02 blinked: there is no EOG channel.",
        ),
        (
            "window-beyond-the-end",
            "body-channels-01",
            call("preprocess.crop", view=SUB_01, tmin=250, tmax=280),
            "I cannot count blinks there: the recording of subject 01 ends before that part.",
        ),
        (
            "missing-run",
            "rest-runs-03",
            call("spectrum.band_power", view="sub-03_task-eyesclosed", band="alpha"),
            "I cannot give the value: there is no recording of subject 03 with eyes closed.",
        ),
    ],
)
def test_an_error_that_names_what_is_missing_is_a_look(
    task: str, instance: str, act: dict[str, Any], text: str, attempt: Attempt
) -> None:
    record = attempt(cases.Case(task, instance), agent=Replay([act], text))
    assert failed(record) == set(), [c["evidence"] for c in record["checks"] if not c["passed"]]


# -- what every task has to hold -------------------------------------------------------------------


def _tools(check: dict[str, Any]) -> list[str]:
    named = [check.get(key) for key in ("tool", "first", "then")]
    lists = [name if isinstance(name, list) else [name] for name in named if name]
    return [name for names in lists for name in names]


@pytest.mark.parametrize("task", [pytest.param(t, id=t.id) for t in cases.REGISTRY.tasks("braino")])
def test_checks_of_what_was_done_say_where(task: Task) -> None:
    """Work on the signal has to be work on the signal that the task is about."""
    has_recording = all(instance.recording_id for instance in task.instances)
    for check in task.checks:
        if check["kind"] in ("called", "called_before", "refuses"):
            if all(tool.startswith(DATASET_WIDE) for tool in _tools(check)):
                continue
            assert {"on", "covers", "then_on"} & set(check), check["id"]
        elif check["kind"] in ("decided", "reports_applied") and has_recording:
            assert "on" in check, check["id"]


@pytest.mark.parametrize("task", [pytest.param(t, id=t.id) for t in cases.REGISTRY.tasks("braino")])
def test_no_answer_is_one_of_a_few(task: Task) -> None:
    """A number, names of many, or the absence that a look-up shows: no guess is right by chance."""
    assert task.doc.get("chance", 0) == 0
    kinds = [check["kind"] for check in task.checks if check["required"]]
    fields = [task.fields[c["field"]] for c in task.checks if c["required"] and "field" in c]
    open_ended = [
        f for f in fields if len(f.get("labels", ())) == 0 or len(f["labels"]) > FEW_LABELS
    ]
    assert open_ended or "refuses" in kinds
