"""Strokes: names of keys, and texts that nothing can give."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import BridgeError
from windtunnel.machine.strokes import (
    KEY_NOT_FOUND,
    MODIFIERS,
    TEXT_NOT_TYPABLE,
    Stroke,
    check_text,
    read_stroke,
)
from windtunnel.wechat.keys import PRESSES

ASCII = st.characters(min_codepoint=0x20, max_codepoint=0x7E)


@pytest.mark.parametrize(
    ("name", "stroke"),
    [
        ("Return", Stroke("Return")),
        ("shift+Return", Stroke("Return")),
        ("a", Stroke("a", "a")),
        ("shift+a", Stroke("a", "A")),
        ("Shift+A", Stroke("A", "A")),
        ("shift+1", Stroke("1", "!")),
        ("space", Stroke("space", " ")),
        ("KP_Add", Stroke("KP_Add", "+")),
        ("shift+KP_Divide", Stroke("KP_Divide", "/")),
        ("KP_Home", Stroke("KP_Home")),
        ("shift+KP_Home", Stroke("KP_Home", "7")),
        ("+", Stroke("+", "+")),
        ("ctrl++", Stroke("ctrl++")),
        ("ctrl+v", Stroke("ctrl+v")),
        ("Control+shift+V", Stroke("ctrl+v")),
        ("meta+ctrl+v", Stroke("ctrl+alt+v")),
        ("super+space", Stroke("super+space")),
        ("shift", Stroke("")),
        ("ctrl+Shift_L", Stroke("")),
    ],
)
def test_what_a_name_means(name: str, stroke: Stroke) -> None:
    assert read_stroke(name) == stroke


@pytest.mark.parametrize("name", ["", "Foo", "return", "é", "漢", "hyper+v", "KP_5", "+v"])
def test_what_is_no_key(name: str) -> None:
    with pytest.raises(BridgeError) as error:
        read_stroke(name)
    assert error.value.code == KEY_NOT_FOUND


@pytest.mark.parametrize("name", sorted({name for row in PRESSES.values() for name in row}))
def test_what_the_application_knows_is_no_text(name: str) -> None:
    assert read_stroke(name) == Stroke(name)


@given(character=ASCII, held=st.sampled_from(sorted(set(MODIFIERS) - {"shift"})))
def test_a_character_is_itself_unless_something_is_held(character: str, held: str) -> None:
    assert read_stroke(character).text == character
    assert read_stroke(f"{held}+{character}").text == ""


@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_is_typed(text: str) -> None:
    check_text(text)


@given(before=st.text(), bad=st.sampled_from(["\0", "\ud800", "\udfff"]))
def test_but_for_what_stands_for_nothing(before: str, bad: str) -> None:
    with pytest.raises(BridgeError) as error:
        check_text(before + bad)
    assert error.value.code == TEXT_NOT_TYPABLE
