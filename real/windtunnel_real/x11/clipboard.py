"""The clipboard: a text is handed over by owning the selection CLIPBOARD in this process.

It has a connection of its own, whose thread answers requests while others wait. Nothing lingers:
there is no process beside us that keeps a text, and one that was withdrawn or whose hand-over
failed is refused to whoever asks later. Imports the selection, the connection and the errors of
the real world.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import ClipboardError, InputError
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.errors import WindowGoneError
from windtunnel_real.x11.selection import News, Offer, Selection
from windtunnel_real.x11.xlib import XDisplay, XEvent

READ_AFTER_S: Final = 0.3
"""A requestor that leaves the text where it was written, as none should, has read it by then."""


class Clipboard:
    """The clipboard of one display. Its methods belong to the loop that it was opened in."""

    def __init__(self, address: DisplayAddress) -> None:
        """Use `open`."""
        self._address = address
        self._connection: Connection
        self._selection: Selection | None = None
        self._resource_mask = 0
        self._handing: _Handing | None = None

    @classmethod
    async def open(cls, address: DisplayAddress, timeout: float) -> Clipboard:
        """Connect within `timeout` seconds; errors as of `Connection.open`."""
        clipboard = cls(address)
        clipboard._connection = await Connection.open(
            address, timeout, on_event=clipboard._on_event, on_trouble=clipboard._on_trouble
        )
        try:
            await clipboard._connection.call(clipboard._prepare, timeout, "prepare the clipboard")
        except BaseException:
            await clipboard._connection.close()
            raise
        return clipboard

    @property
    def text(self) -> str | None:
        """What is offered now; None when nothing is, or another program took the selection."""
        return None if self._handing is None else self._handing.text

    async def offer(self, text: str, timeout: float) -> None:
        """Offer a text in place of the last one: whoever asks from now on gets it.

        Raises `InputError` for a text that cannot be written as UTF-8 or holds a NUL,
        `ClipboardError` when another program keeps the selection, `DeadlineError`, and
        `DisplayDiedError`.
        """
        check(text)
        self.withdraw()
        handing = _Handing(text)
        selection = self._selection
        assert selection is not None
        self._handing = handing
        if not await self._connection.call(
            lambda display: selection.take(display, handing.offer), timeout, "take the clipboard"
        ):
            self.withdraw()
            raise ClipboardError("the clipboard cannot be taken: another program took it at once")

    async def handed_over(self, timeout: float, reader: int | None = None) -> None:
        """Wait until what is offered has been read.

        `reader` is a window: of all who ask only its program counts, so that a clipboard manager
        that reads everything is not taken for it. None, and the ids 0 and 1 that stand for no
        window: whoever asks. Raises `ClipboardError` when nobody did in `timeout` seconds, when
        another program took the selection, and when nothing is offered; `DisplayDiedError`.
        """
        handing = self._handing
        if handing is None:
            raise ClipboardError("nothing is offered through the clipboard")
        client = None if reader is None or reader <= 1 else self._client(reader)
        died: asyncio.Future[Any] = asyncio.ensure_future(self._connection.died())
        try:
            async with asyncio.timeout(timeout):
                while not (handing.lost or self._is_read(handing, client)):
                    await asyncio.wait({died, handing.change}, return_when=asyncio.FIRST_COMPLETED)
                    if died.done():
                        raise died.result()
        except TimeoutError:
            raise ClipboardError(
                f"nobody read the text from the clipboard in {timeout:g} s: "
                "does the window that has the focus take ctrl+v?"
            ) from None
        finally:
            died.cancel()
        if handing.lost and not self._is_read(handing, client):
            raise ClipboardError("another program took the clipboard before the text was read")

    async def focus(self, timeout: float) -> int:
        """Return the window that has the focus; 0 or 1 where none has it."""

        def find(display: XDisplay) -> int:
            found = display.get_input_focus().focus
            return int(getattr(found, "id", found))

        return await self._connection.call(find, timeout, "look who has the focus")

    async def give_back(self, timeout: float) -> None:
        """Leave the clipboard empty, if it is ours; raises `DeadlineError`, `DisplayDiedError`."""
        self.withdraw()
        selection = self._selection
        assert selection is not None
        await self._connection.call(selection.give_back, timeout, "give the clipboard back")

    def withdraw(self) -> None:
        """Refuse the text to whoever asks from now on; at once, whatever the server does."""
        if self._handing is not None:
            self._handing.offer.withdrawn = True
            self._handing = None

    async def close(self) -> None:
        """Give the clipboard back, by closing; never hangs; nothing happens the second time."""
        self.withdraw()
        await self._connection.close()

    # ------------------------------------------------------------ in the owner thread

    def _prepare(self, display: XDisplay) -> None:
        self._resource_mask = display.display.info.resource_id_mask
        self._selection = Selection(display)

    def _on_event(self, _display: XDisplay, event: XEvent) -> None:
        if self._selection is not None:
            self._selection.handle(event)

    def _on_trouble(self, problem: Exception) -> None:
        # Who asked went away before the answer: there is nobody to tell, and who waits has a limit.
        if isinstance(problem, WindowGoneError) and self._selection is not None:
            self._selection.forget(problem.resource)

    # ------------------------------------------------------------ who is who

    def _client(self, window: int) -> int:
        return window & ~self._resource_mask

    def _is_read(self, handing: _Handing, client: int | None) -> bool:
        return any(client is None or self._client(one) == client for one in handing.read)


class _Handing:
    """What became of one offer, as the loop knows it."""

    def __init__(self, text: str) -> None:
        self._loop = asyncio.get_running_loop()
        self.offer = Offer(text, self._tell)
        self.read: set[int] = set()
        self.lost = False
        self.change: asyncio.Future[None] = self._loop.create_future()

    @property
    def text(self) -> str | None:
        """The text while it is offered."""
        return None if self.lost else self.offer.text

    def _tell(self, news: News, requestor: int) -> None:
        try:
            self._loop.call_soon_threadsafe(self._hear, news, requestor)
        except RuntimeError:
            return  # the loop is closed: nobody waits

    def _hear(self, news: News, requestor: int) -> None:
        if news is News.SENT:
            self._loop.call_later(READ_AFTER_S, self._hear, News.READ, requestor)
            return
        if news is News.READ:
            self.read.add(requestor)
        else:
            self.lost = True
        before, self.change = self.change, self._loop.create_future()
        before.set_result(None)


def check(text: str) -> None:
    """Raise `InputError` for a text that no program can be given: lone surrogates, NUL."""
    for place, char in enumerate(text, 1):
        if char == "\0" or "\ud800" <= char <= "\udfff":
            raise InputError(
                f"character {place} of the text, U+{ord(char):04X}, cannot be typed or pasted: "
                "it stands for nothing"
            )
