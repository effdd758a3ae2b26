"""Hits: what of the stand-in's window lies at a point.

What a click there does is the state machine's affair. Imports its tables, the layout and the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from windtunnel.wechat.surface import Surface
from windtunnel.wechat.tables import PICTURES
from windtunnel_real.standin.layout import (
    AREAS,
    BUTTONS,
    CONFIRM,
    CONTACT_ROWS,
    RESULTS_CONFIRM,
    ROWS,
    Box,
)
from windtunnel_real.standin.rows import Rows, is_searching

NOWHERE: Final = "nowhere"
"""A target that the state machine does not know: a click there takes the focus away."""

_NAMESAKE: Final = "the "


def said_of(target: str, missed: str) -> str:
    """Return the `hit` of a line `click`: the target, or what was hit instead (`""`: nothing was).

    A dialog, a menu or a view may be called as the target is that it covers: `the add`, not `add`.
    """
    if not missed:
        return target
    return _NAMESAKE + missed if missed == target else missed


def shown_buttons(surface: Surface) -> Mapping[str, Box]:
    """Return the targets that can be found by their picture now, and where they are."""
    screen = surface.screen
    top = screen.top()
    row = screen.dialog_row
    if row is not None and top == screen.dialog:
        if not row.confirm:
            return {}
        return {"confirm": RESULTS_CONFIRM if row.lists_results else CONFIRM}
    place = top or screen.view
    if place not in PICTURES:
        return {}
    if place == "contacts" and screen.contact is None:
        return {}
    if place == "requests" and not surface.database.requests:
        return {}
    return BUTTONS[place]


def hit(surface: Surface, rows: Rows, x: int, y: int) -> str:
    """Return the target that lies at a point of the window: what the state machine is to click.

    A row is named with whose it is: `session:bob`.
    """
    for target, box in shown_buttons(surface).items():
        if box.contains(x, y):
            return target
    for target, box in AREAS.items():
        if box.contains(x, y):
            return target
    return _row_at(surface, rows, x, y)


def _row_at(surface: Surface, rows: Rows, x: int, y: int) -> str:
    screen = surface.screen
    dialog = screen.dialog_row
    lists_results = is_searching(screen) or (dialog is not None and dialog.lists_results)
    if lists_results:
        if ROWS[0].contains(x, y):
            return "result"
    else:
        for box, name in zip(ROWS, rows.sessions, strict=False):
            if box.contains(x, y):
                return f"session:{name}"
    for box, name in zip(CONTACT_ROWS, rows.contacts, strict=False):
        if box.contains(x, y):
            return f"contact:{name}"
    return NOWHERE


def missed(meant: str, target: str, hit: str) -> str:
    """Return what a click hit instead of the target that was meant, `""` if it hit that.

    `target` and `hit` are those of the log's line `click`; what is returned is what the simulation
    says in `click.missed`: a row that was hit by mistake is named without whose it is.
    """
    if hit != target:
        return hit.removeprefix(_NAMESAKE)
    name, _, whose = meant.partition(":")
    found, _, whose_found = target.partition(":")
    if name == found and (not whose or whose == whose_found):
        return ""
    return "nothing" if found == NOWHERE else found
