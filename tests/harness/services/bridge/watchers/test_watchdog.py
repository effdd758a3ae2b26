"""WeChatWatchdog: when it acts, and then drain, window, kill, whatever the drain says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import BridgeError, Code
from windtunnel.ports import ProcessSpec, Program
from windtunnel.services.bridge.watchers.watchdog import WeChatWatchdog
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


class Machine:
    """A scheduler and processes that write down what is asked of them."""

    def __init__(self, *, drained: bool = True, pids: Sequence[int] = (7,)) -> None:
        self.drained = drained
        self.pids = pids
        self.log: list[tuple[Any, ...]] = []

    async def drain(self, timeout: float) -> bool:
        self.log.append(("drain", timeout))
        return self.drained

    def mark_wechat_dead(self, duration_sec: float) -> None:
        self.log.append(("window", duration_sec))

    def pending_count(self) -> int:
        return 4

    async def find(self, name: str) -> Sequence[int]:
        self.log.append(("find", name))
        return self.pids

    async def terminate(self, id: int) -> None:  # noqa: A002 - the port's published name
        self.log.append(("terminate", id))

    async def kill(self, id: int) -> None:  # noqa: A002 - the port's published name
        raise AssertionError("the watchdog sends SIGTERM")

    async def start(self, spec: ProcessSpec) -> int:
        raise AssertionError("autostart brings it back, not the watchdog")

    async def wait_exit(self, id: int, timeout: float) -> bool:  # noqa: A002 - the port
        raise AssertionError("nobody waits")

    async def run(self, spec: ProcessSpec) -> Program:
        raise AssertionError("it runs no program")


@pytest.mark.spec("UI-W2", "UI-W3")
def test_drains_then_opens_the_window_then_kills(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine(pids=(7, 9))

    async def main() -> None:
        assert await WeChatWatchdog(machine, machine).act() is True

    run(main())
    assert machine.log == [
        *(("drain", 5.0), ("window", 15.0), ("find", "wechat")),
        *(("terminate", 7), ("terminate", 9)),
    ]
    assert not [record for record in caplog.records if record.name == "windtunnel.watchdog"]


@pytest.mark.spec("UI-W2", "UI-AC5", "UI-K3")
def test_kills_all_the_same_after_a_warning_with_the_number_pending(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine(drained=False)

    async def main() -> None:
        dog = WeChatWatchdog(machine, machine, drain_s=1.0, window_s=2.0, process="wx")
        assert await dog.act() is False

    run(main())
    assert machine.log == [("drain", 1.0), ("window", 2.0), ("find", "wx"), ("terminate", 7)]
    (warning,) = (record for record in caplog.records if record.name == "windtunnel.watchdog")
    assert warning.levelname == "WARNING"
    assert "4 actions pending" in warning.getMessage()


@pytest.mark.spec("UI-W4")
def test_without_a_scheduler_it_kills_at_once(run: Run) -> None:
    machine = Machine()

    async def main() -> None:
        assert await WeChatWatchdog(None, machine).act() is True

    run(main())
    assert machine.log == [("find", "wechat"), ("terminate", 7)]


# ---------------------------------------------------------------- looking


@pytest.mark.spec("UI-W1")
@given(looks=st.lists(st.sampled_from(["alive", "no process", "no window", "raises"]), max_size=12))
def test_for_all_sequences_of_looks_it_acts_after_two_failures_in_a_row(
    make_world: Callable[[], Any], looks: list[str]
) -> None:
    """One look every 10 s from the start; acting begins the count anew."""
    world = make_world()
    window = world.desktop.shown
    left = list(looks)
    looked: list[float] = []

    async def find(name: str) -> Sequence[int]:
        if acting_now:
            return [100]
        looked.append(asyncio.get_running_loop().time())
        look = left.pop(0) if left else "alive"
        world.desktop.shown = None if look == "no window" else window
        if look == "raises":
            raise OSError("no pgrep")
        return [] if look == "no process" else [100]

    acting_now: list[bool] = []

    def note(kind: str, op: str, details: Any) -> None:
        world.note(kind, op, details)
        if kind == "watchdog.acted":
            acting_now.append(True)

    world.processes.find = find

    async def main() -> None:
        dog = WeChatWatchdog(
            None, world.processes, world.desktop, note=note, killed=acting_now.clear
        )
        dog.loop.start()
        await asyncio.sleep(10 * len(looks) + 5)
        await dog.loop.stop()

    run_simulated(main())
    assert looked == [10.0 * n for n in range(len(looks) + 1)]
    expected: list[Any] = []
    failed = 0
    for look in [*looks, "alive"]:
        failed = 0 if look == "alive" else failed + 1
        expected.append(("watchdog.looked", "", {"alive": look == "alive"}))
        if failed == 2:
            expected.append(("watchdog.acted", "", {"failed": 2}))
            failed = 0
    assert world.notes == expected
    acts = sum(kind == "watchdog.acted" for kind, _, _ in world.notes)
    assert world.processes.log == [("terminate", 100)] * acts


@pytest.mark.spec("UI-W1", "UI-C2")
def test_looking_touches_nothing_and_waits_for_nothing(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.lock.acquire()
        assert await bridge.watchdog.look() is False
        world.processes.pids["wechat"] = []
        assert await bridge.watchdog.look() is False
        assert await bridge.watchdog.look() is True
        assert asyncio.get_running_loop().time() == 0

    run(main())
    assert world.desktop.log == []
    assert world.processes.log == []


@pytest.mark.spec("UI-W1")
def test_an_unmapped_window_is_a_failed_look(run: Run, world: Any) -> None:
    world.desktop.shown = replace(world.desktop.shown, mapped=False)

    async def main() -> None:
        await world.bridge().watchdog.look()

    run(main())
    assert world.notes == [("watchdog.looked", "", {"alive": False})]


# ---------------------------------------------------------------- acting


@pytest.mark.spec("UI-W6")
def test_it_tells_of_the_kill_after_the_kill(run: Run) -> None:
    machine = Machine()

    async def main() -> None:
        dog = WeChatWatchdog(machine, machine, killed=lambda: machine.log.append(("killed",)))
        await dog.act()

    run(main())
    assert machine.log[-2:] == [("terminate", 7), ("killed",)]


@pytest.mark.spec("UI-W6")
def test_it_tells_of_a_kill_whose_command_fails_and_of_none_where_nothing_lived(run: Run) -> None:
    told: list[str] = []
    machine = Machine(pids=())

    async def terminate(pid: int) -> None:
        raise BridgeError(Code.TIMEOUT, "sent, and then not over in time")

    machine.terminate = terminate  # type: ignore[method-assign,assignment]

    async def main() -> None:
        dog = WeChatWatchdog(machine, machine, killed=lambda: told.append("killed"))
        await dog.act()
        assert told == []
        machine.pids = (7,)
        with pytest.raises(BridgeError):
            await dog.act()
        assert told == ["killed"]

    run(main())


@pytest.mark.spec("UI-K3")
@pytest.mark.parametrize("fault", ["hangs", "raises", "is cancelled"])
def test_a_drain_that_hangs_or_raises_holds_it_6_s_at_most(
    run: Run, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    machine = Machine()

    async def drain(timeout: float) -> bool:
        if fault == "raises":
            raise RuntimeError("no drain today")
        if fault == "is cancelled":
            raise asyncio.CancelledError
        await asyncio.Event().wait()
        return True

    machine.drain = drain  # type: ignore[method-assign] # somebody else's drain

    async def main() -> None:
        assert await WeChatWatchdog(machine, machine).act() is False
        assert asyncio.get_running_loop().time() == (6.0 if fault == "hangs" else 0.0)

    run(main())
    assert machine.log == [("window", 15.0), ("find", "wechat"), ("terminate", 7)]
    assert "4 actions pending" in caplog.text
