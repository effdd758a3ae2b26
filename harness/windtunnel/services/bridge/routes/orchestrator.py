"""The flow orchestrator: sends through the queue that skip opening a session that is open.

Imports actions, the dispatch, the probe and the endpoint table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from windtunnel.services.bridge.dispatch.dispatch import Dispatch
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.action import UIAction
from windtunnel.services.bridge.routes.login_probe import LoginProbe

OnSubmit = Callable[[Awaitable[Any]], object]
"""Called with what the caller waits for, as soon as an action is submitted."""


class MakeAction(Protocol):
    """Makes an action of a class; a cached one is shortened when it runs, if it may be."""

    def __call__(self, name: str, args: Mapping[str, Any], *, cached: bool = False) -> UIAction:
        """Return the action."""


class FlowOrchestrator:
    """Sends texts and files; the queue's caller beside the routes (UI-C1)."""

    def __init__(self, probe: LoginProbe, dispatch: Dispatch, action: MakeAction) -> None:
        self._probe = probe
        self._dispatch = dispatch
        self._action = action

    async def send_text(self, to: str, text: str, *, on_submit: OnSubmit | None = None) -> Any:  # noqa: ANN401 - whatever the flow returns
        """Send a text to a contact and return when it is sent.

        Raises NOT_LOGGED_IN, what the scheduler refuses with, and what the flow raises.
        """
        return await self._send("send_text", {"to": to, "text": text}, on_submit)

    async def send_file(self, to: str, file: str, *, on_submit: OnSubmit | None = None) -> Any:  # noqa: ANN401 - as above
        """Send the file of that path to a contact; raises as `send_text` does."""
        return await self._send("send_file", {"to": to, "file": file}, on_submit)

    async def _send(self, name: str, args: Mapping[str, Any], on_submit: OnSubmit | None) -> Any:  # noqa: ANN401 - as above
        await self._probe.require_login()
        action = self._action(name, args, cached=True)
        answer = self._dispatch.submit(action, wait_ms=ENDPOINTS[name].wait_ms)
        if on_submit is not None:
            on_submit(answer)
        return await answer
