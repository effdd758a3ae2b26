"""Faults planted in the backend's link and token on purpose: the named checks turn red."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planting_kit import Faults, Played
from windtunnel.policies.router.backoff import Backoff
from windtunnel.ports.network import Request, Response
from windtunnel.services.backend.entry import Side
from windtunnel.services.backend.link import DispatcherLink
from windtunnel.services.backend.link_state import LinkState
from windtunnel.services.backend.platforms import Platforms
from windtunnel.services.backend.token_manager import TokenManager

fault = Faults()


@fault(a_quiet_link_stays_healthy="count equals")
def heartbeats_are_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LinkState, "heard", lambda self, now: None)


@fault(an_unanswered_heartbeat_breaks_the_link="bounded count")
def a_missing_answer_does_not_break_the_link(patch: pytest.MonkeyPatch) -> None:
    read = DispatcherLink._read

    async def lenient(
        self: DispatcherLink, channel: Any, until: float, *, until_ack: bool = False
    ) -> bool:
        await read(self, channel, until, until_ack=until_ack)
        return True

    patch.setattr(DispatcherLink, "_read", lenient)


@fault(everything_comes_twice="count")
def an_unknown_message_ends_the_link(patch: pytest.MonkeyPatch) -> None:
    def strict(self: DispatcherLink, why: str) -> None:
        raise ValueError(why)

    patch.setattr(DispatcherLink, "_ignore", strict)


@fault(the_network_flaps="count")
def link_is_not_tried_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Backoff, "next", lambda self: 10**6 * 10**9)


@fault(a_success_resets_the_backoff="count")
def link_backs_off_without_end(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Backoff, "reset", lambda self: None)


@fault(a_restart_loses_nothing="count")
def reports_of_the_former_link_count(patch: pytest.MonkeyPatch) -> None:
    """After a restart the dispatcher's reports count from 1 again, and would all be late."""
    opened = LinkState.opened

    def kept(self: LinkState, now: int) -> None:
        sequence = self._sequence
        opened(self, now)
        self._sequence = sequence

    patch.setattr(LinkState, "opened", kept)


@fault(a_token_is_refused="count")  # noqa: S106 - a scenario's name
def a_refused_token_is_not_refreshed(patch: pytest.MonkeyPatch) -> None:
    async def once(self: Platforms, side: Side, request: Callable[[str], Request]) -> Response:
        key = self._key if side == "external" else self._tokens.token()
        return await self._network.request(request(key))

    patch.setattr(Platforms, "_send", once)


@fault(one_refresh_for_all="count")
def everybody_refreshes_the_token(patch: pytest.MonkeyPatch) -> None:
    async def own(self: TokenManager, refused: str | None = None) -> str:
        del refused
        return await self._log_in()

    patch.setattr(TokenManager, "refresh", own)


def test_without_a_fault_these_scenarios_are_green(played: Played) -> None:
    fault.require_green(played)


@pytest.mark.parametrize("name", fault.rows)
def test_a_planted_fault_turns_these_checks_red(
    name: str, monkeypatch: pytest.MonkeyPatch, played: Played
) -> None:
    fault.require_red(name, monkeypatch, played)
