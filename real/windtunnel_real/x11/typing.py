"""Typing: an exact text, in any script, into whatever has the focus.

Printable ASCII goes by keys; a line with anything else in it goes through the clipboard as a
whole, which is one hand-over and keeps what belongs together (combining marks, joiners) in one
piece. A key that has to be bound for a character first is never used: the program that gets it may
read the keyboard's map before or after, and a binding that stays spoils the next text.
Imports the clipboard and the drivers' protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from windtunnel_real.drivers.driver import Driver
from windtunnel_real.errors import DeadlineError
from windtunnel_real.x11.clipboard import Clipboard, check

PASTE: Final = "ctrl+v"
LINE_BREAK: Final = "Return"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and how it is put in; of `key` the text is the key's name."""

    how: Literal["keys", "paste", "key"]
    text: str


class Typist:
    """Types with a driver's keys and a clipboard; both stay their owner's to close."""

    def __init__(self, driver: Driver, clipboard: Clipboard) -> None:
        self._driver = driver
        self._clipboard = clipboard

    async def type_text(self, text: str, timeout: float) -> None:
        """Type a text; a line break in it is the key Return.

        When it is over each line that went through the clipboard has been read by the program that
        has the focus, and the clipboard offers what was last pasted, or nothing, as if all had been
        keys. Raises, before anything is sent, `InputError` for a lone surrogate or a NUL;
        `DeadlineError` after `timeout` seconds, `ClipboardError` when nobody read a line,
        `DisplayDiedError`.
        """
        check(text)
        until = _now() + timeout
        pieces = tuple(pieces_of(text))
        before = self._clipboard.text
        for piece in pieces:
            await self._put_in(piece, until)
        if any(piece.how == "paste" for piece in pieces):
            if before is None:
                await self._clipboard.give_back(_left(until))
            else:
                await self._clipboard.offer(before, _left(until))

    async def paste_text(self, text: str, timeout: float) -> None:
        """Paste a text as it is, line breaks included; the clipboard goes on offering it.

        Nothing is pasted of an empty text, but the clipboard is then empty. Errors as of
        `type_text`.
        """
        check(text)
        until = _now() + timeout
        if text:
            await self._paste(text, until)
        else:
            await self._clipboard.give_back(_left(until))

    async def _put_in(self, piece: Piece, until: float) -> None:
        if piece.how == "paste":
            await self._paste(piece.text, until)
        elif piece.how == "keys":
            await self._driver.type_keys(piece.text, timeout=_left(until))
        else:
            await self._driver.key(piece.text, timeout=_left(until))

    async def _paste(self, text: str, until: float) -> None:
        try:
            await self._clipboard.offer(text, _left(until))
            reader = await self._clipboard.focus(_left(until))
            await self._driver.key(PASTE, timeout=_left(until))
            await self._clipboard.handed_over(_left(until), reader)
        except BaseException:
            # The window may still come round to its ctrl+v: by then there is nothing to paste.
            self._clipboard.withdraw()
            raise


def pieces_of(text: str) -> Iterator[Piece]:
    """Yield the parts of a text in order: what goes by keys, lines to paste, and line breaks."""
    for number, line in enumerate(text.split("\n")):
        if number:
            yield Piece("key", LINE_BREAK)
        if line:
            yield Piece("keys" if _has_keys(line) else "paste", line)


def _has_keys(line: str) -> bool:
    return line.isascii() and line.isprintable()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _left(until: float) -> float:
    left = until - _now()
    if left <= 0:
        raise DeadlineError("the text was not put in in time")
    return left
