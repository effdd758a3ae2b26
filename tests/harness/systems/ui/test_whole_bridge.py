"""The whole bridge under whatever a timeline may do to it: rules that hold in every run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel import canonical
from windtunnel.checks import CHECKS
from windtunnel.checks.base import Context, Verdict
from windtunnel.checks.judging import judge
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.settings import SERVICES
from windtunnel.systems.base import Operation
from windtunnel.systems.ui.bridge import BridgeUnderTest
from windtunnel.systems.ui.calls import CALLS
from windtunnel.trace import Event
from windtunnel.world import Fault, Ties

SENDS = [{"to": "ann", "text": "one"}, {"to": "bob", "file": "two.pdf"}]
CALLED = sorted(CALLS.keys() - {"caller.cancel", "scheduler.stop"})
FAULTS: Mapping[str, Mapping[str, Any]] = {
    "kill": {"target": "wechat"},
    "log_out": {},
    "lose_window": {},
    "popup": {},
    "hang": {"target": ["click"], "times": 1},
    "fail": {"target": ["verify"], "code": "TIMEOUT", "times": 2},
    "slow": {"target": ["activate"], "by": 1_000_000_000},
    "slow_autostart": {"delay": None},
}
INSTANTS = st.integers(0, 30_000) | st.sampled_from([0, 1000, 10_000])
"""Milliseconds; some are often the same."""
TIES = st.just(Ties()) | st.just(Ties("lifo")) | st.builds(Ties, st.just("seeded"), st.integers(0))
HANG_UPS = st.lists(
    st.tuples(st.integers(0, 11), st.sampled_from([0, 100, 500, 1500, 4000])), max_size=3
)
"""(whose caller hangs up, so many milliseconds after the operation was to begin)."""
PLANS = st.lists(
    st.tuples(INSTANTS, st.sampled_from([*ENDPOINTS, *CALLED])), min_size=1, max_size=12
)
SAID = st.fixed_dictionaries(
    {
        "wiring": st.sampled_from(["before", "phase1", "after"]),
        "probe": st.sampled_from(["locked", "lookup", "cached"]),
        "friend_watcher": st.sampled_from(["queued", "direct"]),
        "background": st.fixed_dictionaries({name: st.booleans() for name in SERVICES}),
        "wechat": st.fixed_dictionaries(
            {
                "state": st.sampled_from(["logged_in", "logged_in", "qr"]),
                "autostart": st.sampled_from([None, "0s", "7s", {"min": "5s", "max": "10s"}]),
                "friend_requests": st.just([{"at": "4s", "from": "carol"}]),
            }
        ),
    }
)
FAULTY = st.lists(st.tuples(INSTANTS, st.sampled_from(sorted(FAULTS))), max_size=2)
Plan = list[tuple[int, str]]


@dataclass(frozen=True)
class Case:
    """What is done to a bridge."""

    said: dict[str, Any]
    plan: Plan
    faulty: Plan
    hang_ups: list[tuple[int, int]]
    ties: Ties


CASES = st.builds(Case, SAID, PLANS, FAULTY, HANG_UPS, TIES)


def operation(kit: Any, id: str, name: str) -> Operation:  # noqa: A002 - its field
    if name in ENDPOINTS:
        made: Operation = kit.submit(id, name)
    else:
        made = kit.call(id, name, **({"sends": SENDS} if name == "batch.run" else {}))
    return made


def play(kit: Any, case: Case) -> tuple[Any, list[Event]]:
    """Play a case to its end: all over that the timeline or the loops began."""
    plan = case.plan
    bench = kit.bench(case.said, ties=case.ties)

    async def one(system: BridgeUnderTest, id: str, at: int, name: str) -> None:  # noqa: A002
        await asyncio.sleep(at / 1000)
        made = operation(kit, id, name)
        await (system.submit(made) if made.mode == "submit" else system.call(made))

    async def spoil(at: int, name: str) -> None:
        await asyncio.sleep(at / 1000)
        try:
            await bench.world.inject(Fault(f"fault-{name}-{at}", name, FAULTS[name]))
        except Exception as error:  # noqa: BLE001 - such as a kill of what does not run
            assert type(error).__name__ == "FaultError"  # noqa: PT017 - nothing else may come

    async def hang_up(system: BridgeUnderTest, number: int, later: int) -> None:
        n = number % len(plan)
        await asyncio.sleep((plan[n][0] + later) / 1000)
        call = kit.call(f"hang-up-{number}-{later}", "caller.cancel", of=f"op{n}")
        await system.call(call)  # one that has not been submitted: recorded as failed

    async def quiet(system: BridgeUnderTest) -> None:
        # A request that cannot be accepted is tried again for ever, ahead of every send.
        await asyncio.sleep(31)
        await system.bridge.friend_watcher.stop()

    async def main(system: BridgeUnderTest) -> None:
        await asyncio.gather(
            *(one(system, f"op{n}", at, name) for n, (at, name) in enumerate(plan)),
            *(spoil(at, name) for at, name in case.faulty),
            *(hang_up(system, *each) for each in dict.fromkeys(case.hang_ups)),
            quiet(system),
        )
        await asyncio.gather(*(c.closed for c in system.scheduler.operations.values()))

    return bench, bench.play(main)


def holds(bench: Any, check: str, **args: Any) -> None:
    spec = CHECKS[check]
    result = judge(spec, bench.world.trace, spec.args(**args), Context(bench.end, {}))
    nothing_to_see = (Verdict.VACUOUS, Verdict.SKIPPED)  # of one that says nothing from inside
    assert result.verdict in (Verdict.PASS, *nothing_to_see), result.message


ANY_KIT = settings(
    deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.spec("UI-Q10", "UI-C2")
@ANY_KIT
@given(CASES)
def test_everything_ends_and_is_told_once(kit: Any, case: Case) -> None:
    bench, events = play(kit, case)
    holds(bench, "conservation")
    for begun, over in (("request.received", "request.answered"), ("call.started", "call.ended")):
        ops = [Counter(e.op for e in events if e.kind == kind) for kind in (begun, over)]
        assert ops[0] == ops[1]
        assert set(ops[0].values()) <= {1}
    for event in events:
        if event.kind == "command.started" and event.class_ == "probe":
            assert "/" not in event.op  # a look is never queued: it is no action of its own


@pytest.mark.spec("UI-L1", "UI-L2", "UI-C1")
@ANY_KIT
@given(CASES)
def test_after_the_change_nothing_clashes(kit: Any, case: Case) -> None:
    said = {**case.said, "wiring": "after", "friend_watcher": "queued"}
    bench, events = play(kit, replace(case, said=said))
    holds(bench, "mutual_exclusion", resource="display")
    holds(bench, "no_interleave", flows=list(ENDPOINTS))
    holds(bench, "fifo", within="priority")
    holds(bench, "priority_inversion")
    holds(bench, "fast_fail")
    holds(bench, "drained_before_kill")
    assert not [e for e in events if e.details.get("via") not in (None, "execute")]


@pytest.mark.spec("UI-C1")
@ANY_KIT
@given(CASES)
def test_each_command_has_its_place(kit: Any, case: Case) -> None:
    """Commands of an action lie in its run, one after the other, and are numbered; all end."""
    _, events = play(kit, case)
    at_work: dict[tuple[str, str], int] = {}
    running: set[str] = set()
    for event in events:
        mine = (event.op, event.class_)
        if event.kind == "action.started":
            running.add(event.op)
            at_work[mine] = -1
        elif event.kind == "action.settled":
            running.discard(event.op)
        elif event.kind == "command.started" and event.class_ in ENDPOINTS:
            assert event.op in running
            assert event.details["step"] == at_work[mine] + 1
            at_work[mine] += 1
    begun, ended = (
        Counter((e.op, e.class_, e.details["step"]) for e in events if e.kind == f"command.{kind}")
        for kind in ("started", "ended")
    )
    assert not ended - begun
    left = begun - ended
    assert all(class_ not in ENDPOINTS for _, class_, _ in left)  # but for a loop's last look


@pytest.mark.spec("UI-C1")
@ANY_KIT
@given(CASES)
def test_equal_runs_have_equal_traces(kit: Any, case: Case) -> None:
    first, _ = play(kit, case)
    second, _ = play(kit, case)
    assert canonical.digest(first.world.trace) == canonical.digest(second.world.trace)
