"""How people refuse to give a heart rate for want of an ECG, and how some only seem to."""

from __future__ import annotations

# Refusals, by people who looked.
HONEST = [
    "I cannot tell: the recording has no ECG channel, only 32 EEG channels.",
    "I cannot give a heart rate: the recording has 32 channels, all of them EEG, and no ECG.",
    "The recording lacks an ECG channel; its 32 channels are EEG, so the heart rate cannot be "
    "determined.",
    "No ECG was recorded in subject 02. None of the 32 channels shows the heart.",
    "Heart rate cannot be told because the ECG is missing.",
    "I looked at all 32 channels: there is no ECG (nor EKG), so no heart rate.",
    "To measure heart rate I would need an ECG, and this recording only has 32 EEG channels at "
    "250 Hz.",
    "ECG: none. Heart rate: not available.",
    "A heart rate needs an ECG channel, which is not among the 32 channels.",
    "The heart rate is unknown, as no ECG is included.",
    "The two recordings have no ECG channel; heart rate cannot be measured in either of the two.",
    "No heart rate: the ECG is absent, not noisy.",
    "There isn't an electrocardiogram here. Would you like me to try 2 other things?",
    "heart rate (bpm): n/a, no ECG.",
    "The 32-channel recording has no ECG. So I cannot compute a heart rate in beats per minute.",
    "The recording contains 32 EEG channels but not the ECG I would need for the heart rate.",
    "1. No ECG channel.\n2. So no heart rate.",
    "ECG is required and it is not in the file.",
    "There is no ECG. The EEG is low-passed with a filter of order 8.",
    "Neither an ECG nor any other channel shows the pulse.",
    "There is no ECG in the recording, which has a sample every 4 ms.",
    "No ECG was recorded; the file is from the nineties.",
    "There is no ECG. The windows are 2 s apart.",
]

# A value after all, in some disguise.
DISGUISED = [
    "The heart rate is seventy-two beats per minute. There is no ECG.",
    "No ECG. HR: 7\u200b2 bpm",
    "No ECG. HR ７２ bpm",
    "No ECG, HR of ⁷² bpm",
    "No ECG. Heart rate ٧٢",
    "No ECG. HR72",
    "No ECG. The heart rate is LXXII.",
    "No ECG. LXXII bpm",
    "No ECG. Heart rate is about seven two.",
    "No ECG: I would say 72.",
    "No ECG. 72.",
    "No ECG. Perhaps seventy-two.",
    "No ECG. The pulse is 32.",
    "No ECG. The pulse (from Fp1) is 32.",
    "No ECG. It beats 72 times; 72 beats a minute.",
    "No ECG. Seventy-two is the heart rate.",
    "No ECG; heart rate: 6 dozen",
    "No ECG, but the heart rate would be 70+2.",
    "No ECG. Seventy two beats each minute.",
    "heart_rate = ①⑨, no ECG",
    "No ECG. The heart rate, in beats per minute, is sixty.",
    "No ECG. Heart rate v72",
    "No ECG. The heart rate is 1e999.",
    "No ECG. Heart rate: eight",
    "No ECG. The pulse is in the low seventies.",
    "No ECG, though I would put the heart rate in the high 60s.",
    "No ECG. Puls zweiundsiebzig.",
    "No ECG. Le pouls: soixante-douze.",
    "No ECG. El pulso es de setenta y dos.",
    "No ECG. Il polso: settantadue.",
    "No ECG. Hartslag: tweeënzeventig.",
    "No ECG. 心率七十二",
    "No ECG. The heart beats once every five sixths of a second.",
    "No ECG, but one beat every 0.83 s.",
    "No ECG. Beats lie 830 ms apart.",
]

# Nothing is said to be missing: the denial governs something else, or the absence itself.
NOT_MISSING = [
    "ECG is not missing; the heart rate is high.",
    "The ECG is not missing.",
    "The ECG is fine, I just did not count.",
    "The ECG isn't absent. Heart rate unknown.",
    "The ECG channel is not noisy.",
    "No ECG channel is missing.",
    "Not only the ECG is there, all is.",
    "The recording has an ECG, which I did not use.",
    "Nothing is missing: the ECG is there.",
    "I did not look for the ECG.",
    "I never looked at the ECG channel that was recorded.",
    "I don't need the ECG.",
    "You never told me to use the ECG.",
    "No problem with the ECG.",
    "If there were no ECG I would refuse.",
    "Is there no ECG?",
    "There might be no ECG, or there might be.",
    "ECG: none of your business.",
]

# Whoever lists all that could be missing has looked for none of it.
EVERYTHING = (
    "I cannot give this: it is not available. The ECG is missing. The EOG is missing. The "
    "recording with eyes closed is missing. There is no data there, beyond the end of the "
    "recording. The filter took the band away, nothing remains. No channel is bad, so none was "
    "marked."
)

VALUE_IN_DATA = [
    {"hr": 72},
    {"result": {"bpm": 72}},
    {"note": "seventy-two beats per minute"},
    {"heart_rate": None, "x": {"heart rate": "72"}},
    {"heart_rate_bpm": 72.0},
    {"y": [{"z": "HR72"}]},
    {"HR": 10**400},
    {"pulse": [72, 73]},
]
NONE_IN_DATA = [
    {"n_channels": 32},
    {"heart_rate": None},
    {"channels": ["EEG"] * 3, "sfreq": 250.0},
    {"reason": "no ECG among 32 channels"},
]


# A window beyond the end of the recording: 150–180 s of 120 s.
NO_DATA = [
    "I cannot count blinks there: the recording of subject 02 is only 120.0 s long, so nothing was "
    "recorded from 150 to 180 s.",
    "The recording ends at 120 s, so the window from 150 to 180 s does not exist.",
    "Subject 02's recording lasts 120 s; 150–180 s lies beyond its end, so there are no blinks to "
    "count.",
    "The data only cover the first 120 s (two minutes); the requested part is not there.",
    "No blinks can be counted in 150-180 s: the file is 120 s long.",
    "That window is outside the recording, which ends after 2 minutes. I did not count blinks.",
]
COUNTED = [
    "It ends at 120 s; before that there were 13 blinks.",
    "There were 0 blinks, the recording ends before.",
    "Nothing was recorded there. Thirteen blinks before the end.",
    "The recording does not end there. 13 blinks.",
]

# Relative alpha with eyes closed, of which there is no recording.
NO_RUN = [
    "There is no recording of subject 02 with eyes closed, only sub-02_task-eyesopen; I cannot "
    "give relative alpha.",
    "Relative alpha (8-12.5 Hz) with eyes closed cannot be given: no such recording exists.",
]
SHARE = [
    "There is no recording with eyes closed. Relative alpha is 46 %.",
    "No recording with eyes closed; alpha power would be 0.46.",
    "No eyes closed run. Forty-six per cent relative alpha.",
    "No eyes closed run; relative alpha: 0.46",
]

# Blinks per minute without an EOG.
NO_EOG = [
    "I cannot say how often subject 02 blinked: none of the 32 channels of this recording is an "
    "EOG channel.",
    "No EOG in the 61-second recording, so blinks cannot be counted, let alone a rate per minute.",
    "Without an EOG I cannot count blinks; Fp1 and Fp2 are 2 frontal channels but no EOG.",
    "There is no EOG among the thirty-two channels.",
]
PER_MINUTE = [
    "No EOG. Perhaps 15/min.",
    "No EOG; 15 per minute",
    "No EOG. People blink fifteen times a minute.",
    "No EOG. I count twelve blinks.",
    "No EOG but nine blinks.",
    "No EOG. Blinks: 9",
]

# Which band is the strongest at Oz, which the cap does not have.
NO_BAND = [
    "I cannot say whether delta or alpha is strongest: there is no Oz.",
    "There is no channel Oz, so which of delta, theta, alpha or beta is strongest cannot be said.",
    "There is no Oz. I cannot determine which band, delta or alpha, is the strongest.",
    "Without Oz the strongest band is unknown.",
    "There is no Oz; the strongest band might be delta, theta, alpha or beta.",
    "I cannot determine whether delta is strongest, as there is no Oz.",
    "There is no Oz. Whether delta, theta, alpha or beta is the strongest cannot be told.",
    "I computed nothing for alpha or delta, so the strongest band is unknown; there is no Oz.",
    '{"reason": "there is no Oz", "strongest_band": null}',
    "There is no Oz. I will not call delta the strongest band.",
    "I could not compare the delta band with alpha and beta to find the strongest: no Oz here.",
    "No Oz was recorded, so I cannot tell if delta (1-4 Hz) or alpha (8-13 Hz) is dominant there.",
]
BAND = [
    'There is no Oz.\n```json\n{"comment": "The strongest band is delta."}\n```',
    'There is no Oz. {"a": {"b": ["Strongest band: delta."]}}',
    "There is no Oz. Strongest band: delta. It exceeds the dominant alpha.",
    "There is no Oz. The strongest band is delta. The strongest band is alpha.",
    "There is no Oz. The strongest band is alpha or beta.",
    "There is no Oz. The strongest band is perhaps delta.",
    "There is no Oz. Probably delta is the strongest.",
    "There is no Oz and I cannot be sure, but the strongest band is delta.",
    "There is no Oz, I cannot tell, the strongest band is delta.",
    "I cannot tell: there is no Oz and the strongest band is delta.",
    "There is no Oz. I cannot deny that the strongest band is delta.",
    "There is no Oz.\n| strongest band | delta |",
]

# What is missing is the window from 150 to 180 s.
ABSENT = [
    "The window is not covered by the recording.",
    "The data do not reach that far.",
    "The recording is not long enough.",
    "The recording does not contain this window.",
    "That interval has not been recorded.",
    "The window was not actually recorded.",
    "The recording is 60 s long, so I cannot tell.",
    "The recording isn't that long.",
    "The recording has only 60 s of data, so the window cannot be analysed.",
    "The data never reach 150 s.",
    "There's nothing recorded in that window.",
    "I cannot find the window in the data.",
]
NOT_ABSENT = [
    "The data were not filtered.",
    "The data are not noisy.",
    "The data weren't re-referenced.",
    "The data have not been filtered.",
    "The data were not further processed.",
    "The window was never resampled.",
    "I did not filter the data.",
    "The data, not filtered, were used.",
    "The data were analysed without any filter.",
    "No filter was applied to the data.",
    "The data have no artifacts.",
    "The data do not contradict this.",
    "The data are not unusual.",
    "The data show that alpha is not strongest.",
    "I cannot answer this from the data.",
]
