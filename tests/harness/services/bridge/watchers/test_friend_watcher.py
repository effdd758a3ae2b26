"""FriendRequestWatcher: one acceptance per request, tried again while it is open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import BridgeError, Code
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


def accepting(world: Any, seconds: float = 1.0, outcomes: Any = ()) -> Any:
    """Stand for the flow: takes the oldest request off the list, or fails as told."""
    left = list(outcomes)

    async def accept(backend: Any, args: Any) -> None:
        await asyncio.sleep(seconds)
        if left and not left.pop(0):
            raise BridgeError(Code.TARGET_NOT_FOUND, "no button")
        world.records.requests.remove(args["to"])
        accepted.append(args["to"])

    accepted: list[str] = []
    accept.accepted = accepted  # type: ignore[attr-defined] # for the tests to read
    return accept


@pytest.mark.spec("UI-C1", "UI-R1")
@pytest.mark.parametrize(
    ("wiring", "way", "expected"),
    [
        ("before", "queued", "enqueue"),
        ("phase1", "queued", "enqueue"),
        ("after", "queued", "HIGH"),
        ("before", "direct", "direct"),
        ("phase1", "direct", "direct"),
        ("after", "direct", "direct"),
    ],
)
def test_how_it_accepts_in_each_wiring(
    run: Run, world: Any, wiring: str, way: str, expected: str
) -> None:
    flow = accepting(world)
    world.records.requests = ["anna"]

    async def main() -> None:
        bridge = world.bridge(wiring, friend_watcher=way, flows={"accept_friend": flow})
        seen = world.finished(bridge)
        await bridge.start()
        assert await bridge.friend_watcher.poll() == 1
        await asyncio.sleep(2)
        priority = {"enqueue": ["NORMAL"], "HIGH": ["HIGH"], "direct": []}[expected]
        assert seen == priority
        await bridge.stop()

    run(main())
    assert flow.accepted == ["anna"]


@pytest.mark.spec("UI-C1")
@given(
    arrivals=st.lists(st.integers(0, 20), max_size=6),
    outcomes=st.lists(st.booleans(), max_size=4),
    seconds=st.sampled_from([0.0, 0.5, 1.0, 2.5, 5.0]),
    way=st.sampled_from(["queued", "direct"]),
)
def test_for_all_arrivals_and_failures_each_request_is_accepted_once(
    make_world: Callable[[], Any],
    arrivals: list[int],
    outcomes: list[bool],
    seconds: float,
    way: str,
) -> None:
    world = make_world()
    flow = accepting(world, seconds, outcomes)

    async def main() -> None:
        bridge = world.bridge(
            services=frozenset({"friend_watcher"}),
            friend_watcher=way,
            flows={"accept_friend": flow},
        )
        loop = asyncio.get_running_loop()
        for number, at in enumerate(arrivals):
            loop.call_later(at, world.records.requests.append, f"friend-{number}")
        await bridge.start()
        await asyncio.sleep(400)
        await bridge.stop()

    run_simulated(main())
    assert sorted(flow.accepted) == [f"friend-{number}" for number in range(len(arrivals))]
    assert world.records.requests == []


def test_while_one_is_under_way_no_other_is_submitted(run: Run, world: Any) -> None:
    """The caller's wait ends after 30 s; the flow goes on, and so does the watch over it."""
    world.records.requests = ["anna"]
    flow = accepting(world, seconds=60.0)

    async def main() -> None:
        bridge = world.bridge(flows={"accept_friend": flow})
        await bridge.start()
        assert [await bridge.friend_watcher.poll() for _ in range(3)] == [1, 0, 0]
        await asyncio.sleep(40)
        assert await bridge.friend_watcher.poll() == 0
        await asyncio.sleep(21)
        assert flow.accepted == ["anna"]
        world.records.requests = ["anna"]  # asks again
        assert await bridge.friend_watcher.poll() == 1
        await bridge.stop()

    run(main())


@pytest.mark.spec("UI-Q8")
def test_a_refused_one_is_tried_again(
    run: Run, world: Any, caplog: pytest.LogCaptureFixture
) -> None:
    world.records.requests = ["anna"]
    flow = accepting(world)

    async def main() -> None:
        bridge = world.bridge(services=frozenset({"friend_watcher"}), flows={"accept_friend": flow})
        await bridge.start()
        bridge._scheduler.mark_wechat_dead(7)
        await asyncio.sleep(8)
        assert flow.accepted == []
        await asyncio.sleep(3)
        assert flow.accepted == ["anna"]
        await bridge.stop()

    run(main())
    assert caplog.text.count("failed, again in") == 2  # at 0 and 3 s; at 9 s it succeeds


def test_the_pause_doubles_with_each_failure_and_starts_anew_after_a_success(
    run: Run, world: Any
) -> None:
    world.records.requests = ["anna"]
    tries: list[float] = []
    fails = True

    async def flow(*_: Any) -> None:
        tries.append(asyncio.get_running_loop().time())
        if fails:
            raise BridgeError(Code.TARGET_NOT_FOUND, "no button")
        world.records.requests = []

    async def main() -> None:
        nonlocal fails
        bridge = world.bridge(services=frozenset({"friend_watcher"}), flows={"accept_friend": flow})
        await bridge.start()
        await asyncio.sleep(1900)
        fails = False
        await asyncio.sleep(400)
        assert world.records.requests == []
        fails, world.records.requests = True, ["anna"]
        await asyncio.sleep(10)
        await bridge.stop()

    run(main())
    pauses = [late - early for early, late in pairwise(tries)]
    growing = [3, 6, 12, 24, 48, 96, 192]
    assert pauses[:7] == growing
    assert set(pauses[7:12]) == {300}  # never longer
    assert pauses[-2:] == [3, 6]


def test_a_scheduler_that_refuses_by_raising_is_tried_again(run: Run, world: Any) -> None:
    world.records.requests = ["anna"]

    async def main() -> None:
        bridge = world.bridge(flows={"accept_friend": accepting(world)})
        watcher = bridge.friend_watcher

        def refuse(*_: Any, **__: Any) -> None:
            raise RuntimeError("full")

        bridge.dispatch._execute, kept = refuse, bridge.dispatch._execute
        assert await watcher.poll() == 1
        bridge.dispatch._execute = kept
        assert await watcher.poll() == 0, "it is left alone for a period"
        await asyncio.sleep(3)
        assert await watcher.poll() == 1
        await bridge.friend_watcher.stop()

    run(main())


@pytest.mark.spec("UI-C2")
def test_looking_neither_queues_nor_touches_the_display(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.lock.acquire()
        assert await bridge.friend_watcher.poll() == 0
        assert bridge.status()["send_queue_pending"] == 0

    run(main())
    assert world.desktop.log == []
    assert world.records.reads == 1


@pytest.mark.parametrize("way", ["queued", "direct"])
def test_stop_withdraws_what_is_not_over(run: Run, world: Any, way: str) -> None:
    world.records.requests = ["anna", "ben"]
    flow = accepting(world, 20.0)

    async def main() -> None:
        bridge = world.bridge(friend_watcher=way, flows={"accept_friend": flow})
        await bridge.start()
        await bridge.friend_watcher.poll()
        await asyncio.sleep(1)
        await bridge.friend_watcher.stop()
        assert asyncio.get_running_loop().time() == 1
        assert bridge.status()["send_queue_pending"] == 0
        await asyncio.sleep(100)
        # What runs in the queue is not interrupted; what waited there never runs.
        assert flow.accepted == (["anna"] if way == "queued" else [])
        await bridge.stop()

    run(main())
