"""The connected bridges: one channel each."""

from __future__ import annotations

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted
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
