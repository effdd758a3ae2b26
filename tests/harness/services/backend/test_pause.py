"""Pause: 1, 2, 4 … 30 s, for refusals in a row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.backend.pause import LONGEST, Pause
from windtunnel.units import SECOND


def test_each_refusal_after_a_pause_doubles_the_next() -> None:
    pause, now, lengths = Pause(), 0, []
    assert not pause.on(now)
    for _ in range(7):
        pause.refused(now)
        began = now
        while pause.on(now):
            now += SECOND // 2
        lengths.append((now - began) // SECOND)
    assert lengths == [1, 2, 4, 8, 16, 30, 30]


def test_refusals_of_one_batch_are_one() -> None:
    pause = Pause()
    for _ in range(10):
        pause.refused(0)
    assert pause.on(SECOND - 1)
    assert not pause.on(SECOND)
    pause.refused(SECOND)
    assert pause.on(3 * SECOND - 1)
    assert not pause.on(3 * SECOND)


def test_after_an_acceptance_it_begins_anew() -> None:
    pause = Pause()
    pause.refused(0)
    pause.accepted()
    assert pause.on(0), "it goes on all the same"
    pause.refused(SECOND)
    assert not pause.on(2 * SECOND)


def test_it_can_be_lifted() -> None:
    pause = Pause()
    pause.refused(0)
    pause.lift()
    assert not pause.on(0)


@given(
    st.lists(st.tuples(st.sampled_from(["refused", "accepted", "lift"]), st.integers(0, SECOND)))
)
def test_it_is_never_longer_than_half_a_minute(steps: list[tuple[str, int]]) -> None:
    pause, now = Pause(), 0
    for what, step in steps:
        now += step
        pause.refused(now) if what == "refused" else getattr(pause, what)()
        assert not pause.on(now + LONGEST)
        assert what != "refused" or pause.on(now)
