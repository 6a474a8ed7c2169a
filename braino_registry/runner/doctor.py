"""What this computer can enforce, and why: ``braino eval doctor``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from braino_registry.runner import cgroups, computer, levels, tiers
from braino_registry.runner.sandbox import choosing
from braino_registry.runner.settings import ISOLATIONS

_GRAPHICS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dri")


def examine() -> dict[str, Any]:
    """Return what levels, engines and tiers are worth here; every engine is tried by running it.

    Returns
    -------
    dict
        ``computer``; ``isolation`` by level, with how each limit is held; ``engines``, the probes
        of all sandboxes; ``sandbox``, the engine that a run would use or None; ``ranked``, whether
        results of this computer can be ranked; ``cgroup``; ``tiers`` that fit.
    """
    probes = [choosing.probe(engine.name) for engine in choosing.engines()]
    engine = next((found.engine for found in probes if found.works), None)
    facts = computer.describe()
    return {
        "computer": facts,
        "user": "root" if os.geteuid() == 0 else "ordinary user",
        "sandbox": engine,
        "ranked": engine is not None,
        "engines": [
            {"engine": p.engine, "works": p.works, "detail": p.detail, "fix": p.fix} for p in probes
        ],
        "isolation": {name: _level(name, engine is not None) for name in ISOLATIONS},
        "cgroup": _cgroup(),
        "tiers": {name: _tier(name, facts["memory_bytes"]) for name in tiers.names()},
    }


def _level(name: str, sandboxed: bool) -> dict[str, Any]:
    """Say whether a level can be used, and how it holds the smallest tier's limits."""
    if name == "sandbox" and not sandboxed:
        return {"works": False, "holds": {}}
    return {"works": True, "holds": dict(levels.get(name).enforcement(tiers.get("minimum")))}


def _cgroup() -> dict[str, Any]:
    """Say which control groups there are and whether memory can be limited by them."""
    root = cgroups.ROOT
    if (root / "cgroup.controllers").is_file():
        held = cgroups.place() is not None
        why = "" if held else (
            "this process may make no groups: start it with "
            "`systemd-run --user --scope -p Delegate=yes`, or as root"
        )  # fmt: skip
        return {"version": 2, "memory": held, "why": why}
    why = "memory and processes are limited by version 2 only; rlimits and a watcher do it here"
    return {"version": 1 if root.is_dir() else None, "memory": False, "why": why}


def _tier(name: str, memory: int) -> dict[str, Any]:
    """Say whether this computer has what a tier promises its agents."""
    tier = tiers.get(name)
    if tier.memory_bytes is not None and memory < tier.memory_bytes:
        have, need = memory / 2**30, tier.memory_bytes / 2**30
        return {"fits": False, "why": f"{have:.0f} GiB of memory, {need:.0f} needed"}
    if tier.gpu and not any(Path(name).exists() for name in _GRAPHICS):
        return {"fits": False, "why": "no graphics processor found"}
    return {"fits": True, "why": ""}
