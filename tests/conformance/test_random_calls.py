"""Random calls in two worlds: whatever is clicked and typed does the same in both.

Few sequences unless `WINDTUNNEL_CONFORMANCE_EXAMPLES` says how many.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from windtunnel.systems.ui.click_targets import PREFIXES, TARGETS
from windtunnel.wechat.keys import PRESSES
from worlds_kit import Stage, same

pytestmark = pytest.mark.real

EXAMPLES = int(os.environ.get("WINDTUNNEL_CONFORMANCE_EXAMPLES", "6"))
LONGEST = 40
NAMES = ("alice", "bob", "filehelper", "李雷")
ROWS = tuple(f"{prefix}{name}" for prefix in PREFIXES for name in NAMES)
KEYS = (*sorted({key for row in PRESSES.values() for key in row}), "a", "space", "Tab", "shift")
TEXTS = st.one_of(
    st.sampled_from(NAMES),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6),
)
TYPED = st.tuples(st.sampled_from(("type_text", "paste_text")), TEXTS)
CLICKED = st.tuples(st.just("click"), st.sampled_from((*TARGETS, *ROWS, "nowhere at all")))
PRESSED = st.tuples(st.just("key"), st.sampled_from(KEYS), st.integers(1, 3))
LOOKED = st.sampled_from(
    [("activate", "wechat"), ("activate", "other"), ("login_state",), ("window",)]
)
SOMEBODY = st.one_of(
    st.tuples(st.just("click"), st.sampled_from((*TARGETS, *ROWS))),
    st.tuples(st.just("types"), st.sampled_from(("bob", "hé\nx"))),
)
BROUGHT = st.one_of(
    st.sampled_from([("inject", do) for do in ("log_out", "log_in", "popup", "lose_window")]),
    st.sampled_from([("undo", do) for do in ("log_out", "popup", "lose_window")]),
    SOMEBODY.map(lambda act: ("second_person", *act)),
)
STEPS = st.lists(
    st.one_of(CLICKED, CLICKED, TYPED, PRESSED, LOOKED, BROUGHT), min_size=1, max_size=LONGEST
)


async def take(stage: Stage, step: tuple[Any, ...]) -> None:
    match step:
        case ("second_person", how, what):
            await stage.inject("second_person", **{how: what})
        case ("inject", do):
            await stage.inject(do)
        case ("undo", do):
            await stage.undo(do)
        case _:
            await stage.do(*step)


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    report_multiple_bugs=False,
)
@given(steps=STEPS)
@example(steps=[("key", "ctrl+v", 1), ("paste_text", "x"), ("key", "ctrl+v", 2)])
@example(steps=[("click", "add"), ("type_text", "bob"), ("click", "session")])
@example(steps=[("click", "add"), ("type_text", "bob"), ("click", "session:filehelper")])
@example(steps=[("click", "add"), ("click", "session"), ("click", "session:bob")])
def test_whatever_is_done_does_the_same(steps: list[tuple[Any, ...]]) -> None:
    async def body(stage: Stage) -> None:
        for step in steps:
            await take(stage, step)
            await stage.look()

    same(body, missing_window=1_000_000, friend_requests=[{"at": 0, "from": "carol"}])
