"""Confirming: what a dialog does once it is confirmed, by a click or by Return.

Imports the tables and the surface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from windtunnel.acting import Acting
from windtunnel.wechat.surface import Surface


def _log_out(surface: Surface, _who: Acting) -> None:
    surface.log_in_or_out("logged_out")


def _send_file(surface: Surface, who: Acting) -> None:
    if surface.screen.session is not None:
        surface.deliver(surface.screen.session, surface.screen.box, who)


def _forward(surface: Surface, who: Acting) -> None:
    screen = surface.screen
    last = surface.database.last_sent(screen.session or "")
    if screen.choice is not None:
        surface.deliver(screen.choice, "" if last is None else last.text, who)


def _ask(surface: Surface, _who: Acting) -> None:
    surface.database.ask(surface.screen.choice or "")


def _accept(surface: Surface, who: Acting) -> None:
    surface.accept(surface.screen.choice or "", who)


def _remark(surface: Surface, _who: Acting) -> None:
    surface.database.name(surface.screen.choice or "", surface.screen.box)


def _moment(what: str) -> Confirm:
    def confirm(surface: Surface, _who: Acting) -> None:
        surface.database.add_moment(what, surface.screen.box)

    return confirm


Confirm = Callable[[Surface, Acting], None]

CONFIRMS: Final[Mapping[str, Confirm]] = MappingProxyType(
    {
        "confirm_logout": _log_out,
        "file": _send_file,
        "chooser": _forward,
        "add": _ask,
        "accept": _accept,
        "remark": _remark,
        "publish": _moment("publish"),
        "share": _moment("share"),
        "delete": _moment("delete"),
        "forward_moment": _moment("forward"),
    }
)
"""Dialog → what it does; one that is not here has nothing to confirm."""


def confirm(surface: Surface, who: Acting) -> bool:
    """Confirm the open dialog and close it; False, and nothing happens, when it lacks something."""
    screen = surface.screen
    row, act = screen.dialog_row, CONFIRMS.get(screen.dialog)
    if row is None or act is None:
        return False
    if (row.needs == "choice" and screen.choice is None) or (
        row.needs == "text" and not screen.box
    ):
        return False
    act(surface, who)
    screen.close_dialog()
    return True
