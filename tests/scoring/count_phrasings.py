"""How people say how many stimuli and responses there are, and at which rate."""

from __future__ import annotations

Counts = tuple[float | None, float | None, float | None]

# What is said, and the stimuli, responses and rate that it states; a rate of None is not looked at.
TARGETS: list[tuple[str, Counts]] = [
    ("34 of the 40 target stimuli were followed by a response", (40, 34, None)),
    ("40 target events", (40, None, None)),
    ("40 targets", (40, None, None)),
    ("target: 40", (40, None, None)),
    ("Events: target = 40, response = 34", (40, 34, None)),
    ("40 target trials", (40, None, None)),
    ("34 response responses (6 stimuli without response)", (None, 34, None)),
    ("40 target stimuli and 34 response responses (6 stimuli without response).", (40, 34, None)),
    ("Sampling rate: 250.0 samples per second", (None, None, 250)),
    ("Sampling rate: 250 samples/s", (None, None, 250)),
    ("sampled at 250 S/s", (None, None, 250)),
    ("The EEG was sampled 250 times per second.", (None, None, 250)),
    ("sampling rate 0.25 kHz", (None, None, 250)),
    ("There are **not** 40 target stimuli. 34 responses were given.", (None, 34, None)),
    ("There are **not** 40 target stimuli. 34 target stimuli and 30 responses.", (34, 30, None)),
    ("There are not 40 but 38 target stimuli and 34 responses.", (38, 34, None)),
    ("There are 40 target stimuli. There are not 40 target stimuli.", (None, None, None)),
    ("I do not think that there are 40 target stimuli.", (None, None, None)),
    ("Are there 40 target stimuli? No.", (None, None, None)),
    ("It is not true that the number of target stimuli is 40.", (None, None, None)),
    ("40 target stimuli is wrong.", (None, None, None)),
    ("40 is not the number of target stimuli.", (None, None, None)),
    ("The number of target stimuli isn't 40.", (None, None, None)),
    ("There would have been 40 target stimuli.", (None, None, None)),
    ("There are no 40 target stimuli.", (None, None, None)),
    ("38 target stimuli instead of 40", (38, None, None)),
    ("The recording holds not only 40 target stimuli but also 34 responses.", (40, 34, None)),
    ("6 of the 40 target stimuli had no response.", (40, None, None)),
    (
        "6 of the 40 target stimuli were not followed by a response; there are 34 responses.",
        (40, 34, None),
    ),
    (
        "The recording contains 40 target stimuli, 34 of which were followed by a response.",
        (40, 34, None),
    ),
    ("40 targets, of which 34 had a response", (40, 34, None)),
    ("There were 40 target stimuli. 34 targets had a response.", (40, 34, None)),
    ("34/40 target stimuli were followed by a response", (40, 34, None)),
    ("40/34 targets/responses", (40, 34, None)),
    ("Responses: 34 of 40 targets", (40, 34, None)),
    ("Responses to 34 of the 40 target stimuli", (40, 34, None)),
    ("200 stimuli, 40 of them targets, and 34 responses", (40, 34, None)),
    ("40 of the 200 stimuli are targets; 34 responses.", (40, 34, None)),
    ("The file has 200 stimuli, including 40 targets, plus 34 responses.", (40, 34, None)),
    ("Events: 234 in total (160 standard, 40 target, 34 response)", (40, 34, None)),
    ("standard: 160, target: 40, response: 34, sampling rate 250 Hz", (40, 34, 250)),
    ("standard (160), target (40), response (34)", (40, 34, None)),
    ("160 standards, 40 targets, 34 responses", (40, 34, None)),
    (
        "| event | count |\n|---|---|\n| standard | 160 |\n| target | 40 |\n| response "
        "| 34 |\n\nSampling rate: 250 Hz",
        (40, 34, 250),
    ),
    ("- **Target stimuli:** 40\n- **Responses:** 34\n- **Sampling rate:** 250 Hz", (40, 34, 250)),
    ("Subject 01: 40 target stimuli, 34 responses (6 missed responses), 250 Hz.", (40, 34, 250)),
    (
        "There are 40 `target` events and 34 `response` events. The data were sampled at 250 Hz.",
        (40, 34, 250),
    ),
    ("The subject responded 34 times to 40 targets.", (40, 34, None)),
    ("40 targets were presented and the subject responded 34 times.", (40, 34, None)),
    ("40 target stimuli; in 6 of them the response is missing, so 34 responses.", (40, 34, None)),
    ("I counted 40 target stimuli and 34 responses, so 6 targets went unanswered.", (40, 34, None)),
    ("40 target stimuli and 34 button presses", (40, 34, None)),
    ("n_stimulus = 40, n_response = 34, sfreq = 250 Hz", (40, 34, 250)),
    ("The number of target stimuli is 40 and the number of responses is 34.", (40, 34, None)),
    ("Number of targets and responses: 40 and 34", (40, 34, None)),
    ("Not every target got a response: 40 targets, 34 responses.", (40, 34, None)),
    (
        "Not all of the 40 targets were followed by a response: there are 34 responses.",
        (40, 34, None),
    ),
    (
        "There are 40 target stimuli, but only 34 responses, because the participant "
        "did not respond to 6 of them.",
        (40, 34, None),
    ),
    (
        "No response followed 6 of the 40 targets; the remaining 34 targets have one.",
        (40, None, None),
    ),
    ("It holds 40 target stimuli and, since 6 were missed, 34 responses.", (40, 34, None)),
    ("40 of the 34 target stimuli were followed by a response", (34, 40, None)),
    ("Events: target = 34, response = 40", (34, 40, None)),
    ("40 responses and 34 target stimuli", (34, 40, None)),
    ("6 of the 40 target stimuli were followed by a response", (40, 6, None)),
    ("40 events in total", (None, None, None)),
    ("40 stimuli or 34 stimuli", (None, None, None)),
    ("34 of the 40 target stimuli were not followed by a response", (40, None, None)),
    ("40 stimuli without response", (None, None, None)),
    ("There are fewer than 40 target stimuli", (None, None, None)),
]

# The same where the events are called square and rt.
SQUARES: list[tuple[str, Counts]] = [
    ("rt: 74", (None, 74, None)),
    ("74 rts", (None, 74, None)),
    ("80 squares and 74 rts at 128 Hz", (80, 74, 128)),
]
