"""Hits: what can be found by its picture is what the state machine lets be clicked."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from standin_kit import surfaces
from windtunnel.acting import Acting
from windtunnel.errors import BridgeError
from windtunnel.wechat.clicks import POSITION_CLICKS, click
from windtunnel.wechat.surface import Surface
from windtunnel.wechat.tables import PICTURED, POSITIONS
from windtunnel_real.standin.hits import NOWHERE, hit, missed, said_of, shown_buttons
from windtunnel_real.standin.layout import WINDOW, place_of
from windtunnel_real.standin.rows import Rows


@given(surfaces())
def test_a_picture_is_shown_exactly_where_a_click_finds_it(surface: Surface) -> None:
    for target in PICTURED:
        assert (target in shown_buttons(surface)) == is_found(copy.deepcopy(surface), target)


def is_found(surface: Surface, target: str) -> bool:
    try:
        click(surface, target, Acting("", ""))
    except BridgeError:
        return False
    return True


@given(surfaces(), st.integers(0, WINDOW.width - 1), st.integers(0, WINDOW.height - 1))
def test_any_point_is_something_that_can_be_clicked(surface: Surface, x: int, y: int) -> None:
    target = hit(surface, Rows(surface), x, y)
    name = target.partition(":")[0]
    assert name in POSITION_CLICKS or name in PICTURED or target == NOWHERE
    click(surface, target, Acting("", ""))


@given(surfaces(), st.sampled_from(sorted(POSITIONS)))
def test_a_place_is_its_target_whatever_is_shown(surface: Surface, target: str) -> None:
    found = hit(surface, Rows(surface), *place_of(target)).partition(":")[0]
    assert found in ({"result", "session"} if target in ("result", "session") else {target})


def test_the_buttons_are_what_lies_at_their_middle(surface: Any) -> None:
    surface.screen.show("moments")
    for target, box in shown_buttons(surface).items():
        assert hit(surface, Rows(surface), *box.center) == target


@pytest.mark.parametrize(
    ("meant", "target", "hit_there", "said"),
    [
        ("search", "search", "search", ""),
        ("search", "search", "popup", "popup"),
        ("result", "session:bob", "session:bob", "session"),
        ("session", "session:bob", "session:bob", ""),
        ("session:bob", "session:bob", "session:bob", ""),
        ("session:bob", "session:eve", "session:eve", "session"),
        ("session:bob", "result", "result", "result"),
        ("session:bob", "result", "nothing", "nothing"),
        ("send", "send", "empty_box", "empty_box"),
        ("add", "add", said_of("add", "add"), "add"),
        ("add", "add", said_of("add", ""), ""),
        ("add", "add", said_of("add", "chooser"), "chooser"),
        ("confirm", NOWHERE, "nothing", "nothing"),
        ("confirm", NOWHERE, NOWHERE, "nothing"),
    ],
)
def test_what_a_click_hit_instead(meant: str, target: str, hit_there: str, said: str) -> None:
    assert missed(meant, target, hit_there) == said
