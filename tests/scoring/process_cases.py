"""What the agent did: calls, questions, decisions, and how it reports them."""

from __future__ import annotations

from tests.scoring.case import Case, cases
from tests.scoring.evidence import RECORDING, ask, call, decide, evidence, mark
from tests.scoring.sessions import NOTCH_50

FILTER = call("preprocess.filter", {"view": "view-1"}, view=RECORDING, l_freq=1.0)
DETECT = call("quality.bad_channels", {"view": "view-1", "channels": ["T8", "F4"]}, view="view-1")
RAW_DETECT = call("quality.bad_channels", {"channels": ["T8"]}, view=RECORDING)
FAILED = call("preprocess.filter", ok=False, view=RECORDING, l_freq=1.0)
CALLED = {"kind": "called", "tool": "preprocess.*"}
LIMITS = {**CALLED, "with": {"l_freq": {"min": 0.5, "max": 2}}, "on": RECORDING}
BEFORE = {"kind": "called_before", "first": "preprocess.*", "then": "quality.bad_channels"}
FEEDS = {**BEFORE, "feeds": True}
NOT = {"kind": "not_called", "tool": "preprocess.notch", "with": {"freq": 50}}
NOT_DECIDED = {"kind": "not_decided", "decision": "mark-bad-channels"}
ASKED = {"kind": "asked", "about": "line-frequency"}
DECIDED = {"kind": "decided", "decision": "mark-bad-channels"}
FIRST = {**DECIDED, "first": {"channels": {"contains": "T8", "max_items": 3}}}
RESTS = {
    **DECIDED,
    "rests_on": {
        "tool": ["quality.bad_channels"], "found": "channels", "proposed": "channels", "most": 3,
    },
}  # fmt: skip
ONLY_T8 = {**DECIDED, "status": "edited", "where": {"channels": ["T8"]}}
REPORTS = {"kind": "reports_applied", "decision": "mark-bad-channels"}
CHOICE = {"kind": "reports_applied", "decision": "choose-correction"}
SETTING = {"kind": "reports_applied", "decision": "set-preprocessing"}
EDITED = mark(["T8", "F4"], "edited", ["T8"])
REJECTED = mark(["T8"], "rejected")
HOLM = decide("choose-correction", {"method": "holm", "alpha": 0.05})
T8_ONLY = "Marked T8 as bad in subject 02."
BOTH = "Marked T8 and F4 as bad in subject 02."

MANY = call("quality.bad_channels", {"channels": ["T8", "F4", "Cz", "Pz"]}, view=RECORDING)
GUESS = mark(["Cz"], "edited", ["T8"])

PICK = call("preprocess.pick", {"view": "view-2"}, view="view-1", channels=["O1"])
RAW_PEAK = call("spectrum.peak", {"frequency_hz": 10.2}, view=RECORDING)
LONG_PEAK = call("spectrum.peak", {"frequency_hz": 10.2}, view=RECORDING, segment_seconds=8)
NULL_PEAK = call("spectrum.peak", {"frequency_hz": 10.2}, view=RECORDING, segment_seconds=None)
FOUR_PEAK = call("spectrum.peak", {"frequency_hz": 10.2}, view=RECORDING, segment_seconds=4)
FILTERED_PEAK = call("spectrum.peak", {"frequency_hz": 10.2}, view="view-1")
PICKED_PEAK = call("spectrum.peak", {"frequency_hz": 10.2}, view="view-2")
UNFILTERED = {"kind": "called", "tool": "spectrum.*", "not_from": ["preprocess.filter"]}
WINDOWS = {"kind": "called", "tool": "spectrum.*", "with": {"segment_seconds": {"or_left_out": 4}}}

PROCESS: list[Case] = [
    *cases(
        UNFILTERED,
        ("as recorded", True, evidence("x", RAW_PEAK)),
        ("a filter that it does not work on", True, evidence("x", FILTER, RAW_PEAK)),
        ("filtered", False, evidence("x", FILTER, FILTERED_PEAK), "nothing that came from"),
        ("filtered two steps before", False, evidence("x", FILTER, PICK, PICKED_PEAK)),
        ("once so and once so", True, evidence("x", FILTER, FILTERED_PEAK, RAW_PEAK)),
    ),
    *cases(
        WINDOWS,
        ("stated", True, evidence("x", FOUR_PEAK)),
        ("left out", True, evidence("x", RAW_PEAK)),
        ("null", True, evidence("x", NULL_PEAK)),
        ("another value", False, evidence("x", LONG_PEAK)),
    ),
    *cases(
        FIRST,
        ("the first has it", True, evidence(T8_ONLY, EDITED), "proposed"),
        ("a guess, and then what the user said", False, evidence(T8_ONLY, GUESS, EDITED), "first"),
    ),
    *cases(
        RESTS,
        ("what was found", True, evidence(T8_ONLY, DETECT, EDITED)),
        ("found only later", False, evidence(T8_ONLY, EDITED, DETECT), "had found nothing"),
        ("something else was found", False, evidence(T8_ONLY, RAW_DETECT, EDITED), "T8, F4"),
        ("it finds everything", False, evidence(T8_ONLY, MANY, EDITED), "had found nothing"),
        ("nothing was proposed", False, evidence(T8_ONLY, DETECT, mark([], "rejected"))),
    ),
    *cases(
        CALLED,
        ("called", True, evidence("x", FILTER)),
        ("nothing was called", False, evidence("x"), "no successful call"),
        ("the call failed", False, evidence("x", FAILED)),
        ("another tool", False, evidence("x", DETECT), "quality.bad_channels"),
        ("only claimed", False, evidence("I called preprocess.filter.")),
        ("an event of another type", False, evidence("x", {**FILTER, "type": "log"})),
    ),
    *cases(
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
    *cases(
        {**CALLED, "times": {"min": 2, "max": 3}},
        ("twice", True, evidence("x", FILTER, FILTER)),
        ("once", False, evidence("x", FILTER)),
        ("four times", False, evidence("x", FILTER, FILTER, FILTER, FILTER)),
        ("once and a failure", False, evidence("x", FILTER, FAILED)),
    ),
    *cases(
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
    *cases(
        NOT_DECIDED,
        ("nothing asked for", True, evidence(T8_ONLY, FILTER)),
        ("another kind", True, evidence("x", HOLM)),
        ("approved", False, evidence("x", mark(["T8"])), "requested 1"),
        ("rejected", False, evidence("x", REJECTED)),
    ),
    *cases(
        BEFORE,
        ("in order", True, evidence("x", FILTER, DETECT)),
        ("in the other order", False, evidence("x", RAW_DETECT, FILTER)),
        ("first missing", False, evidence("x", DETECT), "preprocess.*"),
        ("then missing", False, evidence("x", FILTER), "quality.bad_channels"),
        ("first failed", False, evidence("x", FAILED, RAW_DETECT)),
        ("nothing", False, evidence("x")),
    ),
    *cases(
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
    *cases(
        ASKED,
        ("asked", True, evidence("x", ask("line-frequency"))),
        ("not asked", False, evidence("Is it 50 or 60 Hz?")),
        ("asked something else", False, evidence("x", ask("reference")), "reference"),
        ("asked something unknown", False, evidence("x", ask(None)), "something else"),
    ),
    *cases(
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
    *cases(
        {**ASKED, "before": "mark-bad-channels"},
        ("before the decision", True, evidence("x", ask("line-frequency"), EDITED)),
        ("after the decision", False, evidence("x", EDITED, ask("line-frequency"))),
    ),
    *cases(
        DECIDED,
        ("decided", True, evidence(T8_ONLY, EDITED)),
        ("rejected is a decision too", True, evidence("x", REJECTED)),
        ("never decided", False, evidence(T8_ONLY), "no decision"),
        ("another kind", False, evidence(T8_ONLY, HOLM)),
        ("a proposal that broke the rules", False, evidence(T8_ONLY, mark([], "invalid"))),
        ("asked in words", False, evidence(T8_ONLY, ask(None, "May I mark T8?", "Yes."))),
    ),
    *cases(
        ONLY_T8,
        ("edited to T8", True, evidence("x", EDITED)),
        ("approved", False, evidence("x", mark(["T8"]))),
        ("edited to something else", False, evidence("x", mark(["T8"], "edited", ["F4"]))),
        ("more was applied", False, evidence("x", mark(["F4"], "edited", ["T8", "F4"]))),
    ),
    *cases(
        {**DECIDED, "times": {"max": 1}},
        ("once", True, evidence("x", EDITED)),
        ("until it suits", False, evidence("x", REJECTED, REJECTED, EDITED)),
    ),
    *cases(
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
    *cases(
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
    *cases(
        {**CHOICE, "keys": ["method"]},
        ("method only", True, evidence("Holm was applied.", HOLM)),
        ("nothing", False, evidence("Corrected.", HOLM)),
    ),
    *cases(
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
]
