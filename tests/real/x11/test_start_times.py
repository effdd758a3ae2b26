"""Start times: the same for one process, another for the next with its number."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from windtunnel_real.x11.start_times import started_ns

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def test_it_is_told_since_the_start_of_the_machine() -> None:
    before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    made = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    after = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    try:
        found = started_ns(made.pid)
        assert before - TICK_NS <= found <= after
        assert found == started_ns(made.pid)
    finally:
        made.communicate()


def test_a_process_that_is_gone_has_none() -> None:
    made = subprocess.Popen([sys.executable, "-c", ""])
    made.wait()
    assert started_ns(made.pid) == 0


def test_a_name_with_brackets_and_blanks_is_no_hindrance(tmp_path: object) -> None:
    code = "import ctypes; ctypes.CDLL(None).prctl(15, b') 1 2 (x)', 0, 0, 0); print(); input()"
    made = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert made.stdout is not None
    made.stdout.readline()
    try:
        assert abs(started_ns(made.pid) - started_ns(os.getpid())) < 3600 * 10**9
        assert started_ns(made.pid) >= started_ns(os.getpid())
    finally:
        made.communicate()
