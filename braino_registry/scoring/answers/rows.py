"""A sentence as a row of numbers and of phrases that name fields, some of them already told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Generic, TypeVar

V = TypeVar("V")
_CLAUSE_END = re.compile(r"[.;,:)\n]")


@dataclass(frozen=True, slots=True)
class Token(Generic[V]):
    """A number or a phrase that names a field, at its place in a sentence."""

    start: int
    stop: int
    field: str | None = None
    value: V | None = None


@dataclass(slots=True)
class Row(Generic[V]):
    """The tokens of one sentence that are not yet told, and what is."""

    text: str
    tokens: list[Token[V]]
    given: list[tuple[V, str]]

    def tell(self, number: Token[V], field: str | None) -> None:
        """Give a number to a field, or to none."""
        if field is not None and number.value is not None:
            self.given.append((number.value, field))
        self.drop(number)

    def drop(self, *tokens: Token[V] | None) -> None:
        """Take tokens out of the row."""
        self.tokens = [t for t in self.tokens if all(t is not other for other in tokens)]

    def between(self, one: Token[V], two: Token[V]) -> str:
        """Return the text between two tokens."""
        return self.text[one.stop : two.start]

    def after(self, token: Token[V]) -> Token[V] | None:
        """Return the next token of the row."""
        return next((t for t in self.tokens if t.start >= token.stop), None)

    def before(self, token: Token[V]) -> Token[V] | None:
        """Return the token before."""
        return next((t for t in reversed(self.tokens) if t.stop <= token.start), None)

    def numbers(self) -> list[Token[V]]:
        """Return the numbers that are not yet told."""
        return [t for t in self.tokens if t.field is None]

    def lead(self, token: Token[V]) -> str:
        """Return the last words before a token."""
        return self.text[max(0, token.start - 30) : token.start]

    def clause(self, token: Token[V]) -> int:
        """Return where the clause of a token ends."""
        end = _CLAUSE_END.search(self.text, token.stop)
        return end.start() if end else len(self.text)
