"""Names: the same in every run, without addresses."""

from __future__ import annotations

import asyncio

import simpy

from windtunnel_models import SimLoop
from windtunnel_models.loop.naming import name_of, without_addresses


def process(env: simpy.Environment) -> simpy.events.ProcessGenerator:
    yield env.timeout(1)


def test_addresses_are_taken_out() -> None:
    assert without_addresses(repr(object())) == "<object>"
    assert without_addresses("<Lock at 0x7f3A [locked]>") == "<Lock [locked]>"


def test_everything_that_is_awaited_has_a_name() -> None:
    loop = SimLoop()
    env = loop.env
    task = loop.create_task(asyncio.sleep(1), name="sleeper")
    running = env.process(process(env))
    resource = simpy.Resource(env)
    resource.request()
    names = [
        name_of(thing)
        for thing in (
            task,
            running,
            env.timeout(1),
            resource.request(),
            env.all_of([running, env.event()]),
            loop.as_future(running),
            loop.as_event(task),
            asyncio.gather(task, loop.create_future()),
            loop.create_future(),
            7,
        )
    ]
    assert names == [
        "task 'sleeper'",
        "SimPy process 'process'",
        "SimPy Timeout",
        "SimPy Request of a Resource",
        "AllOf of SimPy process 'process', SimPy Event",
        "SimPy process 'process'",
        "task 'sleeper'",
        "gather of task 'sleeper', a future",
        "a future",
        "7",
    ]
    loop.cancel_leftovers()
    loop.close()
