"""The roster: everything alive of a kind, in order of creation."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from windtunnel_models.loop.roster import FLOOR, Roster


@given(st.lists(st.booleans(), max_size=2000))
def test_it_holds_those_of_interest_in_the_order_added(alive: list[bool]) -> None:
    roster: Roster[tuple[int, bool]] = Roster(lambda member: member[1])
    for member in enumerate(alive):
        roster.add(member)
    assert list(roster) == [member for member in enumerate(alive) if member[1]]


def test_finished_members_do_not_pile_up() -> None:
    roster: Roster[int] = Roster(lambda member: member < 10)
    sizes = []
    for member in range(10_000):
        roster.add(member)
        sizes.append(len(roster))
    assert max(sizes) == FLOOR
    assert list(roster) == list(range(10))


def test_members_alive_are_not_swept_again_and_again() -> None:
    looks: list[int] = []

    def keep(member: int) -> bool:
        looks.append(member)
        return True

    roster = Roster(keep)
    for member in range(10_000):
        roster.add(member)
    assert len(looks) < 2 * 10_000
    roster.clear()
    assert list(roster) == []
