"""The shared parts of one dispatcher: each its own, with the settings' figures."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.dispatcher.alarms import Alarm, Alarms
from windtunnel.services.dispatcher.entry import Entry
from windtunnel.services.dispatcher.settings import DispatcherSettings
from windtunnel.services.dispatcher.shared import Shared, make_shared
from windtunnel.services.note import ignore
from windtunnel_models import run

NO_STORE: Any = None
"""Nothing is stored here."""


def shared(**settings: Any) -> Shared:
    return make_shared(NO_STORE, DispatcherSettings(**settings), RouterOptions(), ignore)


@pytest.mark.spec("RT-D6")
def test_a_task_s_age_is_watched_to_the_settings_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    set_: list[tuple[Alarm, int]] = []
    monkeypatch.setattr(Alarms, "set", lambda _self, alarm, due: set_.append((alarm, due)))

    async def main() -> None:
        parts = shared(expiry_s=60, dead_after_s=7)
        parts.watch_pending(Entry("t.1", {}, "{}", submitted_at=5_000))
        parts.instances.heard("bridge-0", "inst-0", None, 0)
        parts.watch_pending(Entry("t.2", {}, "{}", submitted_at=6_000))

    run(main())
    assert set_ == [
        (Alarm.EXPIRY, 60_000_005_001),
        (Alarm.ALONE, 7_000_000_000),  # no instance is there: for the first one alone
        (Alarm.EXPIRY, 60_000_006_001),
    ]


def test_a_change_of_an_instance_is_news_for_the_reports() -> None:
    async def main() -> None:
        parts = shared()
        assert not parts.change.is_set()
        parts.instances.heard("bridge-0", "inst-0", None, 0)
        await asyncio.wait_for(parts.change.wait(), 1)

    run(main())


def test_no_two_dispatchers_share_a_part() -> None:
    async def main() -> Mapping[str, Any]:
        one, other = shared(), shared()
        return {name: getattr(one, name) is getattr(other, name) for name in ("queue", "alarms")}

    same: dict[str, Any] = {}

    async def keep() -> None:
        same.update(await main())

    run(keep())
    assert same == {"queue": False, "alarms": False}
