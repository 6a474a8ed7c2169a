"""Which label, and which order of labels, an answer states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.prose import Sentence, Vocabulary, sentences


def read_label(
    name: str,
    spec: Mapping[str, Any],
    text: str,
    vocabulary: Vocabulary,
    siblings: Mapping[str, Mapping[str, Any]],
) -> tuple[str | None, str]:
    """Return the label that a text states for a field, or None and why.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    text : str
        Cleaned text.
    vocabulary : Vocabulary
        Its labels.
    siblings : mapping
        The fields with labels in common, this one included.
    """
    parts = sentences(text, vocabulary)
    words = cues.pattern(cues.own_phrases(name, spec, siblings))
    stated = _stated(parts, words) if words is not None else []
    if not stated and len(siblings) == 1:
        stated = _stated(parts, None)
    distinct = list(dict.fromkeys(stated))
    if len(distinct) == 1:
        return distinct[0], ""
    if not distinct:
        return None, "the text does not say"
    return None, f"the text says {' and '.join(distinct)}"


def _stated(parts: list[Sentence], words: re.Pattern[str] | None) -> list[str]:
    """Return the labels that statements about the field do not deny, most telling first."""
    by_segment: list[str] = []
    by_sentence: list[str] = []
    for sentence in parts:
        about = words is None or words.search(sentence.text.replace("_", " ")) is not None
        about = about or (words is not None and words.search(sentence.header) is not None)
        if not about:
            continue
        for segment in sentence.segments:
            kept = [m.name for m in segment.mentions if not _denied(segment.text, segment.start, m)]
            by_sentence += kept
            if words is not None and words.search(segment.text.replace("_", " ")):
                by_segment += kept
    return by_segment or by_sentence


def _denied(text: str, start: int, mention: Any) -> bool:
    at = max(0, mention.start - start)
    before, after = (
        text[max(0, at - 80) : at],
        text[mention.stop - start : mention.stop - start + 40],
    )
    return (
        cues.aside(before)
        or re.search(r"(?:\bnot|n't|\bnor|\bneither|\bno)\s+(?:\w+\s+){0,2}$", before, re.I)
        is not None
        or re.match(r"\s*(?:is|was|does|did|can)\s*(?:not\b|n't)", after, re.I) is not None
    )


def read_sequence(
    name: str, spec: Mapping[str, Any], text: str, vocabulary: Vocabulary
) -> tuple[tuple[str, ...] | None, str]:
    """Return the order in which a text lists known names, or None and why.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    text : str
        Cleaned text; "A → B → C", "A, then B", or one per line.
    vocabulary : Vocabulary
        The names.
    """
    words = cues.pattern(cues.field_phrases(name, spec))
    runs: list[tuple[bool, list[str]]] = []
    lines: list[str] = []
    for sentence in sentences(text, vocabulary):
        found = [m.name for s in sentence.segments for m in s.mentions]
        about = words is not None and words.search(sentence.text.replace("_", " ")) is not None
        if len(found) >= 2:
            runs.append((about, found))
        elif found:
            lines += found
    if len(lines) >= 2:
        runs.append((False, lines))
    named = [found for about, found in runs if about]
    chosen = named or [found for _, found in runs]
    distinct = list(dict.fromkeys(tuple(_squeezed(found)) for found in chosen))
    if len(distinct) == 1:
        return distinct[0], ""
    return None, "the text gives more than one order" if distinct else "the text gives no order"


def _squeezed(found: list[str]) -> list[str]:
    return [n for i, n in enumerate(found) if i == 0 or n != found[i - 1]]
