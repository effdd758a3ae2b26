"""PluggedScheduler: fitted by what the signatures of a class have."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.errors import PluginError
from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel_models import run as run_simulated

SETTINGS = {"send_delay_ms": 10, "max_calls_per_sec": 20, "max_queue_size": 30}


class Base:
    """Takes actions in and remembers how it was made."""

    made: dict[str, Any]

    async def execute(self, action: Any) -> Any:
        return await action()


class Unmarked(Base):
    def mark_wechat_dead(self) -> None:
        """Take no duration."""


class ByName(Base):
    async def drain(self, *, timeout: float) -> bool:
        return timeout > 0


class Asks(Base):
    def get_metrics(self, of: str) -> dict[str, int]:
        return {of: 1}


class Bent(Base):
    """Its methods are of C and tell no signature, or take anything."""

    drain = max

    def mark_wechat_dead(self, *args: float, **others: float) -> None:
        """Take what comes."""


class Nothing(Base):
    def __init__(self) -> None:
        self.made = {}


class KeywordOnly(Base):
    def __init__(self, *, max_queue_size: int, colour: str = "red") -> None:
        self.made = {"max_queue_size": max_queue_size, "colour": colour}


class Anything(Base):
    def __init__(self, **figures: int) -> None:
        self.made = figures


class Some(Base):
    def __init__(self, send_delay_ms: int, other: int = 4) -> None:
        self.made = {"send_delay_ms": send_delay_ms, "other": other}


class DefaultPositional(Base):
    def __init__(self, send_delay_ms: int = 1, /, max_calls_per_sec: int = 2) -> None:
        self.made = {"send_delay_ms": send_delay_ms, "max_calls_per_sec": max_calls_per_sec}


class NeedsPositional(Base):
    def __init__(self, send_delay_ms: int, /) -> None:
        self.made = {}


class NeedsMore(Base):
    def __init__(self, display: object) -> None:
        self.made = {}


class Raises(Base):
    def __init__(self, send_delay_ms: int) -> None:
        raise OSError("no display")


class TakesNoActions:
    """Neither `execute` nor `enqueue`."""


class NotCallable:
    execute = "soon"


@pytest.mark.parametrize(
    ("kind", "made", "settings"),
    [
        (Nothing, {}, set()),
        (KeywordOnly, {"max_queue_size": 30, "colour": "red"}, {"max_queue_size"}),
        (Anything, SETTINGS, set(SETTINGS)),
        (Some, {"send_delay_ms": 10, "other": 4}, {"send_delay_ms"}),
        (DefaultPositional, {"send_delay_ms": 1, "max_calls_per_sec": 20}, {"max_calls_per_sec"}),
    ],
)
def test_a_constructor_gets_what_it_takes(
    kind: type[Base], made: dict[str, Any], settings: set[str]
) -> None:
    plugged = PluggedScheduler(kind, SETTINGS)
    assert plugged.instance.made == made
    assert plugged.settings == settings
    assert plugged.name == kind.__qualname__


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (NeedsPositional, "NeedsPositional cannot be made with no arguments: TypeError"),
        (NeedsMore, "NeedsMore cannot be made with no arguments: TypeError: .*display"),
        (Raises, "Raises cannot be made with send_delay_ms: OSError: no display"),
        (TakesNoActions, "TakesNoActions has neither `execute` nor `enqueue`"),
        (NotCallable, "NotCallable has neither `execute` nor `enqueue`"),
        ("a text", "'a text' is not a class"),
        (Unmarked, r"Unmarked\.mark_wechat_dead is called with its duration in seconds, by pos"),
        (ByName, r"ByName\.drain is called with its timeout in seconds, by position: too many"),
        (Asks, r"Asks\.get_metrics is called with no arguments: missing a required .*'of'"),
    ],
)
def test_a_class_that_cannot_be_used(kind: Any, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        PluggedScheduler(kind, SETTINGS)


def test_methods_that_take_anything_or_do_not_tell_will_do() -> None:
    plugged = PluggedScheduler(Bent, SETTINGS)
    assert plugged.has("drain")
    assert plugged.has("mark_wechat_dead")


def test_a_function_that_makes_one_will_do() -> None:
    def make(send_delay_ms: int) -> Base:
        return Some(send_delay_ms)

    assert PluggedScheduler(make, SETTINGS).instance.made["send_delay_ms"] == 10


# ------------------------------------------------------------------ submission


class Recorder:
    """Both ways in, with different arguments."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def execute(self, action: Any, *, priority: int = 2, trace_id: str = "") -> str:
        self.calls.append(("execute", priority, trace_id))
        return "executed"

    def enqueue(self, action: Any, **figures: Any) -> str:
        self.calls.append(("enqueue", figures))
        return "enqueued"


class EnqueueOnly:
    async def enqueue(self, action: Callable[[], Any]) -> None:
        """Take an action in."""


ARGUMENTS = {"priority": 0, "delay_ms": None, "wait_timeout_ms": 5, "trace_id": "t"}


def test_a_submission_carries_what_the_method_takes_and_what_was_given() -> None:
    plugged = PluggedScheduler(Recorder, SETTINGS)
    assert plugged.submit(print, "execute", ARGUMENTS) == "executed"
    assert plugged.submit(print, "enqueue", ARGUMENTS) == "enqueued"
    assert plugged.instance.calls == [
        ("execute", 0, "t"),
        ("enqueue", {"priority": 0, "wait_timeout_ms": 5, "trace_id": "t"}),
    ]


@pytest.mark.parametrize(
    ("via", "argument", "takes"),
    [
        ("execute", "priority", True),
        ("execute", "delay_ms", False),
        ("enqueue", "delay_ms", True),
        ("enqueue", "colour", False),
    ],
)
def test_what_a_method_takes(via: str, argument: str, takes: bool) -> None:
    assert PluggedScheduler(Recorder, {}).takes(argument, via) is takes


def test_a_submission_goes_the_other_way_where_one_is_missing() -> None:
    only = PluggedScheduler(EnqueueOnly, {})
    assert [only.via(way) for way in ("execute", "enqueue")] == ["enqueue", "enqueue"]
    both = PluggedScheduler(Recorder, {})
    assert [both.via(way) for way in ("execute", "enqueue")] == ["execute", "enqueue"]


@pytest.mark.spec("UI-Q14", "UI-Q16")
@pytest.mark.parametrize(
    ("kind", "lacks"),
    [
        (UIActionScheduler, set()),
        (
            SendQueue,
            {"execute", "drain", "get_metrics", "mark_wechat_dead", "mark_wechat_ready"},
        ),
    ],
)
def test_our_own_are_recognised_by_what_they_have(kind: type[Any], lacks: set[str]) -> None:
    plugged = PluggedScheduler(kind, SETTINGS)
    names = {
        *("execute", "enqueue", "start", "stop", "pending_count", "observe"),
        *("drain", "get_metrics", "mark_wechat_dead", "mark_wechat_ready"),
    }
    assert {name for name in names if not plugged.has(name)} == lacks


# ------------------------------------------------------------------ the other methods


class Mixed(Base):
    def __init__(self) -> None:
        self.log: list[str] = []

    def start(self) -> str:
        self.log.append("plain")
        return "started"

    async def stop(self) -> str:
        await asyncio.sleep(0)
        self.log.append("asynchronous")
        return "stopped"


def test_optional_methods_may_be_plain_asynchronous_or_missing() -> None:
    async def main() -> None:
        plugged = PluggedScheduler(Mixed, {})
        told = [await plugged.call(name) for name in ("start", "stop", "drain")]
        assert told == ["started", "stopped", None]
        assert plugged.instance.log == ["plain", "asynchronous"]

    run_simulated(main())


class PriorityFirst:
    def enqueue(self, priority: int, action: Any, delay: float = 0) -> Any:
        """Take the priority by position."""


class ByPositionOnly:
    def execute(self, action: Any, priority: int, /) -> Any:
        """Take all by position."""


class NeedsADeadline:
    def execute(self, action: Any, *, deadline: float) -> Any:
        """Need what no scenario gives."""


@pytest.mark.parametrize("kind", [PriorityFirst, ByPositionOnly, NeedsADeadline])
def test_a_method_that_cannot_take_a_submission_is_told_at_once(kind: type[Any]) -> None:
    with pytest.raises(PluginError, match=r"cannot take an action in: .*'\w+'; it is called with"):
        PluggedScheduler(kind, SETTINGS)


class OneThatFits(NeedsADeadline):
    async def enqueue(self, factory: Any) -> Any:
        return await factory()


def test_a_method_that_does_not_fit_is_passed_over_where_the_other_does() -> None:
    plugged = PluggedScheduler(OneThatFits, SETTINGS)
    assert plugged.via("execute") == "enqueue"


class Broken(Base):
    def start(self) -> None:
        raise ValueError("no display")


def test_a_start_that_fails_is_the_schedulers_fault() -> None:
    plugged = PluggedScheduler(Broken, SETTINGS)
    with pytest.raises(PluginError, match=r"Broken\.start raised ValueError: no display"):
        run_simulated(plugged.manage("start"))
