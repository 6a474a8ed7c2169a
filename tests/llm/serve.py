"""Serve a model file by OpenAI's protocol on loopback: ``python serve.py FILE PORT``."""

from __future__ import annotations

import signal
import sys

import xllamacpp


def main(file: str, port: int) -> None:
    """Serve until a signal comes."""
    options = xllamacpp.CommonParams()
    options.model.path = file
    options.hostnames = ["127.0.0.1"]
    options.port = port
    options.n_ctx = 8192
    options.n_parallel = 1
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 2
    options.verbosity = 0
    options.ui = False
    server = xllamacpp.Server(options)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    del server


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    main(sys.argv[1], int(sys.argv[2]))
