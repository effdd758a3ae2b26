"""Accesses: what each step of the simulated world reads and writes.

Exploration lives on this log (which steps of different tasks conflict). Nobody listens by default:
then a part costs what an attribute costs, and a command one attribute look-up. While somebody
listens, the objects of the world have a class that reports each part of theirs that is touched.
Imports what the application reports to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Final, Protocol

from windtunnel.wechat.accesses import Accesses, Mode

Listener = Callable[[str, Mode], None]


class Watched(Protocol):
    """An object of the world that is made of parts."""

    @property
    def log(self) -> Accesses:
        """Where it reports."""

    RESOURCE: ClassVar[str]
    """What its parts are parts of, such as `display`."""
    PARTS: ClassVar[frozenset[str]]
    """The attributes that are parts; one that is changed in place reports that itself."""


class AccessLog:
    """Where the objects of one world report their accesses."""

    __slots__ = ("_listener", "_watched")

    def __init__(self) -> None:
        self._listener: Listener | None = None
        self._watched: list[tuple[Any, type]] = []

    @property
    def listener(self) -> Listener | None:
        """Called with the resource and the mode of each access, in the order of the steps."""
        return self._listener

    @listener.setter
    def listener(self, listener: Listener | None) -> None:
        self._listener = listener
        for watched, plain in self._watched:
            watched.__class__ = plain if listener is None else _reporting(plain)

    def watch(self, watched: Watched) -> None:
        """Report the parts of an object too, as `RESOURCE.part`, while somebody listens."""
        self._watched.append((watched, type(watched)))

    def report(self, resource: str, mode: Mode) -> None:
        """Say that the running step reads or writes a resource."""
        if self._listener is not None:
            self._listener(resource, mode)


@cache
def _reporting(plain: Any) -> type:  # noqa: ANN401 - any class of watched objects
    """Return a class whose objects report, and are in all else those of `plain`."""

    def get(self: Watched, name: str) -> Any:  # noqa: ANN401 - whatever the part holds
        if name in plain.PARTS:
            self.log.report(f"{plain.RESOURCE}.{name}", "read")
        return plain.__getattribute__(self, name)

    def put(self: Watched, name: str, value: object) -> None:
        if name in plain.PARTS:
            self.log.report(f"{plain.RESOURCE}.{name}", "write")
        plain.__setattr__(self, name, value)

    body = {"__slots__": (), "__getattribute__": get, "__setattr__": put}
    return type(f"Reporting{plain.__name__}", (plain,), body)


# ---------------------------------------------------------------- what each command may touch

_WINDOW: Final = ("display.window",)
_OVER: Final = tuple(f"display.{part}" for part in ("login", "dialog", "menu", "context"))
"""Read to see what of its own lies over the window."""
_SHUT: Final = tuple(
    f"display.{part}"
    for part in ("popup", "raised", "dialog", "box", "choice", "result", "menu", "context")
)
"""Written by a blind click: it may close what lies over the window, or choose in it."""
_BOXES: Final = tuple(f"display.{part}" for part in ("focus", "search", "result", "comment"))
"""Written where a click takes the focus out of every box."""
_OPEN: Final = ("display.session", "display.sessions", "display.view")
_CONTENTS: Final = ("display.box", "display.choice", "display.search", "display.result")
"""Written by a text, beside the box for a comment and the draft."""
_SENT: Final = ("display.drafts", "display.sessions", "records.messages")
_CONFIRMED: Final = tuple(
    f"records.{part}"
    for part in ("account", "asked", "friends", "messages", "moments", "remarks", "requests")
)
_DIALOG: Final = tuple(f"display.{part}" for part in ("dialog", "box", "choice"))
_MENUS: Final = ("display.menu", "display.context")
_LOGGED_OUT: Final = (*_OPEN, *_BOXES, *_DIALOG, *_MENUS, "display.login", "display.contact")


def _row(reads: tuple[str, ...], writes: tuple[str, ...] = ()) -> Mapping[str, Mode]:
    modes: dict[str, Mode] = dict.fromkeys(reads, "read")
    return MappingProxyType(modes | dict.fromkeys(writes, "write"))


def _on_display(reads: tuple[str, ...], writes: tuple[str, ...] = ()) -> Mapping[str, Mode]:
    return _row((*_WINDOW, *reads), ("display", *writes))


def _position(*writes: str, reads: tuple[str, ...] = ()) -> Mapping[str, Mode]:
    return _on_display((*_OVER, *reads), (*_SHUT, *writes))


def _picture(*writes: str, reads: tuple[str, ...] = ()) -> Mapping[str, Mode]:
    seen = (*_OVER, "display.popup", "display.view")
    return _on_display((*seen, *reads), writes)


def _key(*writes: str, reads: tuple[str, ...] = ()) -> Mapping[str, Mode]:
    return _on_display((*_OVER, "display.popup", "display.raised", "display.focus", *reads), writes)


_SEEN: Final = (*_OVER, "display.popup", "display.view", "display.session")
"""Read to take a picture."""
_PANE: Final = ("display.session", "display.view")
_OPENS: Final = _picture(
    *(*_BOXES, *_MENUS, *_DIALOG), reads=("display.contact", "records.requests")
)
_ENDED: Final = _row((), ("processes", *_WINDOW, "display.raised", "display.drafts", *_LOGGED_OUT))
_TEXT: Final = (*_CONTENTS, "display.comment", "display.drafts")

COMMAND_ACCESSES: Final[Mapping[str, Mapping[str, Mode]]] = MappingProxyType(
    {
        "activate": _on_display((), ("display.raised",)),
        "hold": _on_display(()),
        "capture": _on_display(_SEEN),
        "login_state": _on_display(("display.login",)),
        "wait_window": _on_display(("display.raised", "processes")),
        "window": _row((*_WINDOW, "display.raised", "processes")),
        # Clicks on positions.
        "click search": _position("display.focus", "display.comment"),
        "click result": _position(*_BOXES, *_OPEN),
        "click session": _position(*_BOXES, *_OPEN),
        "click contact": _position(*_BOXES, "display.view", "display.contact"),
        "click moments": _position(*_BOXES, "display.view"),
        "click requests": _position(*_BOXES, "display.view"),
        "click menu": _position(*_BOXES),
        "click add": _position(*_BOXES),
        "click input": _position(*_BOXES, reads=_PANE),
        "click attach": _position(*_BOXES, reads=_PANE),
        "click last_message": _position(*_BOXES, reads=_PANE),
        "click link": _position(*_BOXES, "display.view", reads=_PANE),
        "click send": _position(*_BOXES, *_SENT, reads=_PANE),
        # Clicks on pictures.
        **dict.fromkeys((f"click {name}" for name in ("remark", "accept", "publish")), _OPENS),
        **dict.fromkeys((f"click {name}" for name in ("forward", "delete", "share")), _OPENS),
        "click comment": _picture(*_BOXES, *_MENUS),
        "click like": _picture(*_BOXES, *_MENUS, "records.moments"),
        "click revoke": _picture(*_MENUS, "records.messages", reads=("display.session",)),
        "click confirm": _picture(*_LOGGED_OUT, *_CONFIRMED),
        # Keys and texts: they go to whatever has the focus.
        "key Return": _key(*_SHUT, *_LOGGED_OUT, *_SENT, *_CONFIRMED),
        "key Escape": _key(*_SHUT, *_BOXES),
        "key Down": _key("display.menu"),
        "key Up": _key("display.menu"),
        "key BackSpace": _key(*_TEXT, reads=("display.session",)),
        "key ctrl+v": _key(*_TEXT, reads=("display.session", "display.clipboard")),
        "type_text": _key(*_TEXT, reads=("display.session",)),
        "paste_text": _key(*_TEXT, "display.clipboard", reads=("display.session",)),
        # Processes, and the windows that come and go with them.
        "find": _row(("processes",)),
        "wait_exit": _row(("processes",)),
        "start": _row((), ("processes", *_WINDOW, "display.raised")),
        "run": _row((), ("processes",)),
        "run scrot": _row((*_WINDOW, *_SEEN), ("processes", "display")),
        **dict.fromkeys(("terminate", "kill"), _ENDED),
        # Records.
        "friend_requests": _row(("records.requests",)),
        "messages": _row(("records.messages",)),
    }
)
"""Command of a port, with its target, key or program → the most that it reads and writes.

A program is at work on `ProcessSpec.resource` from its start to its end; the row of `run` is that
of one that works on no display. Where a command both reads and writes a part, the write is listed.
A click on another target is one beside everything; another key does nothing.
"""
