"""The screen: what stands on the simulated display, part by part.

It is data; what clicks and keys make of it stands in `clicks.py` and `keys.py`. It outlives the
flows that touch it (UI-F3). Imports the log of accesses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from windtunnel.ports import LoginState
from windtunnel.wechat.accesses import Accesses
from windtunnel.wechat.tables import DIALOGS, Dialog

View = Literal["chats", "contacts", "moments", "requests", "link"]
Focus = Literal["none", "search", "input", "comment"]

OLDEST_SESSIONS: Final = ("filehelper",)
"""The sessions that the list holds from the start."""


@dataclass(slots=True)
class Screen:
    """The display and the window on it.

    The keys go to one thing: to a popup while it has the display's focus, else to what lies over
    the window (the log-in page, a dialog, a menu), else to what `focus` names. No part but
    `sessions`, which reports that itself, is changed in place.
    """

    log: Accesses
    # The display's own.
    window: bool = False
    """Whether WeChat's window is there."""
    raised: bool = False
    """Whether it has the display's focus; another program's popup may take that."""
    popup: bool = False
    """Whether another program's window lies over it."""
    clipboard: str = ""
    # The window's.
    login: LoginState = "unknown"
    view: View = "chats"
    focus: Focus = "none"
    search: str = ""
    """What stands in the search box."""
    result: str | None = None
    """The contact that the search found, or a dialog's own search."""
    session: str | None = None
    """Whose session is open; a view beside `chats` covers it."""
    sessions: dict[str, None] = field(default_factory=lambda: dict.fromkeys(OLDEST_SESSIONS))
    """The list of sessions, the most recent last; it may be long, so it is changed in place."""
    drafts: dict[str, str] = field(default_factory=dict)
    """Session → what stands in its input box."""
    contact: str | None = None
    """Whose card the view `contacts` shows."""
    comment: str = ""
    """What stands in the box for a comment; it is there while it has the focus."""
    menu: int | None = None
    """The line of the main menu that is chosen, from 1, 0 for none; None: it is closed."""
    context: bool = False
    """Whether the context menu of the session's last message is open."""
    dialog: str = ""
    """The dialog that is open, a key of `DIALOGS`; empty: none."""
    box: str = ""
    """What stands in the dialog's box."""
    choice: str | None = None
    """Whom the dialog is about, once that is chosen."""

    RESOURCE: ClassVar[str] = "display"
    PARTS: ClassVar[frozenset[str]]

    def open_dialog(self, name: str, choice: str | None = None) -> None:
        """Open a dialog over whatever there is; menus close."""
        self.close_menus()
        self.dialog, self.box, self.result, self.choice = name, "", None, choice

    def close_dialog(self) -> None:
        """Close the dialog."""
        self.dialog, self.box, self.result, self.choice = "", "", None, None

    def close_menus(self) -> None:
        """Close the main menu and the context menu."""
        self.menu, self.context = None, False

    def leave_boxes(self) -> None:
        """Take the focus out of every box: a search and an unsent comment are given up."""
        self.focus, self.search, self.result, self.comment = "none", "", None, ""

    def show(self, view: View) -> None:
        """Change what the main pane shows."""
        self.leave_boxes()
        self.view = view

    def open_session(self, name: str) -> None:
        """Show a session, its input box in focus; one that is new comes to the top of the list."""
        self.show("chats")
        self.session, self.focus = name, "input"
        if name not in self.sessions:
            self.lift_session(name)

    def lift_session(self, name: str) -> None:
        """Put a session at the top of the list: a message went out there."""
        self.log.report("display.sessions", "write")
        self.sessions.pop(name, None)
        self.sessions[name] = None

    @property
    def top_session(self) -> str:
        """The session at the top of the list."""
        return next(reversed(self.sessions))

    @property
    def draft(self) -> str:
        """What stands in the input box of the open session."""
        return "" if self.session is None else self.drafts.get(self.session, "")

    @draft.setter
    def draft(self, text: str) -> None:
        if self.session is None:
            raise ValueError("no session is open: there is no input box to write into")
        drafts = {**self.drafts, self.session: text}
        if not text:
            del drafts[self.session]
        self.drafts = drafts

    @property
    def dialog_row(self) -> Dialog | None:
        """The row of the open dialog."""
        return DIALOGS[self.dialog] if self.dialog else None

    def over(self) -> str:
        """Return what of its own lies over the window, and gets its keys; `""` for nothing."""
        if self.login != "logged_in":
            return "login"
        if self.dialog:
            return self.dialog
        if self.menu is not None:
            return "menu"
        return "context_menu" if self.context else ""

    def top(self) -> str:
        """Return what gets the clicks and is seen; `""` for the window itself."""
        return "popup" if self.popup else self.over()

    def open_popup(self) -> None:
        """Let another program's window come up; it takes the focus."""
        self.popup, self.raised = True, False

    def close_popup(self) -> None:
        """Close that window; the focus goes back."""
        if self.popup:
            self.popup, self.raised = False, self.window

    def start_afresh(self, login: LoginState, *, keep_sessions: bool = False) -> None:
        """Be the window of a new process: no session open, no draft, nothing in any box."""
        self.close_dialog()
        self.close_menus()
        self.show("chats")
        self.login, self.session, self.contact = login, None, None
        if not keep_sessions:
            self.sessions, self.drafts = dict.fromkeys(OLDEST_SESSIONS), {}


Screen.PARTS = frozenset(Screen.__slots__) - {"log"}
