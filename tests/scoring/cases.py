"""For every check kind: evidence that it accepts, and ways to cheat that it must refuse.

The same table serves the tests of the kinds and the test that disabling a kind is noticed.
"""

from __future__ import annotations

from tests.scoring.answer_cases import ANSWERS
from tests.scoring.case import Case
from tests.scoring.origin_cases import ORIGINS
from tests.scoring.process_cases import PROCESS
from tests.scoring.released_cases import RELEASED
from tests.scoring.semantic_cases import SEMANTIC

CASES: list[Case] = [*PROCESS, *ORIGINS, *ANSWERS, *SEMANTIC, *RELEASED]
