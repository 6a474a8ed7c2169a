"""The steps of a trial: what each took, and how long it may take before it counts as hung."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Phase = Callable[[str, float], None]

#: Seconds that the steps may take; a session, its own limit and this much more.
DATA_SECONDS = 3600.0
GRACE_SECONDS = 300.0
EXPECTED_SECONDS = 3600.0
SCORE_SECONDS = 600.0
#: How many times its working seconds a session may last, waits for its tools included.
WALL_FACTOR = 3.0


@dataclass
class Clock:
    """Seconds spent on each step."""

    tell: Phase
    spent: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str, allowed: float) -> Iterator[None]:
        """Take the time of a step, after telling how long it may take."""
        self.tell(name, allowed)
        began = time.monotonic()
        try:
            yield
        finally:
            self.spent[name] = round(time.monotonic() - began, 6)
