"""How work grows with its input, told so that a busy machine cannot change the verdict.

A single measurement of processor time can be wrong by any factor: the machine may be shared, the
garbage of other tests collected, a library loaded. What is too slow by its nature is too slow
every time, so the verdict is over the best of many attempts, and ends with the first good one.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

#: Attempts before the verdict is "it grows too fast".
ATTEMPTS = 12


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of some work, without collecting the garbage of others."""
    gc.disable()
    try:
        began = time.process_time()
        work()
        return time.process_time() - began
    finally:
        gc.enable()


def within(work: Callable[[], object], allowed: Callable[[], float]) -> bool:
    """Tell whether some work ever takes no longer than is allowed, which is measured each time."""
    return any(seconds(work) <= allowed() for _ in range(ATTEMPTS))


def grows_linearly(work: Callable[[int], object], size: int, factor: int = 8) -> bool:
    """Tell whether ``factor`` times the input takes less than 2.5 times as much more time.

    Quadratic work takes ``factor`` times as much more: it fails every attempt.
    """
    return within(
        lambda: work(factor * size),
        lambda: 2.5 * factor * seconds(lambda: work(size)) + 0.02,
    )
