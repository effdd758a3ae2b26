"""A live display: one is started, or the one that was named attached to, looked at, and let go.

Imports the probes; those that need packages of the extra `real` only where they are used.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Awaitable, Iterator
from functools import partial
from typing import Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.attached import Attached
from windtunnel_real.display.running import RunningDisplay
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.doctor import server
from windtunnel_real.doctor.deadline import Probe, crashed, look
from windtunnel_real.doctor.seen import Seen, bad, ok, unseen

_PATIENCE_S: Final = 10.0
BY_PACKAGES: Final = (
    *("xtest", "keyboard", "key-repeat", "keys-down", "clipboard"),
    *("shared-memory", "capture", "scrot-file", "click"),
)
"""Kinds that are looked at through packages of the extra, in this order."""
Found = dict[str, Seen]
"""Id of a kind → what was seen of it; a kind that is not in it was not looked at."""


def look_at_display(name: str | None) -> Found:
    """Look at display `name`, or at one of our own; never raises, and leaves nothing behind."""
    began = time.monotonic()
    try:
        running: RunningDisplay
        running = (
            Attached.to(name, timeout=_PATIENCE_S) if name else Xvfb.start(timeout=_PATIENCE_S)
        )
    except Exception as error:  # noqa: BLE001 - whatever a broken installation raises
        return {"start": crashed(error)}
    took = (time.monotonic() - began) * 1000
    told = ok(f"{running.address.name} {'answers' if name else 'starts'} in {took:.0f} ms")
    try:
        found = {kind: look(probe) for kind, probe in _probes(running, own=not name)}
        return {"start": told} | found | asyncio.run(_by_packages(running.address))
    finally:
        running.stop()


def _probes(running: RunningDisplay, *, own: bool) -> Iterator[tuple[str, Probe]]:
    """Yield what can be seen without a package of the extra."""
    address = running.address
    if own:
        yield "parallel", partial(two_at_once, address.name)
        yield "window-manager", partial(server.openbox, address, shutil.which)
    else:
        yield "window-manager", partial(server.managed, address)
    yield "reset", partial(server.reset, address.name)
    yield "screen", partial(server.size, running.screen)
    yield "dpi", partial(server.density, running.screen)


def two_at_once(first: str) -> Seen:
    """Look whether a second display, started beside the first, gets a number of its own."""
    second = Xvfb.start(timeout=_PATIENCE_S)
    second.stop()
    if second.address.name == first:
        return bad(f"both are {first}")
    return ok(f"{first} and {second.address.name}")


async def _by_packages(address: DisplayAddress) -> Found:
    """Look at what needs the packages of the extra; kinds are not seen where one is missing."""
    try:
        from windtunnel_real.doctor import settings, try_out  # noqa: PLC0415 - need the extra
    except Exception as error:  # noqa: BLE001 - whatever a broken installation raises
        return dict.fromkeys(BY_PACKAGES, unseen(f"a package is missing or broken: {error}"))
    found: Found = {}
    try:
        async with try_out.window_shown(address) as trial:
            for kind in BY_PACKAGES:
                if kind in settings.PROBES:
                    asked: Awaitable[Seen] = trial.connection.call(
                        settings.PROBES[kind], _PATIENCE_S, kind
                    )
                else:
                    asked = try_out.PROBES[kind](trial)
                found[kind] = await _told(asked)
                if found[kind] == _silent():
                    break  # or each of the others would wait as long
    except Exception as error:  # noqa: BLE001 - as above
        found["click"] = crashed(error)
    return dict.fromkeys(BY_PACKAGES, unseen("the display cannot be used")) | found


async def _told(asked: Awaitable[Seen]) -> Seen:
    """Return what was seen; one that hangs or crashes has found something bad."""
    try:
        return await asyncio.wait_for(asked, _PATIENCE_S)
    except TimeoutError:
        return _silent()
    except Exception as error:  # noqa: BLE001 - as above
        return crashed(error)


def _silent() -> Seen:
    return bad(f"no answer within {_PATIENCE_S:g} s")
