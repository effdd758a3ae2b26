"""The split through the whole router alive: what it sends where is what the pure policy says."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from router_kit import LiveRouter
from windtunnel.policies.router.split import split


@pytest.mark.spec("RT-S1", "RT-S2", "RT-S3", "RT-S4", "RT-S5")
@settings(max_examples=40)
@example(internal=30, external=10, tasks=25, seed=1)
@example(internal=30, external=10, tasks=30, seed=2)
@example(internal=30, external=10, tasks=35, seed=3)
@example(internal=30, external=10, tasks=40, seed=4)
@example(internal=30, external=10, tasks=45, seed=5)
@example(internal=0, external=10, tasks=5, seed=6)
@example(internal=30, external=0, tasks=35, seed=7)
@given(
    internal=st.integers(0, 4),
    external=st.integers(0, 3),
    tasks=st.integers(0, 9),
    seed=st.integers(0, 2**16),
)
def test_the_router_alive_splits_as_the_policy_does(
    internal: int, external: int, tasks: int, seed: int
) -> None:
    live = LiveRouter({"fleet": {"internal": internal, "external": external}}, seed=seed)
    with contextlib.closing(live):
        ids = live.submit(tasks, work="5s") if tasks else []
        live.advance(1)
        inside, outside, waiting = split(ids, internal, external)
        seen = live.observe()
        figures = (seen["to_internal"], seen["to_external"], seen["waiting"])
        assert figures == (len(inside), len(outside), len(waiting))
        places = dict(live.places("backend"))
        assert places == {
            **dict.fromkeys(inside, "inside"),
            **dict.fromkeys(outside, "outside"),
            **dict.fromkeys(waiting, "waiting"),
        }
        assert (live.sent("internal"), live.sent("external")) == (inside, outside)
        started = {event.op for event in live.trace.of("work.started")}
        assert started == {*inside, *outside}
