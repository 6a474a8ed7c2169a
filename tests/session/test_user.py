"""The scripted user: paraphrases are understood, near misses are not, rules come in order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.registry.entries import merge_user
from braino_registry.session import ScriptedUser
from braino_registry.session.matching import asks, content_words

PHRASES = ("mains frequency", "50 or 60 Hz", "power line")

PARAPHRASES = [
    "What is the mains frequency?",
    "what's the frequency of the mains",
    "WHICH FREQUENCY DO THE MAINS HAVE?",
    "Could you tell me the frequency of your electrical mains, please?",
    "Is it 50 or 60 Hz?",
    "Is it 50Hz or 60Hz?",
    "60 or 50 hertz?",
    "Do you have 50/60 Hz power?",
    "Is the grid at 60 Hz, or at 50 Hz?",
    "Should I treat 50 Hz or 60 Hz as the line noise?",
    "What is the power-line frequency?",
    "Power line: which frequency?",
    "How strong are the power lines' harmonics?",
    "What about the line power?",
]
NEAR_MISSES = [
    "What is the sampling frequency?",
    "What is the main frequency of the alpha rhythm?",
    "Should I filter between 50 and 60 Hz?",
    "Is the power in the alpha band on a straight line?",
    "Which frequency should the high-pass have?",
    "Is the power of the recording on line 3 of the table?",
    "Is 50 Hz the sampling rate?",
    "Does the frequency matter, when the amplifier hangs on the mains of the lab?",
    "Shall I draw a baseline for power?",
    "Is it powered on-line?",
    "",
    "?",
    "the of and",
]


@pytest.mark.parametrize("question", PARAPHRASES)
def test_paraphrase(question: str) -> None:
    assert any(asks(question, phrase) for phrase in PHRASES)


@pytest.mark.parametrize("question", NEAR_MISSES)
def test_near_miss(question: str) -> None:
    assert not [phrase for phrase in PHRASES if asks(question, phrase)]


@pytest.mark.parametrize(
    ("phrase", "question", "matches"),
    [
        ("bad channels", "Which channel is bad?", True),
        ("bad channels", "Which electrodes are bad?", False),
        ("bad channels", "Is the channel order badly documented?", False),
        ("reference electrode", "Which electrode did you reference to?", True),
        ("reference electrode", "Were the electrodes re-referenced?", True),
        ("reference electrode", "Which electrode should I refer to?", False),
        ("epoch rejection threshold", "At what threshold are epochs rejected?", False),
        ("reject epochs threshold", "At what threshold are epochs rejected?", True),
        ("sampling rate", "At which rate was it sampled?", True),
        ("sampling rate", "What is the heart rate?", False),
        ("artefact", "Is there an artifact?", True),
        ("naïve subjects", "Were the subjects naive?", True),
        ("the", "the", False),
    ],
)
def test_phrase(phrase: str, question: str, matches: bool) -> None:
    assert asks(question, phrase) is matches


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    words = content_words(text)
    assert all(words)
    assert content_words(text) == words
    assert asks(text, text) == bool(words)


@given(st.permutations(["mains", "frequency"]), st.sampled_from([" ", ", ", " the ", "\n"]))
def test_order_and_punctuation_do_not_matter(words: list[str], between: str) -> None:
    assert asks(between.join(words).upper(), "mains frequency")


SCRIPT: dict[str, Any] = {
    "decisions": [
        {
            "kind": "mark-bad-channels",
            "respond": "edit",
            "to": {"channels": ["T8"]},
            "say": "Only T8.",
        },
        {"kind": "choose-correction", "respond": "approve"},
        {"kind": "mark-bad-channels", "respond": "reject", "say": "No more."},
    ],
    "answers": [
        {"about": "line", "asked_as": ["frequency"], "say": "50 Hz."},
        {"about": "rate", "asked_as": ["sampling frequency"], "say": "250 Hz."},
        {"about": "other", "asked_as": ["sampling frequency"], "say": "Never said."},
    ],
    "otherwise": "Ask someone else.",
}


def test_longest_phrase_wins_then_the_first() -> None:
    user = ScriptedUser(SCRIPT)
    assert user.reply("What is the sampling frequency?").about == "rate"
    assert user.reply("Which frequency?").text == "50 Hz."


def test_unmatched_gets_otherwise_and_no_name() -> None:
    reply = ScriptedUser(SCRIPT).reply("Which subject?")
    assert (reply.text, reply.about) == ("Ask someone else.", None)
    assert ScriptedUser({}).reply("Which subject?").text == "I don't know."


def test_options_count_only_if_the_question_says_nothing() -> None:
    user = ScriptedUser(SCRIPT)
    assert user.reply("Which one?", ["a frequency", "nothing"]).about == "line"
    assert user.reply("Which sampling frequency?", ["a frequency"]).about == "rate"


def test_rules_come_in_order_per_kind_and_the_last_stays() -> None:
    user = ScriptedUser(SCRIPT)
    proposal = {"channels": ["Cz", "T8"], "recording": "sub-01_task-rest"}
    first, second, third = (user.decide("mark-bad-channels", proposal) for _ in range(3))
    assert first.status == "edited"
    assert first.applied == {"channels": ["T8"], "recording": "sub-01_task-rest"}
    assert (first.say, first.rule) == ("Only T8.", 0)
    assert (second.status, second.applied, second.rule) == ("rejected", {}, 2)
    assert third.rule == 2
    approved = user.decide("choose-correction", {"method": "holm"})
    assert (approved.status, approved.applied, approved.rule) == (
        "approved",
        {"method": "holm"},
        1,
    )


def test_an_edit_that_changes_nothing_is_an_approval() -> None:
    script = {"decisions": [{"kind": "k", "respond": "edit", "to": {"channels": ["Cz", "T8"]}}]}
    ruling = ScriptedUser(script).decide("k", {"channels": ["T8", "Cz"]})
    assert (ruling.status, ruling.applied) == ("approved", {"channels": ["T8", "Cz"]})


def test_what_the_script_does_not_speak_of_is_rejected() -> None:
    ruling = ScriptedUser(SCRIPT).decide("reject-epochs", {"epochs": []})
    assert (ruling.status, ruling.applied, ruling.rule) == ("rejected", {}, None)


def test_merging_replaces_by_kind_and_name() -> None:
    override = {
        "decisions": [{"kind": "mark-bad-channels", "respond": "approve"}],
        "answers": [{"about": "line", "asked_as": ["hum"], "say": "60 Hz."}],
    }
    merged = merge_user(SCRIPT, override)
    assert merged["decisions"] == [SCRIPT["decisions"][1], override["decisions"][0]]
    assert [each["about"] for each in merged["answers"]] == ["rate", "other", "line"]
    assert merged["otherwise"] == "Ask someone else."
    assert len(SCRIPT["decisions"]) == 3
