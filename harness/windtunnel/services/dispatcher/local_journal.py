"""The local journal: results that come in while the store is down (RT-X2).

They are not acknowledged, so that a bridge keeps them too; when the store is back they are merged.
Imports the run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from windtunnel.services.dispatcher.run import Result


class LocalJournal:
    """The results that the store does not know yet: one for each task, in the order they came."""

    def __init__(self) -> None:
        self._results: dict[str, Result] = {}

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._results)

    def keep(self, result: Result) -> None:
        """Keep the first result of a task; a success takes the place of a failure."""
        kept = self._results.get(result.run.task)
        if kept is None or (result.ok and not kept.ok):
            self._results[result.run.task] = result

    async def merge(self, apply: Callable[[Result], Awaitable[None]]) -> None:
        """Apply each and forget it then; raises what `apply` raises, and keeps the rest."""
        while self._results:
            task = next(iter(self._results))
            result = self._results[task]
            await apply(result)
            if self._results.get(task) is result:
                del self._results[task]
