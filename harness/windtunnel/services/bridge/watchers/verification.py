"""Verification: reads the records after an action, in the background, for what it left there.

It never touches the display (UI-C1). Imports ports and notes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from windtunnel.errors import WorldError
from windtunnel.ports import Message, Records
from windtunnel.services.note import Note, ignore

logger = logging.getLogger("windtunnel.verification")

BOUND_S: Final = 10.0
PERIOD_S: Final = 1.0
READ_S: Final = 5.0
STOP_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """The records before an action, as far as one contact goes."""

    contact: str
    last: int
    """The id of the last message of all; 0 where there is none."""
    sent: Message | None
    """The last message sent to the contact."""


Seen = Callable[[Baseline, Sequence[Message]], bool]
"""Tells from the messages that are there now whether the action left its mark."""


def _revoked(before: Baseline, now: Sequence[Message]) -> bool:
    """Tell whether the last message sent to the contact is gone, or replaced."""
    return before.sent is not None and before.sent not in now


def _forwarded(before: Baseline, now: Sequence[Message]) -> bool:
    return any(m.outgoing and m.contact == before.contact and m.id > before.last for m in now)


def _mentioned(before: Baseline, now: Sequence[Message]) -> bool:
    """Tell whether anything about the contact was recorded: a notice of the application."""
    return any(m.contact == before.contact and m.id > before.last for m in now)


VERIFIED: Final[Mapping[str, Seen]] = MappingProxyType(
    {
        "revoke": _revoked,
        "forward": _forwarded,
        "set_remark": _mentioned,
        "add_friend": _mentioned,
    }
)
"""Action that is verified → what its mark in the records is."""


class Verification:
    """Verifications under way; each reads for at most `bound_s` seconds."""

    def __init__(self, records: Records, note: Note = ignore, *, bound_s: float = BOUND_S) -> None:
        self._records = records
        self._note = note
        self._bound_s = bound_s
        self._tasks: dict[asyncio.Task[bool], None] = {}
        self.is_open = True
        """Whether to begin any: not from `clear` to `open`, as the bridge shuts down."""
        self._last = 0
        self._sent: dict[str, Message] = {}

    @property
    def pending(self) -> int:
        """How many are under way."""
        return len(self._tasks)

    async def baseline(self, contact: str) -> Baseline | None:
        """Return the records as they are now: what a later look is compared with.

        Reads only what is new since the last baseline; None when they cannot be read in `READ_S`
        seconds: an action need not fail because it cannot be verified.
        """
        try:
            async with asyncio.timeout(READ_S):
                news = await self._records.messages(self._last)
        except WorldError:
            raise
        except Exception:
            logger.exception("the records cannot be read")
            return None
        for message in news:
            self._last = max(self._last, message.id)
            if message.outgoing:
                self._sent[message.contact] = message
        return Baseline(contact, self._last, self._sent.get(contact))

    def open(self) -> None:
        """Take in verifications again, after they were cleared."""
        self.is_open = True

    def begin(self, action: str, before: Baseline) -> asyncio.Task[bool]:
        """Verify an action in the background; the task tells whether its mark was seen."""
        task = asyncio.get_running_loop().create_task(
            self._verify(action, before), name=f"verification {action}"
        )
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)
        return task

    async def _verify(self, action: str, before: Baseline) -> bool:
        seen = VERIFIED[action]
        after = before.last if before.sent is None else before.sent.id - 1
        try:
            async with asyncio.timeout(self._bound_s):
                while not seen(before, await self._records.messages(after)):  # noqa: ASYNC110 - records cannot tell us
                    await asyncio.sleep(PERIOD_S)
        except TimeoutError:
            logger.info("%s to %s left no mark in the records", action, before.contact)
            return False
        except WorldError:
            raise
        except Exception:
            logger.exception("cannot verify %s to %s", action, before.contact)
            return False
        if action == "revoke" and self._sent.get(before.contact) == before.sent:
            del self._sent[before.contact]  # it is not there any more to be revoked again
        return True

    async def clear(self) -> None:
        """Give up what is under way, before the queue stops; nothing is to begin until `open`."""
        self.is_open = False
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=STOP_S)
        self._note("verification.cleared", "", {"pending": len(tasks)})
