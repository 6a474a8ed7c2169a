"""What all tests share: property tests draw the same examples every time, unless asked not to."""

from __future__ import annotations

import gc
import os

import pytest
from hypothesis import settings

# how long an example takes says more of the machine than of the code
# the same examples in every run find nothing new: half of those that are drawn anew in the long one
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("random", derandomize=False, deadline=None, max_examples=100)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

# what a person has set up for runs of their own must not change what a test finds
for name in ("BRAINO_SHARED_DATA", "BRAINO_REGISTRY", "BRAINO_OFFLINE"):
    os.environ.pop(name, None)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Set thousands of collected tests aside: looking for garbage would walk through all of them.

    statsmodels, for one, looks for it in every call.
    """
    gc.collect()
    gc.freeze()
