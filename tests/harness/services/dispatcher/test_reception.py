"""The reception: who a channel is of, and what concerns that channel only."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted


@pytest.mark.spec("RT-W6")
def test_whoever_does_not_say_who_they_are_is_cut_off() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.open()
        begun = site.world.loop.time()
        await bridge.alive(a=None)
        await bridge.say("JOIN", bridgeId="", instances=[])
        await asyncio.sleep(11)
        assert bridge.closed_at == pytest.approx(begun + 10)
        assert site.figures["instances"] == 0
        why = [details["why"] for _, details in site.notes("message.ignored")]
        assert why == ["unknown", "broken"]

    play_scripted(test)


@pytest.mark.spec("RT-X2")
def test_memory_that_runs_out_on_a_channel_ends_that_channel_only() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        instances = site.lives[-1]._shared.instances
        real = instances.heard

        def fail(*args: Any) -> Any:
            instances.heard = real  # type: ignore[method-assign]
            raise MemoryError

        instances.heard = fail  # type: ignore[assignment, method-assign]
        await bridge.alive(a=None)
        assert site.figures["degraded"] == 1
        assert site.figures["bridges"] == 1
        await bridge.join(a=None)
        assert site.figures["bridges"] == 2

    play_scripted(test)
