"""Wrong schedulers of somebody else under a whole bridge: the checks see it through the routes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.checks import CHECKS
from windtunnel.checks.base import Context, Verdict
from windtunnel.checks.judging import judge
from windtunnel.services.bridge.settings import SERVICES
from windtunnel.systems.ui.bridge import BridgeUnderTest

LOOPS = dict.fromkeys(SERVICES, True)
"""They go on for ever, so that nothing is ever left to do: no deadlock tells of what is lost."""


def offences(kit: Any, scheduler: str, background: dict[str, bool]) -> set[str]:
    """Play three sends and one that fails through the routes; give the checks that fail."""
    bench = kit.bench(
        {"background": background},
        scheduler=f"odd_schedulers:{scheduler}",
    )

    async def main(system: BridgeUnderTest) -> None:
        calls = [
            asyncio.ensure_future(
                system.call(kit.call(f"send{n}", "route.send_text", to=to, text=f"text {n}"))
            )
            for n, to in enumerate(("ann", "bob", "ann"))
        ]
        calls.append(asyncio.ensure_future(system.call(kit.call("fails", "route.accept_friend"))))
        await asyncio.wait(calls, timeout=120)
        bench.world.trace.close()
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)

    bench.play(main)
    context = Context(bench.end, {})
    asked: dict[str, dict[str, Any]] = {
        "conservation": {},
        "mutual_exclusion": {},
        "no_interleave": {"flows": ["send_text", "accept_friend"]},
        "delivered_to": {"of": ["send_text"], "complete": True},
    }
    return {
        name
        for name, args in asked.items()
        if judge(CHECKS[name], bench.world.trace, CHECKS[name].args(**args), context).verdict
        is Verdict.FAIL
    }


@pytest.mark.parametrize("background", [{}, LOOPS], ids=["alone", "with loops"])
@pytest.mark.parametrize("scheduler", ["Plain", "Coroutine"])
def test_one_that_is_right_passes(kit: Any, scheduler: str, background: dict[str, bool]) -> None:
    assert offences(kit, scheduler, background) == set()


@pytest.mark.spec("UI-Q10", "UI-Q3", "UI-L2")
@pytest.mark.parametrize("background", [{}, LOOPS], ids=["alone", "with loops"])
@pytest.mark.parametrize(
    ("scheduler", "check"),
    [
        *(("RunsTwice", "conservation"), ("Loses", "conservation"), ("NeverTells", "conservation")),
        *(("TellsEarly", "conservation"), ("Swallows", "conservation"), ("Dies", "conservation")),
        *(("NeverAwaits", "conservation"), ("TwoWorkers", "no_interleave")),
    ],
)
def test_one_that_is_wrong_fails(
    kit: Any, scheduler: str, check: str, background: dict[str, bool]
) -> None:
    assert check in offences(kit, scheduler, background)
