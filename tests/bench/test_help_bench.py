"""How long `windtunnel --help` takes against an interpreter that does nothing (bar: 5 times)."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

BAR = 5.0
GATE = BAR / 0.8
ROUNDS = 25


def seconds(*arguments: str) -> float:
    path = os.pathsep.join(part or str(Path.cwd()) for part in sys.path)
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - began


@pytest.mark.bench
def test_help_is_fast(figure: Callable[[str], None]) -> None:
    """The ratio of the medians of runs that take turns, so that both see the same machine."""
    for warm in (("-c", "pass"), ("-m", "windtunnel", "--help")):
        seconds(*warm)  # writes the byte code
    pairs = [(seconds("-c", "pass"), seconds("-m", "windtunnel", "--help")) for _ in range(ROUNDS)]
    bare, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = ours / bare
    report = (
        f"--help {ours * 1e3:.1f} ms, python -c pass {bare * 1e3:.1f} ms: {ratio:.2f} × (bar {BAR})"
    )
    figure(report)
    assert ratio <= GATE, report
