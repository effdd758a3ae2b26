"""Obstacles: whom they stand in the way of, and what becomes of what meets them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.ports.network import Request, Response
from windtunnel_models.cluster.obstacles import (
    Answer,
    Cut,
    Gap,
    Mishap,
    Obstacle,
    Obstacles,
    operation_of,
)
from windtunnel_models.cluster.parcels import Parcel


class Post:
    """Parcels between a, b, c and d, what was felt, and what has arrived."""

    def __init__(self, *obstacles: Obstacle) -> None:
        self.obstacles = Obstacles()
        self.arrived: list[Any] = []
        for obstacle in obstacles:
            self.obstacles.put(obstacle)

    def parcel(self, way: str, content: Any = None, *, on_channel: bool = False) -> Parcel:
        source, target = tuple(way)
        return Parcel(source, target, self._arrive, content, on_channel=on_channel)

    def _arrive(self, parcel: Parcel) -> None:
        if not self.obstacles.stops(parcel):
            self.arrived.append(parcel.content)


def nobody(op: str) -> None:
    """Feel nothing."""


PAIR = frozenset("ab")


@pytest.mark.parametrize(
    ("way", "stopped"),
    [("ab", False), ("ba", False), ("cd", False), ("ac", True), ("ca", True), ("bd", True)],
)
def test_a_cut_stands_between_its_hosts_and_all_others(way: str, stopped: bool) -> None:
    post = Post(Cut(PAIR, nobody))
    assert post.obstacles.standing
    assert post.obstacles.stops(post.parcel(way)) is stopped


@given(
    ways=st.lists(st.sampled_from(["ab", "ac", "bc", "cb", "ca"]), max_size=20),
    first=st.booleans(),
)
def test_what_cuts_have_held_comes_in_order_when_the_last_is_over(
    ways: list[str], first: bool
) -> None:
    cuts = [Cut(frozenset("a"), nobody), Cut(frozenset("b"), nobody)]
    post = Post(*cuts)
    parcels = [post.parcel(way, n) for n, way in enumerate(ways)]
    for parcel in parcels:
        parcel.arrive(parcel)
    assert post.arrived == []
    gone, stays = cuts if first else reversed(cuts)
    post.obstacles.take(gone)
    held_still = [n for n, way in enumerate(ways) if min(stays.hosts) in way]
    assert post.arrived == [n for n in range(len(ways)) if n not in held_still]
    before = len(post.arrived)
    post.obstacles.take(stays)
    post.obstacles.take(stays)
    assert post.arrived[before:] == held_still
    assert all(parcel.held for parcel in parcels)
    assert not post.obstacles.standing


def test_silence_swallows_what_goes_through_channels_between_two() -> None:
    post = Post(Gap(PAIR, "silent", nobody))
    assert post.obstacles.stops(post.parcel("ba", on_channel=True))
    assert not post.obstacles.stops(post.parcel("ba"))
    assert not post.obstacles.stops(post.parcel("ac", on_channel=True))
    assert not post.obstacles.refuses(post.parcel("ba"))


def test_where_it_is_shut_nothing_can_be_begun() -> None:
    post = Post(Gap(PAIR, "shut", nobody))
    assert post.obstacles.refuses(post.parcel("ba"))
    assert not post.obstacles.refuses(post.parcel("bc"))
    assert not post.obstacles.stops(post.parcel("ba", on_channel=True))


def mishap(kind: Any, **how: Any) -> Mishap:
    return Mishap(PAIR, kind, how.pop("felt", nobody), Random(1), **how)


def test_fates_add_up_and_a_loss_ends_them() -> None:
    post = Post(mishap("duplicate"), mishap("delay", by=5), mishap("delay", by=2))
    assert post.obstacles.fate(post.parcel("ab")) == (7, 7)
    assert post.obstacles.fate(post.parcel("ac")) == (0,)
    post.obstacles.put(mishap("lose"))
    assert post.obstacles.fate(post.parcel("ab")) == ()


@given(times=st.integers(1, 5), sent=st.integers(0, 10))
def test_a_mishap_hits_as_many_as_it_was_told_to(times: int, sent: int) -> None:
    felt: list[str] = []
    one = mishap("lose", left=times, felt=felt.append)
    post = Post(one)
    fates = [post.obstacles.fate(post.parcel("ab")) for _ in range(sent)]
    assert fates == [()] * min(sent, times) + [(0,)] * max(0, sent - times)
    assert len(felt) == min(sent, times)
    assert (one in post.obstacles) is (sent < times)


@given(share=st.floats(0, 1), seed=st.integers(0, 99))
def test_a_mishap_hits_about_its_share(share: float, seed: int) -> None:
    post = Post(Mishap(PAIR, "lose", nobody, Random(seed), share))
    lost = sum(post.obstacles.fate(post.parcel("ab")) == () for _ in range(400))
    assert abs(lost - 400 * share) <= 60
    assert share not in (0, 1) or lost == 400 * share


def test_an_answer_is_for_its_host_and_path_and_used_up() -> None:
    felt: list[str] = []
    one = Answer("a", "/api/task", felt.append, Response(503), left=1)
    every = Answer("a", None, nobody, muted=True)
    post = Post(one, every)
    request = Request("GET", "http://a:1/api/task?requestId=1", {"client_task_id": "t.1"})
    assert post.obstacles.answer("b", request) is None
    assert post.obstacles.answer("a", Request("GET", "http://a:1/other")) is every
    assert post.obstacles.answer("a", request) is one
    assert felt == ["t.1"]
    assert post.obstacles.answer("a", request) is every


@pytest.mark.parametrize(
    ("content", "op"),
    [
        (Request("POST", "http://a:1/x", {"client_task_id": "t.1"}), "t.1"),
        (Response(200, {"data": {"taskId": "t.2"}}), "t.2"),
        (Response(200, {"data": {"client_task_id": "t.3", "taskId": "md-t.3"}}), "t.3"),
        ({"type": "RUN", "data": {"taskId": "t.4"}}, "t.4"),
        ({"type": "HEARTBEAT", "data": {}}, ""),
        (Response(200, ["no object"]), ""),
        (object(), ""),
    ],
)
def test_what_something_is_about(content: object, op: str) -> None:
    assert operation_of(content) == op
