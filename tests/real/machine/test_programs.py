"""Programs: their whole output, their end, and what a fault makes of them (UI-AC4)."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from children_kit import PATIENCE, Site, play, python, site, status, until
from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError
from windtunnel.ports import ProcessSpec, Program
from windtunnel.services.bridge.flows.qr_capture import QrCapture
from windtunnel.services.bridge.flows.ui_lock import UILock
from windtunnel.units import SECOND
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import DeadlineError
from windtunnel_real.machine.children import Child
from windtunnel_real.machine.programs import RealProgram

PNG = b"\x89PNG\r\n\x1a\n"


def spec(*argv: str, name: str = "app") -> ProcessSpec:
    return ProcessSpec(name, argv, "display")


def descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names


def test_it_ends_by_itself_and_gives_what_it_wrote() -> None:
    seen: list[int] = []

    async def body(site: Site) -> None:
        before = descriptors()
        program = await site.processes.run(spec("printf", "a\\0b"))
        seen.append(program.pid)
        assert isinstance(program, Program)
        assert site.commands == []
        assert await program.output() == b"a\0b"
        assert site.commands == [("run", "display", "done")]
        assert [await program.wait() for _ in range(2)] == [0, 0]
        assert await program.output() == b"a\0b"
        assert descriptors() <= before

    played = play(body)
    assert played.told == [(kind, "app", seen[0]) for kind in ("started", "exited", "reaped")]


@settings(max_examples=10)
@given(st.integers(0, 3_000_000), st.integers(0, 300_000))
def test_output_of_any_size_keeps_nobody_waiting(out: int, errors: int) -> None:
    """An unread pipe is full after 64 KB; here nobody reads before the end."""
    text = f"import os,sys\nsys.stdout.buffer.write(b'o' * {out})\nsys.stderr.write('e' * {errors})"

    async def body(site: Site) -> None:
        program = await site.processes.run(spec(*python(text)))
        assert isinstance(program, RealProgram)
        assert await program.wait() == 0
        assert await program.output() == b"o" * out
        assert await program.errors() == "e" * errors

    play(body)


def test_one_that_fails_tells_why(caplog: pytest.LogCaptureFixture) -> None:
    async def body(site: Site) -> None:
        program = await site.processes.run(spec("sh", "-c", "echo half; echo no luck >&2; exit 3"))
        assert await program.output() == b"half\n"
        assert await program.wait() == 3

    with caplog.at_level(logging.WARNING, "windtunnel.processes"):
        played = play(body)
    assert played.commands == [("run", "display", "failed")]
    assert "says: no luck" in caplog.text


def test_one_that_is_killed_gives_nothing() -> None:
    async def body(site: Site) -> None:
        text = "import sys,time; print('half', flush=True); time.sleep(1000)"
        program = await site.processes.run(spec(*python(text)))
        output = asyncio.ensure_future(program.output())
        await until(lambda: os.fstat(program._output.fd).st_size)  # type: ignore[attr-defined]
        program.kill()
        program.kill()
        assert await output == b""
        assert await program.wait() == -signal.SIGKILL
        program.kill()

    played = play(body)
    assert [kind for kind, _, _ in played.told] == ["started", "killed", "reaped"]
    assert played.commands == [("run", "display", "aborted")]


def test_without_a_wait_it_stays_a_zombie() -> None:
    async def body(site: Site) -> None:
        program = await site.processes.run(spec("true"))
        await program.output()
        assert status(program.pid)["State"].startswith("Z")
        assert await site.processes.find("app") == []

    assert [kind for kind, _, _ in play(body).told] == ["started", "exited"]


def test_it_outlives_its_starter() -> None:
    async def body(site: Site) -> None:
        async def start() -> None:
            await (await site.processes.run(spec("sleep", "0.2"))).output()

        task = asyncio.ensure_future(start())
        await until(lambda: site.told)
        task.cancel()
        await until(lambda: len(site.told) == 2)
        assert site.told[1][0] == "exited"

    play(body)


@pytest.mark.spec("UI-AC4")
@pytest.mark.parametrize("target", ["run", "app"])
def test_one_that_hangs_is_ended_by_a_kill_and_reaped_by_the_wait(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windtunnel_real.machine.processes.END_NOTED_S", 0.05)

    async def body(site: Site) -> None:
        site.lay(target, hangs=True)
        program = await site.processes.run(spec("touch", str(tmp_path / "stepped")))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await program.output()
        await site.processes.terminate(program.pid)
        assert await site.processes.find("app") == [program.pid]
        assert not (tmp_path / "stepped").exists()
        program.kill()
        assert await program.output() == b""
        assert await site.processes.find("app") == []
        assert await program.wait() == -9

    played = play(body)
    assert [kind for kind, _, _ in played.told] == ["started", "killed", "reaped"]
    assert ("run", "display", "aborted") in played.commands


@pytest.mark.parametrize(("how", "given"), [({"slower": SECOND // 5}, 0), ({}, SECOND // 5)])
def test_a_slow_one_takes_longer_by_so_much(how: dict[str, int], given: int) -> None:
    async def body(site: Site) -> None:
        if how:
            site.lay("app", **how)
        program = await site.processes.run(spec("echo", "all"))
        assert await program.output() == b"all\n"
        assert await program.wait() == 0

    times = {event.kind: event.time for event in play(body, run=given).trace}
    assert times["process.exited"] - times["process.started"] >= SECOND // 5


def test_both_a_fault_and_the_given_add_up() -> None:
    async def body(site: Site) -> None:
        site.lay("run", slower=SECOND // 10)
        await (await site.processes.run(spec("true"))).wait()

    times = {event.kind: event.time for event in play(body, run=SECOND // 10).trace}
    assert times["process.exited"] - times["process.started"] >= SECOND // 5


def test_one_that_cannot_be_started() -> None:
    async def body(site: Site) -> None:
        site.lay("run", code="TIMEOUT")
        with pytest.raises(BridgeError, match="TIMEOUT"):
            await site.processes.run(spec("true"))

    played = play(body)
    assert (played.told, played.commands) == ([], [("run", "display", "failed")])


def test_a_start_that_fails_holds_no_descriptor() -> None:
    async def body(site: Site) -> None:
        before = descriptors()
        with pytest.raises(Exception, match="no-such"):
            await site.processes.run(spec("no-such"))
        assert descriptors() <= before

    play(body)


@pytest.mark.parametrize("broken_off", [True, False], ids=["cancelled", "not held in time"])
def test_what_its_caller_never_gets_is_ended_and_reaped(
    broken_off: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def held(child: Child) -> None:
        if not broken_off:
            raise DeadlineError(f"{child.name} was not held")
        await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(Child, "held", held)

    async def body(site: Site) -> None:
        site.lay("run", hangs=True)
        task = asyncio.ensure_future(site.processes.run(spec("true")))
        await until(lambda: site.told or task.done())
        if broken_off:
            assert task.cancel()
        (error,) = await asyncio.gather(task, return_exceptions=True)
        assert isinstance(error, asyncio.CancelledError if broken_off else DeadlineError)
        await until(lambda: len(site.told) == 3)
        assert status(site.told[0][2]) == {}

    played = play(body)
    assert [kind for kind, _, _ in played.told] == ["started", "killed", "reaped"]
    assert played.commands == [("run", "display", "aborted")]


# ---------------------------------------------------------------- the capture of the bridge


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    running = Xvfb.start((320, 240))
    yield running
    running.stop()


def on(server: Xvfb) -> Site:
    return site(server.address)


async def capture(place: Site, timeout_s: float) -> bytes:
    acting.set(Acting("op", "qr"))
    return await QrCapture(place.processes, UILock(), timeout_s).run()


@pytest.mark.real
@pytest.mark.spec("UI-AC4")
def test_the_bridge_captures_the_display_with_scrot(server: Xvfb) -> None:
    place = on(server)
    try:
        picture = asyncio.run(capture(place, PATIENCE))
    finally:
        place.children.stop_all()
    assert picture.startswith(PNG)
    assert picture[16:24] == (320).to_bytes(4) + (240).to_bytes(4)
    assert [kind for kind, _, _ in place.told] == ["started", "exited", "reaped"]


@pytest.mark.real
@pytest.mark.spec("UI-AC4")
def test_a_capture_that_hangs_is_killed_and_reaped_in_time(server: Xvfb) -> None:
    place = on(server)
    ambush = place.lay("scrot", hangs=True, left=1)

    async def main() -> bytes:
        acting.set(Acting("op", "qr"))
        lock = UILock()
        service = QrCapture(place.processes, lock, 0.3)
        with pytest.raises(TimeoutError, match=r"scrot gave no picture in 0\.3 s"):
            await service.run()
        assert [kind for kind, _, _ in place.told] == ["started", "killed", "reaped"]
        assert place.commands == [("run", "display", "aborted")]
        assert status(place.told[0][2]) == {}
        assert place.ambushes.targets == frozenset()
        return await QrCapture(place.processes, lock, PATIENCE).run()  # the lock is free

    try:
        picture = asyncio.run(main())
    finally:
        place.ambushes.lift(ambush)
        place.children.stop_all()
    assert picture.startswith(PNG)


@pytest.mark.real
def test_a_capture_whose_server_does_not_answer_is_ended_too(server: Xvfb) -> None:
    """No fault of a scenario here: a server that is stopped, and scrot waits for ever."""
    place = on(server)
    os.kill(server.pid, signal.SIGSTOP)
    try:
        with pytest.raises(TimeoutError, match="scrot gave no picture"):
            asyncio.run(capture(place, 0.3))
        assert [kind for kind, _, _ in place.told] == ["started", "killed", "reaped"]
    finally:
        os.kill(server.pid, signal.SIGCONT)
        place.children.stop_all()


@pytest.mark.real
def test_a_capture_without_a_display_fails_with_its_status() -> None:
    place = site()
    try:
        with pytest.raises(BridgeError, match="CAPTURE_FAILED: scrot ended with status"):
            asyncio.run(capture(place, PATIENCE))
    finally:
        place.children.stop_all()
    assert place.commands == [("run", "display", "failed")]
