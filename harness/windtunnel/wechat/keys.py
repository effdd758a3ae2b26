"""Keys: where a key or a text goes, and what becomes of the screen.

They go to whatever has the focus. Imports the surface and what clicks do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from windtunnel.acting import Acting
from windtunnel.wechat.clicks import NOTHING, send_draft
from windtunnel.wechat.confirming import confirm
from windtunnel.wechat.surface import Surface
from windtunnel.wechat.tables import MENU, MENU_DIALOGS

Press = Callable[[Surface, Acting], None]


def focus_of(surface: Surface) -> str:
    """Return what gets the keys: a popup, what lies over the window, a box in it, or `none`."""
    screen = surface.screen
    if screen.popup and not screen.raised:
        return "popup"
    over = screen.over()
    if not over:
        return screen.focus
    return "dialog" if over == screen.dialog else over


def press(surface: Surface, key: str, who: Acting) -> None:
    """Press a key by its X keysym name; one that means nothing there has no effect."""
    action = PRESSES.get(focus_of(surface), {}).get(key)
    if action is not None:
        action(surface, who)


def type_text(surface: Surface, text: str, who: Acting) -> None:
    """Type a text; a line break in it is the key Return."""
    first, *rest = text.split("\n")
    insert(surface, first, who)
    for line in rest:
        press(surface, "Return", who)
        insert(surface, line, who)


def insert(surface: Surface, text: str, who: Acting) -> None:
    """Put a text into the box in focus; records `text.misplaced` where there is none."""
    if not text:
        return
    screen = surface.screen
    place = focus_of(surface)
    row = screen.dialog_row
    if place == "search":
        # What is typed in one go is somebody's name; behind what was left there it is nobody's.
        screen.result = None if screen.search else text
        screen.search += text
    elif place == "input":
        screen.draft += text
    elif place == "comment":
        screen.comment += text
    elif place == "dialog" and row is not None and row.box:
        if row.lists_results:
            screen.result, screen.choice = None if screen.box else text, None
        screen.box += text
    else:
        where = {"dialog": screen.dialog, "none": NOTHING}.get(place, place)
        surface.misplaced(text, where, who)


# ---------------------------------------------------------------- single keys


def _close_popup(surface: Surface, _who: Acting) -> None:
    surface.screen.close_popup()


def _close_menus(surface: Surface, _who: Acting) -> None:
    surface.screen.close_menus()


def _move(lines: int) -> Press:
    def move(surface: Surface, _who: Acting) -> None:
        line = (surface.screen.menu or 0) + lines
        surface.screen.menu = min(max(line, 1), len(MENU))

    return move


def _choose_line(surface: Surface, _who: Acting) -> None:
    line = surface.screen.menu or 0
    surface.screen.close_menus()
    if line and (dialog := MENU_DIALOGS.get(MENU[line - 1])):
        surface.screen.open_dialog(dialog)


def _confirm(surface: Surface, who: Acting) -> None:
    confirm(surface, who)


def _close_dialog(surface: Surface, _who: Acting) -> None:
    surface.screen.close_dialog()


def _leave_boxes(surface: Surface, _who: Acting) -> None:
    surface.screen.leave_boxes()


def _open_found(surface: Surface, _who: Acting) -> None:
    if surface.screen.result is not None:
        surface.screen.open_session(surface.screen.result)


def _send(surface: Surface, who: Acting) -> None:
    send_draft(surface, who)


def _comment(surface: Surface, _who: Acting) -> None:
    if surface.screen.comment:
        surface.database.add_moment("comment", surface.screen.comment)
        surface.screen.leave_boxes()


def _rub_out_search(surface: Surface, _who: Acting) -> None:
    surface.screen.search = surface.screen.search[:-1]
    surface.screen.result = None


def _rub_out_draft(surface: Surface, _who: Acting) -> None:
    surface.screen.draft = surface.screen.draft[:-1]


def _rub_out_comment(surface: Surface, _who: Acting) -> None:
    surface.screen.comment = surface.screen.comment[:-1]


def _rub_out_box(surface: Surface, _who: Acting) -> None:
    screen, row = surface.screen, surface.screen.dialog_row
    screen.box = screen.box[:-1]
    if row is not None and row.lists_results:
        screen.result = screen.choice = None


def _paste(surface: Surface, who: Acting) -> None:
    insert(surface, surface.screen.clipboard, who)


def _row(enter: Press, escape: Press, **more: Press) -> Mapping[str, Press]:
    return MappingProxyType(
        {"Return": enter, "KP_Enter": enter, "Escape": escape, "ctrl+v": _paste, **more}
    )


PRESSES: Final[Mapping[str, Mapping[str, Press]]] = MappingProxyType(
    {
        "popup": _row(_close_popup, _close_popup),
        "menu": _row(_choose_line, _close_menus, Down=_move(1), Up=_move(-1)),
        "context_menu": _row(_close_menus, _close_menus),
        "dialog": _row(_confirm, _close_dialog, BackSpace=_rub_out_box),
        "search": _row(_open_found, _leave_boxes, BackSpace=_rub_out_search),
        "input": _row(_send, _leave_boxes, BackSpace=_rub_out_draft),
        "comment": _row(_comment, _leave_boxes, BackSpace=_rub_out_comment),
    }
)
"""Focus → key → what it does."""
