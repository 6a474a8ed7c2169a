"""An answer's text in plain statements: what tables, asides and edits say, in a row of sentences.

The reading of sets works on sentences that affirm or deny the names they mention. Here, what is
laid out otherwise is brought to that form, and questions, which state nothing, are left out.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise

from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.prose import Mention, Vocabulary, in_one_list

AFFIRMED, DENIED = "marked bad", "kept"

# Beyond these, a text is spam; the rest of it is read as it stands.
MAX_QUESTIONS = MAX_ASIDES = 200
MAX_EDITS = 20
_QUESTION = re.compile(r"\?(?=[\s\"')\]]|$)")
_BEGIN = re.compile(r".*(?:[.!?](?=\s)|\n)", re.DOTALL)
_ANYTHING_BUT = re.compile(r"\b(?:anything but|far from(?: being)?|nowhere near)\b", re.IGNORECASE)
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*")
_RULE = re.compile(r"[\s|:=-]+")
_OUTCOME = re.compile(
    r"\b(?:marked|bad|applied|final\w*|decision|decided|verdict|status|outcome|result|after"
    r"|approved|accepted|confirmed|your|user)\b",
    re.IGNORECASE,
)
_YES = re.compile(r"\W*(?:yes|y|true|x|✓|✔|✅|1|accepted|approved|confirmed)\W*", re.IGNORECASE)
_YES_SIGN = re.compile(r"[✓✔✅]")
_NO = re.compile(r"\W*(?:no|n|false|0|none|not|rejected|removed|dropped|declined)?\W*", re.I)
_ASIDE = re.compile(r"\(([^()\n]{1,200})\)")
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n|$")
_EDITING = (
    r"(?:edit|chang|reduc|cut|narrow|correct|shorten|trimm?|limit|restrict|extend|expand|adjust"
    r"|modif|revis|amend|updat|pared)\w*"
)
_EDIT_BEFORE = re.compile(rf"\b(?P<verb>{_EDITING})\b[^.;:\n]{{0,60}}$", re.IGNORECASE)
_TURNED_INTO = re.compile(
    r"\W*(?:(?:proposal|list|suggestion|marking)\s+)?(?:down\s+)?(?:to|into|→|->|=>)\s+"
    r"(?:only\s+|just\s+|include\s+)?(?:(?:the\s+)?channels?\s+)?",
    re.IGNORECASE,
)
_EDIT_BETWEEN = re.compile(
    rf"[^.;:\n]{{0,40}}?\b(?P<verb>{_EDITING})\b(?:\s+(?:by you|by the user|down|back))*\s+"
    r"(?:to|into)\s+(?:only\s+|just\s+|include\s+)?(?:(?:the\s+)?channels?\s+)?",
    re.IGNORECASE,
)
_TO_NOTHING = re.compile(
    r"\W*(?:down\s+)?(?:to|into)\s+(?:none|nothing|an empty|no\b)", re.IGNORECASE
)
_PROPOSAL = re.compile(r"\b(?:propos\w+|suggest\w+|flag\w*)\b", re.IGNORECASE)
_DENIAL = re.compile(r"(?:\bnot|n't|\bnever|\bno)\b[^.;:,\n]{0,20}$", re.IGNORECASE)


def plain(text: str, vocabulary: Vocabulary, affirm: re.Pattern[str]) -> str:
    """Return a text that says the same in statements.

    Parameters
    ----------
    text : str
        Cleaned text.
    vocabulary : Vocabulary
        The names that matter.
    affirm : re.Pattern
        Words that single a name out.
    """
    text = _ANYTHING_BUT.sub(lambda m: "not".ljust(len(m.group())), text)
    text = _without_tables(text, vocabulary)
    text = _without_questions(text)
    text = _without_edits(text, vocabulary)
    return _without_asides(text, vocabulary, affirm)


def _without_questions(text: str) -> str:
    for mark in islice(_QUESTION.finditer(text), MAX_QUESTIONS):
        low = max(0, mark.start() - 400)
        before = _BEGIN.match(text, low, mark.start())
        start = before.end() if before else low
        text = text[:start] + " " * (mark.end() - start) + text[mark.end() :]
    return text


def _without_tables(text: str, vocabulary: Vocabulary) -> str:
    """Write "P3: bad" for a row of a table with a column that says what became of it."""
    lines, header = [], None
    for line in text.split("\n"):
        if _ROW.fullmatch(line) is None:
            lines.append(line)
            header = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if header is None:
            header = cells if not vocabulary.find(line) else []
            lines.append("" if header else line)
        elif _RULE.fullmatch(line) is None:
            lines.append(_row(header, cells, vocabulary) or line)
    return "\n".join(lines)


def _row(header: list[str], cells: list[str], vocabulary: Vocabulary) -> str:
    """Return the statement that a row makes, or an empty text."""
    columns = [i for i, title in enumerate(header) if _OUTCOME.search(title)]
    if not columns or len(cells) != len(header):
        return ""
    outcome = columns[-1]
    name, cell = cells[0], cells[outcome]
    if outcome > 0 and vocabulary.find(name):
        if _NO.fullmatch(cell) and not _YES_SIGN.search(cell):
            return f"{name}: {DENIED}."
        return f"{name}: {AFFIRMED if _YES.fullmatch(cell) else cell}."
    if outcome > 0:
        return (
            f"{name}: {cell}." if cues.generic("channel").search(name) else f"{AFFIRMED}: {cell}."
        )
    return ""


def _without_edits(text: str, vocabulary: Vocabulary) -> str:
    """Keep of "you changed A and B to B" what it became."""
    groups = _groups(text, vocabulary)
    for group in groups[:MAX_EDITS]:
        before = text[max(0, group[0].start - 100) : group[0].start]
        if _EDIT_BEFORE.search(before) and _TO_NOTHING.match(text, group[-1].stop):
            start, stop = group[0].start, group[-1].stop
            text = text[:start] + " " * (stop - start) + text[stop:]
    edits = 0
    for old, new in pairwise(groups):
        start, stop = old[0].start, old[-1].stop
        before = text[max(0, start - 100) : start]
        between = text[stop : new[0].start]
        verb = _EDIT_BEFORE.search(before) if _TURNED_INTO.fullmatch(between) else None
        offset = start - len(before)
        if verb is None:
            verb, offset = _EDIT_BETWEEN.fullmatch(between), stop
        if verb is None or _DENIAL.search(text[max(0, offset) : offset + verb.start("verb")]):
            continue
        if (edits := edits + 1) > MAX_EDITS:
            return text
        low, high = offset + verb.start("verb"), offset + verb.end("verb")
        lead = min(low, start)
        text = text[:start] + " " * (stop - start) + text[stop:]
        text = text[:low] + "badx".ljust(high - low)[: high - low] + text[high:]
        from_ = max(0, text.rfind("\n", 0, lead), text.rfind(".", 0, lead))
        said = _PROPOSAL.sub(lambda m: " " * len(m.group()), text[from_ : new[0].start])
        text = text[:from_] + said + text[new[0].start :]
    return text


def _groups(text: str, vocabulary: Vocabulary) -> list[list[Mention]]:
    groups: list[list[Mention]] = []
    for mention in vocabulary.find(text):
        if groups and in_one_list(text, groups[-1][-1], mention):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    return groups


def _without_asides(text: str, vocabulary: Vocabulary, affirm: re.Pattern[str]) -> str:
    """Put what a bracket says of other names after its sentence: "P3 (CP1 was kept) is bad"."""
    position = 0
    for _ in range(MAX_ASIDES):
        aside = _ASIDE.search(text, position)
        if aside is None:
            break
        position = aside.end()
        said = aside.group(1)
        if not vocabulary.find(said) or not cues.polarity(said, affirm):
            continue
        if not vocabulary.find(text[max(0, aside.start() - 60) : aside.start()]):
            continue
        end = _SENTENCE_END.search(text, aside.end())
        stop = end.start() if end else len(text)
        rest = text[aside.end() : stop]
        text = f"{text[: aside.start()]} {rest}; {said}{text[stop:]}"
        position = aside.start()
    return text
