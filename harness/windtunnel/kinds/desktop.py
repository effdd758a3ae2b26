"""The kinds of a desktop: commands, processes, the application on it.

Imports the form of a kind.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from windtunnel.kinds.kind import Kind, Kinds

DESKTOP: Final[Kinds] = MappingProxyType(
    {
        # Port calls.
        "command.started": Kind(
            "one command has the display and begins",
            "port",
            ("op", "class_", "resource"),
            {"command": "its name", "step": "its place in the flow, from 0"},
        ),
        "command.ended": Kind(
            "that command is over",
            "port",
            ("op", "class_", "resource", "outcome"),
            {"command": "its name", "step": "its place in the flow, from 0"},
        ),
        # The world.
        "process.started": Kind("a process runs", "world", ("resource",), {"pid": "its number"}),
        "process.killed": Kind(
            "a process is killed", "world", ("resource",), {"pid": "its number"}
        ),
        "process.exited": Kind(
            "a process ends by itself", "world", ("resource",), {"pid": "its number"}
        ),
        "process.reaped": Kind(
            "the starter has waited for a process that is over",
            "world",
            ("resource",),
            {"pid": "its number"},
        ),
        "wechat.shown": Kind("its window is there", "world", ("resource",), {"pid": "its number"}),
        "wechat.gone": Kind("its window is gone", "world", ("resource",), {"pid": "its number"}),
        "wechat.login": Kind(
            "the log-in state changes",
            "world",
            ("resource",),
            {"state": "logged_in, logged_out, qr or unknown"},
        ),
        "message.delivered": Kind(
            "a message went out, to whomever's session was open at that instant (UI-F4)",
            "world",
            ("op", "class_", "resource"),
            {"text": "what stood in the input box"},
        ),
        "friend.requested": Kind("a request comes in", "world", ("resource",)),
        "friend.accepted": Kind("a request is accepted", "world", ("op", "class_", "resource")),
        "text.misplaced": Kind(
            "a text went to something that is no box to type it in",
            "world",
            ("op", "class_", "resource"),
            {"text": "what was typed"},
        ),
        "click.missed": Kind(
            "a click hit something else than what it was meant for, or nothing",
            "world",
            ("op", "class_", "resource"),
            {"hit": "what lay there"},
        ),
    }
)
