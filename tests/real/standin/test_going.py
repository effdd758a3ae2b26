"""Going: letters typed one by one come to what the text as a whole would."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from standin_kit import surfaces
from windtunnel.acting import Acting
from windtunnel.wechat.keys import insert
from windtunnel.wechat.surface import Surface
from windtunnel_real.standin import going
from windtunnel_real.standin.commands import PARTS
from windtunnel_real.standin.going import Going
from windtunnel_real.standin.log import Log

WHO = Acting("", "")


class Kept:
    """A recorder that keeps kinds and texts."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def record(
        self,
        kind: str,
        op: str = "",
        actor: str = "",
        class_: str = "",
        resource: str = "",
        outcome: str = "",
        details: Any = (),
    ) -> None:
        self.events.append((kind, resource, dict(details)))


@given(
    surfaces(),
    st.sampled_from(["none", "search", "input", "comment"]),
    st.lists(st.text("abc", min_size=1), max_size=4),
)
def test_letter_by_letter_is_as_all_at_once(surface: Surface, focus: Any, goes: list[str]) -> None:
    if focus == "input":
        surface.screen.open_session("bob")
    surface.screen.focus = focus
    one = Surface(copy.copy(surface.screen), surface.database, Kept())
    other = Surface(copy.copy(surface.screen), surface.database, Kept())
    typing = Going(other, Log(None), WHO)
    for text in goes:
        insert(one, text, WHO)
        for letter in text:
            typing.type(letter)
        typing.end()
    assert {n: getattr(one.screen, n) for n in PARTS} == {
        n: getattr(other.screen, n) for n in PARTS
    }
    assert one.trace.events == other.trace.events  # type: ignore[attr-defined]


def test_what_is_typed_stands_there_at_once(surface: Any) -> None:
    surface.screen.focus = "search"
    typing = Going(surface, surface.trace, WHO)
    typing.type("b")
    assert (surface.screen.search, surface.screen.result) == ("b", "b")
    typing.type("o")
    assert (surface.screen.search, surface.screen.result) == ("bo", "bo")
    typing.end()
    typing.type("b")
    assert (surface.screen.search, surface.screen.result) == ("bob", None)


def test_a_silence_ends_a_go(surface: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    typing = Going(surface, surface.trace, WHO)
    assert typing.left() is None
    typing.type("x")
    now[0] += going.SILENCE_S / 2
    assert typing.left() == pytest.approx(going.SILENCE_S / 2)
    now[0] += going.SILENCE_S
    assert typing.left() == 0
    typing.end()
    assert typing.left() is None
