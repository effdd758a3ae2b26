"""Random streams: one per name, the same for the same seed on every machine."""

from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.streams import stream

seeds = st.integers(0, 2**63 - 1)
names = st.text(max_size=20)


@given(seeds, names)
def test_a_stream_is_decided_by_its_seed_and_name(seed: int, name: str) -> None:
    one, two = stream(seed, name), stream(seed, name)
    assert [one.random() for _ in range(5)] == [two.random() for _ in range(5)]


@given(st.tuples(seeds, names), st.tuples(seeds, names))
def test_two_streams_share_nothing(one: tuple[int, str], two: tuple[int, str]) -> None:
    if one != two:
        assert stream(*one).getrandbits(128) != stream(*two).getrandbits(128)


def test_a_seed_is_told_from_a_name() -> None:
    assert stream(1, "1/x").random() != stream(11, "/x").random()


def test_it_is_the_same_in_another_process() -> None:
    code = "from windtunnel.streams import stream; print(stream(7, 'latency').getrandbits(64))"
    path = os.pathsep.join(filter(None, sys.path))
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": path, "PYTHONHASHSEED": "3"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(told.stdout) == stream(7, "latency").getrandbits(64)
