"""The troubles: each error is met as its class asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import pytest

from windtunnel.errors import WorldError
from windtunnel.ports.network import ChannelClosedError, UnreachableError
from windtunnel.ports.store import StoreError
from windtunnel.services.dispatcher.alarms import Alarm, Alarms
from windtunnel.services.dispatcher.troubles import Troubles

pytestmark = pytest.mark.spec("RT-X2")
Run = Callable[[Coroutine[Any, Any, None]], None]


class Met:
    """Troubles, and what they tell."""

    def __init__(self) -> None:
        self.alarms = Alarms()
        self.notes: list[tuple[str, str, str]] = []
        self.troubles = Troubles(self.alarms, self._note)

    def _note(self, kind: str, op: str, details: Mapping[str, Any]) -> None:
        assert (kind, details["party"]) == ("error.met", "dispatcher")
        self.notes.append((details["error"], details["severity"], details["reaction"]))


ROWS = [
    (TimeoutError(), ("network_timeout", "low", "next_attempt")),
    (UnreachableError(), ("network_timeout", "low", "next_attempt")),
    (ChannelClosedError(), ("network_timeout", "low", "next_attempt")),
    (StoreError(), ("store_down", "high", "degrade_local_store")),
    (MemoryError(), ("out_of_memory", "critical", "emergency")),
    (KeyError("x"), ("unknown", "medium", "degrade")),
]


@pytest.mark.parametrize(("error", "row"), ROWS, ids=lambda each: type(each).__name__)
def test_each_error_has_its_class(run: Run, error: BaseException, row: tuple[str, ...]) -> None:
    async def main() -> None:
        met = Met()
        met.troubles.met(error)
        assert met.notes == [row]

    run(main())


def test_a_store_that_is_down_is_told_once_until_it_is_back(run: Run) -> None:
    async def main() -> None:
        met = Met()
        assert met.troubles.refuse() == "the store is down"  # it was not read yet
        met.troubles.store_back()
        assert met.troubles.refuse() is None
        for _ in range(2):
            met.troubles.met(StoreError())
        assert met.troubles.refuse() == "the store is down"
        assert len(met.notes) == 1
        assert met.alarms._due == {Alarm.STORE: 1_000_000_000}
        met.troubles.store_back()
        met.troubles.met(StoreError())
        assert len(met.notes) == 2

    run(main())


def test_without_memory_nothing_new_is_taken_for_a_minute(run: Run) -> None:
    async def main() -> None:
        met = Met()
        met.troubles.store_back()
        for _ in range(2):
            met.troubles.met(MemoryError())
            await asyncio.sleep(59)
            assert met.troubles.refuse() == "out of memory"
        await asyncio.sleep(1)
        assert met.troubles.refuse() is None

    run(main())


def test_a_service_that_fails_goes_on_after_a_while(run: Run) -> None:
    async def main() -> None:
        met = Met()
        begun: list[float] = []

        async def work() -> None:
            begun.append(asyncio.get_running_loop().time())
            if len(begun) == 2:
                raise asyncio.CancelledError  # another's
            raise MemoryError

        task = asyncio.ensure_future(met.troubles.supervise(work))
        await asyncio.sleep(2.5)
        assert begun == [0, 1, 2]
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    run(main())


def test_it_does_not_outlive_its_world(run: Run) -> None:
    async def main() -> None:
        async def work() -> None:
            raise WorldError

        with pytest.raises(WorldError):
            await Met().troubles.supervise(work)

    run(main())
