"""The flows: what each action does to the display, command by command (UI-F1).

Names of commands are the ones that scenarios and traces use in every world. Imports ports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from types import MappingProxyType
from typing import Any, Final, Literal

from windtunnel.ports import Region

Verb = Literal[
    "activate", "click", "key", "type_text", "capture", "wait_window",
    "program", "kill", "wait_exit", "find", "start",
]  # fmt: skip
"""What a step does: a call of the desktop, the capture program, or a call of the processes."""

QR_REGION: Final = Region(x=560, y=240, width=320, height=320)
"""Where the log-in window shows its QR code, in pixels."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a flow."""

    name: str
    """What scenarios and traces call it."""
    verb: Verb
    argument: str | float | Region | None = None
    """The verb's argument; `{to}` in a text stands for that argument of the action."""


ACTIVATE: Final = Step("activate", "activate", "wechat")
VERIFY: Final = Step("verify", "capture")
SCREENSHOT: Final = Step("screenshot", "capture")
TYPE_QUERY: Final = Step("type_query", "type_text", "{to}")
OPEN_FOUND: Final = Step("open_session", "click", "result")
OPEN_FIRST: Final = Step("open_session", "click", "session")
OPEN_CONTEXT: Final = Step("open_context", "click", "last_message")
OPEN_MOMENTS: Final = Step("open_moments", "click", "moments")
KEY_DOWN: Final = Step("key_down", "key", "Down")
KEY_ENTER: Final = Step("key_enter", "key", "Return")
OPENING: Final = (Step("click_search", "click", "search"), TYPE_QUERY, OPEN_FOUND)
"""How a contact's session is opened; skipped for the one that is open."""


def _click(target: str) -> Step:
    return Step(f"click_{target}", "click", target)


CONFIRM: Final = _click("confirm")

FLOWS: Final[Mapping[str, tuple[Step, ...]]] = MappingProxyType(
    {
        "send_text": (
            *(ACTIVATE, *OPENING, Step("focus_input", "click", "input")),
            *(Step("type_text", "type_text", "{text}"), _click("send"), VERIFY),
        ),
        "send_file": (
            *(ACTIVATE, *OPENING, _click("attach")),
            *(Step("type_path", "type_text", "{file}"), KEY_ENTER, VERIFY),
        ),
        "revoke": (
            *(ACTIVATE, Step("open_session", "click", "session:{to}")),
            *(OPEN_CONTEXT, _click("revoke"), VERIFY),
        ),
        "forward": (
            *(ACTIVATE, OPEN_FIRST, OPEN_CONTEXT, _click("forward")),
            *(TYPE_QUERY, OPEN_FOUND, CONFIRM),
        ),
        "set_remark": (
            *(ACTIVATE, Step("open_contact", "click", "contact:{to}"), _click("remark")),
            *(Step("type_text", "type_text", "{remark}"), CONFIRM),
        ),
        "add_friend": (
            *(ACTIVATE, _click("add"), TYPE_QUERY),
            *(Step("open_contact", "click", "result"), CONFIRM),
        ),
        "accept_friend": (
            *(ACTIVATE, Step("open_requests", "click", "requests")),
            *(_click("accept"), CONFIRM),
        ),
        "publish": (
            *(ACTIVATE, OPEN_MOMENTS, _click("publish")),
            *(Step("type_text", "type_text", "{text}"), CONFIRM),
        ),
        "share": (
            *(ACTIVATE, OPEN_FIRST, Step("open_link", "click", "link")),
            *(_click("share"), CONFIRM),
        ),
        "delete": (ACTIVATE, OPEN_MOMENTS, _click("delete"), CONFIRM),
        "forward_moment": (ACTIVATE, OPEN_MOMENTS, _click("forward"), CONFIRM),
        "like": (ACTIVATE, OPEN_MOMENTS, _click("like"), SCREENSHOT),
        "comment": (
            *(ACTIVATE, OPEN_MOMENTS, _click("comment")),
            *(Step("type_text", "type_text", "{text}"), KEY_ENTER, SCREENSHOT),
        ),
        "screenshot": (SCREENSHOT,),
        "qr_start": (ACTIVATE, Step("screenshot", "program"), Step("crop", "capture", QR_REGION)),
        "logout": (ACTIVATE, _click("menu"), KEY_DOWN, KEY_DOWN, KEY_ENTER, CONFIRM),
        "restart": (
            *(Step("kill", "kill"), Step("wait_exit", "wait_exit", 5.0)),
            *(Step("start", "start"), Step("wait_window", "wait_window", 10.0)),
        ),
        "autofix": (
            *(Step("kill", "kill"), Step("find", "find")),
            *(Step("start", "start"), Step("wait_window", "wait_window", 10.0)),
        ),
    }
)
"""Class of action → its commands in order; of `autofix` the last two only if nothing is found."""


def _placeholders(steps: tuple[Step, ...]) -> tuple[str, ...]:
    texts = (step.argument for step in steps if isinstance(step.argument, str))
    names = (name for text in texts for _, name, _, _ in Formatter().parse(text) if name)
    return tuple(dict.fromkeys(names))


ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {action: _placeholders(steps) for action, steps in FLOWS.items()}
)
"""Class of action → the arguments that its flow types or clicks, in the order of their use."""


def missing_arguments(action: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the arguments that the action's flow needs and that are not there."""
    return tuple(name for name in ARGUMENTS[action] if name not in args)
