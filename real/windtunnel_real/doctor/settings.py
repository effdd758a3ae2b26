"""The settings of a display's keyboard and its extensions, each looked at by python-xlib.

Each runs in the thread that owns the connection. Imports what a probe saw, and Xlib's one face.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from windtunnel_real.doctor.seen import Seen, bad, ok, warn
from windtunnel_real.x11.keymap import read_keymap
from windtunnel_real.x11.keysyms import NAMES
from windtunnel_real.x11.xlib import X, XDisplay

_LAYOUT: Final = 2
"""The field of `_XKB_RULES_NAMES`, after rules and model, that has the layouts."""
_NUM_LOCK: Final = X.Mod2Mask


def xtest(display: XDisplay) -> Seen:
    """Look for the extension by which input is made."""
    if display.query_extension("XTEST") is None:
        return bad("the server does not have it")
    version = display.xtest_get_version(2, 2)
    return ok(f"{version.major_version}.{version.minor_version}, by {maker(display)}")


def keyboard(display: XDisplay) -> Seen:
    """Look at the layout, and whether each printable ASCII character has a key."""
    root = display.screen().root
    names = root.get_full_property(display.intern_atom("_XKB_RULES_NAMES"), X.AnyPropertyType)
    fields = bytes(names.value).decode(errors="replace").split("\0") if names else []
    layout = fields[_LAYOUT] if len(fields) > _LAYOUT else ""
    lacking = "".join(map(chr, read_keymap(display).missing))
    mend = f"setxkbmap -display {display.get_display_name().removeprefix('unix')} us"
    if lacking:
        return warn(f"{layout or 'unknown'}: no key gives {lacking}; spare keys are lent", mend)
    if layout.split(",")[0] != "us":
        return warn(f"{layout or 'unknown'}, not us", mend)
    return ok("us")


def maker(display: XDisplay) -> str:
    """Return who made the server, and its version: `The X.Org Foundation 21.1.7`."""
    info = display.display.info
    vendor, number = str(info.vendor), info.release_number
    if "X.Org" not in vendor:
        return f"{vendor} {number}"
    # Ten million more than the version, since the old numbering had to stay below.
    parts = (number // 100_000 % 100, number // 1_000 % 100, number % 1_000)
    return f"{vendor} {'.'.join(map(str, parts))}"


def key_repeat(display: XDisplay) -> Seen:
    """Look whether a key that is held repeats itself."""
    mode = display.get_keyboard_control().global_auto_repeat
    return ok("on; off while we type" if mode == X.AutoRepeatModeOn else "off")


def keys_down(display: XDisplay) -> Seen:
    """Look for keys that are held, and locks that are on."""
    pressed = display.query_keymap()
    codes = [
        8 * number + bit
        for number, byte in enumerate(pressed)
        for bit in range(8)
        if byte >> bit & 1
    ]
    mask = display.screen().root.query_pointer().mask
    locks = {"Caps Lock": X.LockMask, "Num Lock": _NUM_LOCK}
    found = [_key_name(display, code) for code in codes]
    on = [name for name, bit in locks.items() if mask & bit]
    if not (found or on):
        return ok("none held, no lock on")
    keys = f"xdotool keyup {' '.join(found)}" if found else ""
    lock = f"xdotool key {' '.join(name.replace(' ', '_') for name in on)}" if on else ""
    told = [f"held: {', '.join(found)}"] * bool(found) + [f"on: {', '.join(on)}"] * bool(on)
    return warn("; ".join(told), " && ".join(filter(None, [keys, lock])))


def clipboard(display: XDisplay) -> Seen:
    """Look for a clipboard manager, which takes over what others put there."""
    owner = display.get_selection_owner(display.intern_atom("CLIPBOARD_MANAGER"))
    if owner == X.NONE:
        return ok("none")
    return warn(f"one is there: {owner.get_wm_name() or f'window {owner.id:#x}'}")


PROBES: Final[Mapping[str, Callable[[XDisplay], Seen]]] = {
    "xtest": xtest,
    "keyboard": keyboard,
    "key-repeat": key_repeat,
    "keys-down": keys_down,
    "clipboard": clipboard,
}
"""Id of a kind → its probe."""


def _key_name(display: XDisplay, code: int) -> str:
    keysym = display.get_keyboard_mapping(code, 1)[0][0]
    return next((name for name, number in NAMES.items() if number == keysym), str(code))
