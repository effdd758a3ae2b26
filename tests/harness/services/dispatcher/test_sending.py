"""The sending: nobody waits for ever for a channel that takes nothing."""

from __future__ import annotations

import asyncio

import pytest

from stuck_kit import StuckChannel
from windtunnel.ports.network import ChannelClosedError
from windtunnel.services.dispatcher.sending import CLOSE_S, SEND_S, StuckError, close, send
from windtunnel_models import run

pytestmark = pytest.mark.spec("RT-W6")


@pytest.mark.parametrize("closes", [True, False])
def test_a_channel_that_takes_nothing_is_closed(*, closes: bool) -> None:
    async def main() -> None:
        channel = StuckChannel(closes=closes)
        begun = asyncio.get_running_loop().time()
        with pytest.raises(StuckError, match="bridge-9 has taken nothing for 5 s"):
            await send(channel, {"type": "RUN"})
        assert channel.closed == closes
        took = asyncio.get_running_loop().time() - begun
        assert took == pytest.approx(SEND_S if closes else SEND_S + CLOSE_S)

    run(main())


def test_one_that_is_closed_is_told_from_it() -> None:
    class Closed(StuckChannel):
        async def send(self, message: object) -> None:
            raise ChannelClosedError("it is")

    async def main() -> None:
        with pytest.raises(ChannelClosedError) as raised:
            await send(Closed(), {})
        assert not isinstance(raised.value, StuckError)
        await close(Closed())

    run(main())
