"""Whether a text says that something is missing, and means it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.prose import Sentence, Vocabulary, sentences

_NO_NAMES = Vocabulary(())
_CUE = re.compile(
    r"\b(?:no|not|without|none|nothing|lack(?:s|ed|ing)?|missing|absen(?:t|ce)|unavailable|neither"
    r"|nor|cannot|never|needs?|requires?|outside|beyond|too short|past the end"
    r"|exceed(?:s|ed|ing)?(?=\s+the\s+(?:\w+\s+)?(?:recording|file|data|length|end|duration)\b))\b|n't\b",
    re.IGNORECASE,
)
# What is "not missing" is there. Words of another clause do not come between.
_STEP = r"(?:(?!because|since|as\b|for\b|if\b|when|without|that\b|so\b|and\b|but\b)[\w'-]+\s+){0,4}"
_NOT_ABSENT = re.compile(
    rf"(?:\b(?:not|never|no|nothing|none|neither|hardly|cannot)\b|n't)\s+{_STEP}"
    r"(?:missing|absen(?:t|ce)|lack(?:s|ed|ing)?|unavailable|without)\b",
    re.IGNORECASE,
)
# "the ECG is not noisy" and "not only the ECG" deny something else.
_NOT_THE_THING = re.compile(
    r"(?:\bnot|n't)\s+(?:(?:at all|really|even|very|too|that)\s+)?(?:noisy|bad|flat|clipped|broken"
    r"|faulty|corrupt\w*|contaminated|an? problem|the problem|affected|only|just|merely)\b",
    re.IGNORECASE,
)
# What an agent did not do, or was not asked, says nothing of the data.
_NOT_DONE = re.compile(
    r"(?:\b(?:never|not)|n't)\s+(?:even\s+|really\s+|once\s+)?(?:look\w*|need\w*|check\w*|t(?:ell|old)"
    r"|us(?:e|ed|ing)|want\w*|ask\w*|car(?:e|ed)|tr(?:y|ied)|open\w*|read|search\w*)\b"
    r"|\bno\s+(?:problem|trouble|issue|question|doubt|matter)\b|\bnone of (?:your|my)\b",
    re.IGNORECASE,
)
# Who says that something was not done to the data, or that it is not so, speaks of data that are
# there: "not filtered", "no artifacts". What may follow "is not" where it is an absence is listed.
_DONE = (
    r"(?:filter|band-?pass|low-?pass|high-?pass|notch|(?:re-?)?referenc|(?:re|down|up)-?sampl|detrend"
    r"|clean|crop|cut|interpolat|(?:pre-?)?process|averag|smooth|chang|modif|alter|edit|normali[sz]"
    r"|scal|correct|reject|contradict|matter|disturb|distort|contaminat|shift|transform|convert)\w*"
)
_OF_ABSENCE = (
    r"there|here|in|among|amongst|within|inside|on|at|of|part|present|available|included|recorded"
    r"|provided|found|contained|covered|reached|stored|acquired|collected|listed|supplied|shipped"
    r"|sampled|captured|saved|given|kept|taken|made|seen|known|located|attached|registered|measured"
    r"|to|an?|the|any|one|as|that|so|long|longer|enough|sufficient|able|possible|complete|big|large"
    r"|old|wide|accessible|existing|existent|obtained|monitored|observed|connected|placed|applied"
    r"|used|picked|documented|delivered|downloaded|uploaded|installed|represented|mentioned|offered"
    r"|defined|met|satisfied|answered|computable|computed|determined|estimated|what|where|which"
    r"|\d\S*|only|just|merely|yet|extended|finished|continued|shown|visible|derived|read|counted"
)
_ADVERBS = r"(?:(?:\w+ly|been|being|be|even|yet|at all|really|ever)\s+){0,3}+"
_NOT_SO = re.compile(
    rf"\b(?:is|are|was|were|be|been|has|have|had)\s*(?:\bnot|n't)\s+{_ADVERBS}"
    rf"(?!(?:{_OF_ABSENCE})\b)[a-z][\w-]*"
    rf"|(?:\bnot|n't|\bnever)\s+{_ADVERBS}(?:{_DONE}|(?!(?:{_OF_ABSENCE})\b)[\w-]+ed)\b"
    rf"|\bcannot\s+{_ADVERBS}{_DONE}\b",
    re.IGNORECASE,
)
_NOTHING_DONE = re.compile(
    rf"\b(?:no|without(?: an?| any)?|lack(?:s|ed|ing)?(?: an?| any)?)\s+(?:\w+\s+)?(?:{_DONE}"
    r"|artifacts?|artefacts?|noise|drifts?|offset|problems?|issues?|errors?|changes?|doubts?)\b",
    re.IGNORECASE,
)
# "I cannot answer this from the data" has the data.
_FROM_IT = re.compile(
    r"(\b(?:cannot|can't|could not|couldn't|did not|didn't|do not|don't|unable)\s+"
    r"(?:[\w']+\s+){0,7}?(?:from|with|using|about|on|for|of))\s+(?:the|this|these|those|that|your)\s+"
    r"(?:data|dataset|recordings?|files?|sessions?|runs?|tasks?|subjects?|participants?)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|suppose|supposing|whether|assuming|imagine)\b|\b(?:might|may|could)(?:\s+\w+)? be\b",
    re.IGNORECASE,
)
#: Kinds of absence that requests are about; who claims many of them has looked for none.
KINDS = (
    ("ECG", "EKG", "EOG", "EMG", "electrocardiogram", "electrooculogram"),
    ("eyes closed", "closed eyes", "eyes open", "open eyes", "second run", "other run"),
    ("beyond the end", "past the end", "end of the recording", "after the end"),
    ("filter", "filtered", "took away", "removed"),
)
_THERE = re.compile(
    r"\b(?:is|are|was|were|looks?|seems?)\s+(?:\w+ly\s+|all\s+|indeed\s+|in fact\s+)?(?:there"
    r"|present|available|fine|good|clean|ok|okay|usable|recorded|included|intact|normal"
    r"|in the (?:recording|file|data))\b"
    r"|\b(?:has|have|had|contains?|includes?|holds?|there (?:is|are|was|were))\s+"
    r"(?:also\s+)?(?:an?|the|one|some|its|two)\b|\b(?:used|using|counted|measured|read|took)\b"
    r"[^.;]{0,20}\b(?:from|in|on|at)?\s*(?:the|an?)\s*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:,]\s|\s[–—-]\s|\b(?:but|while|whereas|although|though|however|because|since|so that|yet)\b"
    r"|\band\b(?=\s+(?:the|it|i|there|this|that|is|was|are|so)\b)",
    re.IGNORECASE,
)


def named_missing(text: str, alternatives: Iterable[str]) -> str | None:
    """Return the word for what is missing, where a sentence of the text says that it is.

    Parameters
    ----------
    text : str
        Cleaned text.
    alternatives : iterable of str
        Words, any of which names what is missing.

    Returns
    -------
    word : str or None
        The first that a sentence says is missing: in its own clause, or elsewhere in a sentence
        that does not say that it is there. "The ECG is not missing" says the contrary, and
        "the ECG is fine, I just did not count" denies something else.
    """
    patterns = [(word, words) for word in alternatives if (words := cues.pattern([word]))]
    for sentence in sentences(text, _NO_NAMES):
        body = _settled(sentence, [words for _, words in patterns])
        end = sentence.start + len(sentence.text)
        if text[end:].lstrip().startswith("?") or _CUE.search(body) is None:
            continue  # a question claims nothing
        clauses = [clause for clause in _clauses(body) if not _SUPPOSED.search(clause)]
        for word, words in patterns:
            if any(_lacks(clause, words) for clause in clauses) or (
                words.search(body)
                and any(_CUE.search(clause) for clause in clauses)
                and not any(_affirms(clause, words) for clause in clauses)
            ):
                return word
    return None


def other_kinds(text: str, alternatives: Iterable[str]) -> list[str]:
    """Return a word for each other kind of absence that a text claims besides the one asked for.

    Parameters
    ----------
    text : str
        Cleaned text.
    alternatives : iterable of str
        Words that name what is missing; the kinds that share one with them are left out.
    """
    own = " ".join(alternatives).casefold()
    others = [kind for kind in KINDS if not any(word.casefold() in own for word in kind)]
    return [word for kind in others if (word := named_missing(text, kind)) is not None]


def _settled(sentence: Sentence, asked: Iterable[re.Pattern[str]]) -> str:
    """Return a sentence without denials of an absence or of something else."""
    body = sentence.text.replace("_", " ")
    body = _NOT_ABSENT.sub(" is there ", body)
    body = _NOT_DONE.sub(" fine ", body)
    body = _NOT_THE_THING.sub(" fine ", body)
    body = _NOT_SO.sub(" fine ", body)
    # "no filter" is an absence where a filter is asked for
    body = _NOTHING_DONE.sub(
        lambda m: m.group() if any(words.search(m.group()) for words in asked) else " fine ", body
    )
    return _FROM_IT.sub(r"\1 it", body)


def _clauses(body: str) -> list[str]:
    return [part for part in _CLAUSE.split(body) if part.strip()]


def _lacks(clause: str, words: re.Pattern[str]) -> bool:
    return words.search(clause) is not None and _CUE.search(clause) is not None


def _affirms(clause: str, words: re.Pattern[str]) -> bool:
    """Tell whether a clause says that the thing is there."""
    named = words.search(clause)
    if named is None or _CUE.search(clause):
        return False
    return _THERE.search(clause) is not None
