"""The process table: live, zombie, reaped; signals; numbers that are never used again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.canonical import check_event
from windtunnel.trace import Trace
from windtunnel_models.access import AccessLog
from windtunnel_models.machine.process_table import (
    FIRST_PID,
    SIGKILL,
    SIGTERM,
    Process,
    ProcessTable,
)


def make(**hooks: Any) -> ProcessTable:
    return ProcessTable(AccessLog(), Trace(lambda: 0), **hooks)


def events(table: ProcessTable) -> list[tuple[str, str, int]]:
    for event in table.trace:
        check_event(event)
    return [(event.kind, event.resource, event.details["pid"]) for event in table.trace]


def test_what_has_run_before_the_run_is_no_event() -> None:
    table = make()
    process = table.add("wechat")
    assert process.pid == FIRST_PID
    assert list(table.live("wechat")) == [process]
    assert list(table.live("we")) == []
    assert events(table) == []


@pytest.mark.parametrize("signal", [SIGKILL, SIGTERM])
def test_one_that_nobody_waits_for_is_gone_when_it_ends(signal: int) -> None:
    table = make()
    process = table.start("wechat")
    table.signal(process.pid, signal)
    table.signal(process.pid, signal)
    table.signal(99, signal)
    table.exit(process)
    assert table.get(process.pid) is None
    assert (process.state, process.status, process.over.is_set()) == ("reaped", -signal, True)
    assert table.reap(process) == -signal
    assert events(table) == [
        ("process.started", "wechat", 1000),
        ("process.killed", "wechat", 1000),
    ]


def test_a_child_is_a_zombie_until_it_is_reaped() -> None:
    table = make()
    process: Any = table.start("scrot", is_child=True)
    assert table.reap(process) == 0
    assert process.state == "live"
    table.exit(process, 3)
    assert process.state == "zombie"
    assert table.get(process.pid) == process
    assert list(table.live("scrot")) == []
    table.signal(process.pid, SIGKILL)
    assert [table.reap(process), table.reap(process)] == [3, 3]
    assert table.get(process.pid) is None
    assert [kind for kind, _, _ in events(table)] == [
        "process.started",
        "process.exited",
        "process.reaped",
    ]


def test_one_that_hangs_heeds_only_the_kill() -> None:
    table = make()
    process = table.start("scrot", is_child=True)
    process.heeds_terminate = False
    table.signal(process.pid, SIGTERM)
    assert process.state == "live"
    table.signal(process.pid, SIGKILL)
    assert process.status == -SIGKILL


def test_hooks_are_told_after_the_record() -> None:
    told: list[tuple[str, int, int]] = []

    def tell(what: str) -> Callable[[Process], None]:
        return lambda process: told.append((what, process.pid, len(table.trace)))

    table = make(on_start=tell("start"), on_end=tell("end"))
    table.add("xvfb")
    process = table.start("wechat")
    process.on_end = tell("own end")
    table.exit(process)
    assert told == [("start", 1001, 1), ("own end", 1001, 2), ("end", 1001, 2)]


@given(st.lists(st.sampled_from(["start", "child", "kill", "exit", "reap"]), max_size=40))
def test_states_only_go_forward_and_numbers_are_never_used_again(steps: list[str]) -> None:
    table = make()
    all_: list[Process] = []
    for step in steps:
        live = [each for each in all_ if each.state == "live"]
        match step:
            case "start" | "child":
                all_.append(table.start("wechat", is_child=step == "child"))
            case "kill" if live:
                table.signal(live[0].pid, SIGKILL)
            case "exit" if live:
                table.exit(live[-1])
            case "reap" if all_:
                table.reap(all_[0])
            case _:
                pass
        assert list(table.live("wechat")) == [each for each in all_ if each.state == "live"]
    assert [each.pid for each in all_] == list(range(FIRST_PID, FIRST_PID + len(all_)))
    kinds: dict[int, list[str]] = {}
    for kind, _, pid in events(table):
        kinds.setdefault(pid, []).append(kind.removeprefix("process."))
    for process in all_:
        story = kinds[process.pid]
        assert len(story) == len(set(story))
        ends = {"live": 1, "zombie": 2, "reaped": 3 if process.is_child else 2}
        assert len(story) == ends[process.state]


def test_each_step_reports_its_access(hearing: Callable[..., Any]) -> None:
    table = make()
    process = table.start("scrot", is_child=True)
    with hearing(table.log) as heard:
        list(table.live("scrot"))
        table.get(1)
        assert heard == [("processes", "read")] * 2
        table.exit(process)
        assert ("processes", "write") in heard
