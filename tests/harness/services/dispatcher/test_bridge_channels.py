"""The channels of bridges: what is passed over, and when one is cut off (RT-W6)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted


@pytest.mark.spec("RT-W6")
def test_so_it_is_of_a_bridge() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        broken: list[Any] = [
            {"type": "DONE", "data": {"taskId": "t"}},
            {"type": "ALIVE", "data": {"instances": [{"instanceId": 7}]}},
            {"type": "ALIVE", "data": {"instances": None}},
            {"type": "INSTANCE_OFFLINE", "data": {}},
            {"type": "INSTANCE_ONLINE", "data": {"instanceId": ""}},
            {},
        ]
        for sent in broken:
            await bridge.send(sent)
        await bridge.say("NEWS")
        why = [details["why"] for _, details in site.notes("message.ignored")]
        assert why == ["broken"] * len(broken) + ["unknown"]
        await client.submit("t")
        assert len(bridge.runs) == 1

    play_scripted(test)


@pytest.mark.spec("RT-C3")
def test_a_bridge_that_is_silent_is_cut_off_in_the_end() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await asyncio.sleep(1.1)
        assert site.figures["bridges"] == 2
        await asyncio.sleep(0.2)
        assert site.figures["bridges"] == 1

    play_scripted(test)
