"""The kinds themselves, found because their file is in the package."""

from __future__ import annotations

from tests.registry.sample.checks import EXPECTED, kind

TEXT = {"type": "string"}
TOOL = {**TEXT, "names": ["tool"]}

kind("called", "1.0.0", {"tool": TOOL})
kind("called_before", "1.0.0", {"first": TOOL, "then": TOOL})
kind("decided", "1.0.0", {"decision": TEXT}, applied=EXPECTED)
kind("set", "1.1.0", {"field": TEXT, "expected": EXPECTED}, mode={"enum": ["exact", "f1"]})
# Describes the value itself, not where it comes from.
kind("number", "1.0.0", {"field": TEXT, "expected": {"type": "number"}, "tolerance": {}})
kind("reports_applied", "1.0.0", {"decision": TEXT})
kind("sequence", "1.0.0", {"calls": {"type": "array", "items": TEXT}})
kind("grounded", "2.0.0", {})
