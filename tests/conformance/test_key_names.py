"""The names of keys: what both worlds say of one is what the real keyboard and program make of it.

Each name with each set of modifiers, by the map that an X server of our own has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import pytest

from windtunnel.errors import BridgeError
from windtunnel.machine.strokes import MODIFIERS, read_stroke
from windtunnel.wechat.keys import PRESSES
from worlds_kit import Stage, play_in

pytestmark = pytest.mark.real

MEANT = {name for row in PRESSES.values() for name in row}
ODD = ("é", "漢", "", "Foo", "return", "shift", "ctrl", "Meta", "+v", "ctrl+")
NONE = "there is no such key"


def chords(names: list[str]) -> Iterator[str]:
    for name in names:
        for count in range(3):
            for held in combinations([*MODIFIERS, "hyper"], count):
                yield "+".join([*held, name])


def ours(chord: str) -> object:
    try:
        stroke = read_stroke(chord)
    except BridgeError:
        return NONE
    return stroke.text or (stroke.name if stroke.name in MEANT else "")


def theirs(keymap: Any, symbol_at: Callable[[int, int], int], bits: dict[int, int]) -> Any:
    from windtunnel_real.errors import InputError
    from windtunnel_real.standin.keys import stroke
    from windtunnel_real.x11.keysyms import parse_chord

    def of(chord: str) -> object:
        try:
            pressed = keymap.stroke(parse_chord(chord), chord)
        except InputError:
            return NONE
        state = 0
        for code in pressed.held:
            state |= bits.get(code, 0)
        got = stroke(symbol_at, pressed.keycode, state)
        if got is None:
            return ""
        return got.text or (got.name if got.name in MEANT else "")

    return of


def test_a_key_is_what_the_real_one_is() -> None:
    from windtunnel_real.x11.keymap import read_keymap
    from windtunnel_real.x11.keysyms import NAMES

    differing: list[tuple[str, object, object]] = []
    seen: set[object] = set()

    def job(xdisplay: Any) -> None:
        rows = xdisplay.get_keyboard_mapping(8, 248)
        bits: dict[int, int] = {}
        for bit, codes in enumerate(xdisplay.get_modifier_mapping()):
            for code in codes:
                bits[code] = bits.get(code, 0) | 1 << bit
        of = theirs(
            read_keymap(xdisplay), lambda code, index: [*rows[code - 8], *[0] * 8][index], bits
        )
        for chord in chords([*NAMES, *map(chr, range(0x20, 0x7F)), *ODD]):
            real, said = of(chord), ours(chord)
            seen.add(said)
            if real != said:
                differing.append((chord, real, said))

    async def body(stage: Stage) -> None:
        connection = stage.world.machine.sight.connection  # type: ignore[attr-defined] # real
        await connection.call(job, 60.0, "every key")

    play_in("real", body)
    assert differing == []
    assert {NONE, "", "a", "A", "ctrl+v", "Return"} <= seen
