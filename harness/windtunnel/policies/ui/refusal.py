"""Refusals: the errors a scheduler answers with, each with its `retry_after` in seconds.

One function per reason (UI-Q5 to Q8, Q10, Q13), so that code, message and figure stand together.
"""

from __future__ import annotations

from typing import Final, Literal

from windtunnel.errors import BridgeError, Code

Phase = Literal["queued", "running"]

QUEUE_FULL_RETRY_S: Final = 3
RATE_RETRY_S: Final = 1
NOT_READY_RETRY_S: Final = 5
_NS: Final = 1_000_000_000


def queue_full(limit: int) -> BridgeError:
    """Return the answer to a submission when `limit` entries are pending (UI-Q5)."""
    message = f"the queue is full ({limit} pending)"
    return BridgeError(Code.RATE_LIMITED, message, {"retry_after": QUEUE_FULL_RETRY_S})


def rate_exceeded(limit: int) -> BridgeError:
    """Return the answer to an action over `limit` starts a second (UI-Q6)."""
    message = f"more than {limit} actions started within one second"
    return BridgeError(Code.RATE_LIMITED, message, {"retry_after": RATE_RETRY_S})


def not_ready(left_ns: int) -> BridgeError:
    """Return the answer inside the dead window, `left_ns` before it closes (UI-Q8; HTTP 503)."""
    message = f"WeChat is restarting; the window closes in {left_ns / _NS:.1f} s"
    return BridgeError(Code.WECHAT_NOT_READY, message, {"retry_after": NOT_READY_RETRY_S})


def timed_out(pending: int, waited_ns: int, send_delay_ms: float, phase: Phase) -> BridgeError:
    """Return the answer when the caller's wait is over (UI-Q7)."""
    message = f"no result after {waited_ns / _NS:g} s ({pending} pending)"
    details = {"retry_after": max(1, int(send_delay_ms // 1000)), "phase": phase}
    return BridgeError(Code.TIMEOUT, message, details)


def stopped(phase: Phase) -> BridgeError:
    """Return the answer to callers whom `stop()` leaves without a result (UI-Q10)."""
    doing = "while the action ran" if phase == "running" else "before the action ran"
    return BridgeError(Code.STOPPED, f"the scheduler was stopped {doing}", {"phase": phase})
