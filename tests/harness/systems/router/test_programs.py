"""The programs: made of what a scenario says, anew with each life, heard while they live."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.hosts import HostPorts
from windtunnel.systems.router.given import Given
from windtunnel.systems.router.owner import Owner
from windtunnel.systems.router.programs import Programs, backend_settings, dispatcher_settings
from windtunnel.trace import Trace
from windtunnel_models.loop.sim_loop import SimLoop

SAID = {
    "fleet": {"external": 7, "heartbeat": "2s", "dead_after": "6s"},
    "router": {
        "enabled": False,
        "priority": False,
        "poll": "200ms",
        "batch": 50,
        "task_timeout": "12s",
        "retry": {"max": 2, "backoff": "300ms"},
        "health": {"interval": "4s", "timeout": "1s", "failures": 5},
        "heartbeat": {"interval": "15s", "ack": "5s"},
        "reports": "3s",
        "expiry": "10min",
        "token": {"lifetime": "12h", "refresh": "8h"},
        "breaker": {"failures": 9, "reset": "45s"},
        "capacity": {"internal": 20},
        "queue_max": 99,
        "query_outside": "25s",
    },
}


@pytest.mark.spec("RT-G1")
def test_the_backend_has_the_figures_that_are_said() -> None:
    made = backend_settings(Given.model_validate(SAID))
    assert made.model_dump(exclude_defaults=True) == {
        "enabled": False,
        "priority": False,
        "internal_capacity": 20,
        "external_capacity": 7,
        "poll_s": 0.2,
        "batch": 50,
        "task_timeout_s": 12,
        "query_s": 25,
        "health_interval_s": 4,
        "health_timeout_s": 1,
        "health_failures": 5,
        "heartbeat_s": 15,
        "heartbeat_ack_s": 5,
        "token_refresh_s": 8 * 3600,
        "breaker_failures": 9,
        "breaker_reset_s": 45,
    }


@pytest.mark.spec("RT-G1")
def test_the_dispatcher_has_the_figures_that_are_said() -> None:
    made = dispatcher_settings(Given.model_validate(SAID))
    assert (made.queue_max, made.retry_max, made.retry_backoff_s) == (99, 2, 0.3)
    assert (made.expiry_s, made.heartbeat_s, made.dead_after_s) == (600, 2, 6)
    assert (made.report_s, made.token_lifetime_s) == (3, 12 * 3600)


@pytest.mark.spec("RT-G1")
def test_the_defaults_on_both_sides_are_the_same() -> None:
    said = backend_settings(Given())
    plain = type(said)()
    assert said == plain
    made = dispatcher_settings(Given())
    assert made == type(made)()


@pytest.mark.spec("RT-B4")
@pytest.mark.parametrize("host", ["backend", "dispatcher"])
def test_a_program_begins_a_new_life_after_a_crash(kit: Any, host: str) -> None:
    bench = kit.bench()
    lives: list[object] = []

    async def main(system: Any) -> None:
        programs = system._programs
        living = getattr(programs, f"living_{host}")
        lives.append(living())
        fault = bench.fault("crash", target=[host])
        lives.append(living())
        await asyncio.sleep(1)
        bench.world.undo(fault)
        await asyncio.sleep(1)
        lives.append(living())

    bench.play(main)
    first, dead, second = lives
    assert dead is None
    assert first is not None
    assert second is not None
    assert first is not second


def test_what_has_crashed_is_heard_no_more(kit: Any) -> None:
    bench = kit.bench()
    heard: list[str] = []

    async def main(system: Any) -> None:
        programs = system._programs
        stop = programs.listen(lambda kind, _: heard.append(kind))
        _, ports = programs.backend
        note = programs._noting(ports)
        note("owner.told_again", "a", {})
        bench.fault("crash", target=["backend"])
        note("owner.told_again", "b", {})
        stop()

    events = bench.play(main)
    assert [event.op for event in events if event.kind == "owner.told_again"] == ["a"]
    assert heard == ["owner.told_again"]


def test_the_handing_over_ends_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    class Raising:
        """A backend that raises as it begins."""

        def __init__(self, *parts: Any) -> None:
            self.parts = parts

        async def run(self) -> None:
            await asyncio.sleep(1)
            raise OSError

    async def main() -> None:
        trace = Trace(loop.time_ns)
        programs = Programs(Given(), RouterOptions(), 0, trace, Owner(trace))
        ports: Any = HostPorts("backend", network=Any, store=Any)  # type: ignore[arg-type] # unused
        with pytest.raises(OSError):  # noqa: PT011 - it has no text
            await programs._run_backend(ports)
        await asyncio.sleep(0)
        assert [task for task in asyncio.all_tasks() if task.get_name() == "owner"] == []

    monkeypatch.setattr("windtunnel.systems.router.programs.Backend", Raising)
    loop = SimLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())
