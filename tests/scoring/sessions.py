"""Pieces of transcripts that several tables use."""

from __future__ import annotations

from tests.scoring.evidence import decide

NOTCH_50 = decide("set-preprocessing", {"notch": 60.0}, "edited", {"notch": 50.0})
