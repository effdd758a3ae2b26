"""The deadline: a probe that hangs or crashes has found something bad."""

from __future__ import annotations

import threading

from doctor_kit import FAR_S
from windtunnel.errors import WindtunnelError
from windtunnel_real.doctor.deadline import look
from windtunnel_real.doctor.seen import Seen, bad, ok


def test_what_was_seen_is_passed_on() -> None:
    assert look(lambda: ok("fine"), FAR_S) == ok("fine")


def test_a_probe_that_hangs_is_bad() -> None:
    never = threading.Event()
    try:
        assert look(lambda: ok(str(never.wait())), 0.05) == bad("no answer within 0.05 s")
    finally:
        never.set()


def test_a_probe_that_crashes_is_bad_and_told_in_one_line() -> None:
    def crash() -> Seen:
        raise ZeroDivisionError("by\nzero")

    assert look(crash, FAR_S) == bad("ZeroDivisionError: by zero")


def test_an_error_that_was_made_to_be_read_is_told_as_it_is() -> None:
    def say_no() -> Seen:
        raise WindtunnelError("the display is gone")

    assert look(say_no, FAR_S) == bad("the display is gone")
