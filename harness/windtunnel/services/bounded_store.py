"""The bounded store: a store that hangs is one that is down (RT-X2).

Imports the port of the store and the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar

from windtunnel.ports.store import Change, Condition, Store, StoreError
from windtunnel.services.clock import now_ns
from windtunnel.units import MS

T = TypeVar("T")

STORE_S: Final = 5.0
"""A call that has not been answered for so long has failed."""
LEFT_ALONE: Final = 500 * MS
"""So long (ns) after that every call fails at once: whoever waits in line does not wait in turn."""


class StoreSilentError(StoreError):
    """The store has not answered in time: what was to be committed may be there, or may not."""


class BoundedStore:
    """A store each call of which ends in time; raises `StoreSilentError` where it would not."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._silent_until = 0

    async def get(self, key: str, id: str) -> str | None:  # noqa: A002 - the port's published name
        """See the port."""
        return await self._bounded(self._store.get(key, id))

    async def first(self, key: str, count: int) -> Sequence[tuple[str, str]]:
        """See the port."""
        return await self._bounded(self._store.first(key, count))

    async def last(self, key: str, count: int) -> Sequence[tuple[str, str]]:
        """See the port."""
        return await self._bounded(self._store.last(key, count))

    async def count(self, key: str) -> int:
        """See the port."""
        return await self._bounded(self._store.count(key))

    async def commit(self, changes: Sequence[Change], given: Sequence[Condition] = ()) -> bool:
        """See the port; after `StoreSilentError` it may have been made."""
        return await self._bounded(self._store.commit(changes, given))

    async def _bounded(self, call: Coroutine[Any, Any, T]) -> T:
        if self._silent_until and now_ns() < self._silent_until:
            call.close()
            raise StoreError("the store has not answered, and is left alone for a while")
        try:
            async with asyncio.timeout(STORE_S):
                return await call
        except TimeoutError:
            self._silent_until = now_ns() + LEFT_ALONE
            raise StoreSilentError(f"the store does not answer within {STORE_S:g} s") from None
