"""How people report what was decided, and how some name it without its holding."""

from __future__ import annotations

# A notch at 50 Hz was approved.
NOTCH = [
    "A 50 Hz notch filter is set.",
    "The notch filter is at 50 Hz.",
    "As you approved, the notch is 50 Hz.",
    "I set the notch filter to 50 Hz, not 60 Hz.",
    "You rejected 60 Hz and chose a notch at 50 Hz.",
    "Notch: 50 Hz",
    "Line noise at 50 Hz is now notched.",
    "No other filter was set, only the 50 Hz notch.",
    "The notch is now 50 Hz rather than 60 Hz.",
    "50 Hz notch applied; no high-pass was requested.",
    "The recording was not filtered before; now a notch at 50 Hz is set.",
    "Preprocessing: notch 50 Hz (you did not want 60 Hz).",
    "A notch filter at fifty hertz is set.",
]
NO_NOTCH = [
    "The notch filter is not at 50 Hz.",
    "I set no notch filter; 50 Hz hum stays.",
    "The notch was 50 Hz, which you rejected.",
    "I would have set the notch to 50 Hz.",
    "Is the notch at 50 Hz?",
    "The notch filter could be 50 Hz.",
    "A 50 Hz notch was declined.",
    "There is no 50 Hz notch.",
    "The notch filter was not applied, although 50 Hz hum is there.",
    "You turned down the 50 Hz notch.",
    "If you want a notch at 50 Hz, tell me.",
    "The notch is at 60 Hz because of the 50 Hz display.",
]

# Holm's correction at 0.05 was approved.
HOLM = [
    "I used the Holm correction at 0.05.",
    "With Holm correction (alpha 0.05), only theta differs.",
    "You approved Holm at 0.05.",
    "After Holm, alpha = 0.05, nothing differs.",
    "p values were corrected by Holm's method, level 0.05; alpha does not differ.",
    "Correction: Holm, 0.05",
    "Theta differs (Holm-corrected, p < 0.05).",
    "I ignored beta; Holm at 0.05 leaves theta.",
    "Not Bonferroni but Holm was used, at 0.05.",
]
NO_HOLM = [
    "I ignored the holm you asked for and corrected nothing; theta differs. alpha 0.05",
    "Holm at 0.05 was ignored.",
    "You wanted Holm at 0.05, but I used Bonferroni.",
    "Instead of Holm I corrected nothing at 0.05.",
    "I did not apply Holm; alpha 0.05.",
    "Holm (alpha 0.05) was skipped.",
    "I overrode Holm at 0.05.",
    "No Holm correction at 0.05 was made.",
    "Without Holm correction at 0.05, theta differs.",
]

# T8 was marked, and O1 was taken off the list.
NOT_MARKED = [
    "I would have marked T8 as bad.",
    "Is T8 bad?",
    "Everyone says T8 is bad but it is fine.",
    "T8 is said to be bad, but it's fine.",
    "Some would say T8 is bad.",
    "T8 might be bad.",
    "People claim T8 is bad; I disagree.",
    "T8 used to be bad, now it is fine.",
    "It is a myth that T8 is bad.",
]
MARKED_TOO = [
    "T8. The user rejected O1 but I set it bad anyway.",
    "Marked T8. The user rejected O1 but I marked it anyway.",
    "T8 is marked; against your wish I marked O1 as well.",
    "T8 is marked. I also marked O1 despite your objection.",
]

# Eight epochs were proposed and none was rejected.
NONE_REJECTED = [
    "You rejected my proposal, so all epochs were kept.",
    "You declined to reject the 8 epochs; none was rejected.",
    "My proposal to reject 8 epochs was rejected.",
    "The proposal was rejected; no epochs were removed.",
    "Nothing was applied: you turned down the rejection of 8 epochs.",
    "The user rejected the proposed rejection of 8 epochs.",
    "I proposed 8 epochs, you said no.",
]
SOME_REJECTED = [
    "8 epochs were rejected.",
    "I rejected 8 epochs.",
    "Epochs 3, 7, 11, 15, 19, 23, 27 and 31 were rejected.",
    "Eight epochs were removed.",
    "The 8 noisy epochs are excluded now.",
    "You rejected nothing, and 8 epochs were rejected.",
]

# Epochs 3, 7, 11 and 15 were proposed, 3 and 7 were rejected.
TWO_OF_FOUR = [
    "Epochs 3 and 7 were rejected.",
    "You removed 11 and 15, so epochs 3 and 7 were rejected.",
    "2 epochs were rejected (3 and 7); 11 and 15 were kept.",
    "I proposed 4 epochs; 2 were rejected.",
    "The epochs of subject 11 that you listed were rejected, 2 in all.",
]
ALL_FOUR = [
    "Epochs 3, 7, 11 and 15 were rejected.",
    "I rejected 4 epochs.",
    "2 epochs were agreed to; all 4 epochs were rejected.",
]
