"""The wire: python-xlib's display, with what it leaves to whoever uses it.

Its own state where the library shares that among all displays of the process (opcodes of
extensions, kinds of events and errors: two servers need not agree on them), errors kept instead of
printed, a gate before each request, and the cookie of its own address. Imports the display's
address, cookie and link, the errors and python-xlib.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from windtunnel_real.display.address import DisplayAddress, as_environment
from windtunnel_real.display.cookie import METHOD, Cookie, find_cookie
from windtunnel_real.display.link import Link, display_number
from windtunnel_real.errors import DisplayStartError
from windtunnel_real.x11.errors import refusal
from windtunnel_real.x11.xlib import (
    X,
    XDisplay,
    XEvent,
    XRequest,
    display,
    error,
    event,
    rq,
    xfixes,
    xtest,
)

Gate = Callable[[], None]
OnSocket = Callable[[socket.socket], None]

EXTENSIONS: Final = (("XTEST", xtest), ("XFIXES", xfixes))
"""The extensions that are spoken here; looking up all that the library knows takes longer."""

_NO_AUTHORITY: Final = Path("/dev/null/no-authority")
"""Cannot be read: the library then looks for no cookie, and prints nothing about ~/.Xauthority."""


class _Protocol(display._BaseDisplay):  # type: ignore[misc] # noqa: SLF001 - its part without extensions
    """The library's protocol layer; a subclass, for it offers no other way in."""

    def __init__(self, address: DisplayAddress, on_socket: OnSocket) -> None:
        number = display_number(address.name)
        self.extension_major_opcodes: dict[str, int] = {}
        # Not those of the library's class: whatever else uses it in this process writes into them.
        self.error_classes = dict(error.xerror_class)
        self.event_classes = dict(event.event_class)
        self.count_mappings(X.MappingNotify, event.MappingNotify)
        self.refused: list[Any] = []
        self.mappings = 0
        self.unconfirmed = False
        self.gate: Gate = _open
        cookie = find_cookie(address.authority, number) if address.authority else None
        with ExitStack() as environment:
            environment.enter_context(as_environment(replace(address, authority=_NO_AUTHORITY)))
            # Until the server is first written to, which may never answer.
            self.send_and_recv = self._first_exchange(environment, cookie, on_socket)
            super().__init__(f"unix:{number}")  # with another name it goes on to try TCP
        self.error_handler = self._refuse

    def send_request(self, request: XRequest, wait_for_response: bool) -> None:  # noqa: FBT001 - its
        self.gate()
        self.unconfirmed = not isinstance(request, rq.ReplyRequest)
        super().send_request(request, wait_for_response)

    def count_mappings(self, code: int, kind: Callable[..., XEvent]) -> None:
        def counted(**parts: Any) -> XEvent:  # noqa: ANN401 - passed on
            self.mappings += 1
            return kind(**parts)

        self.event_classes[code] = counted

    def _first_exchange(
        self, environment: ExitStack, cookie: Cookie | None, on_socket: OnSocket
    ) -> Callable[..., None]:
        def exchange(**how: Any) -> None:  # noqa: ANN401 - passed on
            environment.close()
            on_socket(self.socket)
            if cookie is not None:
                setup, _ = self.request_queue[0]
                setup._binary = _hello(setup, cookie)  # noqa: SLF001 - its own way is the file's
            del self.send_and_recv
            self.send_and_recv(**how)

        return exchange

    def _refuse(self, refused: Any, _request: object) -> None:  # noqa: ANN401 - untyped
        self.refused.append(refused)


class Wire(display.Display):  # type: ignore[misc] # the library's methods are what jobs call
    """An open display. Belongs to the thread that made it."""

    def __init__(self, address: DisplayAddress, on_socket: OnSocket) -> None:
        # Not the library's own start: that reads the whole keyboard and every extension's version.
        self.display = _Protocol(address, on_socket)
        self.keysym_translations: dict[int, str] = {}
        self.extensions: list[str] = []
        self.class_extension_dicts: dict[str, dict[str, Any]] = {}
        self.display_extension_methods: dict[str, Any] = {}
        self.extension_event = rq.DictWrapper({})
        for name, module in EXTENSIONS:
            self._speak(name, module)
        self._rebuild_roots()

    @property
    def mappings(self) -> int:
        """How often the server has told of a changed keyboard map."""
        return int(self.display.mappings)

    def count_mappings(self, code: int) -> None:
        """Take an extension's events of this code for news of a changed keyboard map too."""
        self.display.count_mappings(code, event.AnyEvent)

    def set_gate(self, gate: Gate) -> None:
        """Have `gate` called before each request; what it raises keeps the request back."""
        self.display.gate = gate

    def confirm(self, what: str) -> None:
        """Wait until the server has done all that was asked; raise what it refused first."""
        if self.display.unconfirmed:
            self.sync()
        refused, self.display.refused = self.display.refused, []
        if refused:
            raise refusal(refused[0], what)

    def drop(self) -> None:
        """Take back what was asked and not sent, and forget what was refused."""
        unsent = self.display.request_queue
        self.display.request_serial = (self.display.request_serial - len(unsent)) % 65536
        unsent.clear()
        self.display.refused.clear()
        self.display.unconfirmed = True

    def take_events(self) -> list[XEvent]:
        """Return the events that have been read, in order; reads none."""
        events: list[XEvent] = list(self.display.event_queue)
        self.display.event_queue.clear()
        return events

    def _speak(self, name: str, module: Any) -> None:  # noqa: ANN401 - untyped
        found = self.query_extension(name)
        if found is None or not found.present:
            return
        self.display.set_extension_major(name, found.major_opcode)
        module.init(self, found)
        self.extensions.append(name)

    def _rebuild_roots(self) -> None:
        classes = self.display.resource_classes
        for kind, methods in self.class_extension_dicts.items():
            classes[kind] = type(classes[kind].__name__, (classes[kind],), methods)
        for screen in self.display.info.roots:
            screen.root = classes["window"](self.display, screen.root.id)


def open_wire(address: DisplayAddress, timeout: float, on_socket: OnSocket) -> XDisplay:
    """Connect, in the thread that will own the display.

    `on_socket` is given the socket before anything is waited for on it: whoever shuts that down
    ends the wait. Raises `DisplayStartError`.
    """
    # A link first: it has a limit, says what is wrong, and leaves nothing open.
    link = Link.open(address, timeout=timeout)
    try:
        return Wire(address, on_socket)
    except (error.DisplayConnectionError, error.ConnectionClosedError, OSError) as problem:
        raise DisplayStartError(
            f"display {address.name} let us in and then did not ({problem}): has it ended?"
        ) from problem
    finally:
        link.close()


def _hello(setup: XRequest, cookie: Cookie) -> bytes:
    order = ord("l" if sys.byteorder == "little" else "B")
    packed: bytes = setup._request.to_binary(  # noqa: SLF001 - packs as the library does
        byte_order=order,
        protocol_major=11,
        protocol_minor=0,
        auth_prot_name=METHOD,
        auth_prot_data=cookie.secret,
    )
    return packed


def _open() -> None:
    """Let every request pass."""
