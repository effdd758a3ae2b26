"""The loop: one thread that serves the display, the control socket and the clock.

Imports the application, the control and the commands.
"""

from __future__ import annotations

import selectors
import time
from functools import partial

from windtunnel_real.standin.application import Application
from windtunnel_real.standin.commands import answer
from windtunnel_real.standin.control import Client, Control


class Loop:
    """Runs an application until its process ends; it comes up at `up_at` (monotonic s).

    None: it has come up already.
    Raises `DisplayDiedError` when the display is gone.
    """

    def __init__(self, application: Application, control: Control, up_at: float | None) -> None:
        self._application = application
        self._control = control
        self._up_at = up_at
        self._selector = selectors.DefaultSelector()
        self._selector.register(application.server, selectors.EVENT_READ, self._nothing)
        self._selector.register(control.listener, selectors.EVENT_READ, self._accept)

    def run(self) -> None:
        """Run for ever."""
        while True:
            more = self._serve()
            for key, _ in self._selector.select(0 if more else self._timeout()):
                key.data()
            self._application.hang()

    def _serve(self) -> bool:
        """Do what is to be done now; tells whether there is more already."""
        application = self._application
        if self._up_at is not None and self._up_at <= time.monotonic():
            self._up_at = None
            application.come_up()
        application.handle()
        application.expire()
        application.paint()
        self._watch_clients()
        return application.server.sync()

    def _timeout(self) -> float | None:
        """Return the seconds until something is due by the clock; None: nothing is."""
        due = [self._application.next_expiry()]
        if self._up_at is not None:
            due.append(max(0.0, self._up_at - time.monotonic()))
        return min((each for each in due if each is not None), default=None)

    def _nothing(self) -> None:
        """Leave it to the next turn, which handles what has come from the display."""

    def _accept(self) -> None:
        client = self._control.accept()
        if client is not None:
            act = partial(self._serve_client, client)
            self._selector.register(client, selectors.EVENT_READ, act)

    def _serve_client(self, client: Client) -> None:
        client.flush()
        self._control.serve(client, partial(answer, self._application))

    def _watch_clients(self) -> None:
        """Let go of clients that have gone, and watch for those that read again."""
        for client in self._control.drop():
            self._selector.unregister(client)
            client.connection.close()
        for client in self._control.clients:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.has_output else 0)
            key = self._selector.get_key(client)
            if key.events != events:
                self._selector.modify(client, events, key.data)
