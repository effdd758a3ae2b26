"""WeChatWatchdog: drain, window, kill, in this order and whatever the drain says."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from windtunnel.ports import ProcessSpec
from windtunnel.services.watchdog import WeChatWatchdog

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
