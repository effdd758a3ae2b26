"""Children: each start and end is in the trace once, each is reaped, and none is left."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from children_kit import (
    SLEEP,
    STUBBORN,
    Site,
    by_hand,
    lives,
    nobodys_display,
    play,
    site,
    status,
    until,
)
from windtunnel.errors import WorldError
from windtunnel_real.errors import DeadlineError
from windtunnel_real.machine import children as module
from windtunnel_real.machine.children import Child
from windtunnel_real.machine.handle import ProcessHandle


async def over(child: Child) -> None:
    await child.over.wait()


@pytest.mark.parametrize(
    ("script", "kind", "code"),
    [
        ("exit 0", "exited", 0),
        ("exit 7", "exited", 7),
        ("kill -KILL $$", "killed", -9),
        ("kill -TERM $$", "killed", -15),
        ("kill -SEGV $$", "killed", -11),
    ],
)
def test_how_one_ends_is_told(script: str, kind: str, code: int) -> None:
    seen: list[int] = []

    async def body(site: Site) -> None:
        child = site.children.start("app", ("sh", "-c", script))
        seen.append(child.pid)
        assert site.children.get(child.pid) is child
        await over(child)
        assert child.status == code
        assert site.children.get(child.pid) is None
        assert status(child.pid) == {}  # reaped at once: nobody waits for it

    played = play(body)
    assert played.told == [("started", "app", seen[0]), (kind, "app", seen[0])]
    assert played.calls == [("start", "app", seen[0]), ("end", "app", seen[0])]


def test_everybody_is_told_after_it_is_recorded() -> None:
    async def body(site: Site) -> None:
        when: list[tuple[str, int]] = []
        site.children._on_start = lambda name, pid: when.append(("start", len(site.told)))
        site.children._on_end = lambda name, pid: when.append(("end", len(site.told)))
        child = site.children.start("app", ("true",))
        child.on_end = lambda child: when.append(("own", len(site.told)))
        await over(child)
        await until(lambda: len(when) == 3)
        assert when == [("start", 1), ("own", 2), ("end", 2)]

    play(body)


def test_one_that_was_there_from_the_start_is_told_of_as_it_ends() -> None:
    async def body(site: Site) -> None:
        child = site.children.add("app", SLEEP)
        assert (site.told, site.calls) == ([], [])
        assert site.children.names() == {child.pid: "app"}
        child.signal(signal.SIGKILL)
        await over(child)
        assert site.told == [("killed", "app", child.pid)]

    play(body)


def test_one_that_is_waited_for_is_a_zombie_until_then() -> None:
    async def body(site: Site) -> None:
        child = site.children.start("app", ("sh", "-c", "exit 3"), is_waited=True)
        await over(child)
        assert status(child.pid)["State"].startswith("Z")
        assert site.children.names() == {}
        assert [kind for kind, _, _ in site.told] == ["started", "exited"]
        assert [site.children.reap(child) for _ in range(2)] == [3, 3]
        assert status(child.pid) == {}
        assert [kind for kind, _, _ in site.told] == ["started", "exited", "reaped"]

    play(body)


def test_the_display_is_told_and_the_locale_is_utf8() -> None:
    async def body(site: Site) -> None:
        with tempfile.TemporaryFile() as file:
            told = ("sh", "-c", 'echo "$DISPLAY $LC_ALL"')
            await over(site.children.start("app", told, stdout=file.fileno()))
            file.seek(0)
            assert file.read().decode() == f"{site.address.name} C.UTF-8\n"

    play(body)


def test_error_output_goes_where_it_is_sent() -> None:
    async def body(site: Site) -> None:
        with tempfile.TemporaryFile() as file:
            site.children._errors = file.fileno()
            await over(site.children.start("app", ("sh", "-c", "echo said >&2; echo lost")))
            file.seek(0)
            assert file.read() == b"said\n"

    play(body)


def test_a_start_that_fails_leaves_nothing_in_the_trace() -> None:
    async def body(site: Site) -> None:
        with pytest.raises(WorldError, match="no-such-program"):
            site.children.start("app", ("no-such-program",))

    played = play(body)
    assert (played.told, played.calls, played.children.names()) == ([], [], {})


@pytest.mark.parametrize(
    ("sent", "kind"), [(signal.SIGKILL, "killed"), (signal.SIGTERM, "killed"), (None, "exited")]
)
def test_one_that_somebody_else_started_can_be_watched(sent: int | None, kind: str) -> None:
    """The kernel does not tell how it ended: it counts as killed if it was by our signal."""

    async def body(site: Site) -> None:
        with by_hand(site.address) as process:
            child = site.children.watch(ProcessHandle(process.pid), "app")
            assert site.children.names() == {}
            if sent is None:
                process.kill()
            else:
                child.signal(sent)
            await over(child)
            assert site.told == [(kind, "app", process.pid)]
            assert site.calls == [("end", "app", process.pid)]

    play(body)


def test_what_is_only_watched_outlives_the_world() -> None:
    async def body(site: Site) -> None:
        site.children.watch(ProcessHandle(process.pid), "app")

    with by_hand(nobodys_display()) as process:
        play(body)
        assert lives(process.pid)


def test_one_that_is_held_is_waited_for() -> None:
    async def body(site: Site) -> None:
        child = site.children.start("app", ("true",), held=True)
        await child.held()
        assert status(child.pid)["State"].startswith("T")
        child.signal(signal.SIGCONT)
        await over(child)
        await child.held()  # over is over
        assert child.status == 0

    play(body)


def test_one_that_is_never_held_is_waited_for_no_longer_than_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_HELD_S", 0.05)

    async def body(site: Site) -> None:
        with pytest.raises(DeadlineError, match=r"was not held within 0\.05 s"):
            await site.children.start("app", SLEEP).held()

    play(body)


async def _sleeps(site: Site) -> int:
    return site.children.start("app", SLEEP).pid


async def _is_stopped(site: Site) -> int:
    child = site.children.start("app", SLEEP)
    child.signal(signal.SIGSTOP)
    await until(lambda: status(child.pid)["State"].startswith("T"))
    return child.pid


async def _does_not_heed(site: Site) -> int:
    with tempfile.TemporaryFile() as file:
        child = site.children.start("app", ("sh", "-c", STUBBORN), stderr=file.fileno())
        await until(lambda: os.fstat(file.fileno()).st_size)
    return child.pid


async def _is_a_zombie(site: Site) -> int:
    child = site.children.start("app", ("true",), is_waited=True)
    await over(child)
    return child.pid


async def _is_held(site: Site) -> int:
    return site.children.start("app", SLEEP, held=True).pid


async def _has_a_child(site: Site) -> int:
    with tempfile.TemporaryFile() as file:
        script = "sleep 1000 & echo $!; wait"
        site.children.start("app", ("sh", "-c", script), stdout=file.fileno())
        await until(lambda: os.fstat(file.fileno()).st_size)
        file.seek(0)
        return int(file.read())


@pytest.mark.parametrize(
    "one", [_sleeps, _is_stopped, _does_not_heed, _is_a_zombie, _is_held, _has_a_child]
)
@pytest.mark.parametrize("inside", [True, False], ids=["in the loop", "after it"])
def test_at_the_end_of_the_world_nothing_is_left(
    one: Callable[[Site], asyncio.Future[int]], inside: bool
) -> None:
    place = site()

    async def main() -> int:
        pid = await one(place)
        if inside:
            place.trace.close()
            place.children.stop_all()
        return pid

    pid = asyncio.run(main())
    place.trace.close()
    told, calls = place.told, place.calls.copy()
    for _ in range(2):
        place.children.stop_all()
    asyncio.run(until(lambda: not lives(pid)))  # a grandchild is for somebody else to reap
    assert (place.told, place.calls) == (told, calls)
    assert [status(pid) for kind, _, pid in told if kind == "started"] == [{}]


def test_after_that_nothing_can_be_started() -> None:
    async def body(site: Site) -> None:
        child = site.children.start("app", SLEEP)
        site.children.stop_all()
        assert site.told[-1] == ("killed", "app", child.pid)
        assert site.calls == [("start", "app", child.pid)]  # or it would be brought back
        with pytest.raises(WorldError, match="app cannot be started: the world is taken down"):
            site.children.start("app", SLEEP)

    play(body)


def test_no_descriptor_is_left_open() -> None:
    def descriptors() -> set[str]:
        return set(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names

    async def body(site: Site) -> None:
        before = descriptors()
        for name in ("a", "b"):
            await over(site.children.start(name, ("true",)))
        site.children.reap(child := site.children.start("c", SLEEP, is_waited=True))
        child.signal(signal.SIGKILL)
        await over(child)
        site.children.reap(child)
        assert descriptors() <= before

    play(body)


Deeds = st.lists(st.sampled_from(["start", "brief", "kill", "waited", "reap"]), max_size=10)


@settings(max_examples=20)
@given(Deeds)
def test_each_that_starts_ends_once_and_is_reaped_once_if_it_is_waited_for(
    deeds: list[str],
) -> None:
    waited: set[int] = set()

    async def body(site: Site) -> None:
        begun: list[Child] = []
        for deed in deeds:
            if deed in {"start", "brief", "waited"}:
                argv = ("true",) if deed == "brief" else SLEEP
                begun.append(site.children.start(deed, argv, is_waited=deed == "waited"))
                waited.update({begun[-1].pid} if deed == "waited" else ())
            elif begun:
                begun[len(begun) // 2].signal(signal.SIGKILL)
                if deed == "reap":
                    await over(begun[len(begun) // 2])
                    site.children.reap(begun[len(begun) // 2])
        for child in begun:
            child.signal(signal.SIGKILL)
            await over(child)
            site.children.reap(child)

    played = play(body)
    by_pid: dict[int, list[str]] = {}
    for kind, _, pid in played.told:
        by_pid.setdefault(pid, []).append("over" if kind in {"killed", "exited"} else kind)
    for pid, kinds in by_pid.items():
        assert kinds == ["started", "over", *(["reaped"] if pid in waited else [])]
    assert len(by_pid) == sum(deed in {"start", "brief", "waited"} for deed in deeds)
