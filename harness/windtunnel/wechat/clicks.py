"""Clicks: what lies at a target when it is clicked, and what becomes of the screen.

Positions are blind: a click hits whatever lies there. Targets that are looked for by their picture
are found or they are not. Imports the tables, the surface and what confirming does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from windtunnel.acting import Acting
from windtunnel.errors import BridgeError, Code
from windtunnel.wechat.confirming import confirm
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel.wechat.tables import PICTURED, PICTURES, REVOKED

NOTHING: Final = "nothing"

PositionClick = Callable[[Surface, str, Acting], str]


def click(surface: Surface, target: str, who: Acting) -> None:
    """Click a target; records `click.missed` where something else was hit.

    Raises TARGET_NOT_FOUND for a picture that is not shown.
    """
    top = surface.screen.top()
    if target in PICTURED:
        _click_picture(surface, target, top, who)
        return
    if top:
        hit = _click_over(surface, target, top)
    else:
        name, _, whose = target.partition(":")
        hit = POSITION_CLICKS.get(name, _nowhere)(surface, whose, who)
    if hit:
        surface.missed(target, hit, who)


# ---------------------------------------------------------------- what lies over the window


def _click_over(surface: Surface, target: str, top: str) -> str:
    """Let what lies over the window have the click; return what was hit, `""` if it was meant."""
    screen = surface.screen
    row = screen.dialog_row
    if top == "popup":
        screen.close_popup()
    elif top in ("menu", "context_menu"):
        screen.close_menus()
    elif row is not None and top == screen.dialog:
        if row.lists_results and screen.choice is None and _is_top_row(screen, target):
            screen.choice = screen.result
            hit = "" if target == "result" else "result"
            return hit if screen.choice else NOTHING
        if row.light:
            screen.close_dialog()
    return top


def _is_top_row(screen: Screen, target: str) -> bool:
    """Tell whether a target lies where a dialog lists the first of its results."""
    name, _, whose = target.partition(":")
    return name == "result" or (name == "session" and whose in ("", screen.top_session))


# ---------------------------------------------------------------- targets found by their picture


def _place(surface: Surface, top: str) -> str:
    """Return the row of `PICTURES` that is shown."""
    return top or surface.screen.view


def _click_picture(surface: Surface, target: str, top: str, who: Acting) -> None:
    screen = surface.screen
    row = screen.dialog_row
    if target == "confirm" and row is not None and top == screen.dialog and row.confirm:
        if not confirm(surface, who):
            surface.missed(target, top, who)
        return
    if not _is_shown(surface, target, _place(surface, top)):
        raise BridgeError(Code.TARGET_NOT_FOUND, f"nothing on the screen looks like `{target}`")
    _choose(surface, target, _place(surface, top))


def _is_shown(surface: Surface, target: str, place: str) -> bool:
    if target not in PICTURES.get(place, {}):
        return False
    screen = surface.screen
    if place == "contacts":
        return screen.contact is not None
    return place != "requests" or bool(surface.database.requests)


def _choose(surface: Surface, target: str, place: str) -> None:
    """Do what a picture stands for: most open a dialog."""
    screen, database = surface.screen, surface.database
    if place != "context_menu":
        screen.leave_boxes()
    screen.close_menus()
    dialog = PICTURES[place][target]
    if dialog:
        choices = {"remark": screen.contact, "accept": next(iter(database.requests), None)}
        screen.open_dialog(dialog, choices.get(dialog))
    elif target == "comment":
        screen.focus = "comment"
    elif target == "like":
        database.add_moment("like")
    elif (last := database.last_sent(screen.session or "")) and last.text != REVOKED:
        database.revoke(last)


# ---------------------------------------------------------------- positions in the window


def _search(surface: Surface, _whose: str, _who: Acting) -> str:
    surface.screen.focus, surface.screen.comment = "search", ""
    return ""


def _result(surface: Surface, _whose: str, _who: Acting) -> str:
    """The top row of the left column: of the results if a search is on, else of the sessions."""
    screen = surface.screen
    if not _is_searching(surface):
        screen.open_session(screen.top_session)
        return "session"
    return _open_result(surface)


def _session(surface: Surface, whose: str, _who: Acting) -> str:
    screen = surface.screen
    if _is_searching(surface):
        return _open_result(surface) or "result"
    screen.open_session(whose or screen.top_session)
    return ""


def _is_searching(surface: Surface) -> bool:
    return surface.screen.focus == "search" or bool(surface.screen.search)


def _open_result(surface: Surface) -> str:
    found = surface.screen.result
    if found is None:
        return NOTHING
    surface.screen.open_session(found)
    return ""


def _contact(surface: Surface, whose: str, who: Acting) -> str:
    if not whose:
        return _nowhere(surface, whose, who)
    surface.screen.show("contacts")
    surface.screen.contact = whose
    return ""


def _moments(surface: Surface, _whose: str, _who: Acting) -> str:
    surface.screen.show("moments")
    return ""


def _requests(surface: Surface, _whose: str, _who: Acting) -> str:
    surface.screen.show("requests")
    return ""


def _menu(surface: Surface, _whose: str, _who: Acting) -> str:
    surface.screen.leave_boxes()
    surface.screen.menu = 0
    return ""


def _add(surface: Surface, _whose: str, _who: Acting) -> str:
    surface.screen.leave_boxes()
    surface.screen.open_dialog("add")
    return ""


def _pane_without_session(surface: Surface) -> str:
    """Give up a search; return what lies in the main pane if it is no session."""
    screen = surface.screen
    screen.leave_boxes()
    if screen.view != "chats":
        return screen.view
    return NOTHING if screen.session is None else ""


def _in_session(act: Callable[[Screen], None]) -> PositionClick:
    """Return a click in the pane of a session: `act` is what it does, where one is open."""

    def click_there(surface: Surface, _whose: str, _who: Acting) -> str:
        hit = _pane_without_session(surface)
        if not hit:
            act(surface.screen)
        return hit

    return click_there


def _focus_input(screen: Screen) -> None:
    screen.focus = "input"


def _attach(screen: Screen) -> None:
    screen.open_dialog("file")


def _open_context(screen: Screen) -> None:
    screen.context = True


def _open_link(screen: Screen) -> None:
    screen.show("link")


def _send(surface: Surface, _whose: str, who: Acting) -> str:
    return _pane_without_session(surface) or send_draft(surface, who)


def send_draft(surface: Surface, who: Acting) -> str:
    """Send what stands in the input box of the open session; return `empty_box` if nothing does."""
    screen = surface.screen
    screen.focus = "input"
    text, session = screen.draft, screen.session
    if not text or session is None:
        return "empty_box"
    screen.draft = ""
    surface.deliver(session, text, who)
    return ""


def _nowhere(surface: Surface, _whose: str, _who: Acting) -> str:
    surface.screen.leave_boxes()
    return NOTHING


POSITION_CLICKS: Final[Mapping[str, PositionClick]] = MappingProxyType(
    {
        "search": _search,
        "result": _result,
        "session": _session,
        "contact": _contact,
        "moments": _moments,
        "requests": _requests,
        "menu": _menu,
        "add": _add,
        "input": _in_session(_focus_input),
        "send": _send,
        "attach": _in_session(_attach),
        "last_message": _in_session(_open_context),
        "link": _in_session(_open_link),
    }
)
"""Position → what a click there does to the bare window, given whose row it is and who clicks.

Each returns what was hit instead of what was meant, `""` where that is one and the same.
"""
