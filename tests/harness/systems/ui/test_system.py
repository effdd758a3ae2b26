"""The plug-in `ui`: its vocabulary, and the class that each wiring is built with."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from windtunnel.builtin import load_plugin
from windtunnel.errors import PluginError
from windtunnel.policies.ui.ui_options import SPECIFIED
from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel.systems.ui import UISystem
from windtunnel.systems.ui.given import Given, Policy


def test_is_the_builtin_of_its_name() -> None:
    assert load_plugin("systems", "ui") is UISystem
    assert UISystem.name == "ui"


def test_the_policies_are_options_over_the_defaults() -> None:
    assert UISystem().policies.keys() == {"specified"}
    for options in UISystem().policies.values():
        assert Policy(**options).model_dump() == dataclasses.asdict(SPECIFIED)


@pytest.mark.spec("UI-C1", "UI-C6")
@pytest.mark.parametrize(
    ("wiring", "kind"),
    [("before", SendQueue), ("phase1", UIActionScheduler), ("after", UIActionScheduler)],
)
def test_the_scheduler_of_each_wiring(kit: Any, wiring: str, kind: type[object]) -> None:
    system = UISystem().build(kit.bench({"wiring": wiring}).setup)
    assert type(system.scheduler._plugged.instance) is kind


def test_the_policy_reaches_the_scheduler(kit: Any) -> None:
    bench = kit.bench({"scheduler": {"max_queue_size": 7}}, policy=Policy(order="fifo"))
    worker = UISystem().build(bench.setup).scheduler._plugged.instance._worker
    assert worker._max_queue == 7
    assert worker._queue._rank(None) == 0


def test_a_foreign_class_takes_its_place_in_every_wiring(kit: Any) -> None:
    for wiring in ("before", "phase1", "after"):
        bench = kit.bench({"wiring": wiring}, scheduler="heap_scheduler:HeapScheduler")
        assert UISystem().build(bench.setup).scheduler._plugged.name == "HeapScheduler"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("heap_scheduler", "is not of the form module:Class"),
        ("no_such_module:Class", "cannot import 'no_such_module'"),
        ("heap_scheduler:Missing", "has no 'Missing'"),
        ("heap_scheduler:count", "has neither `execute` nor `enqueue`"),
    ],
)
def test_a_class_that_cannot_be_used_is_named(kit: Any, target: str, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        UISystem().build(kit.bench(scheduler=target).setup)


def test_a_part_of_a_millisecond_is_kept(kit: Any) -> None:
    for delay, expected in (("3s", 3000), ("1500us", 1.5)):
        bench = kit.bench({"scheduler": {"send_delay": delay}})
        worker = UISystem().build(bench.setup).scheduler._plugged.instance._worker
        assert worker._send_delay_ms == expected
        assert type(worker._send_delay_ms) is type(expected)


def test_args_may_be_left_out_where_no_flow_needs_them() -> None:
    given = Given.model_validate(
        {"actions": {"send_text": {"duration": "1s"}, "like": {"delay_after": "1s"}}}
    )
    system = UISystem()
    assert system.args_optional(given, "send_text")
    assert not system.args_optional(given, "like")
    assert not system.args_optional(given, "revoke")


@pytest.mark.parametrize("call", ["route.send_text", "orchestrator.send_text"])
def test_so_of_a_call_that_sends(call: str) -> None:
    given = Given.model_validate({"actions": {"send_text": {"commands": []}}})
    assert UISystem().args_optional(given, call)
    assert not UISystem().args_optional(Given(), call)


def test_commands_are_named_with_repeats() -> None:
    assert UISystem().commands(Given(), "logout").count("key_down") == 2


def test_what_the_loops_bring_about_by_themselves() -> None:
    def brought_about(**running: bool) -> frozenset[str]:
        return UISystem().background(Given.model_validate({"background": running}))

    assert brought_about() == frozenset()
    assert brought_about(watchdog=True, login_guard=False) == {"watchdog"}
    assert brought_about(friend_watcher=True) == {"friend_watcher", "accept_friend"}


def test_batches_are_calls() -> None:
    assert UISystem().batches <= UISystem().calls.keys()


def test_what_a_call_brings_about_can_be_submitted() -> None:
    system = UISystem()
    assert system.brings.keys() <= system.calls.keys()
    for classes in system.brings.values():
        assert classes <= system.submits.keys()
