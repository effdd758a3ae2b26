"""The flows: what each action does to the display, command by command (UI-F1).

Command names are the ones that scenarios and traces use in every world. A flow here is a list of
named commands with latencies, run one after another on the display port.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from windtunnel.ports import Display
from windtunnel.units import MS, SECOND, to_seconds

FLOWS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "send_text": (
            *("activate", "click_search", "type_query", "open_session"),
            *("focus_input", "type_text", "click_send", "verify"),
        ),
        "send_file": (
            *("activate", "click_search", "type_query", "open_session"),
            *("click_attach", "type_path", "key_enter", "verify"),
        ),
        "revoke": ("activate", "open_session", "open_context", "click_revoke", "verify"),
        "forward": (
            *("activate", "open_session", "open_context", "click_forward"),
            *("type_query", "open_session", "click_confirm"),
        ),
        "set_remark": ("activate", "open_contact", "click_remark", "type_text", "click_confirm"),
        "add_friend": ("activate", "click_add", "type_query", "open_contact", "click_confirm"),
        "accept_friend": ("activate", "open_requests", "click_accept", "click_confirm"),
        "publish": ("activate", "open_moments", "click_publish", "type_text", "click_confirm"),
        "share": ("activate", "open_session", "open_link", "click_share", "click_confirm"),
        "delete": ("activate", "open_moments", "click_delete", "click_confirm"),
        "forward_moment": ("activate", "open_moments", "click_forward", "click_confirm"),
        "like": ("activate", "open_moments", "click_like", "screenshot"),
        "comment": ("activate", "open_moments", "click_comment", "type_text", "screenshot"),
        "screenshot": ("screenshot",),
        "qr_start": ("activate", "screenshot", "crop"),
        "logout": ("activate", "click_menu", "key_down", "key_down", "key_enter", "click_confirm"),
        "restart": ("kill", "wait_exit", "start", "wait_window"),
        "autofix": ("kill", "wait_exit", "find", "start", "wait_window"),
    }
)
"""Class of action → its commands in order."""

LATENCIES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "activate": 50 * MS,
        "screenshot": 200 * MS,
        "crop": 50 * MS,
        "verify": 300 * MS,
        "type_query": 200 * MS,
        "type_path": 200 * MS,
        "type_text": 250 * MS,
        "open_session": 200 * MS,
        "open_contact": 200 * MS,
        "open_requests": 200 * MS,
        "open_moments": 300 * MS,
        "wait_exit": SECOND,
        "wait_window": 4 * SECOND,
    }
)
"""Command → nanoseconds; within the documents' 50 ms to 5 s for one command."""

DEFAULT_LATENCY: Final = 100 * MS
"""Every other command: a click or a key."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a flow."""

    name: str
    latency: int
    """Nanoseconds for which it holds the display."""


def flow(action: str) -> tuple[Command, ...]:
    """Return the commands of an action with their default latencies."""
    return tuple(Command(name, LATENCIES.get(name, DEFAULT_LATENCY)) for name in FLOWS[action])


async def run_flow(display: Display, commands: Iterable[Command]) -> None:
    """Run commands one after another; each takes and releases the UI lock by itself (UI-L1)."""
    for command in commands:
        await display.perform(command.name, to_seconds(command.latency))
