"""UIAction: a factory that knows what it makes."""

from __future__ import annotations

import asyncio
from dataclasses import FrozenInstanceError

import pytest

from windtunnel.services.bridge.flows.action import UIAction


@pytest.mark.spec("UI-Q3")
def test_calling_it_begins_the_action_each_time() -> None:
    begun: list[int] = []

    async def flow() -> str:
        begun.append(1)
        return "sent"

    action = UIAction("send_text", flow, to="anna", text="hello")
    assert not begun
    assert asyncio.run(_awaited(action)) == "sent"
    assert asyncio.run(_awaited(action)) == "sent"
    assert len(begun) == 2


async def _awaited(action: UIAction) -> str:
    result: str = await action()
    return result


def test_it_cannot_be_changed() -> None:
    action = UIAction("logout", _nothing)
    assert (action.to, action.text) == ("", "")
    with pytest.raises(FrozenInstanceError):
        action.name = "restart"  # type: ignore[misc] # that is the point


async def _nothing() -> None: ...
