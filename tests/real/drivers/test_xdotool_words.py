"""xdotool's words: what it reads is what was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_real.display.address import DisplayAddress, as_environment
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.xdotool_words import (
    DOLLAR,
    KEYS,
    MODIFIERS,
    Words,
    chord,
    click_words,
    key_words,
    script_line,
    type_words,
)
from windtunnel_real.errors import InputError
from windtunnel_real.x11.xlib import XK, display

PRINTABLE = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
ALIASES = {"ctrl", "control", "shift", "alt", "meta", "super"}


@pytest.fixture(scope="module")
def address(xvfb: Xvfb) -> DisplayAddress:
    return xvfb.address


def read_as_xdotool(line: str) -> list[str]:
    """Read a line of a script as its source does."""
    words: list[str] = []
    rest = line.removesuffix("\n").lstrip(" \t")
    while rest:
        if rest[0] in "\"'":
            word, _, rest = rest[1:].partition(rest[0])
        else:
            word, _, rest = rest.partition(" ")
        words.append(DOLLAR if word == "$1" else word)
        assert word == "$1" or not word.startswith("$"), "looked up"
        rest = rest.lstrip(" \t")
    return words


@given(PRINTABLE)
def test_a_script_types_any_text_that_keys_can_give(text: str) -> None:
    commands = list(type_words(text, 0))
    lines = [script_line(words) for words in commands]
    assert [read_as_xdotool(line) for line in lines] == [list(words) for words in commands]
    assert "".join("".join(words[words.index("--") + 1 :]) for words in commands) == text


@given(st.sampled_from(["$", '"', "'", "$ ", "a"]), st.integers(1, 3000))
def test_no_line_is_longer_than_xdotool_reads_at_once(char: str, count: int) -> None:
    for words in type_words(char * count, 0):
        assert len(script_line(words).encode()) < 4095


@given(st.text(min_size=1).filter(lambda text: not (text.isascii() and text.isprintable())))
def test_what_no_key_gives_is_refused_before_the_first_key(text: str) -> None:
    with pytest.raises(InputError, match="no key gives it"):
        type_words(text, 0)


def test_every_key_it_lets_through_is_on_the_keyboard(address: DisplayAddress) -> None:
    with as_environment(address):
        opened = display.Display(address.name)
    try:
        absent = {name for name in KEYS - ALIASES if not opened.keysym_to_keycodes(keysym_of(name))}
    finally:
        opened.close()
    assert not absent


def keysym_of(name: str) -> int:
    for group in ("latin1", "miscellany", "xkb"):
        XK.load_keysym_group(group)
    return int(XK.string_to_keysym(name))


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("Return", "Return"),
        ("ctrl+v", "ctrl+v"),
        ("ctrl+shift+Tab", "ctrl+shift+Tab"),
        ("a", "a"),
        (".", "period"),
        ("+", "plus"),
        ("ctrl++", "ctrl+plus"),
        ("ctrl+[", "ctrl+bracketleft"),
        (" ", "space"),
    ],
)
def test_a_key_is_spelt_as_xdotool_wants_it(name: str, spelt: str) -> None:
    assert chord(name) == spelt


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Retrun", "did you mean 'Return'"),
        ("RETURN", "did you mean 'Return'"),
        ("strg+v", "no 'strg'"),
        ("ctrl+", "no ''"),
        ("", "no ''"),
        ("你", "no '你'"),
        ("U4F60", "no 'U4F60'"),
        ("Greek_alpha", "no 'Greek_alpha'"),
        ("38", "no '38'"),
        ("--window", "no '--window'"),
    ],
)
def test_a_key_that_the_keyboard_lacks_is_refused(name: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        chord(name)


def test_a_key_is_pressed_at_least_once() -> None:
    with pytest.raises(InputError, match="at least once"):
        key_words("a", 0, 0)


def test_nothing_waits_inside_xdotool() -> None:
    said: list[Words] = [click_words(1, 2, None), key_words("a", 2, None), *type_words("ab", None)]
    assert not [word for words in said for word in words if "sync" in word]


def test_its_own_pauses_are_left_to_xdotool_unless_others_are_named() -> None:
    assert "--delay" not in click_words(1, 2, None)
    assert click_words(1, 2, 0) == ("mousemove", "--", "1", "2", "click", "--delay", "0", "1")
    assert set(MODIFIERS) <= set(KEYS)
