"""Accounts: one of each for each life."""

from __future__ import annotations

from path_kit import Healthy
from windtunnel.policies.router.breaker import Breaker
from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.inside_breaker import InsideBreaker
from windtunnel.services.backend.outside_slots import OutsideSlots
from windtunnel.services.note import ignore


def accounts() -> Accounts:
    book = CapacityBook(RouterOptions())
    return Accounts(
        book, OutsideSlots(book), InsideBreaker(Breaker(RouterOptions()), ignore), Healthy()
    )


def test_each_side_pauses_by_itself_and_each_life_anew() -> None:
    one, other = accounts(), accounts()
    one.outside.refused(0)
    assert one.outside.on(0)
    assert not one.inside.on(0)
    assert not one.direct.on(0)
    assert not other.outside.on(0)
