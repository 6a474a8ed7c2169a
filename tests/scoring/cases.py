"""For every check kind: evidence that it accepts, and ways to cheat that it must refuse.

The same table serves the tests of the kinds and the test that disabling a kind is noticed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from braino_registry.scoring import Evidence
from tests.scoring.evidence import RECORDING, ask, call, decide, evidence, mark


@dataclass(frozen=True)
class Case:
    """One check on one piece of evidence."""

    name: str
    check: dict[str, Any]
    given: Evidence
    passes: bool
    says: str = ""

    @property
    def id(self) -> str:
        return f"{self.check['kind']}: {self.name}"


FILTER = call("preprocess.filter", {"view": "view-1"}, view=RECORDING, l_freq=1.0)
DETECT = call("quality.bad_channels", {"view": "view-1", "channels": ["T8", "F4"]}, view="view-1")
RAW_DETECT = call("quality.bad_channels", {"channels": ["T8"]}, view=RECORDING)
FAILED = call("preprocess.filter", ok=False, view=RECORDING, l_freq=1.0)
INFO = call(
    "recording.info",
    {"ch_types": {"eeg": 32, "ecg": 0}, "n_channels": 32, "sfreq": 250.0, "definition": "eeg, ecg"},
    view=RECORDING,
)
RATE: dict[str, Any] = {"heart_rate": {"type": "number", "unit": "bpm"}}
PEAK: dict[str, Any] = {
    "latency": {"type": "number", "unit": "s"},
    "amplitude": {"type": "number", "unit": "µV"},
}
BANDS: dict[str, Any] = {
    "best": {"type": "label", "labels": ["theta", "alpha"], "aliases": {"alpha": ["α"]}}
}
ORDER: dict[str, Any] = {
    "order": {"type": "sequence", "labels": ["delta", "theta", "alpha", "beta"]}
}

CALLED = {"kind": "called", "tool": "preprocess.*"}
LIMITS = {**CALLED, "with": {"l_freq": {"min": 0.5, "max": 2}}, "on": RECORDING}
BEFORE = {"kind": "called_before", "first": "preprocess.*", "then": "quality.bad_channels"}
FEEDS = {**BEFORE, "feeds": True}
NOT = {"kind": "not_called", "tool": "preprocess.notch", "with": {"freq": 50}}
NOT_DECIDED = {"kind": "not_decided", "decision": "mark-bad-channels"}
ASKED = {"kind": "asked", "about": "line-frequency"}
DECIDED = {"kind": "decided", "decision": "mark-bad-channels"}
ONLY_T8 = {**DECIDED, "status": "edited", "where": {"channels": ["T8"]}}
REPORTS = {"kind": "reports_applied", "decision": "mark-bad-channels"}
CHOICE = {"kind": "reports_applied", "decision": "choose-correction"}
SETTING = {"kind": "reports_applied", "decision": "set-preprocessing"}
SET = {"kind": "set", "field": "bad_channels", "expected": ["T8", "Fp1"]}
F1 = {**SET, "mode": "f1", "threshold": 0.6}
NUMBER = {"kind": "number", "field": "latency", "expected": 0.43, "tolerance": {"abs": 0.01}}
UV = {
    "kind": "number",
    "field": "amplitude",
    "expected": 3.12e-5,
    "unit": "V",
    "tolerance": {"rel": 0.02},
}
LABEL = {"kind": "label", "field": "best", "expected": "alpha"}
SEQUENCE = {"kind": "sequence", "field": "order", "expected": ["theta", "alpha", "beta"]}
REFUSES = {
    "kind": "refuses",
    "fields": ["heart_rate"],
    "missing": ["ECG", "electrocardiogram", "EKG"],
    "tool": "recording.info",
    "on": RECORDING,
    "lacks": ["ecg"],
}
GROUNDED = {"kind": "grounded"}
MEASURE = call("erp.measure", {"latency": 0.4297, "amplitude_uv": 31.247}, view="view-1", tmin=0.3)

EDITED = mark(["T8", "F4"], "edited", ["T8"])
REJECTED = mark(["T8"], "rejected")
HOLM = decide("choose-correction", {"method": "holm", "alpha": 0.05})
NOTCH_50 = decide("set-preprocessing", {"notch": 60.0}, "edited", {"notch": 50.0})

T8_ONLY = "Marked T8 as bad in subject 02."
BOTH = "Marked T8 and F4 as bad in subject 02."
HAS_ECG = call("recording.info", {"ch_types": {"eeg": 32, "ecg": 1}}, view=RECORDING)
OTHER_INFO = call("recording.info", {"ch_types": {"eeg": 32}}, view="sub-01_task-rest")
NO_ECG = "I cannot tell: the recording has no ECG channel, only 32 EEG channels."


def _cases(check: dict[str, Any], *rows: tuple[Any, ...]) -> list[Case]:
    return [Case(name, check, given, passes, *more) for name, passes, given, *more in rows]


CASES: list[Case] = [
    *_cases(
        CALLED,
        ("called", True, evidence("x", FILTER)),
        ("nothing was called", False, evidence("x"), "no successful call"),
        ("the call failed", False, evidence("x", FAILED)),
        ("another tool", False, evidence("x", DETECT), "quality.bad_channels"),
        ("only claimed", False, evidence("I called preprocess.filter.")),
        ("an event of another type", False, evidence("x", {**FILTER, "type": "log"})),
    ),
    *_cases(
        LIMITS,
        ("within limits", True, evidence("x", FILTER)),
        (
            "out of limits",
            False,
            evidence("x", call("preprocess.filter", {}, view=RECORDING, l_freq=30)),
        ),
        ("argument left out", False, evidence("x", call("preprocess.filter", {}, view=RECORDING))),
        (
            "argument is text",
            False,
            evidence("x", call("preprocess.filter", {}, view=RECORDING, l_freq="1")),
        ),
        (
            "argument is true",
            False,
            evidence("x", call("preprocess.filter", {}, view=RECORDING, l_freq=True)),
        ),
        (
            "another recording",
            False,
            evidence("x", call("preprocess.filter", {}, view="sub-01_task-rest", l_freq=1)),
        ),
        (
            "a view of it",
            True,
            evidence(
                "x", FILTER, call("preprocess.filter", {"view": "view-2"}, view="view-1", l_freq=1)
            ),
        ),
    ),
    *_cases(
        {**CALLED, "times": {"min": 2, "max": 3}},
        ("twice", True, evidence("x", FILTER, FILTER)),
        ("once", False, evidence("x", FILTER)),
        ("four times", False, evidence("x", FILTER, FILTER, FILTER, FILTER)),
        ("once and a failure", False, evidence("x", FILTER, FAILED)),
    ),
    *_cases(
        NOT,
        ("not called", True, evidence("x", FILTER)),
        ("called otherwise", True, evidence("x", call("preprocess.notch", {}, freq=60))),
        ("failed", True, evidence("x", call("preprocess.notch", ok=False, freq=50))),
        ("called", False, evidence("x", call("preprocess.notch", {}, freq=50.0)), "called 1"),
        (
            "called among others",
            False,
            evidence("x", FILTER, call("preprocess.notch", {}, freq=50), FILTER),
        ),
    ),
    *_cases(
        NOT_DECIDED,
        ("nothing asked for", True, evidence(T8_ONLY, FILTER)),
        ("another kind", True, evidence("x", HOLM)),
        ("approved", False, evidence("x", mark(["T8"])), "requested 1"),
        ("rejected", False, evidence("x", REJECTED)),
    ),
    *_cases(
        BEFORE,
        ("in order", True, evidence("x", FILTER, DETECT)),
        ("in the other order", False, evidence("x", RAW_DETECT, FILTER)),
        ("first missing", False, evidence("x", DETECT), "preprocess.*"),
        ("then missing", False, evidence("x", FILTER), "quality.bad_channels"),
        ("first failed", False, evidence("x", FAILED, RAW_DETECT)),
        ("nothing", False, evidence("x")),
    ),
    *_cases(
        FEEDS,
        ("fed", True, evidence("x", FILTER, DETECT)),
        (
            "fed through another view",
            True,
            evidence(
                "x",
                FILTER,
                call("preprocess.reference", {"view": "view-2"}, view="view-1"),
                call("quality.bad_channels", {}, view="view-2"),
            ),
        ),
        (
            "filtered, then looked at the raw data",
            False,
            evidence("x", FILTER, RAW_DETECT),
            "came from",
        ),
        (
            "a view that nobody made",
            False,
            evidence("x", FILTER, call("quality.bad_channels", {}, view="view-9")),
        ),
        (
            "the later call names the view in its result only",
            False,
            evidence("x", FILTER, call("quality.bad_channels", {"view": "view-1"}, view=RECORDING)),
        ),
    ),
    *_cases(
        ASKED,
        ("asked", True, evidence("x", ask("line-frequency"))),
        ("not asked", False, evidence("Is it 50 or 60 Hz?")),
        ("asked something else", False, evidence("x", ask("reference")), "reference"),
        ("asked something unknown", False, evidence("x", ask(None)), "something else"),
    ),
    *_cases(
        {**ASKED, "before": "preprocess.*", "at_most": 3},
        ("before", True, evidence("x", ask("line-frequency"), FILTER)),
        ("after", False, evidence("x", FILTER, ask("line-frequency")), "only after"),
        ("the earlier call failed", True, evidence("x", FAILED, ask("line-frequency"), FILTER)),
        (
            "asks about everything",
            False,
            evidence("x", *[ask(None)] * 3, ask("line-frequency")),
            "4 questions",
        ),
    ),
    *_cases(
        {**ASKED, "before": "mark-bad-channels"},
        ("before the decision", True, evidence("x", ask("line-frequency"), EDITED)),
        ("after the decision", False, evidence("x", EDITED, ask("line-frequency"))),
    ),
    *_cases(
        DECIDED,
        ("decided", True, evidence(T8_ONLY, EDITED)),
        ("rejected is a decision too", True, evidence("x", REJECTED)),
        ("never decided", False, evidence(T8_ONLY), "no decision"),
        ("another kind", False, evidence(T8_ONLY, HOLM)),
        ("a proposal that broke the rules", False, evidence(T8_ONLY, mark([], "invalid"))),
        ("asked in words", False, evidence(T8_ONLY, ask(None, "May I mark T8?", "Yes."))),
    ),
    *_cases(
        ONLY_T8,
        ("edited to T8", True, evidence("x", EDITED)),
        ("approved", False, evidence("x", mark(["T8"]))),
        ("edited to something else", False, evidence("x", mark(["T8"], "edited", ["F4"]))),
        ("more was applied", False, evidence("x", mark(["F4"], "edited", ["T8", "F4"]))),
    ),
    *_cases(
        {**DECIDED, "times": {"max": 1}},
        ("once", True, evidence("x", EDITED)),
        ("until it suits", False, evidence("x", REJECTED, REJECTED, EDITED)),
    ),
    *_cases(
        REPORTS,
        ("applied", True, evidence(T8_ONLY, EDITED)),
        ("in data", True, evidence("Done.", EDITED, data={"bad_channels": ["T8"]})),
        (
            "proposal and applied",
            True,
            evidence("I proposed T8 and F4; you kept F4, so only T8 was marked.", EDITED),
        ),
        ("the proposal", False, evidence(BOTH, EDITED), "F4, T8"),
        (
            "the proposal in data",
            False,
            evidence("Done.", EDITED, data={"bad_channels": ["T8", "F4"]}),
        ),
        ("less", False, evidence("Nothing was marked.", EDITED)),
        ("nothing said", False, evidence("Done.", EDITED)),
        ("another channel", False, evidence("Marked T7 as bad.", EDITED)),
        ("no decision", False, evidence(T8_ONLY), "no decision"),
        ("no answer", False, evidence("", EDITED)),
        (
            "data against text",
            False,
            evidence(T8_ONLY, EDITED, data={"bad_channels": ["F4"]}),
            "contradicts",
        ),
        ("claims what was rejected", False, evidence(T8_ONLY, REJECTED), "says T8"),
        (
            "claims it in data",
            False,
            evidence("You declined.", REJECTED, data={"bad_channels": ["T8"]}),
        ),
        (
            "reports the rejection",
            True,
            evidence("T8 looks noisy, but you declined, so nothing was marked.", REJECTED),
        ),
        (
            "reports it otherwise",
            True,
            evidence("You rejected the proposal; T8 was not marked.", REJECTED),
        ),
        (
            "silent about the rejection",
            False,
            evidence("Finished with subject 02.", REJECTED),
            "nothing was applied",
        ),
        (
            "two decisions add up",
            True,
            evidence("Marked T8 and O1 as bad.", mark(["T8"]), mark(["O1"])),
        ),
        ("only the last one", False, evidence("Marked O1 as bad.", mark(["T8"]), mark(["O1"]))),
    ),
    *_cases(
        CHOICE,
        ("method and level", True, evidence("I used the Holm correction at 0.05.", HOLM)),
        (
            "another method",
            False,
            evidence("I used the Bonferroni correction at 0.05.", HOLM),
            "holm",
        ),
        ("not the method", False, evidence("Corrected, not by Holm, at 0.05.", HOLM)),
        ("another level", False, evidence("I used the Holm correction at 0.01.", HOLM), "alpha"),
        ("no decision", False, evidence("I used the Holm correction at 0.05.")),
    ),
    *_cases(
        {**CHOICE, "keys": ["method"]},
        ("method only", True, evidence("Holm was applied.", HOLM)),
        ("nothing", False, evidence("Corrected.", HOLM)),
    ),
    *_cases(
        SETTING,
        ("what was applied", True, evidence("A 50 Hz notch filter is set.", NOTCH_50)),
        ("what was proposed", False, evidence("A 60 Hz notch filter is set.", NOTCH_50), "notch"),
        (
            "both",
            False,
            evidence("A notch filter is set at 60 Hz, and at 50 Hz.", NOTCH_50),
            "not applied",
        ),
        (
            "the proposal as such",
            True,
            evidence("I proposed 60 Hz; you chose 50 Hz, which is set.", NOTCH_50),
        ),
    ),
    *_cases(
        SET,
        ("exact", True, evidence("Bad channels: T8 and Fp1.")),
        ("other spelling", True, evidence("bad: t8, FP1")),
        ("in data", True, evidence("", data={"bad_channels": ["Fp1", "T8"]})),
        ("too many", False, evidence("Bad channels: T8, Fp1 and F4."), "too many: F4"),
        ("too few", False, evidence("Bad channels: T8."), "missing: Fp1"),
        (
            "every channel",
            False,
            evidence("Bad channels: " + ", ".join(evidence().vocabulary("ch_names"))),
        ),
        (
            "every channel in data",
            False,
            evidence("", data={"bad_channels": list(evidence().vocabulary("ch_names"))}),
        ),
        ("an unknown one too", False, evidence("", data={"bad_channels": ["T8", "Fp1", "X99"]})),
        ("none", False, evidence("No bad channels.")),
        ("no answer", False, evidence(answered=False), "no answer"),
        ("denied", False, evidence("T8 and Fp1 are not bad.")),
        (
            "data against text",
            False,
            evidence("Bad channels: F4.", data={"bad_channels": ["T8", "Fp1"]}),
            "contradictory",
        ),
        ("null", False, evidence("", data={"bad_channels": None})),
        ("nested lists", False, evidence("", data={"bad_channels": [["T8", "Fp1"]]})),
    ),
    *_cases(
        {**SET, "expected": []},
        ("empty and said so", True, evidence("No bad channels.")),
        ("empty in data", True, evidence("", data={"bad_channels": []})),
        ("not said", False, evidence("Finished.")),
        ("no answer", False, evidence(answered=False)),
    ),
    *_cases(
        F1,
        ("one of two", True, evidence("Bad channels: T8."), "F1 0.667"),
        (
            "every channel",
            False,
            evidence("Bad channels: " + ", ".join(evidence().vocabulary("ch_names"))),
        ),
        ("none", False, evidence("No bad channels.")),
    ),
    *_cases(
        NUMBER,
        ("in ms", True, evidence("The peak is at 430 ms.", fields=PEAK)),
        ("in data", True, evidence("", data={"latency": 0.4297}, fields=PEAK)),
        ("at the edge", True, evidence("Latency: 0.44 s", fields=PEAK)),
        ("beyond it", False, evidence("Latency: 0.441 s", fields=PEAK), "0.441"),
        ("wrong unit", False, evidence("The peak is at 430 s.", fields=PEAK)),
        ("wrong sign", False, evidence("The peak is at -430 ms.", fields=PEAK)),
        (
            "several",
            False,
            evidence("The latency is 430 ms, or 440 ms, or 450 ms.", fields=PEAK),
            "several",
        ),
        ("a range", False, evidence("The latency is 300–600 ms.", fields=PEAK)),
        ("nan", False, evidence("", data={"latency": float("nan")}, fields=PEAK)),
        ("infinite", False, evidence("", data={"latency": 10**400}, fields=PEAK)),
        ("true", False, evidence("", data={"latency": True}, fields=PEAK)),
        ("a list of guesses", False, evidence("", data={"latency": [0.42, 0.43]}, fields=PEAK)),
        (
            "data against text",
            False,
            evidence("Latency: 0.9 s.", data={"latency": 0.43}, fields=PEAK),
            "contradictory",
        ),
        ("nothing", False, evidence("It peaks late.", fields=PEAK)),
    ),
    *_cases(
        UV,
        ("in µV", True, evidence("The amplitude is 31.2 µV.", fields=PEAK)),
        ("in V", True, evidence("The amplitude is 3.12e-5 V.", fields=PEAK)),
        ("1.5 % off", True, evidence("The amplitude is 31.6 µV.", fields=PEAK)),
        ("3 % off", False, evidence("The amplitude is 32.2 µV.", fields=PEAK)),
        ("volts as µV", False, evidence("", data={"amplitude": 3.12e-5}, fields=PEAK)),
    ),
    *_cases(
        LABEL,
        ("said", True, evidence("The best band is alpha.", fields=BANDS)),
        ("alias", True, evidence("best: α", fields=BANDS)),
        ("another", False, evidence("The best band is theta.", fields=BANDS), "theta"),
        ("both", False, evidence("The best band is alpha or theta.", fields=BANDS)),
        ("denied", False, evidence("The best band is not alpha.", fields=BANDS)),
        ("null", False, evidence("", data={"best": None}, fields=BANDS)),
        ("not a label", False, evidence("", data={"best": "alpha and theta"}, fields=BANDS)),
        ("nothing", False, evidence("I do not know.", fields=BANDS)),
    ),
    *_cases(
        SEQUENCE,
        ("arrows", True, evidence("theta → alpha → beta", fields=ORDER)),
        ("then", True, evidence("The order is theta, then alpha, then beta.", fields=ORDER)),
        ("another order", False, evidence("alpha, theta, beta", fields=ORDER)),
        ("one more", False, evidence("theta, alpha, beta, delta", fields=ORDER)),
        ("one less", False, evidence("theta, alpha", fields=ORDER)),
        ("both orders", False, evidence("theta, alpha, beta\nbeta, alpha, theta", fields=ORDER)),
        ("a set in data", False, evidence("", data={"order": {"theta": 1}}, fields=ORDER)),
    ),
    *_cases(
        {**SEQUENCE, "mode": "positions", "threshold": 0.6},
        (
            "two of three",
            True,
            evidence("", data={"order": ["theta", "alpha", "delta"]}, fields=ORDER),
        ),
        (
            "all labels",
            False,
            evidence("", data={"order": ["delta", "theta", "alpha", "beta"]}, fields=ORDER),
        ),
    ),
    *_cases(
        REFUSES,
        ("refuses", True, evidence(NO_ECG, INFO, fields=RATE)),
        ("null in data", True, evidence(NO_ECG, INFO, fields=RATE, data={"heart_rate": None})),
        ("without looking", False, evidence(NO_ECG, fields=RATE), "rests on nothing"),
        ("the look failed", False, evidence(NO_ECG, call("recording.info", ok=False), fields=RATE)),
        ("looked elsewhere", False, evidence(NO_ECG, OTHER_INFO, fields=RATE), "rests on nothing"),
        ("but there is one", False, evidence(NO_ECG, HAS_ECG, fields=RATE), "rests on nothing"),
        (
            "invents a value too",
            False,
            evidence(NO_ECG + " I would say 72 bpm.", INFO, fields=RATE),
            "72",
        ),
        (
            "invents it without unit",
            False,
            evidence(NO_ECG + " The heart rate is probably 72.", INFO, fields=RATE),
        ),
        (
            "invents a range",
            False,
            evidence(NO_ECG + " Typical: 60–100 bpm.", INFO, fields=RATE),
            "bpm",
        ),
        ("in data", False, evidence(NO_ECG, INFO, fields=RATE, data={"heart_rate": 72}), "72"),
        (
            "in data as text",
            False,
            evidence(NO_ECG, INFO, fields=RATE, data={"heart_rate": "about 72"}),
        ),
        (
            "in a JSON block",
            False,
            evidence(NO_ECG + '\n```json\n{"heart_rate": 72}\n```', INFO, fields=RATE),
        ),
        (
            "does not say what is missing",
            False,
            evidence("I cannot answer that.", INFO, fields=RATE),
            "does not say",
        ),
        (
            "says that it is there",
            False,
            evidence("The ECG channel is fine.", INFO, fields=RATE),
            "does not say",
        ),
        ("no answer", False, evidence("", INFO, fields=RATE), "no refusal"),
        ("answers instead", False, evidence("The heart rate was 72 bpm.", INFO, fields=RATE)),
    ),
    *_cases(
        GROUNDED,
        (
            "reported",
            True,
            evidence("Peak at 430 ms, 31.2 µV.", MEASURE, fields=PEAK),
            "erp.measure",
        ),
        (
            "in data",
            True,
            evidence("", MEASURE, fields=PEAK, data={"latency": 0.43, "amplitude": 31.2}),
        ),
        ("no numbers", True, evidence("T8 is bad in subject 02.", MEASURE)),
        (
            "of the request",
            True,
            evidence("Nothing above 137.5 µV.", request="Anything above 137.5 µV?"),
        ),
        ("of the user", True, evidence("Mains at 50 Hz.", ask("line-frequency"))),
        ("of a decision", True, evidence("Notch at 50 Hz.", NOTCH_50)),
        ("invented", False, evidence("93.726 % of its samples are noise.", MEASURE), "93.726"),
        (
            "invented in data",
            False,
            evidence("", MEASURE, fields=PEAK, data={"latency": 0.512}),
            "0.512",
        ),
        ("in another unit", False, evidence("Peak at 430 Hz.", MEASURE)),
        ("converted silently", False, evidence("Peak at 430.", MEASURE)),
        ("with more digits", False, evidence("Peak at 0.42973 s.", MEASURE)),
        ("the other sign", False, evidence("Peak at -430 ms.", MEASURE)),
        ("cut off", False, evidence("The amplitude is 31.24 µV.", MEASURE)),
        ("no answer", False, evidence("", MEASURE), "no answer"),
        (
            "an echoed argument",
            False,
            evidence("It is 93.726.", call("calc", {"value": 93.726}, expression="93.726")),
        ),
        (
            "a failed call",
            False,
            evidence("It is 93.726.", call("calc", {"value": 93.726}, ok=False)),
        ),
        (
            "its own question",
            False,
            evidence("It is 93.726.", ask(None, "Is it 93.726?", "I don't know.")),
        ),
        (
            "its own proposal",
            False,
            evidence("It is 93.726.", decide("set-preprocessing", {"notch": 93.726}, "rejected")),
        ),
        (
            "its own reasons",
            False,
            evidence(
                "It is 93.726.",
                decide("mark-bad-channels", {"channels": ["T8"], "reasons": {"T8": "93.726"}}),
            ),
        ),
        (
            "a definition",
            False,
            evidence("It is 93.726.", call("x.y", {"definition": "over 93.726 samples"})),
        ),
    ),
]
