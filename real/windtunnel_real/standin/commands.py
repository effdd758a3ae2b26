"""The commands: what the stand-in does when it is told to over its control socket.

One row of `COMMANDS` each. Imports the application.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, Final, get_args

from windtunnel.ports import LoginState
from windtunnel.wechat.screen import Screen
from windtunnel_real.errors import StandinError
from windtunnel_real.standin.application import Application

Request = Mapping[str, Any]
Reply = Mapping[str, Any]
Command = Callable[[Application, Request], Reply]

_DONE: Final[Reply] = MappingProxyType({})
LOGINS: Final[tuple[LoginState, ...]] = tuple(
    state for state in get_args(LoginState) if state != "unknown"
)
LONGEST: Final = 1_000_000
"""The largest number that a request may give."""
PARTS: Final = tuple(each.name for each in fields(Screen) if each.name not in ("log", "sessions"))


def answer(application: Application, request: Request) -> Reply:
    """Do what a request asks for, and return what its reply holds.

    What reached the display before it is handled before it, and what was typed so far is over then.
    Raises `StandinError` for what it does not know.
    """
    do = request.get("do")
    command = COMMANDS.get(do) if isinstance(do, str) else None
    if command is None:
        raise StandinError(f"unknown request {do!r}; known: {', '.join(COMMANDS)}")
    application.server.sync()
    application.handle()
    application.input.going.end()
    found = command(application, request)
    application.settle()
    application.paint()
    application.server.sync()  # whoever asked finds it so on the display
    return found


def _state(application: Application, _request: Request) -> Reply:
    """Return all there is to see: the screen part by part, the account, the process."""
    screen, window = application.screen, application.window
    return {
        **{name: getattr(screen, name) for name in PARTS},
        "sessions": list(screen.sessions),
        "account": application.records.database.account,
        "pid": os.getpid(),
        "window_id": None if window is None else window.window.id,
    }


def _drain(application: Application, _request: Request) -> Reply:
    application.drain()
    return _DONE


def _reveal(application: Application, request: Request) -> Reply:
    target = _text(request, "target")
    try:
        x, y = application.rows.reveal(target)
    except KeyError:
        raise StandinError(
            f"{target!r} has no place: a picture is looked for, not revealed"
        ) from None
    return {"x": x, "y": y}


def _hang(application: Application, request: Request) -> Reply:
    """Be busy from this reply on, for `seconds` or until SIGCONT: nothing is handled then."""
    application.hangs_s = _number(request, "seconds")
    return _DONE


def _slow(application: Application, request: Request) -> Reply:
    application.slower_s = _number(request, "ms") / 1000
    return _DONE


def _die(application: Application, _request: Request) -> Reply:
    application.settle()
    os._exit(1)


def _crash(application: Application, _request: Request) -> Reply:
    application.settle()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError("a process outlived its own SIGSEGV")


def _map(application: Application, _request: Request) -> Reply:
    if application.window is None:
        raise StandinError("there is no window to map: the application has not come up yet")
    application.show()
    return _shown(application, shown=True)


def _unmap(application: Application, _request: Request) -> Reply:
    if application.window is None:
        raise StandinError("there is no window to unmap: the application has not come up yet")
    application.hide()
    return _shown(application, shown=False)


def _shown(application: Application, *, shown: bool) -> Reply:
    if not application.until_shown(shown=shown):
        raise StandinError(f"the window is {'not' if shown else 'still'} there after a while")
    return _DONE


def _again(application: Application, _request: Request) -> Reply:
    """Be started a second time: show the window that there is; over when it is there."""
    application.show()
    if application.window is not None:
        application.until_shown(shown=True)
    return {"pid": os.getpid()}


def _popup(application: Application, _request: Request) -> Reply:
    application.screen.open_popup()
    return _DONE


def _close_popup(application: Application, _request: Request) -> Reply:
    application.screen.close_popup()
    return _DONE


def _title(application: Application, request: Request) -> Reply:
    application.rename(title=_text(request, "title"))
    return _DONE


def _class(application: Application, request: Request) -> Reply:
    application.rename(window_class=_text(request, "class"))
    return _DONE


def _login(application: Application, request: Request) -> Reply:
    state = _text(request, "state")
    if state not in LOGINS:
        raise StandinError(f"unknown log-in state {state!r}; known: {', '.join(LOGINS)}")
    application.surface.log_in_or_out(state)
    return _DONE


def _request(application: Application, request: Request) -> Reply:
    """Let somebody ask to be a friend, as in the simulation: once at a time."""
    database, who = application.records.database, _text(request, "from")
    if who not in database.requests:
        database.requests = (*database.requests, who)
        application.log.note("friend.requested", who)
    return _DONE


def _receive(application: Application, request: Request) -> Reply:
    """Get a message from somebody; their session comes to the top."""
    who, text = _text(request, "from"), _text(request, "text")
    application.records.database.add_message(who, text, outgoing=False)
    application.screen.lift_session(who)
    application.log.note("message.received", who, text=text)
    return _DONE


COMMANDS: Final[Mapping[str, Command]] = MappingProxyType(
    {
        "state": _state,
        "drain": _drain,
        "reveal": _reveal,
        "hang": _hang,
        "slow": _slow,
        "die": _die,
        "crash": _crash,
        "map": _map,
        "unmap": _unmap,
        "again": _again,
        "popup": _popup,
        "close_popup": _close_popup,
        "title": _title,
        "class": _class,
        "login": _login,
        "request": _request,
        "receive": _receive,
    }
)
"""`do` of a request → what it does to the application; returns what the reply holds."""


def _text(request: Request, name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str) or not value:
        raise StandinError(f"`{request['do']}` wants a text `{name}`, not {value!r}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise StandinError(f"`{name}` of `{request['do']}` is no Unicode text") from None
    return value


def _number(request: Request, name: str) -> float:
    value = request.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST:
        raise StandinError(f"`{request['do']}` wants a number `{name}` from 0 to {LONGEST}")
    return float(value)
