"""The error reactions: what kind of error an exception is, and what is done about it (RT-X2).

Imports the table of error classes, the ports' errors, the token's, the degradation and how a
service survives.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from windtunnel.policies.router.error_classes import ERROR_CLASSES, ErrorKind, Reaction
from windtunnel.ports.network import NetworkError
from windtunnel.ports.store import StoreError
from windtunnel.services.backend.degradation import Degradation
from windtunnel.services.backend.token_manager import TokenRefused
from windtunnel.services.note import Note
from windtunnel.services.survival import survive
from windtunnel.services.wire.addresses import BACKEND

logger = logging.getLogger("windtunnel.backend")

React = Callable[[], None]

KINDS: Final[tuple[tuple[type[BaseException], ErrorKind], ...]] = (
    (MemoryError, ErrorKind.OUT_OF_MEMORY),
    (StoreError, ErrorKind.STORE_DOWN),
    (TokenRefused, ErrorKind.TOKEN),
    (TimeoutError, ErrorKind.NETWORK_TIMEOUT),
    (NetworkError, ErrorKind.NETWORK_TIMEOUT),
)
"""Types of exceptions and their kinds, the most severe first; every other is unknown."""


def classify(error: BaseException) -> ErrorKind:
    """Return the kind of an error; of a group the most severe of those in it.

    An instance that goes offline is no exception of the backend's: the dispatcher meets it.
    """
    for type_, kind in KINDS:
        if _holds(error, type_):
            return kind
    return ErrorKind.UNKNOWN


def _holds(error: BaseException, type_: type[BaseException]) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(type_) is not None
    return isinstance(error, type_)


class ErrorReactions:
    """Notes each error (`error.met`) and has done about it what the table says.

    `reactions` holds a callback for each reaction that is not left to whoever met the error;
    repeating a request or putting a task back is.
    """

    def __init__(self, note: Note, reactions: Mapping[Reaction, React]) -> None:
        self._note = note
        self._reactions = reactions

    def met(self, error: BaseException, op: str = "") -> ErrorKind:
        """Take an error that was met, with a task's id where it was about one; return its kind."""
        kind = classify(error)
        row = ERROR_CLASSES[kind]
        details = {"error": kind.value, "severity": row.severity, "reaction": row.reaction}
        self._note("error.met", op, {**details, "party": BACKEND})
        react = self._reactions.get(row.reaction)
        if react is not None:
            react()
        return kind

    async def survive(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Run a service until this is cancelled.

        An error that gets out of it is met and logged, and it is run again a second later: what
        else runs goes on (RT-X2).
        """

        def met(error: BaseException) -> None:
            self.unexpected(name, error)

        await survive(run, met)

    def unexpected(self, name: str, error: BaseException) -> None:
        """Take an error that got out of a service, which is to meet its errors itself."""
        logger.error("%s failed", name, exc_info=error)
        self.met(error)


def backend_reactions(
    degradation: Degradation, refresh: React | None = None
) -> Mapping[Reaction, React]:
    """Return the backend's reactions; `refresh` asks for a new token, where the caller has not."""
    reactions: dict[Reaction, React] = {
        "degrade_local_store": lambda: degradation.error("store"),
        "emergency": lambda: degradation.error("memory"),
        "degrade": lambda: degradation.error("unknown"),
    }
    if refresh is not None:
        reactions["refresh"] = refresh
    return reactions
