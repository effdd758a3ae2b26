"""The connected bridges: one channel each."""

from __future__ import annotations

import asyncio

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted
from stuck_kit import StuckChannel
from windtunnel.services.wire.messages import message


@pytest.mark.spec("RT-B3")
def test_a_bridge_that_joins_anew_has_one_channel() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        old = bridge.channel
        assert old is not None
        await bridge.join(a=None)
        with pytest.raises(Exception, match="closed"):
            await old.send(message("ALIVE"))
        assert site.figures["bridges"] == 2  # with the fleet's own
        assert site.figures["online"] == 1
        await client.submit("t")
        assert len(bridge.runs) == 1

    play_scripted(test)


@pytest.mark.spec("RT-D1", "RT-W6")
def test_one_that_takes_no_messages_does_not_keep_the_others_from_theirs() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        other = ScriptedBridge(site.world, "bridge-8")
        await bridge.join(a=None)
        await other.join(b=None)
        known = site.lives[-1]._bridges._all["bridge-9"]
        object.__setattr__(known, "channel", StuckChannel(known.channel))
        await client.submit("t", preferred_instance="a")
        await client.submit("u", preferred_instance="a")
        await asyncio.sleep(6)
        assert [run["taskId"] for run in other.runs] == ["u"]
        # The other may have been sent: it is not given out again before that is known.
        assert site.figures["processing"] == 2
        assert not site.notes("task.requeued")
        assert site.figures["online"] == 1
        assert bridge.closed_at is not None

    play_scripted(test, settings={"dead_after_s": 30.0})
