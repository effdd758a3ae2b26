"""The token manager: logs in at the dispatcher and keeps its token fresh (RT-J1, J2, F-R15).

Imports the network port, the token clock and the wire's addresses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final, Protocol

from windtunnel.errors import WindtunnelError
from windtunnel.policies.router.token_clock import LIFETIME, TokenClock
from windtunnel.ports.network import Network, NetworkError, Request, Response
from windtunnel.services.clock import now_ns
from windtunnel.services.note import Note
from windtunnel.services.wire.addresses import LOGIN_PATH
from windtunnel.units import MAX_NS, SECOND, from_seconds, to_seconds

OK: Final = 200
LONGEST_S: Final = to_seconds(MAX_NS)
"""A lifetime over this, or under a second, means nothing."""
CALM: Final = SECOND
"""So soon after a failed log-in nobody's asking makes another."""


class TokenRefused(WindtunnelError):
    """The dispatcher refuses a token, or gives none. Says why, and never what the token is."""


class TokenSource(Protocol):
    """What those who show a token need of its manager."""

    def token(self) -> str:
        """Return the token; raises `TokenRefused` when none is valid."""

    async def refresh(self, refused: str | None = None) -> str:
        """Return a new token; raises `TokenRefused` when it is not to be had.

        `refused`: the one that was refused; when there is another already, that is returned.
        """


class TokenManager:
    """Keeps one token in memory only; the old one while it is valid and no new one is to be had.

    However many ask for a refresh, one log-in at a time is under way and all get its outcome
    (`timeout_s` bounds it). `run` logs in at once and then by the token clock; `refresh_s` is the
    age at which a token is refreshed where that is earlier. Notes `token.obtained`, `token.failed`.
    """

    def __init__(
        self,
        network: Network,
        url: str,
        username: str,
        password: str,
        note: Note,
        *,
        timeout_s: float = 30.0,
        refresh_s: float | None = None,
    ) -> None:
        self._network = network
        self._url = url + LOGIN_PATH
        self._username = username
        self._password = password
        self._note = note
        self._timeout_s = timeout_s
        self._refresh = None if refresh_s is None else from_seconds(refresh_s)
        self._clock = TokenClock()
        self._token: str | None = None
        self._obtained_at = 0
        self._failed: tuple[int, str] | None = None
        self._login: asyncio.Task[str] | None = None
        self._changed = asyncio.Event()

    @property
    def failures_last_hour(self) -> int:
        """How many log-ins failed within the last hour; over 3 are an alert (RT-J2)."""
        return self._clock.failures_last_hour(now_ns())

    def token(self) -> str:
        """Return the token; raises `TokenRefused` when none is valid."""
        if self._token is None or not self._clock.valid(now_ns()):
            why = "there is no token yet" if self._token is None else "the token has expired"
            raise TokenRefused(f"{why}: it is to be refreshed")
        return self._token

    async def refresh(self, refused: str | None = None) -> str:
        """Return a new token, by the log-in that is under way or by one of its own.

        Returns the current one at once where it is another than `refused`. Raises `TokenRefused`,
        without a request when a log-in failed within the last second.
        """
        if refused is not None and self._token not in (None, refused):
            return self.token()
        if self._login is None:
            if self._failed is not None and now_ns() - self._failed[0] < CALM:
                raise TokenRefused(self._failed[1])
            self._login = asyncio.get_running_loop().create_task(self._log_in(), name="log-in")
            self._login.add_done_callback(self._over)
        # One caller that gives up must not take the log-in from the others.
        return await asyncio.shield(self._login)

    async def run(self) -> None:
        """Log in at once, then whenever the clock says so, until it is cancelled."""
        try:
            while True:
                await self._due()
                try:
                    await self.refresh()
                except TokenRefused:
                    # Noted; the clock says when the next attempt is due.
                    await asyncio.sleep(to_seconds(CALM))
        finally:
            if self._login is not None:
                self._login.cancel()

    async def _due(self) -> None:
        """Wait until a log-in or a refresh is due."""
        while (left := self._next_at() - now_ns()) > 0:
            self._changed.clear()
            await _wait(self._changed, to_seconds(left))

    def _next_at(self) -> int:
        at = self._clock.next_at(now_ns())
        if self._refresh is None or self._token is None or self._failed is not None:
            return at
        return min(at, self._obtained_at + self._refresh)

    async def _log_in(self) -> str:
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._network.request(self._request())
            token, lifetime = _read(response)
        except TimeoutError:
            raise self._refused(f"no answer to the log-in within {self._timeout_s:g} s") from None
        except NetworkError as error:
            raise self._refused(f"the log-in does not get through: {error}") from error
        except TokenRefused as error:
            raise self._refused(str(error)) from None
        self._token, self._obtained_at, self._failed = token, now_ns(), None
        self._clock.obtained(self._obtained_at, lifetime)
        self._note("token.obtained", "", {"lifetime": LIFETIME if lifetime is None else lifetime})
        return token

    def _request(self) -> Request:
        body = {"username": self._username, "password": self._password}
        return Request("POST", self._url, body)

    def _refused(self, why: str) -> TokenRefused:
        at = now_ns()
        self._clock.failed(at)
        self._failed = (at, why)
        self._note("token.failed", "", {"valid": self._clock.valid(at)})
        return TokenRefused(why)

    def _over(self, login: asyncio.Task[str]) -> None:
        self._login = None
        self._changed.set()
        if not login.cancelled():
            login.exception()  # noqa: LOG004 - a task's: it is no fault that nobody waits any more


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for the event, at most that long."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass


def _read(response: Response) -> tuple[str, int | None]:
    """Return token and lifetime (ns; None where none is said). Raises `TokenRefused`."""
    body: Any = response.body
    if response.status != OK:
        raise TokenRefused(f"the log-in was answered with {response.status}")
    data = body.get("data") if isinstance(body, Mapping) and body.get("success") is True else None
    token = data.get("access_token") if isinstance(data, Mapping) else None
    if not isinstance(token, str) or not token:
        raise TokenRefused("the answer to the log-in holds no `access_token`")
    lifetime = data.get("expires_in") if isinstance(data, Mapping) else None
    if isinstance(lifetime, bool) or not isinstance(lifetime, int | float):
        return token, None
    return token, from_seconds(lifetime) if 1 <= lifetime <= LONGEST_S else None
