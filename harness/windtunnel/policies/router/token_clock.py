"""The token clock: how long a token is valid, and when to fetch the next (RT-J1, J2).

Imports the units.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from windtunnel.units import HOUR, SECOND

LIFETIME: Final = 24 * HOUR
REFRESH_EVERY: Final = 20 * HOUR
REFRESH_LEFT: Final = 4 * HOUR
"""A refresh is due when no more than this is left."""
RETRY_AFTER: Final = 60 * SECOND
FAILURES_ALLOWED: Final = 3
"""More failures than this within an hour are an alert."""


class TokenClock:
    """The instants of one token, in nanoseconds; the token itself is kept elsewhere.

    A failed refresh leaves the old token as it is and is tried again a minute later. `now` never
    goes back.
    """

    __slots__ = ("_expires", "_failures", "_next")

    def __init__(self) -> None:
        self._expires: int | None = None
        self._next: int | None = None
        self._failures: deque[int] = deque()

    def obtained(self, now: int, lifetime: int | None = None) -> None:
        """Note a new token and its lifetime; 24 h where the server gave none.

        It is refreshed after 20 h, or earlier, when no more than 4 h of it are left. One of less
        than 8 h, of which that would be soon or at once, is refreshed at half of its life, and
        none within a second (F-R15: a shorter lifetime is noticed). Raises ValueError for a
        lifetime of 0 or less.
        """
        lifetime = LIFETIME if lifetime is None else lifetime
        if lifetime <= 0:
            raise ValueError(f"a token lives longer than {lifetime} ns")
        self._expires = now + lifetime
        after = min(REFRESH_EVERY, max(lifetime - REFRESH_LEFT, lifetime // 2))
        self._next = now + max(SECOND, after)

    def failed(self, now: int) -> None:
        """Note that a log-in or a refresh failed: the next is due in 60 s."""
        self._next = now + RETRY_AFTER
        self._failures.append(now)
        while self._failures[0] <= now - HOUR:
            self._failures.popleft()

    def valid(self, now: int) -> bool:
        """Tell whether there is a token and it has not expired; at its last instant it has."""
        return self._expires is not None and now < self._expires

    def due(self, now: int) -> bool:
        """Tell whether a log-in or a refresh is due; at first a log-in is."""
        return self.next_at(now) <= now

    def next_at(self, now: int) -> int:
        """Return the instant of the next log-in, refresh or retry; `now` when it is overdue."""
        return now if self._next is None else max(now, self._next)

    def failures_last_hour(self, now: int) -> int:
        """Return how many failures are younger than an hour (RT-X3)."""
        return sum(failure > now - HOUR for failure in self._failures)

    def too_many_failures(self, now: int) -> bool:
        """Tell whether over 3 failures lie within the last hour (RT-J2)."""
        return self.failures_last_hour(now) > FAILURES_ALLOWED
