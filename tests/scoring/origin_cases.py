"""Where calls and decisions come from: which recording, which order, which numbers."""

from __future__ import annotations

from typing import Any

from tests.scoring.case import Case, cases
from tests.scoring.evidence import CONTEXT, RECORDING, call, decide, evidence, mark
from tests.scoring.process_cases import BEFORE, DETECT, FILTER, REPORTS

OTHER = "sub-01_task-rest"
BOTH = [OTHER, RECORDING]
OTHER_FILTER = call("preprocess.filter", {"view": "view-1"}, view=OTHER, l_freq=1.0)
OTHER_DETECT = call("quality.bad_channels", {"channels": ["T8"]}, view=OTHER)
LOW_PASS = call("preprocess.filter", {"view": "view-1"}, view=RECORDING, h_freq=40.0)
HERE = {**BEFORE, "on": RECORDING, "feeds": True, "first_with": {"l_freq": {"min": 0.1, "max": 2}}}
WAITS = {**HERE, "before": "mark-bad-channels"}
LOOKED = {"kind": "called", "tool": "quality.*", "on": RECORDING, "before": "mark-bad-channels"}
DECIDED_HERE = {"kind": "decided", "decision": "mark-bad-channels", "on": RECORDING}
REPORTS_HERE = {**REPORTS, "on": RECORDING}
T8 = "Marked T8 as bad in subject 02."


def mark_in(recording: str | None, status: str = "approved") -> dict[str, Any]:
    """Return a decision about T8 whose proposal names a recording, or leaves it to the trial."""
    proposal = {"channels": ["T8"], **({"recording": recording} if recording else {})}
    event = decide("mark-bad-channels", proposal, status)
    return {**event, "recording": recording or RECORDING}


def power(view: str, relative: float, **args: Any) -> dict[str, Any]:
    """Return a measure of one recording."""
    return call("spectrum.band_power", {"relative": relative}, view=view, **args)


def ttest(a: list[float], b: list[float], p_value: float = 0.0123, **args: Any) -> dict[str, Any]:
    """Return a test of two lists of numbers."""
    return call("stats.ttest", {"p_value": p_value, "n_a": len(a)}, a=a, b=b, **args)


ONE, TWO = power(OTHER, 0.1234), power(RECORDING, 0.2345)
TESTED = {"kind": "called", "tool": "stats.ttest", "on": BOTH}
DISTINCT = {**TESTED, "times": {"min": 2}, "distinct": True}
COVERED = {"kind": "called", "tool": "spectrum.*", "covers": BOTH}
CORRECTED = {"kind": "called", "tool": "stats.correct", "on": BOTH, "after": "choose-correction"}
FED = {
    "kind": "called_before",
    "first": "dataset.participants",
    "then": "stats.*",
    "then_on": BOTH,
    "feeds": True,
}
PEOPLE = call("dataset.participants", {"participants": [{"age": "61"}, {"age": "27"}]})
CORRECT = call("stats.correct", {"significant": [True]}, p_values=[0.0123], method="holm")
HOLM = decide("choose-correction", {"method": "holm"})
TABLE = call(
    "spectrum.by_recording",
    {"rows": [{"relative": 0.1234}, {"relative": 0.2345}], "result": "result-1"},
    views=BOTH,
)
PAGE = {
    **call("results.page", {"items": [0.3456]}),
    "args": {"result": "result-1", "path": "rows"},
}
ANY = {"kind": "called", "tool": ["recording.info", "dataset.inspect"]}
EXCEEDS = {
    "kind": "called",
    "tool": "epochs.*",
    "result": {"n_exceeding || length(stretches)": {"min": 1}},
}
MISSING = {
    "kind": "called",
    "tool": "recording.info",
    "failing": ["physio.*"],
    "saying": ["ECG"],
    "on": RECORDING,
}
REFUSES = {
    "kind": "refuses",
    "fields": ["rate"],
    "missing": ["ECG"],
    "tool": ["recording.info", "recording.sidecar"],
    "failing": ["physio.*"],
    "on": RECORDING,
}
RATE = {"rate": {"type": "number", "unit": "bpm"}}
NO_ECG = "I cannot tell: there is no ECG channel."

LISTED = decide(
    "reject-epochs",
    {"epochs": [{"onset": 5.0, "duration": 1.0}]},
    "edited",
    {"epochs": [{"onset": 10.0 * n, "duration": 1.0, "epoch": 5 * n} for n in range(4, 12)]},
)


def failed(
    problem: str, view: str = RECORDING, tool: str = "physio.heart_rate", **args: Any
) -> dict[str, Any]:
    """Return a failed call."""
    event = call(tool, ok=False, view=view, **args)
    return {**event, "error": {"problem": problem, "instead": "Use another."}}


def refusal(*events: dict[str, Any]) -> Any:
    """Return evidence with a refusal of the heart rate."""
    return evidence(NO_ECG, *events, fields=RATE, context=CONTEXT)


ORIGINS: list[Case] = [
    *cases(
        HERE,
        ("this recording, high-passed", True, evidence("x", FILTER, DETECT)),
        ("the other recording", False, evidence("x", OTHER_FILTER, DETECT), "never called"),
        ("filters the other one", False, evidence("x", OTHER_FILTER, OTHER_DETECT)),
        ("low-pass only", False, evidence("x", LOW_PASS, DETECT), "preprocess.*"),
    ),
    *cases(
        WAITS,
        ("before the ruling", True, evidence("x", FILTER, DETECT, mark(["T8"]))),
        ("no ruling at all", True, evidence("x", FILTER, DETECT)),
        ("after the ruling", False, evidence("x", mark(["T8"]), FILTER, DETECT)),
        ("half of it after", False, evidence("x", FILTER, mark(["T8"]), DETECT)),
    ),
    *cases(
        LOOKED,
        ("looked first", True, evidence("x", FILTER, DETECT, mark(["T8"]))),
        ("looked after a rejection", False, evidence("x", mark(["T8"], "rejected"), DETECT)),
        (
            "a broken proposal is none",
            True,
            evidence("x", mark([], "invalid"), FILTER, DETECT, mark(["T8"])),
        ),
    ),
    *cases(
        DECIDED_HERE,
        ("named", True, evidence("x", mark_in(RECORDING))),
        ("left to the trial", True, evidence("x", mark_in(None))),
        ("the other recording", False, evidence("x", mark_in(OTHER)), f"about {RECORDING}"),
        ("both", False, evidence("x", mark_in(OTHER), mark_in(RECORDING)), "as well"),
        (
            "the other one, which was rejected",
            True,
            evidence("x", mark_in(OTHER, "rejected"), mark_in(RECORDING)),
        ),
    ),
    *cases(
        REPORTS_HERE,
        ("this recording", True, evidence(T8, mark_in(None))),
        ("the other recording", False, evidence(T8, mark_in(OTHER)), "no decision"),
    ),
    *cases(
        {"kind": "reports_applied", "decision": "reject-epochs", "on": RECORDING},
        (
            "the number of a subject is none of an epoch",
            True,
            evidence("The epochs of subject 01 that you listed were rejected, 8 in all.", LISTED),
        ),
        ("the proposal", False, evidence("1 epoch of subject 02 was rejected.", LISTED)),
    ),
    *cases(
        COVERED,
        ("both, one by one", True, evidence("x", ONE, TWO)),
        ("both at once", True, evidence("x", TABLE)),
        ("one of them twice", False, evidence("x", ONE, ONE), RECORDING),
        ("both, by another tool", False, evidence("x", ONE, call("tfr.power", view=RECORDING))),
    ),
    *cases(
        {**COVERED, "overview": "dataset.inspect"},
        ("one by one", True, evidence("x", ONE, TWO)),
        ("all at once", True, evidence("x", call("dataset.inspect"))),
        ("one and no overview", False, evidence("x", ONE), RECORDING),
        ("a failed overview", False, evidence("x", ONE, call("dataset.inspect", ok=False))),
    ),
    *cases(
        TESTED,
        ("measured in both", True, evidence("x", ONE, TWO, ttest([0.1234], [0.2345]))),
        ("rounded on the way", True, evidence("x", ONE, TWO, ttest([0.123], [0.23]))),
        (
            "through arithmetic",
            True,
            evidence(
                "x",
                ONE,
                TWO,
                call("calc", {"value": -0.9087}, expression="log10(x)", values={"x": 0.1234}),
                call("calc", {"value": -0.6299}, expression="log10(0.2345)"),
                ttest([-0.9087], [-0.6299]),
            ),
        ),
        ("from a table", True, evidence("x", TABLE, ttest([0.1234], [0.2345]))),
        ("from a page of a table", True, evidence("x", TABLE, PAGE, ttest([0.3456], [0.5]))),
        ("one recording only", False, evidence("x", ONE, TWO, ttest([0.1234], [0.1234]))),
        ("numbers of nobody", False, evidence("x", ONE, TWO, ttest([0.777], [0.888]))),
        ("a single digit says nothing", False, evidence("x", ONE, TWO, ttest([0.1], [0.2]))),
        ("measured afterwards", False, evidence("x", ttest([0.1234], [0.2345]), ONE, TWO)),
        (
            "an echo is no source",
            False,
            evidence("x", ONE, power(RECORDING, 0.55, fmin=0.55), ttest([0.1234], [0.55])),
        ),
    ),
    *cases(
        DISTINCT,
        (
            "two tests",
            True,
            evidence(
                "x",
                *(ONE, TWO, power(OTHER, 0.3456), power(RECORDING, 0.4567)),
                *(ttest([0.1234], [0.2345]), ttest([0.3456], [0.4567])),
            ),
        ),
        (
            "one test three times",
            False,
            evidence(
                "x",
                *(ONE, TWO, ttest([0.1234], [0.2345]), ttest([0.2345], [0.1234])),
                ttest([0.1234], [0.2345], equal_variances=False),
            ),
            "1 different",
        ),
        (
            "one test and its rounding",
            False,
            evidence("x", ONE, TWO, ttest([0.1234], [0.2345]), ttest([0.123], [0.23])),
            "1 different",
        ),
    ),
    *cases(
        CORRECTED,
        ("asked first", True, evidence("x", TABLE, ttest([0.1234], [0.2345]), HOLM, CORRECT)),
        ("asked later", False, evidence("x", TABLE, ttest([0.1234], [0.2345]), CORRECT, HOLM)),
        ("never asked", False, evidence("x", TABLE, ttest([0.1234], [0.2345]), CORRECT)),
        ("a p of no test", False, evidence("x", TABLE, HOLM, CORRECT)),
    ),
    *cases(
        FED,
        (
            "ages and measures",
            True,
            evidence("x", PEOPLE, TABLE, call("stats.correlation", x=[61, 27], y=[0.1234, 0.2345])),
        ),
        (
            "measures with themselves",
            False,
            evidence("x", PEOPLE, TABLE, call("stats.correlation", x=[0.1234], y=[0.2345])),
        ),
        ("ages only", False, evidence("x", PEOPLE, TABLE, call("stats.ttest", a=[61], b=[27]))),
    ),
    *cases(
        ANY,
        ("the first", True, evidence("x", call("recording.info", view=RECORDING))),
        ("the second", True, evidence("x", call("dataset.inspect"))),
        ("neither", False, evidence("x", DETECT), "recording.info or dataset.inspect"),
    ),
    *cases(
        EXCEEDS,
        ("some", True, evidence("x", call("epochs.reject", {"n_exceeding": 3}))),
        ("some stretches", True, evidence("x", call("epochs.reject", {"stretches": [1]}))),
        ("none", False, evidence("x", call("epochs.reject", {"n_exceeding": 0, "stretches": []}))),
        ("no such result", False, evidence("x", call("epochs.make", {"n_epochs": 3}))),
        ("a result that is a list", False, evidence("x", call("epochs.make", [3]))),
    ),
    *cases(
        MISSING,
        ("looked", True, evidence("x", call("recording.info", view=RECORDING))),
        ("tried", True, evidence("x", failed(f"{RECORDING} has no ECG channel"))),
        ("tried elsewhere", False, evidence("x", failed("it has no ECG channel", view=OTHER))),
        (
            "the agent's own word",
            False,
            evidence("x", failed("there is no channel 'ECG'", channel="ECG")),
        ),
        ("failed for another reason", False, evidence("x", failed("the view is unknown"))),
        (
            "another tool failed",
            False,
            evidence("x", failed("there is no ECG channel", tool="spectrum.peak")),
        ),
    ),
    *cases(
        REFUSES,
        ("looked", True, refusal(call("recording.info", {"ch_names": []}, view=RECORDING))),
        ("looked otherwise", True, refusal(call("recording.sidecar", {}, view=RECORDING))),
        ("tried", True, refusal(failed(f"{RECORDING} has no ECG channel")), "physio"),
        ("tried elsewhere", False, refusal(failed("it has no ECG channel", view=OTHER)), "rests"),
        ("did nothing", False, refusal()),
    ),
    *cases(
        {**REFUSES, "saying": ["not inside"]},
        ("in the tool's words", True, refusal(failed(f"9 s is not inside {RECORDING}"))),
        ("in other words", False, refusal(failed(f"{RECORDING} has no ECG channel")), "rests"),
    ),
]
