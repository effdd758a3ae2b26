"""Refusals: what virtual time cannot give says so at the call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import Unsupported
from windtunnel_models.loop.refusals import RefusingLoop

REFUSED = [name for name, value in vars(RefusingLoop).items() if callable(value)]


def test_every_method_of_an_event_loop_is_had_or_refused() -> None:
    """None is left that fails with asyncio's bare NotImplementedError."""
    interface = {name for name in dir(asyncio.AbstractEventLoop) if not name.startswith("_")}
    left = {
        name
        for name in interface
        if getattr(SimLoop, name) is getattr(asyncio.AbstractEventLoop, name)
    }
    assert left == set()


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_the_call_and_what_to_do_instead(name: str) -> None:
    loop = SimLoop()
    with pytest.raises(Unsupported, match=rf"loop\.{name}\(\).*virtual time: \w+"):
        getattr(loop, name)(1, x=2)
    loop.close()


async def open_connection() -> None:
    await asyncio.open_connection("localhost", 1)


async def start_server() -> None:
    await asyncio.start_server(lambda reader, writer: None, port=1)


async def start_program() -> None:
    await asyncio.create_subprocess_exec("true")


async def use_thread() -> None:
    await asyncio.wait_for(asyncio.to_thread(print), 5)


@pytest.mark.parametrize("main", [open_connection, start_server, start_program, use_thread])
def test_asyncios_own_functions_meet_the_refusal(
    main: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    with pytest.raises(Unsupported):
        run(main())


def test_a_refusal_is_a_not_implemented_error_too() -> None:
    assert issubclass(Unsupported, NotImplementedError)
