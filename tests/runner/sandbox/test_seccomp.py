"""The filter is a sound BPF program: every path ends, and ends as it should."""

from __future__ import annotations

import struct

import pytest

from braino_registry.runner.sandbox import seccomp

ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026


def decide(text: bytes, number: int, arch: int, argument: int = 0) -> int:
    """Run the filter on one system call, as the kernel's interpreter would."""
    lines = [struct.unpack_from("=HBBI", text, at) for at in range(0, len(text), 8)]
    data = {0: number, 4: arch, 16: argument}
    at, loaded = 0, 0
    while True:
        code, true, false, value = lines[at]
        at += 1
        if code == 0x20:
            loaded = data[value]
        elif code == 0x15:
            at += true if loaded == value else false
        elif code == 0x45:
            at += true if loaded & value else false
        elif code == 0x06:
            return int(value)
        else:
            raise AssertionError(f"unknown instruction {code:#x}")


@pytest.mark.parametrize(("machine", "arch"), [("x86_64", 0xC000003E), ("aarch64", 0xC00000B7)])
def test_calls_are_decided(machine: str, arch: int) -> None:
    text = seccomp.program(machine)
    assert text is not None
    mount, read, clone = {"x86_64": (165, 0, 56), "aarch64": (40, 63, 220)}[machine]
    assert decide(text, mount, arch) == EPERM
    for number in {"x86_64": (29, 68), "aarch64": (194, 186)}[machine]:  # shmget, msgget
        assert decide(text, number, arch) == EPERM
    assert decide(text, read, arch) == ALLOW
    assert decide(text, clone, arch, 0x11) == ALLOW
    assert decide(text, clone, arch, 0x10000011) == EPERM
    assert decide(text, 435, arch) == ENOSYS
    assert decide(text, read, 0x40000003) == KILL


def test_x32_numbers_are_refused() -> None:
    text = seccomp.program("x86_64")
    assert text is not None
    assert decide(text, 0x40000000 | 165, 0xC000003E) == ENOSYS


def test_an_unknown_architecture_has_no_filter() -> None:
    assert seccomp.program("riscv64") is None
