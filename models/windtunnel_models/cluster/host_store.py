"""The store as one program sees it in one life: each call is a step at one instant.

Imports lives, the store and the port.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Final

from windtunnel.ports.store import Change, Condition, StoreError
from windtunnel_models.cluster.lives import Life
from windtunnel_models.cluster.store import SimStore


class _Step:
    """Lets the others that are ready go first, as any real store does; takes no time."""

    def __await__(self) -> Generator[None, None, None]:
        yield


_STEP: Final = _Step()


class HostStore:
    """Implements `windtunnel.ports.store.Store` for one life of one host.

    A call that the life does not outlast has no effect: so a program may crash between any two of
    its calls. Once the life is over no call ends.
    """

    __slots__ = ("_life", "_store")

    def __init__(self, store: SimStore, life: Life) -> None:
        self._store = store
        self._life = life

    async def get(self, key: str, id: str) -> str | None:  # noqa: A002 - the port's name
        """See the port."""
        return (await self._begin()).get(key, id)

    async def first(self, key: str, count: int) -> Sequence[tuple[str, str]]:
        """See the port."""
        return (await self._begin()).first(key, count)

    async def last(self, key: str, count: int) -> Sequence[tuple[str, str]]:
        """See the port."""
        return (await self._begin()).last(key, count)

    async def count(self, key: str) -> int:
        """See the port."""
        return (await self._begin()).count(key)

    async def commit(self, changes: Sequence[Change], given: Sequence[Condition] = ()) -> bool:
        """See the port. Raises `TypeError` for what is neither a change nor a condition."""
        return (await self._begin()).commit(changes, given)

    async def _begin(self) -> SimStore:
        """Take a step, and return the store if it answers then."""
        if self._life.alive:
            await _STEP
        if not self._life.alive:
            await self._life.never()
        store = self._store
        if store.outages:
            for felt in tuple(store.outages.values()):
                felt("")
            raise StoreError(f"the store of {self._life.name} does not answer")
        return store
