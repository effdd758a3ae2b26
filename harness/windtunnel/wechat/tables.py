"""What the simulated WeChat looks like, as tables: its dialogs, menu and pictures.

`clicks.py`, `keys.py` and `confirming.py` read them. Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Need = Literal["", "choice", "text"]


@dataclass(frozen=True, slots=True)
class Dialog:
    """A row of the table of dialogs."""

    box: bool = False
    """Whether it has a box to type in, which has the focus from the start."""
    lists_results: bool = False
    """Whether what is typed is looked for, so that `result` can be chosen."""
    confirm: bool = True
    """Whether the button `confirm` is shown."""
    needs: Need = ""
    """Without what `confirm` does nothing."""
    light: bool = False
    """Whether a click outside closes it; others stay and swallow the click all the same."""


DIALOGS: Final[Mapping[str, Dialog]] = MappingProxyType(
    {
        "settings": Dialog(confirm=False, light=True),
        "confirm_logout": Dialog(),
        "file": Dialog(box=True, confirm=False, needs="text"),
        "chooser": Dialog(box=True, lists_results=True, needs="choice"),
        "add": Dialog(box=True, lists_results=True, needs="choice"),
        "accept": Dialog(),
        "remark": Dialog(box=True, light=True),
        "publish": Dialog(box=True, needs="text"),
        "share": Dialog(),
        "delete": Dialog(light=True),
        "forward_moment": Dialog(),
    }
)

MENU: Final = ("settings", "log_out", "about")
"""The lines of the main menu, from the top; the first `Down` chooses the first."""

MENU_DIALOGS: Final[Mapping[str, str]] = MappingProxyType(
    {"settings": "settings", "log_out": "confirm_logout"}
)
"""Line of the menu → the dialog it opens; another closes the menu and does nothing."""

PICTURES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "context_menu": MappingProxyType({"revoke": "", "forward": "chooser"}),
        "contacts": MappingProxyType({"remark": "remark"}),
        "requests": MappingProxyType({"accept": "accept"}),
        "moments": MappingProxyType(
            {
                "publish": "publish",
                "delete": "delete",
                "forward": "forward_moment",
                "like": "",
                "comment": "",
            }
        ),
        "link": MappingProxyType({"share": "share"}),
    }
)
"""Place (a menu, a view) → target found there by its picture → the dialog that it opens, if any."""

PICTURED: Final = frozenset({"confirm"} | {name for row in PICTURES.values() for name in row})
"""The targets that are looked for by their picture: TARGET_NOT_FOUND where they are not shown."""

POSITIONS: Final = frozenset(
    {
        *("search", "result", "input", "send", "menu", "session", "moments", "requests", "add"),
        *("attach", "last_message", "link"),
    }
)
"""The targets that are places in the window; `session:NAME` and `contact:NAME` beside them."""

REVOKED: Final = "[revoked]"
"""What a revoked message's text becomes in the database."""
NOTICE_ASKED: Final = "[asked to be a friend]"
NOTICE_NAMED: Final = "[got a remark]"
"""What the application itself writes down; no message went out."""
