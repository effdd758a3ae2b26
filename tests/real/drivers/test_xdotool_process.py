"""A process of xdotool per command: none outlives its command."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from receiver_kit import Receiver, receiver
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.xdotool import Runner
from windtunnel_real.drivers.xdotool_process import XdotoolProcesses, process_driver
from windtunnel_real.errors import DeadlineError
from xdotool_kit import PATIENCE_S, SHORT_S, children, until


@pytest.fixture(scope="module")
def box(xvfb: Xvfb) -> Iterator[Receiver]:
    with receiver(xvfb.address) as made:
        yield made


def test_it_is_a_runner(box: Receiver) -> None:
    runner: Runner = XdotoolProcesses(box.address)
    said = asyncio.run(runner.run(("getmouselocation", "--shell"), timeout=PATIENCE_S))
    assert "WINDOW=" in said.output
    assert (said.complaints, said.ended) == ("", "")


def test_complaints_and_the_end_are_told(box: Receiver) -> None:
    said = asyncio.run(XdotoolProcesses(box.address).run(("nothing",), timeout=PATIENCE_S))
    assert "Unknown command: nothing" in said.complaints
    assert said.ended == "exit code 1"


@pytest.mark.parametrize("cancel", [False, True])
def test_one_that_hangs_is_killed_and_reaped(box: Receiver, cancel: bool) -> None:
    async def hang() -> None:
        runner = XdotoolProcesses(box.address)
        limit = PATIENCE_S if cancel else SHORT_S
        task = asyncio.ensure_future(runner.run(("sleep", "3600"), timeout=limit))
        if cancel:
            await until(lambda: bool(children("xdotool")))
            task.cancel()
        with pytest.raises(asyncio.CancelledError if cancel else DeadlineError):
            await task
        assert not children("xdotool")

    asyncio.run(hang())


def test_a_locale_that_is_not_utf8_is_not_passed_on(
    box: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.setenv(name, "C")
    plain = {**os.environ, **box.address.environment()}
    said = asyncio.run(_typed(box.address, plain | {"LC_ALL": "C"}))
    assert "Invalid multi-byte sequence" in said
    assert box.take() == ""
    assert "multi-byte" not in asyncio.run(_typed(box.address, None))


async def _typed(address: DisplayAddress, environment: dict[str, str] | None) -> str:
    runner = XdotoolProcesses(address)
    if environment is not None:
        runner._environment = environment
    return (await runner.run(("type", "--", "\u4f60"), timeout=PATIENCE_S)).complaints


def test_its_own_pauses_by_default(box: Receiver, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    fake = tmp_path / "xdotool"
    fake.write_text(f'#!/bin/sh\necho "$@" >> {heard}\n')
    fake.chmod(0o755)

    async def click(delay_ms: int | None) -> None:
        driver = process_driver(box.address, delay_ms=delay_ms, program=str(fake))
        await driver.click(1, 2, timeout=PATIENCE_S)
        await driver.close()
        await driver.close()

    asyncio.run(click(None))
    asyncio.run(click(0))
    assert heard.read_text() == "mousemove -- 1 2 click 1\nmousemove -- 1 2 click --delay 0 1\n"
