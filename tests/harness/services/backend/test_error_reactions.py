"""Error reactions: each kind of error is known by its type, and met as the table says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from care_kit import Care, Notes
from windtunnel.errors import WorldError
from windtunnel.policies.router.error_classes import ErrorKind
from windtunnel.ports.network import ChannelClosedError, UnreachableError
from windtunnel.ports.store import StoreError
from windtunnel.services.backend.error_reactions import (
    ErrorReactions,
    backend_reactions,
    classify,
)
from windtunnel.services.backend.token_manager import TokenRefused
from windtunnel_models import run as run_simulated

ERRORS: list[tuple[BaseException, str]] = [
    (TimeoutError(), "network_timeout"),
    (UnreachableError(), "network_timeout"),
    (ChannelClosedError(), "network_timeout"),
    (StoreError(), "store_down"),
    (TokenRefused(), "token"),
    (MemoryError(), "out_of_memory"),
    (ValueError(), "unknown"),
    (asyncio.CancelledError(), "unknown"),
    (ExceptionGroup("two", [ValueError(), StoreError()]), "store_down"),
    (ExceptionGroup("in", [ExceptionGroup("in", [MemoryError(), StoreError()])]), "out_of_memory"),
    (ExceptionGroup("one", [KeyError()]), "unknown"),
]


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize(("error", "kind"), ERRORS)
def test_each_error_has_its_kind(error: BaseException, kind: str) -> None:
    assert classify(error) is ErrorKind(kind)


REACTIONS: list[tuple[Exception, str, str, str | None, bool]] = [
    (TimeoutError(), "low", "next_attempt", None, False),
    (StoreError(), "high", "degrade_local_store", "store", False),
    (TokenRefused(), "medium", "refresh", None, False),
    (MemoryError(), "critical", "emergency", "memory", True),
    (ValueError(), "medium", "degrade", "unknown", False),
]


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize(("error", "severity", "reaction", "reason", "emergency"), REACTIONS)
def test_each_error_is_noted_and_met(
    error: Exception, severity: str, reaction: str, reason: str | None, emergency: bool
) -> None:
    async def main() -> None:
        care = Care()
        await asyncio.sleep(3)
        kind = care.errors.met(error, "t.3")
        assert care.notes.of("error.met") == [
            {"error": kind, "severity": severity, "reaction": reaction, "party": "backend"}
        ]
        assert care.degradation.reason == reason
        assert care.degradation.emergency is emergency
        degraded = [] if reason is None else [{"reason": reason, "after": 0}]
        assert care.notes.of("router.degraded") == degraded

    run_simulated(main())


def test_a_token_that_is_refused_is_asked_for_anew() -> None:
    asked: list[int] = []

    async def main() -> None:
        care = Care()
        reactions = backend_reactions(care.degradation, lambda: asked.append(1))
        ErrorReactions(care.notes, reactions).met(TokenRefused())

    run_simulated(main())
    assert asked == [1]


class Service:
    """A service that fails so often, then goes on for ever."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.begun: list[float] = []

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        self.begun.append(loop.time())
        await asyncio.sleep(2)
        if self.errors:
            raise self.errors.pop(0)
        await asyncio.sleep(1000)


@pytest.mark.spec("RT-X2")
def test_a_service_that_fails_is_run_again_and_ends_when_cancelled(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notes = Notes()
    service = Service(MemoryError(), ValueError("bad"), asyncio.CancelledError())

    async def main() -> None:
        task = asyncio.ensure_future(ErrorReactions(notes, {}).survive("link", service.run))
        await asyncio.sleep(20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.get_running_loop().time() == 20

    run_simulated(main())
    assert service.begun == [0, 3, 6, 9]
    kinds: list[Any] = [one["error"] for one in notes.of("error.met")]
    assert kinds == ["out_of_memory", "unknown", "unknown"]
    assert "link failed" in caplog.text


def test_a_world_that_cannot_go_on_is_not_survived() -> None:
    async def main() -> None:
        with pytest.raises(WorldError):
            await ErrorReactions(Notes(), {}).survive("link", Service(WorldError("over")).run)

    run_simulated(main())
