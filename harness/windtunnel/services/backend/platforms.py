"""The platforms: carries out a request to either of them, within its time.

Imports the adapters, the network port and the token's source.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from windtunnel.errors import WorldError
from windtunnel.ports.network import Network, NetworkError, Request, Response
from windtunnel.services.backend.adapters.adapter import (
    BAD_ANSWER,
    PlatformAdapter,
    TaskResult,
    submission,
)
from windtunnel.services.backend.adapters.external import (
    CAPACITY_CODES,
    WRONG_FORM_CODE,
    ExternalAdapter,
)
from windtunnel.services.backend.adapters.internal import InternalAdapter, counted_from
from windtunnel.services.backend.entry import Side
from windtunnel.services.backend.settings import BackendSettings
from windtunnel.services.backend.token_manager import TokenRefused, TokenSource
from windtunnel.services.wire.task import Task

Why = Literal["refused", "unreachable", "timeout", "breaker", "token", "wrong_form"]
Met = Callable[[BaseException, str], object]
"""Told of an error and of the task that it was about."""

WRONG_FORM: Final = 400
UNAUTHORIZED: Final = 401
TOO_MANY: Final = 429
SERVER_ERROR: Final = 500
UNAVAILABLE: Final = 503


class Taken(NamedTuple):
    """A platform has taken a task."""

    request: str
    report: int | None = None
    """The capacity report from which on it counts; the dispatcher says so."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """It has not, or is not known to have."""

    why: Why
    code: int | None = None
    """What the platform answered."""
    message: str = ""

    @property
    def of_capacity(self) -> bool:
        """Whether the platform is only full: no fault, and no retry used up (F-R25)."""
        return self.code in CAPACITY_CODES or self.code == TOO_MANY

    @property
    def passing(self) -> bool:
        """Whether the platform is full, or out of service for now: no round is used up (RT-X2)."""
        return self.of_capacity or self.code == UNAVAILABLE

    @property
    def of_platform(self) -> bool:
        """Whether the platform does not work: what its breaker counts."""
        failed = self.code is not None and self.code >= SERVER_ERROR
        return failed or self.code == BAD_ANSWER or self.why in ("unreachable", "timeout")

    def __str__(self) -> str:
        """Return it as an owner is told of it: `REFUSED 503: store down`."""
        head = self.why.upper() if self.code is None else f"{self.why.upper()} {self.code}"
        return f"{head}: {self.message}" if self.message else head


class Platforms:
    """Both platforms; `met` is told of every error on the way.

    Whatever a platform answers is a refusal at worst: no answer ends a service (RT-X2).
    """

    def __init__(
        self, network: Network, settings: BackendSettings, tokens: TokenSource, met: Met
    ) -> None:
        self._network = network
        self._settings = settings
        self._tokens = tokens
        self.met = met
        self._key = settings.external_key.get_secret_value()
        self._adapters: dict[Side, PlatformAdapter] = {
            "internal": InternalAdapter(settings.dispatcher_url),
            "external": ExternalAdapter(settings.external_url),
        }

    async def submit(self, side: Side, task: Task) -> Taken | Refusal:
        """Submit a task; takes `task_timeout_s` at most (RT-H6)."""
        adapter, webhook = self._adapters[side], self._settings.callback_url

        def request(key: str) -> Request:
            return submission(adapter, task, key, webhook)

        try:
            async with asyncio.timeout(self._settings.task_timeout_s):
                response = await self._send(side, request)
            return _read(adapter, response)
        except WorldError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the task is not to be lost
            self.met(error, task.id)
            return _refusal(error)

    async def ask(self, side: Side, request_id: str, op: str) -> TaskResult | None:
        """Ask for a task; None where nothing is learnt. Takes `health_timeout_s` at most."""
        adapter = self._adapters[side]
        try:
            async with asyncio.timeout(self._settings.health_timeout_s):
                response = await self._send(side, lambda key: adapter.query(request_id, key))
            return adapter.task_result(response)
        except WorldError:
            raise
        except Exception as error:  # noqa: BLE001 - as above; the task is asked for again
            self.met(error, op)
            return None

    async def _send(self, side: Side, request: Callable[[str], Request]) -> Response:
        """Make a request; inside, once more with another token where it is refused (RT-J2)."""
        if side == "external":
            return await self._network.request(request(self._key))
        try:
            token = self._tokens.token()
        except TokenRefused:
            token = await self._tokens.refresh()
        response = await self._network.request(request(token))
        if response.status == UNAUTHORIZED:
            token = await self._tokens.refresh(token)
            response = await self._network.request(request(token))
        return response


def _read(adapter: PlatformAdapter, response: Response) -> Taken | Refusal:
    said = adapter.success_tasks(response)
    if said["code"] == 0:
        return Taken(said["data"]["taskId"], counted_from(response))
    why: Why = "refused"
    if response.status == WRONG_FORM or said["code"] == WRONG_FORM_CODE:
        why = "wrong_form"
    elif response.status == UNAUTHORIZED:
        why = "token"
    return Refusal(why, said["code"], said["msg"])


def _refusal(error: Exception) -> Refusal:
    if isinstance(error, TimeoutError):
        return Refusal("timeout")
    if isinstance(error, NetworkError):
        return Refusal("unreachable", None, str(error))
    if isinstance(error, TokenRefused):
        return Refusal("token", None, str(error))
    return Refusal("refused", None, type(error).__name__)
