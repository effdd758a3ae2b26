"""The router: how much may go to either side now, and which tasks go where (RT-S1 to S6).

Imports the policies of split and capacity, and what closes a side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.policies.router.split import split
from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.entry import Entry
from windtunnel.services.backend.settings import BackendSettings
from windtunnel.services.backend.waiting_queue import WaitingQueue
from windtunnel.services.clock import now_ns


class Capacity(NamedTuple):
    """How many tasks may go now."""

    inside: int
    outside: int


NO_CAPACITY: Final = Capacity(0, 0)


class Decision(NamedTuple):
    """What goes where, of what waited: the split of the routed, and what goes outside in any case.

    `routed` counts the tasks that the split was about, `capacity` is what it had.
    """

    direct: Sequence[Entry]
    fallen_back: Sequence[Entry]
    inside: Sequence[Entry]
    outside: Sequence[Entry]
    routed: int
    capacity: Capacity

    @property
    def moves(self) -> bool:
        """Whether anything goes anywhere."""
        return bool(self.inside or self.outside or self.fallen_back or self.direct)


class Router:
    """Decides for a batch.

    `probing`: how many submissions inside are under way; a half-open breaker lets one through.
    """

    def __init__(
        self,
        settings: BackendSettings,
        options: RouterOptions,
        accounts: Accounts,
    ) -> None:
        self._settings = settings
        self._options = options
        self._accounts = accounts

    @property
    def degraded(self) -> bool:
        """Whether the inside is taken as not there."""
        return self._accounts.degradation.degraded

    def capacity(self, probing: int) -> Capacity:
        """Return how much may go to either side now; a side that is closed has none."""
        at = now_ns()
        inside = 0
        if self._settings.enabled and not self.degraded and not self._accounts.inside.on(at):
            inside = self._through_breaker(self._accounts.book.internal(), probing)
        outside = 0 if self._accounts.outside.on(at) else self._accounts.book.external()
        return Capacity(inside, outside)

    def _through_breaker(self, capacity: int, probing: int) -> int:
        state = self._accounts.breaker.state()
        if state == "open":
            return 0
        if state == "half_open" and self._options.half_open == "one":
            return min(capacity, 0 if probing else 1)
        return capacity

    def decide(self, waiting: WaitingQueue, probing: int) -> Decision:
        """Decide, in order, for what waits; it stays there. Linear in what goes.

        Tasks that fell back are older than what is routed with them and come first outside. With
        `priority` off the outside comes first and what is over goes inside.
        """
        capacity = self.capacity(probing)
        limit = self._settings.batch
        direct = self._direct(waiting)
        if capacity == NO_CAPACITY:  # the most usual: tasks come while both sides are full
            return Decision(direct, (), (), (), min(waiting.count("routed"), limit), capacity)
        fallen_back = waiting.first("outside", min(capacity.outside, limit))
        left = Capacity(capacity.inside, capacity.outside - len(fallen_back))
        batch = waiting.first("routed", min(left.inside + left.outside, limit))
        if self._settings.priority:
            inside, outside, _ = split(batch, left.inside, left.outside)
        else:
            outside, inside, _ = split(batch, left.outside, left.inside)
        routed = min(waiting.count("routed"), limit)
        return Decision(direct, fallen_back, inside, outside, routed, left)

    def _direct(self, waiting: WaitingQueue) -> Sequence[Entry]:
        if not waiting.count("direct") or self._accounts.direct.on(now_ns()):
            return ()
        return waiting.first("direct", self._settings.batch)
