"""The split's rule over every triple of tasks and capacities."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.policies.router.split import split

TASKS = st.integers(0, 100)
CAPACITIES = st.integers(0, 60)


@pytest.mark.spec("RT-S1", "RT-S3")
@settings(max_examples=10_000, deadline=None)
@given(TASKS, CAPACITIES, CAPACITIES)
def test_a_split_keeps_every_task_and_leaves_no_capacity_idle(
    tasks: int, internal: int, external: int
) -> None:
    batch = list(range(tasks))
    inside, outside, waiting = split(batch, internal, external)
    assert [*inside, *outside, *waiting] == batch, "each task once, in order"
    assert len(inside) <= internal
    assert len(outside) <= external
    assert len(inside) == internal or not (outside or waiting), "inside is full or enough"
    assert len(outside) == external or not waiting, "outside is full or enough"
