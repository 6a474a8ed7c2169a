"""Seeds: one per trial, all from the seed of the run.

An agent that draws at random draws the same in the same trial of two runs with the same seed,
and something else in every repeat. Nothing that is planted in data comes from these numbers.
"""

from __future__ import annotations

import hashlib
import json

#: What every generator of random numbers takes as a seed.
LARGEST = 2**32 - 1


def of_trial(run: int, task: str, instance: str, repeat: int) -> int:
    """Return the seed of one trial.

    It depends on nothing but these, hence not on the order in which trials are run, on how many
    at a time, or on the other tasks of the run.

    Parameters
    ----------
    run : int
        The seed of the run.
    task, instance, repeat : str, str, int
        Which trial.

    Returns
    -------
    int
        From 0 to ``LARGEST``: the first four bytes of a sha256.
    """
    text = json.dumps(["braino-trial-seed/1", run, task, instance, repeat])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
